"""A line per column: what it loses, its values and labels, and an example."""

from __future__ import annotations

from nicegui import ui

from shoal.formatting.columns import HEAD, RIGHT, column_rows, joined_words
from shoal.studio.parts import card, notice, text
from shoal.studio.workspace import Run


def build(run: Run) -> None:
    """The table of columns, and a warning where all rows have one label."""
    assert run.release is not None
    columns = run.release.columns
    with (
        card("Columns", "What became of each column that others may know."),
        ui.element("div").classes("scroll"),
        ui.element("table").classes("plain review-overview") as table,
    ):
        table.props["aria-label"] = "Columns"
        with ui.element("thead"), ui.element("tr"):
            for heading, right in zip(HEAD, RIGHT, strict=True):
                text("th", heading.capitalize()).props("scope=col").classes("number" if right else "")
        with ui.element("tbody"):
            for row in column_rows(columns):
                with ui.element("tr"):
                    for cell, right in zip(row, RIGHT, strict=True):
                        text("td", cell).classes("number" if right else "")
    warning = joined_words(columns)
    if warning is not None:
        notice(f"{warning[:1].upper()}{warning[1:]}.", "warn")
