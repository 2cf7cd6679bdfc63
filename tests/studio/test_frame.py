"""The frame: the way through, light and dark, nothing asked of anybody else."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import shoal.studio
from tests.studio.conftest import Tab


def test_the_first_step_opens_without_complaints(tab: Tab) -> None:
    """The token is gone from the address, and the steps that cannot be taken yet say so."""
    page: Any = tab.page
    page.get_by_role("heading", name="Open a table").wait_for()
    assert page.url == tab.studio.origin + "/"
    page.get_by_role("link", name="Review").click()
    page.get_by_text("There is no release yet").wait_for()


def test_every_chart_is_one_that_may_be_deleted_at_any_moment() -> None:
    """NiceGUI's own raises in the browser if its step is left as it appears; `Chart` does not."""
    folder = Path(shoal.studio.__file__).parent
    direct = [path.name for path in folder.rglob("*.py") if "ui.echart(" in path.read_text(encoding="utf-8")]
    assert direct == []
