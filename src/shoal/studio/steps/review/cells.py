"""What the grid of rows shows, as data: columns, cells, marks and words. No page code."""

from __future__ import annotations

from typing import Any

from shoal import SideBySide
from shoal.formatting.numbers import number, percent
from shoal.studio.parts import MISSING, Tone

MOST_SIGNS = 300
"""Of a cell that is longer the beginning is shown."""
GONE = "not released"


def column_definitions(seen: SideBySide, *, only_changed: bool = False) -> list[dict[str, Any]]:
    """The columns: those that changed in two, before and after; others once.

    Parameters
    ----------
    seen
        Any page.
    only_changed
        Whether columns that are released as they were are left out.
    """
    # Fields get generated names: a dot in a column's name would be taken for a path.
    definitions: list[dict[str, Any]] = [
        # In groups like all others: a row of headers without any is nothing that a screen reader can read.
        {"headerName": "Row", "children": [_pinned("Number", "n", 86, {"cellClass": "row-number"})]},
        {
            "headerName": "Release",
            "children": [
                _pinned(
                    "What became of it",
                    "s",
                    128,
                    {"cellClassRules": {"gone-row": "data.gone", "unsure": "data.unsure"}},
                )
            ],
        },
    ]
    for at, name in enumerate(seen.columns):
        title = shortened(name)
        if name in seen.dropped:
            after = _column(f"a{at}", "After", {"gone": "true"})
            definitions.append(
                {"headerName": f"{title} (dropped)", "children": [_column(f"b{at}", "Before"), after]}
            )
        elif name in seen.added:
            definitions.append({"headerName": f"{title} (added)", "children": [_column(f"a{at}", "After")]})
        elif seen.changed.get(name):
            rules = {"changed": f"data.m{at} === 1", "gone": "data.gone"}
            children = [_column(f"b{at}", "Before"), _column(f"a{at}", "After", rules)]
            definitions.append({"headerName": title, "children": children})
        elif not only_changed:
            definitions.append(
                {"headerName": title, "children": [_column(f"b{at}", "As it was", {"gone": "data.gone"})]}
            )
    return definitions


def _pinned(title: str, field: str, width: int, more: dict[str, Any]) -> dict[str, Any]:
    return {"headerName": title, "field": field, "width": width, "pinned": "left", **more}


def _column(field: str, title: str, rules: dict[str, str] | None = None) -> dict[str, Any]:
    column: dict[str, Any] = {"headerName": title, "field": field, "tooltipField": field, "width": 150}
    if rules:
        column["cellClassRules"] = rules
    return column


def row_data(seen: SideBySide) -> list[dict[str, Any]]:
    """The rows of a page."""
    rows = []
    for number_, (before, after) in enumerate(zip(seen.before, seen.after, strict=True)):
        marked = seen.marked[number_]
        row: dict[str, Any] = {"n": seen.start + number_ + 1, "gone": after is None}
        row["unsure"] = not seen.certain[number_]
        row["s"] = _status(after is None, len(marked), seen.certain[number_])
        for at, name in enumerate(seen.columns):
            row[f"b{at}"] = shortened(before[at])
            if after is None:
                row[f"a{at}"] = GONE
            else:
                row[f"a{at}"] = "dropped" if name in seen.dropped else shortened(after[at])
            if at in marked:
                row[f"m{at}"] = 1
        rows.append(row)
    return rows


def _status(gone: bool, changed: int, certain: bool) -> str:
    words = f"✕ {GONE}" if gone else f"≠ {changed} changed" if changed else "as it was"
    return words if certain else f"{words} (?)"


def shortened(cell: str | None) -> str:
    """A text for the grid: a sign for a missing one, the beginning of a long one."""
    if cell is None:
        return MISSING
    return cell if len(cell) <= MOST_SIGNS else f"{cell[:MOST_SIGNS]}…"


def summary(whole: SideBySide) -> list[tuple[str, Tone]]:
    """The summary of all rows: sentences with their tone."""
    gone = whole.originals - whole.released + whole.unpaired
    cells = sum(whole.changed.values())
    columns = sum(1 for times in whole.changed.values() if times)
    total = whole.released * len(whole.changed)
    sentences: list[tuple[str, Tone]] = [
        (
            f"{number(cells)} cells changed ({percent(cells / total if total else 0)} of those released), in "
            f"{number(columns)} of {number(len(whole.columns))} columns; {number(gone)} rows are not "
            f"released; columns dropped: {number(len(whole.dropped))}.",
            "plain",
        )
    ]
    if whole.unpaired:
        sentences.append(
            (
                f"{number(whole.unpaired)} released rows are true of none of your rows, as with means in "
                "place of values. Rows may be next to the wrong ones.",
                "warn",
            )
        )
    elif whole.uncertain:
        sentences.append(
            (
                f"Of {number(whole.uncertain)} rows, marked (?), the release does not show whether they or a "
                "neighbour that reads alike was left out.",
                "warn",
            )
        )
    return sentences
