"""The frame: the way through, light and dark, nothing asked of anybody else."""

from __future__ import annotations

from typing import Any

from tests.studio.conftest import Tab


def test_the_first_step_opens_without_complaints(tab: Tab) -> None:
    """The token is gone from the address, and the steps that cannot be taken yet say so."""
    page: Any = tab.page
    page.get_by_role("heading", name="Open a table").wait_for()
    assert page.url == tab.studio.origin + "/"
    page.get_by_role("link", name="Review").click()
    page.get_by_text("There is no release yet").wait_for()
