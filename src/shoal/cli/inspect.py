"""`shoal inspect`: what a policy for this table would have to say."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from shoal.cli import arguments, flags, table_flags
from shoal.cli.console import percent, print_json, reported, say

if TYPE_CHECKING:
    from shoal.model.table.inspected import Inspected


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
) -> None:
    """Show the columns of a table, their likely roles, and how unique rows are.

    No cell of the table is shown. The roles are guesses from names and counts: decide yourself.
    """
    # Imported here: `shoal --help` and a mistyped flag shall not wait for DuckDB.
    from shoal.api.inspect import inspect as inspected
    from shoal.engines.connection import engine_for

    with reported():
        table = arguments.source(source, name)
        with engine_for(table, memory=memory, temp_directory=temp_directory) as engine:
            found = inspected(table, quasi_identifiers=arguments.names(quasi), engine=engine)
        if as_json:
            print_json(found.to_dict())
            return
        _show(found)
        say(_line(found))
        for each in found.columns:
            if each.advice is not None:
                say(each.advice)


def _show(found: Inspected) -> None:
    from rich.console import Console
    from rich.table import Table

    shown = Table(box=None, pad_edge=False)
    for heading in ("column", "type", "missing", "distinct", "likely role", "because"):
        shown.add_column(heading, justify="right" if heading in ("missing", "distinct") else "left")
    for each in found.columns:
        numbers = f"{each.missing:,}", f"{each.distinct:,}"
        shown.add_row(each.name, each.kind, *numbers, each.likely_role.value, each.reason)
    Console(stderr=True, markup=False, highlight=False).print(shown)


def _line(found: Inspected) -> str:
    if found.unique_rows is None:
        return f"{found.rows:,} rows; no column looks like a quasi-identifier: name some with -q"
    return (
        f"{found.rows:,} rows; {found.unique_rows:,} of them ({percent(found.unique_rows / found.rows)}) are "
        f"alone with their {', '.join(found.quasi_identifiers)}; {found.groups:,} combinations"
    )
