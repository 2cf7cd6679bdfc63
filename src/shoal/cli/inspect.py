"""`shoal inspect`: what a policy for this table needs to state."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from shoal.cli import arguments, flags, table_flags
from shoal.cli.console import print_json, reported, say
from shoal.cli.policy_flags import cell_arguments, with_file_flags
from shoal.formatting.numbers import percent_in_line as percent

if TYPE_CHECKING:
    from shoal.model.table.inspected import Inspected, InspectedColumn


@with_file_flags
def inspect(
    source: flags.AnyTable,
    name: flags.Table = None,
    quasi: Annotated[
        list[str] | None,
        typer.Option(
            "-q",
            "--quasi-identifiers",
            metavar="COLUMNS",
            help="Columns whose uniqueness to measure; the likely quasi-identifiers when absent.",
        ),
    ] = None,
    memory: table_flags.Memory = None,
    temp_directory: table_flags.TempDirectory = None,
    as_json: table_flags.AsJson = False,
    missing: table_flags.Missing = None,
    formats: table_flags.Formats = None,
    **file: Any,
) -> None:
    """Show the columns of a table, their likely roles, and how unique rows are.

    No cell of the table is shown. The roles are guesses from names, cells and counts: decide yourself.
    """
    # Imported here: `shoal --help` and a mistyped flag should not wait for DuckDB.
    from shoal.api.inspect import inspect as inspected
    from shoal.cli.reading import show_reading
    from shoal.engines.connection import engine_for

    with reported():
        table = arguments.source(source, name, file)
        with engine_for(table, memory=memory, temp_directory=temp_directory) as engine:
            table_facts = inspected(
                table,
                quasi_identifiers=arguments.names(quasi),
                engine=engine,
                **cell_arguments(missing, formats),
            )
        if as_json:
            print_json(table_facts.to_dict())
            return
        show_reading(table_facts.reading, table)
        _show(table_facts)
        say(_line(table_facts))
        if table_facts.persons is not None:
            say(table_facts.persons)
        for column in table_facts.columns:
            for line in _reading_lines(column):
                say(line)
            if column.advice is not None:
                say(column.advice)


def _show(table_facts: Inspected) -> None:
    from rich.console import Console
    from rich.table import Table

    shown = Table(box=None, pad_edge=False)
    for heading in ("column", "type", "missing", "distinct", "order", "likely role", "because"):
        shown.add_column(heading, justify="right" if heading in ("missing", "distinct") else "left")
    for column in table_facts.columns:
        numbers = f"{column.missing:,}", f"{column.distinct:,}"
        role = column.likely_role.value, column.reason
        shown.add_row(column.name, column.kind, *numbers, _short(column.order), *role)
    Console(stderr=True, markup=False, highlight=False).print(shown)


def _reading_lines(column: InspectedColumn) -> list[str]:
    """How a column is read, if not plainly, and what else its policy could state."""
    reading = column.reading
    judged = "" if reading.sampled is None else f" (judged by {reading.sampled:,} of its values)"
    lines = [f"{column.name!r}: {reading.words}{judged}"] if reading.words else []
    return [*lines, *(f"{column.name!r}: {each}" for each in reading.suggestions)]


def _short(order: str | None) -> str:
    """The origin of an order, as short as a table wants it: quarters, sorted, from the data."""
    return (order or "").removeprefix("recognised as ").removeprefix("as ").partition(":")[0]


def _line(table_facts: Inspected) -> str:
    if table_facts.unique_rows is None:
        return f"{table_facts.rows:,} rows; no column looks like a quasi-identifier: name some with -q"
    return (
        f"{table_facts.rows:,} rows; {table_facts.unique_rows:,} of them "
        f"({percent(table_facts.unique_rows / table_facts.rows)}) are alone with their "
        f"{', '.join(table_facts.quasi_identifiers)}; {table_facts.groups:,} combinations"
    )
