"""The widgets of the steps: headings, cards, notices, tiles, buttons, grids and charts that look alike.

Texts of the table (names, cells) go only where they are shown as text: labels, grid cells, chart labels.
"""

from __future__ import annotations

import contextlib
from collections.abc import Awaitable, Callable, Iterator, Sequence
from typing import Any, Literal, TypeVar, cast

from nicegui import run, ui

from shoal import InternalError, Preview, ShoalError

T = TypeVar("T")
Tone = Literal["plain", "good", "warn", "bad"]
MISSING = "∅"
MOST_SIGNS = 300
"""Of a cell or a name that is longer a grid shows the beginning: one can have millions."""


def onward(label: str, path: str) -> None:
    """The link to the next step, at the end of this one."""
    with ui.element("div").classes("row end"):
        ui.link(label, path).classes("button primary")


def heading(words: str, lead: str = "") -> None:
    """The name of a step, and a sentence on what it is for."""
    with ui.element("div").classes("step-head"):
        text("h1", words).classes("step-name")
        if lead:
            ui.label(lead).classes("lead")


@contextlib.contextmanager
def card(title: str = "", hint: str = "", *, classes: str = "") -> Iterator[ui.element]:
    """A white box with a title."""
    with ui.element("section").classes(f"card {classes}") as box:
        if title:
            text("h2", title).classes("card-title")
            box.props["aria-label"] = title
        if hint:
            ui.label(hint).classes("hint")
        yield box


def text(tag: str, words: str) -> ui.element:
    """An element of HTML with nothing but text in it."""
    element = ui.element(tag)
    element._text = words
    return element


def notice(words: str, tone: Tone = "plain") -> ui.element:
    """A highlighted sentence; screen readers announce a bad one at once."""
    with ui.element("div").classes(f"notice {tone}") as box:
        box.props("role=alert" if tone == "bad" else "role=status")
        for paragraph in words.split("\n"):
            ui.label(paragraph)
    return box


def tiles(facts: Sequence[tuple[str, str, str]]) -> None:
    """Numbers side by side: name, number, note."""
    with ui.element("dl").classes("tiles"):
        for name, number, note in facts:
            with ui.element("div").classes("tile"):
                text("dt", name)
                text("dd", number).classes("big")
                if note:
                    text("dd", note).classes("note")


def verdict(
    holds: bool | None, words: str, detail: str = "", *, stamp: str = "", failures: Sequence[str] = ()
) -> None:
    """The answer in one line, with its stamp: holds, does not hold, or not known.

    Parameters
    ----------
    holds
        Green, red or amber.
    words, detail
        The line, and what it rests on.
    stamp
        Another word than that of the colour.
    failures
        What breaks it.
    """
    tone, usual = {True: ("good", "Holds"), False: ("bad", "Does not hold"), None: ("warn", "Open")}[holds]
    with ui.element("div").classes(f"verdict {tone}").props("role=status"):
        ui.label(stamp or usual).classes("stamp")
        with ui.element("div"):
            ui.label(words).classes("verdict-words")
            if failures:
                with ui.element("ul").classes("verdict-failures"):
                    for failure in failures:
                        text("li", failure)
            if detail:
                ui.label(detail).classes("verdict-detail")


def primary(label: str, on_click: Callable[..., Any], *, icon: str | None = None) -> ui.button:
    """The one thing to do next."""
    return (
        ui.button(label, on_click=on_click, icon=icon, color=None)
        .props("unelevated no-caps")
        .classes("button primary")
    )


def secondary(label: str, on_click: Callable[..., Any], *, icon: str | None = None) -> ui.button:
    """Another thing that can be done."""
    return (
        ui.button(label, on_click=on_click, icon=icon, color=None).props("outline no-caps").classes("button")
    )


def grid(
    seen: Preview, *, height: str = "420px", label: str, marks: dict[tuple[int, int], str] | None = None
) -> ui.aggrid:
    """Rows of a table to scroll through. Cells are shown as text; those in `marks` have a class of their own.

    Parameters
    ----------
    seen
        The rows.
    height
        How much of the page it takes.
    label
        Its name for screen readers.
    marks
        Row and column, from 0 -> class of the cell.
    """
    marked = marks or {}
    # Fields get generated names: a dot in a column's name would be taken for a path.
    columns: list[dict[str, Any]] = [
        {"headerName": "Row", "field": "n", "width": 76, "pinned": "left", "cellClass": "row-number"}
    ]
    for at, name in enumerate(seen.columns):
        column: dict[str, Any] = {
            "headerName": _cut(name),
            "field": f"c{at}",
            "minWidth": 110,
            "tooltipField": f"c{at}",
        }
        rules = sorted({tone for (_, place), tone in marked.items() if place == at})
        if rules:
            column["cellClassRules"] = {tone: f"data.m{at} === '{tone}'" for tone in rules}
        columns.append(column)
    rows = []
    for number, row in enumerate(seen.rows):
        shown: dict[str, Any] = {"n": seen.start + number + 1}
        for at, cell in enumerate(row):
            shown[f"c{at}"] = MISSING if cell is None else _cut(cell)
            if (number, at) in marked:
                shown[f"m{at}"] = marked[number, at]
        rows.append(shown)
    return row_grid(columns, rows, label).style(f"height: {height}")


def row_grid(columns: list[dict[str, Any]], rows: list[dict[str, Any]], label: str) -> ui.aggrid:
    """A grid of rows in a fixed order.

    Parameters
    ----------
    columns, rows
        As the grid takes them.
    label
        Its name for screen readers.
    """
    table = ui.aggrid(
        {
            "columnDefs": columns,
            "rowData": rows,
            "defaultColDef": {"sortable": False, "resizable": True, "suppressMovable": True},
            "enableCellTextSelection": True,
            "suppressFieldDotNotation": True,
            "tooltipShowDelay": 400,
        },
        auto_size_columns=False,
    ).classes("grid")
    table.props["aria-label"] = label
    return table


def _cut(words: str) -> str:
    return words if len(words) <= MOST_SIGNS else words[:MOST_SIGNS] + "…"


async def in_background(function: Callable[..., T], *arguments: Any, **named: Any) -> T:
    """Run something quick in a thread: the page stays responsive."""
    return cast(T, await run.io_bound(function, *arguments, **named))


async def show_errors(work: Awaitable[T], place: ui.element) -> T | None:
    """Await work; if it fails, show the reason in an element of the page and return `None`."""
    try:
        return await work
    except (ShoalError, InternalError) as error:
        words = sentence(error)
    if place.is_deleted:  # the user has left the page
        return None
    place.clear()
    with place:
        notice(words, "bad")
    return None


def sentence(error: Exception) -> str:
    """An error in words for people; one that is ours, as such."""
    if isinstance(error, InternalError):
        return f"This is a bug in Shoal, please report it: {error}"
    words = str(error)
    first = words[:1] if words.startswith("k ") else words[:1].upper()  # k is a name
    return first + words[1:] + ("" if words.endswith((".", "?", ")")) else ".")
