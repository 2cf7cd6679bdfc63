"""The frame: the way through, light and dark, nothing asked of anybody else."""

from __future__ import annotations

import re
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


def test_no_step_styles_the_classes_of_another() -> None:
    """All sheets are linked on all steps: a rule may begin with a class of its own, or one that all share."""
    folder = Path(shoal.studio.__file__).parent / "static"
    begun: dict[str, set[str]] = {}
    for sheet in folder.glob("*.css"):
        plain = re.sub(r"/\*.*?\*/", "", sheet.read_text(encoding="utf-8"), flags=re.DOTALL)
        selectors = ",".join(re.findall(r"([^{}]+)\{", plain)).split(",")
        begun[sheet.name] = {found[1] for each in selectors if (found := re.match(r"\s*\.([\w-]+)", each))}
    shared = begun.pop("studio.css")
    owned = [(name, sheet) for sheet, names in begun.items() for name in names - shared]
    assert len({name for name, _ in owned}) == len(owned), sorted(owned)
