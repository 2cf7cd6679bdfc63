"""`shoal inspect`: what a policy for this table would have to say."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from shoal.cli import arguments, flags, table_flags
from shoal.cli.console import percent, print_json, reported, say
from shoal.errors import PolicyError
from shoal.model.attribute import Role
from shoal.model.likely_role import likely_role
from shoal.model.names import hint

if TYPE_CHECKING:
    from shoal.engines.inspecting import ColumnFacts, Uniqueness


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
    from shoal.engines.connection import engine_for

    with reported():
        table = arguments.source(source, name)
        with engine_for(table, memory=memory, temp_directory=temp_directory) as engine:
            rows, facts = engine.inspect(table)
            if rows == 0:
                raise PolicyError(f"{table.name} has no rows; there is nothing to inspect")
            roles = {
                each.name: likely_role(each.name, rows=rows - each.missing, distinct=each.distinct)
                for each in facts
            }
            chosen = arguments.names(quasi) or [
                name for name, (role, _) in roles.items() if role is Role.QUASI_IDENTIFIER
            ]
            for name in chosen:
                if name not in roles:
                    raise PolicyError(f"the table has no column {name!r}.{hint(name, roles)}")
            together = engine.uniqueness(table, chosen) if chosen else None
        if as_json:
            print_json(_facts(rows, facts, roles, chosen, together))
        else:
            _show(facts, roles)
            say(_line(rows, chosen, together))
            for line in _advice(facts, roles):
                say(line)


def _advice(facts: list[ColumnFacts], roles: dict[str, tuple[Role, str]]) -> list[str]:
    """How the columns that look sensitive could be protected; k alone does not."""
    return [
        f"{each.name!r} looks sensitive: a group may have one value of it alone; demand several, as by "
        f"--model 'distinct-l-diversity attribute={each.name} l={min(3, each.distinct)}'"
        for each in facts
        if roles[each.name][0] is Role.SENSITIVE and each.distinct > 1
    ]


def _facts(
    rows: int,
    facts: list[ColumnFacts],
    roles: dict[str, tuple[Role, str]],
    chosen: list[str],
    together: Uniqueness | None,
) -> dict[str, object]:
    columns = [
        {**asdict(each), "likely_role": roles[each.name][0].value, "reason": roles[each.name][1]}
        for each in facts
    ]
    unique = None if together is None else {"columns": chosen, **asdict(together)}
    return {"rows": rows, "columns": columns, "together": unique}


def _show(facts: list[ColumnFacts], roles: dict[str, tuple[Role, str]]) -> None:
    from rich.console import Console
    from rich.table import Table

    shown = Table(box=None, pad_edge=False)
    for heading in ("column", "type", "missing", "distinct", "likely role", "because"):
        shown.add_column(heading, justify="right" if heading in ("missing", "distinct") else "left")
    for each in facts:
        role, reason = roles[each.name]
        shown.add_row(each.name, each.kind, f"{each.missing:,}", f"{each.distinct:,}", role.value, reason)
    Console(stderr=True, markup=False, highlight=False).print(shown)


def _line(rows: int, chosen: list[str], together: Uniqueness | None) -> str:
    if together is None:
        return f"{rows:,} rows; no column looks like a quasi-identifier: name some with -q"
    return (
        f"{rows:,} rows; {together.unique_rows:,} of them ({percent(together.unique_rows / rows)}) are alone "
        f"with their {', '.join(chosen)}; {together.groups:,} combinations"
    )
