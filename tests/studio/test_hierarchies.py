"""Hierarchies in the studio: the ways, the tree, files, order; on the bundled data and in a browser."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import shoal
from shoal import Hierarchy, PolicyError, Role
from shoal.studio.folders import Folders
from shoal.studio.jobs import Workers
from shoal.studio.steps.protect.hierarchies import state, tree_rows, ways
from shoal.studio.tree import Tree
from shoal.studio.tree_shape import TOP
from shoal.studio.workspace import Opened, Workspace
from tests.studio.conftest import Tab, step

STAYS = """age,zip,day,city
30,02139,2025-01-01,Bonn
31,02138,2025-01-09,Ulm
40,02139,2025-02-01,
47,10115,2025-03-01,Bonn
"""
HOSTILE = "<img src=x onerror=alert(1)>"


@pytest.fixture
def workspace(tmp_path: Path) -> Iterator[Workspace]:
    """A workspace with a small table: numbers, codes, dates, and a missing city."""
    path = tmp_path / "stays.csv"
    path.write_text(STAYS, encoding="utf-8")
    workers = Workers()
    made = Workspace(Folders((tmp_path,), tmp_path), workers)
    made.open(Opened(source=path, name="stays.csv", inspected=shoal.inspect(path)))
    for column in ("age", "zip", "day", "city"):
        made.draft.set_role(column, Role.QUASI_IDENTIFIER)
    yield made
    workers.close()


@pytest.mark.parametrize(
    ("column", "way", "stated"),
    [
        ("age", "intervals", {"widths": [1, 2, 4]}),
        ("age", "keep", {"keep": True}),
        ("zip", "codes", {"prefixes": [3, 2, 1]}),
        ("day", "calendar", {"steps": ["month", "year"]}),
        ("city", "neighbours", {"fan_out": 2}),
        ("city", "automatic", {}),
    ],
)
def test_a_way_begins_with_fields_that_fit_the_data(
    workspace: Workspace, column: str, way: str, stated: dict[str, Any]
) -> None:
    """Choosing it is enough: what it suggests can be built, and is found again in the policy."""
    values = state.read(workspace, column)
    fields = ways.suggested(way, values)
    assert ways.recipe_of(way, fields) == stated
    state.say(workspace, column, state.with_recipe(workspace, column, stated))
    said = workspace.draft.attributes[column].get("hierarchy")
    assert ways.way_of(said, values) == way
    assert ways.recipe_of(way, ways.fields_of(said)) == stated
    assert state.current(workspace, column).levels[-1][0].rows + values.missing == 4
    assert workspace.draft.checked(workspace.folders.private, {"path": "stays.csv"})


@pytest.mark.parametrize(
    ("way", "fields", "field"),
    [
        ("intervals", {"widths": "5, x"}, "widths"),
        ("intervals", {"widths": "nan"}, "widths"),
        ("intervals", {}, "widths"),
        ("intervals", {"widths": "5", "top": "1 2"}, "top"),
        ("codes", {"prefixes": "1.5"}, "prefixes"),
        ("neighbours", {}, "joins"),
        ("calendar", {}, "steps"),
    ],
)
def test_what_cannot_be_read_is_told_at_its_field(way: str, fields: dict[str, Any], field: str) -> None:
    """With the name of the field, so that the words stand there."""
    with pytest.raises(ways.FieldError) as told:
        ways.recipe_of(way, {**ways.fields_of({}), **fields})
    assert told.value.field == field


def test_a_recipe_that_does_not_fit_leaves_the_policy_as_it_was(workspace: Workspace) -> None:
    """Widths shape numbers, and the city is none; widths must nest."""
    for column, stated in (("city", {"widths": [5]}), ("age", {"widths": [5, 7]})):
        with pytest.raises(PolicyError):
            state.with_recipe(workspace, column, stated)
        assert "hierarchy" not in workspace.draft.attributes[column]


def test_groups_go_into_the_policy_and_a_file_stays_a_file(workspace: Workspace) -> None:
    """Where Shoal builds the same from them; otherwise they are a file beside the policy."""
    tree = Tree.flat(["02138", "02139", "10115"])
    tree = tree.group(tree.under(TOP)[:2], "Boston")
    planned = state.with_tree(workspace, "zip", tree)
    assert planned == {"groups": {"Boston": ["02138", "02139"], "10115": ["10115"]}}
    state.say(workspace, "zip", planned)
    assert state.current(workspace, "zip").levels[1] == (("Boston", 2, 3), ("10115", 1, 1))
    # A value that no row has, a group of one: a recipe would leave them out.
    more = Tree.of(Hierarchy((("Bonn", "Rhine", "*"), ("Ulm", "Ulm", "*"), ("Kiel", "Kiel", "*"))))
    text = "Bonn;Rhine;*\nUlm;Ulm;*\nKiel;Kiel;*\n"
    assert state.with_tree(workspace, "city", more) == text
    state.say(workspace, "city", text)
    assert workspace.draft.files == {"hierarchies/city.csv": text}
    flat = Tree.flat(["Bonn", "Ulm"])
    assert state.with_tree(workspace, "city", flat) == "Bonn;*\nUlm;*\n"


def test_a_hierarchy_that_lacks_values_is_refused(workspace: Workspace) -> None:
    """The policy never has a hierarchy that the table does not fit."""
    with pytest.raises(PolicyError, match="lacks"):
        state.with_hierarchy(workspace, "city", Hierarchy((("Bonn", "*"),)))
    workspace.draft.attributes["age"]["bin"] = 5
    with pytest.raises(PolicyError, match="bin"):
        state.with_hierarchy(workspace, "age", Hierarchy((("30", "*"),)))


def test_a_large_tree_sends_few_rows(workspace: Workspace) -> None:
    """However many values there are, the page gets some dozens, and more when asked."""
    values = [f"v{number:05}" for number in range(10_000)]
    tree = Tree.flat(values)
    view = state.View(expanded={tree_rows.NONE})
    counts = tree_rows.Counts(dict.fromkeys(tree.nodes, 1), dict.fromkeys(tree.nodes, 1))
    rows = tree_rows.seen_rows(tree, view, counts, set())
    assert len(rows) == 1 + state.CUT + 1
    more = tree_rows.more_of(rows[-1]["n"])
    view.parts[more] = 2 * state.CUT
    assert len(tree_rows.seen_rows(tree, view, counts, set())) == 1 + 2 * state.CUT + 1
    joined = tree.add_level(TOP, 100)
    counts = tree_rows.Counts(dict.fromkeys(joined.nodes, 1), dict.fromkeys(joined.nodes, 1))
    assert len(tree_rows.seen_rows(joined, view, counts, set())) == state.CUT + 1
    view.wanted = "v09999"
    assert [row["label"] for row in tree_rows.seen_rows(joined, view, counts, set())] == [
        "v09900 … v09999",
        "v09999",
    ]


def opened(tab: Tab, column: str) -> Any:
    """The panel of a column of the bundled data."""
    page = tab.page
    page.get_by_role("button", name="Open the example").click()
    page.get_by_text("30,162 rows").first.wait_for()
    step(page, "Say what must hold")
    page.get_by_role("button", name=f"Settings of {column}", exact=True).click()
    page.get_by_role("heading", name="What each level makes of the data").wait_for()
    return page


@pytest.mark.slow
def test_groups_by_keyboard_alone(tab: Tab) -> None:
    """Open, choose, group, rename, move and undo in the tree; a reload keeps all of it."""
    page = opened(tab, "workclass")
    page.get_by_role("button", name="Own groups").click()
    tree = page.get_by_role("tree", name="Groups of workclass")
    first = tree.get_by_role("treeitem").first
    first.focus()
    assert first.get_attribute("aria-expanded") == "false"
    page.keyboard.press("ArrowRight")
    tree.get_by_role("treeitem").and_(page.locator("[aria-level='2']")).first.wait_for()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Space")
    page.get_by_text("1 chosen").wait_for()
    page.keyboard.press("Control+g")
    page.get_by_label("Name of the group").fill("Mine {{7*7}}")
    page.keyboard.press("Enter")
    made = tree.get_by_role("treeitem", name="Mine {{7*7}}")
    made.wait_for()
    page.get_by_role("button", name="Own groups in use").wait_for()
    made.focus()
    page.keyboard.press("F2")
    tree.get_by_label("Name of the group").fill(HOSTILE)
    page.keyboard.press("Enter")
    tree.get_by_role("treeitem", name=HOSTILE).wait_for()
    page.get_by_role("button", name="Move to …").click()
    page.get_by_role("button", name="Not in any group").click()
    tree.locator("[aria-level='1']").filter(has_text=HOSTILE).wait_for()
    page.get_by_role("button", name="Undo", exact=True).click()
    tree.locator("[aria-level='2']").filter(has_text=HOSTILE).wait_for()
    page.reload()
    page.get_by_role("button", name="Settings of workclass", exact=True).click()
    moved = tree.get_by_role("treeitem", name=HOSTILE)
    moved.wait_for()
    moved.drag_to(tree.locator("[aria-level='1']").nth(1))
    moved.wait_for(state="hidden")  # in a group that is closed
    page.get_by_role("button", name="Undo", exact=True).click()
    moved.wait_for()


@pytest.mark.slow
def test_ways_files_and_levels(tab: Tab, tmp_path: Path) -> None:
    """Intervals with an error at the field, an import that lacks values, an export that is read again."""
    page = opened(tab, "age")
    page.get_by_role("button", name="Intervals").click()
    page.get_by_role("row", name=re.compile(r"^\[15, 19\]")).first.wait_for()
    widths = page.get_by_label("Widths")
    widths.fill("5, 7")
    page.get_by_text("Widths 5 and 7 do not nest").wait_for()
    widths.fill("10, x")
    page.get_by_text("Only numbers, with commas between").wait_for()
    widths.fill("10")
    page.get_by_role("row", name=re.compile(r"^\[10, 19\]")).first.wait_for()
    page.get_by_role("slider", name="Level").focus()
    page.keyboard.press("ArrowRight")
    page.get_by_text("2: 1 label; each has at least 10 rows").wait_for()
    with page.expect_download() as download:
        page.get_by_role("button", name="Download as CSV (ARX)").click()
    assert download.value.suggested_filename == "age.csv"
    exported = tmp_path / "age.csv"
    download.value.save_as(exported)
    assert Hierarchy.read(exported).labels(1)[0] == "[10, 19]"
    few = tab.studio.folder / "few.csv"
    few.write_text("17|young|*\n18|young|*\n", encoding="utf-8")
    page.get_by_role("button", name="From a file").click()
    page.get_by_label("Or its path in an opened folder").fill("few.csv")
    page.get_by_role("button", name="Import", exact=True).click()
    page.get_by_text("no line for 70 of 72 values").wait_for()
    page.get_by_role("button", name="Place them in the tree").click()
    page.get_by_role("treeitem", name="Not in any group, 70 values").wait_for()
    page.get_by_role("button", name="From a file").click()
    page.locator(".hierarchy input[type=file]").set_input_files(exported)
    page.get_by_role("button", name="From a file in use").wait_for()


@pytest.mark.slow
def test_order_of_categories_by_keyboard(tab: Tab) -> None:
    """Alt with an arrow moves a value, and the policy has the order."""
    page = opened(tab, "sex")
    page.locator(".hierarchy").get_by_role("button", name="Order of the values").click()
    page.get_by_role("option", name="Female").focus()
    page.keyboard.press("Alt+ArrowDown")
    page.get_by_text("The policy states this order.").wait_for()
    page.locator(".order-row").first.filter(has_text="Male").wait_for()
    page.get_by_role("button", name="Back to the natural order").click()
    page.locator(".order-row").first.filter(has_text="Female").wait_for()
