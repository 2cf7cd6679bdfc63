"""The open table: its number of rows, its columns and their likely roles, and the rows themselves."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any

from nicegui import ui

import shoal
from shoal import Inspected, Preview, Role
from shoal.formatting.numbers import counted, percent
from shoal.studio.parts import card, grid, in_background, notice, onward, show_errors, text, tiles
from shoal.studio.steps.open_table import file_reading
from shoal.studio.steps.open_table.paths import short
from shoal.studio.steps.open_table.pending import Shown
from shoal.studio.workspace import Opened, Workspace

PAGE = 100
MOST_COLUMNS = 150
"""Columns that are shown at first."""

LONGEST_CELL = 300
ESTIMATED_ABOVE = 2_000_000
"""In larger tables `shoal.inspect` estimates the distinct values of files."""

KINDS = {"number": "number", "date": "date", "category": "text"}
ROLES = {
    Role.IDENTIFIER: ("Identifier", "Names one person: it is taken out of the release."),
    Role.QUASI_IDENTIFIER: (
        "Quasi-identifier",
        "Others may know it of a person: it is made coarser where it must be.",
    ),
    Role.SENSITIVE: ("Sensitive", "What nobody should learn about a person."),
    Role.CLASS: ("Class", "What the data should predict."),
    Role.OTHER: ("Other", "Released unchanged."),
}
ADVICE = (
    "Groups alone do not hide it: if all rows of a group share a value, it is known. Demand several values "
    "under Protect."
)


def table_shown(workspace: Workspace) -> None:
    """Show the open table; nothing, if there is none."""
    table = workspace.table
    if table is None:
        return
    policy = workspace.state(Shown).policy
    if policy:
        notice(
            f"Opened with the policy {short(policy)}: it has set the roles, hierarchies and demands.",
            "good",
        )
    _numbers(table.inspected)
    tone = "open-unique" if table.inspected.unique_rows else "open-unique open-calm"
    with card("How unique rows are", classes=tone), ui.element("div").classes("open-summary"):
        with ui.element("div"):
            for number, sentence in enumerate(uniqueness_words(table.inspected)):
                ui.label(sentence).classes("open-strong" if number == 0 else "hint")
        onward("Next: Protect", "/protect")
    file_reading.shown(workspace)
    _columns(table)
    _rows(workspace, table)


def _numbers(inspected: Inspected) -> None:
    missing = sum(column.missing for column in inspected.columns)
    cells = inspected.rows * len(inspected.columns)
    alone = inspected.unique_rows
    share = "" if alone is None else f"{percent(alone / inspected.rows)} of all rows"
    tiles(
        [
            ("Rows", f"{inspected.rows:,}", _who(inspected)),
            ("Columns", f"{len(inspected.columns):,}", _role_counts(inspected)),
            (
                "Missing cells",
                f"{missing:,}",
                f"{percent(missing / cells)} of all cells" if missing else "none",
            ),
            ("Alone with their combination", "-" if alone is None else f"{alone:,}", share),
        ]
    )


def _who(inspected: Inspected) -> str:
    """Whether rows are people, as far as the columns show."""
    entity = inspected.entity
    if entity is None:
        return "one for each person, as a rule"
    return f"of about {entity.distinct:,} persons, judging by {short(entity.name, 24)}"


def _role_counts(inspected: Inspected) -> str:
    count = len(inspected.with_role(Role.QUASI_IDENTIFIER))
    return counted(count, "likely quasi-identifier")


def uniqueness_words(inspected: Inspected) -> list[str]:
    """How many rows a few known facts would find, in plain words."""
    names = [short(name, 40) for name in inspected.quasi_identifiers]
    if inspected.unique_rows is None or inspected.groups is None or not names:
        return [
            "No column looks like something that others know of a person.",
            "Look at the columns yourself: what neighbours, employers or other registers know is a "
            "quasi-identifier. Say so under Protect.",
        ]
    listed = ", ".join(names[:12]) + (" …" if len(names) > 12 else "")
    alone, rows = inspected.unique_rows, inspected.rows
    combination = "value" if len(names) == 1 else "combination"
    whose = "is" if alone == 1 else "are"
    if alone == 0:
        first = f"None of {rows:,} rows is alone with its {combination} of {listed}."
    else:
        its = "its" if alone == 1 else "their"
        first = f"{alone:,} of {rows:,} rows {whose} alone with {its} {combination} of {listed}."
    who = "Each row is taken for a person here."
    if inspected.entity is not None:
        who = (
            f"They are rows and not people: {short(inspected.entity.name, 40)} has "
            f"{inspected.entity.distinct:,} values. If it identifies persons, say so under Protect."
        )
    second = (
        f"Whoever knows these facts of a person finds the row, and reads the rest. There are "
        f"{inspected.groups:,} different {combination}s. {who}"
    )
    return [first, second if alone else second.split(". ", 1)[1]]


def _columns(table: Opened) -> None:
    columns = table.inspected.columns
    about = "about " if table.inspected.rows > ESTIMATED_ABOVE else ""
    hint = "The roles are guesses from names and counts, no decisions: you decide them under Protect."
    with card("Columns", hint):
        with ui.element("div").classes("scroll"), ui.element("table").classes("plain open-columns"):
            with ui.element("thead"), ui.element("tr"):
                for name, classes in (
                    ("Column", ""),
                    ("Type", ""),
                    ("Missing", "n"),
                    ("Distinct", "n"),
                    ("Likely role", ""),
                    ("Why", ""),
                ):
                    text("th", name).props("scope=col").classes(classes)
            body = ui.element("tbody")

        def draw(start: int, end: int) -> None:
            with body:
                for column in columns[start:end]:
                    _column(column, table.inspected.rows, about)

        draw(0, MOST_COLUMNS)
        _legend([role for role in ROLES if any(column.likely_role is role for column in columns)])
        left = len(columns) - MOST_COLUMNS
        if left > 0:

            def rest() -> None:
                draw(MOST_COLUMNS, len(columns))
                more.delete()

            more = ui.button(f"Show the other {left:,} columns", on_click=rest, color=None)
            more.props("outline no-caps").classes("button")


def _column(column: Any, rows: int, about: str) -> None:
    name, _ = ROLES[column.likely_role]
    with ui.element("tr"):
        shown = text("th", short(column.name, 120)).props("scope=row").classes("open-name")
        if len(column.name) > 120:
            shown.props["title"] = column.name[:1000]
        text("td", KINDS.get(column.kind, column.kind)).classes("open-kind")
        missing = f"{column.missing:,}" + (f" ({percent(column.missing / rows)})" if column.missing else "")
        text("td", missing).classes("n")
        text("td", f"{about}{column.distinct:,}").classes("n")
        with ui.element("td"):
            text("span", name).classes(f"badge role role-{column.likely_role.value}")
        with ui.element("td"):
            ui.label(column.reason[:1].upper() + column.reason[1:])
            for words in column_reading_words(column):
                ui.label(words).classes("hint")
            if column.advice is not None:
                ui.label(ADVICE).classes("hint")


def column_reading_words(column: Any) -> list[str]:
    """How the cells of a column were read, where that is not as they are written."""
    reading = column.reading
    words = [f"Read as {reading.words}."] if reading.words else []
    if reading.ambiguous:
        words.append("State how it is written under Protect, in its settings.")
    return words + [each[:1].upper() + each[1:] for each in reading.suggestions]


def _legend(roles: Sequence[Role]) -> None:
    with ui.element("dl").classes("open-legend"):
        for role in roles:
            name, meaning = ROLES[role]
            with text("dt", ""):
                text("span", name).classes(f"badge role role-{role.value}")
            text("dd", meaning)


def _rows(workspace: Workspace, table: Opened) -> None:
    shown, total = workspace.state(Shown), table.inspected.rows
    names = [column.name for column in table.inspected.columns]
    hint = "As they are in the table. This page keeps nothing else of it."
    with card("Rows", hint):
        if len(names) > MOST_COLUMNS:
            ui.label(f"The first {MOST_COLUMNS} of {len(names):,} columns are shown.").classes("hint")
        place = ui.element("div").classes("open-rows")
        with ui.element("div").classes("row open-pages"):
            back = ui.button("Previous 100", on_click=lambda: turn(-PAGE), color=None)
            words = ui.label().props("role=status").classes("soft")
            forth = ui.button("Next 100", on_click=lambda: turn(PAGE), color=None)
            for button in (back, forth):
                button.props("outline no-caps").classes("button")

    async def load() -> None:
        start = shown.start
        back.disable()
        forth.disable()
        work = in_background(
            shoal.preview, table.as_read, columns=names[:MOST_COLUMNS], start=start, rows=PAGE
        )
        seen = await show_errors(work, place)
        if place.is_deleted or workspace.table is not table:
            return
        if seen is not None:
            place.clear()
            with place:
                grid(trimmed(seen), label=f"Rows of the table from {start + 1:,} on")
        words.set_text(f"Rows {start + 1:,} to {min(start + PAGE, total):,} of {total:,}")
        back.set_enabled(start > 0)
        forth.set_enabled(start + PAGE < total)

    async def turn(by: int) -> None:
        shown.start = max(0, min(shown.start + by, (total - 1) // PAGE * PAGE))
        await load()

    with place:
        ui.label("Fetching the first rows …").classes("hint")
    ui.timer(0.05, load, once=True)


def trimmed(seen: Preview) -> Preview:
    """The same rows, with long cells shortened."""
    rows = tuple(
        tuple(None if cell is None else short(cell, LONGEST_CELL) for cell in row) for row in seen.rows
    )
    return dataclasses.replace(seen, rows=rows)
