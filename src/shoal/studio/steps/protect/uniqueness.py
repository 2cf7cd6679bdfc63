"""How many people the chosen quasi-identifiers single out, measured behind the page."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field

from nicegui import background_tasks, ui

import shoal
from shoal import InternalError, Role, ShoalError
from shoal.formatting.numbers import percent
from shoal.studio.parts import in_background, sentence
from shoal.studio.steps.protect.fields import ChangeListener
from shoal.studio.workspace import Workspace

PATIENCE = 0.6
"""Seconds without another change before the table is read."""


@dataclass
class Measured:
    """What was measured of this table: columns -> rows that are alone, or why that is not known.

    Attributes
    ----------
    alone
        The answers.
    wanted
        What somebody wants to know next.
    at_work
        Whether somebody is at it: one at a time.
    """

    alone: dict[tuple[str, ...], int | str] = field(default_factory=dict)
    wanted: tuple[str, ...] = ()
    at_work: bool = False


def in_words(columns: tuple[str, ...], rows: int, alone: int | str | None) -> str:
    """The line under the roles."""
    if not columns:
        return "No quasi-identifier is chosen: nobody is identified by them, and nothing is protected."
    these = "this column" if len(columns) == 1 else f"these {len(columns)} columns"
    if alone is None:
        return f"Counting unique rows on {these} …"
    if isinstance(alone, str):
        return f"How many are alone on {these} could not be counted. {alone}"
    if alone == 0:
        return f"On {these} none of the {rows:,} rows is alone: each has at least one other like it."
    share = f", {percent(alone / rows)}" if rows else ""
    return (
        f"On {these} {alone:,} of {rows:,} rows are unique{share}: anybody who knows these columns can find "
        "the person."
    )


def show(workspace: Workspace, listener: ChangeListener) -> None:
    """Put the line onto the page, and keep it true."""
    line = ui.label().classes("alone-line").props("role=status aria-live=polite")

    def look() -> None:
        table = workspace.table
        if table is None:
            return
        columns = tuple(workspace.draft.columns(Role.QUASI_IDENTIFIER))
        line.set_text(in_words(columns, table.inspected.rows, _known(workspace, columns)))

    look()
    listener.add(line, look)


def _known(workspace: Workspace, columns: tuple[str, ...]) -> int | str | None:
    """What is known about columns; if nothing is, it is measured."""
    measured = workspace.state(Measured)
    table = workspace.needed_table()
    if not columns:
        return None
    if {*columns} == {*table.inspected.quasi_identifiers} and table.inspected.unique_rows is not None:
        return table.inspected.unique_rows
    key = tuple(sorted(columns))
    if key not in measured.alone:
        measured.wanted = key
        if not measured.at_work:
            measured.at_work = True
            background_tasks.create(_measure(workspace, measured), name="uniqueness")
    return measured.alone.get(key)


async def _measure(workspace: Workspace, measured: Measured) -> None:
    """Measure what is wanted, the latest first, until nothing is."""
    table = workspace.needed_table()
    try:
        while measured.wanted not in measured.alone:
            columns = measured.wanted
            await asyncio.sleep(PATIENCE)
            if columns != measured.wanted:
                continue
            if workspace.table is not table:
                return
            try:
                seen = await in_background(shoal.inspect, table.as_read, quasi_identifiers=columns)
                measured.alone[columns] = seen.unique_rows or 0
            except (ShoalError, InternalError) as error:
                measured.alone[columns] = sentence(error)
            workspace.touch()
    finally:
        measured.at_work = False
