"""Phones, the keyboard and other scripts: every step fits, reads as cards, and says where the focus is."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from shoal.studio import first_look
from shoal.studio.jobs import Job
from shoal.studio.workspace import Workspace
from tests.patience import PATIENCE, until
from tests.studio.conftest import STUDIO_OF, Studio, comes, step
from tests.studio.test_accessible import READY
from tests.studio.test_review import opened, table

ARABIC = "قسم الطوارئ"
WIDE = """() => [...document.querySelectorAll('.content *')].filter(each => {
    const box = each.getBoundingClientRect();
    const scrolls = '.scroll, .grid, .q-uploader, [aria-hidden=true], .only-heard';
    if (!box.width || each.closest(scrolls)) return false;
    return box.right > innerWidth + 1 && getComputedStyle(each).position !== 'absolute';
}).map(each => each.outerHTML.slice(0, 120))"""
BROKEN = """() => [...document.querySelectorAll('table.plain td, table.plain th')].filter(cell => {
    const words = cell.innerText.split(/[\\s-]+/);
    const longest = Math.max(0, ...words.map(word => word.length));
    return longest <= 16 && cell.clientWidth && cell.clientWidth < 5.2 * longest;
}).map(cell => cell.innerText.slice(0, 60))"""


def searched(workspace: Workspace) -> None:
    """A table with a release, a search that is still at work, and a first look at it."""
    path = table(workspace.folders.opened[0])
    path.write_text(path.read_text(encoding="utf-8").replace(",a,", f",{ARABIC},"), encoding="utf-8")
    opened(workspace, path)
    assert workspace.search("First").job.wait(PATIENCE)
    folder, place = workspace.new_folder()
    policy = workspace.draft.write(folder, workspace.needed_table().stated())
    run = workspace.add("Second", workspace.draft.copy(), place, Job("Second"))
    looked = workspace.jobs[first_look.job_name(run)] = Job("First look")
    looked.end("done", result=first_look.looked(str(policy), str(folder / "look.csv")))


@pytest.fixture(scope="module")
def page(browser: Any, one_studio: Studio) -> Iterator[Any]:
    """One page for all tests, as wide as a phone."""
    one_studio.anew(searched)
    context = browser.new_context(viewport={"width": 390, "height": 844}, reduced_motion="reduce")
    shown = context.new_page()
    STUDIO_OF[shown] = one_studio
    shown.set_default_timeout(1000 * PATIENCE)
    shown.goto(one_studio.address)
    yield shown
    context.close()


@pytest.mark.parametrize("name", READY)
def test_a_step_fits_a_phone(page: Any, name: str) -> None:
    """Nothing is wider than the screen, and no word of a table is broken into letters."""
    page.set_viewport_size({"width": 390, "height": 844})
    step(page, name)
    wanted = "A first look at what is released" if name == "Find the best release" else READY[name]
    comes(page, page.get_by_text(wanted))
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    assert page.evaluate(WIDE) == []
    page.set_viewport_size({"width": 820, "height": 1180})
    assert page.evaluate("document.documentElement.scrollWidth") <= 820
    assert page.evaluate(BROKEN) == []
    page.set_viewport_size({"width": 390, "height": 844})


def test_rows_of_a_table_are_cards_with_the_names_of_their_columns(page: Any) -> None:
    """Each cell says its column; a screen reader still finds a table."""
    page.set_viewport_size({"width": 390, "height": 844})
    step(page, "See the data")
    row = page.locator("table.open-columns tbody tr").first
    row.wait_for()
    page.locator("table.open-columns td[data-label='Likely role']").first.wait_for()
    shown = row.locator("td[data-label='Distinct']").evaluate(
        "cell => getComputedStyle(cell, '::before').content"
    )
    assert shown == '"Distinct"'
    assert row.evaluate("row => getComputedStyle(row).display") == "block"
    assert page.get_by_role("rowheader", name="age").count() == 1


def test_a_first_look_shows_what_each_column_and_row_becomes(page: Any) -> None:
    """While the search runs, with what was there before."""
    page.set_viewport_size({"width": 1360, "height": 900})
    step(page, "Find the best release")
    comes(page, page.get_by_role("heading", name="A first look at what is released"))
    columns = page.get_by_role("table", name="What became of each column")
    assert columns.get_by_role("row").filter(has_text="age").count() == 1
    rows = page.get_by_role("table", name="The first rows, before and after")
    assert rows.get_by_text("was ").count() > 0


def test_the_focus_is_seen_and_comes_back_from_a_dialog(page: Any) -> None:
    """With the keyboard alone: open a dialog, close it by Escape, and be where one was; undo a change."""
    page.set_viewport_size({"width": 1360, "height": 900})
    step(page, "Say what must hold")
    button = page.get_by_role("button", name="Save the project")
    button.focus()
    page.keyboard.press("Tab")
    page.keyboard.press("Shift+Tab")
    assert button.evaluate("each => getComputedStyle(each).boxShadow") != "none"
    page.keyboard.press("Enter")
    field = page.get_by_label("Folder of the project")
    field.wait_for()
    page.keyboard.press("Escape")
    field.wait_for(state="hidden")
    page.wait_for_function("document.activeElement.innerText.includes('Save the project')")
    role = page.get_by_label("Role of age")
    role.focus()
    page.keyboard.press("Control+Enter")
    page.wait_for_function("document.activeElement.innerText === 'Next: Search'")
    role.select_option("other")
    undo = page.get_by_role("button", name="Undo change")
    until(undo.is_enabled)
    undo.click()
    page.wait_for_function("document.querySelector('[aria-label=\"Role of age\"]').value.includes('quasi')")


def test_text_from_right_to_left_is_shown_as_it_is_read(page: Any) -> None:
    """A cell takes its direction from its own text."""
    page.set_viewport_size({"width": 1360, "height": 900})
    step(page, "See the data")
    cell = page.locator(".ag-cell", has_text=ARABIC).first
    cell.wait_for()
    assert cell.evaluate("each => getComputedStyle(each).unicodeBidi") in ("plaintext", "isolate")
