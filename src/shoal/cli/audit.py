"""`shoal audit`: the k that any table really has."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from shoal.audit import Verdict
from shoal.audit import audit as verdict_on
from shoal.cli import arguments
from shoal.cli.console import percent, print_json, reported, say
from shoal.errors import AuditError, PolicyError


def audit(
    table: Annotated[Path, typer.Argument(help="A .csv, .tsv or .parquet file.")],
    quasi: Annotated[
        list[str],
        typer.Option(
            "-q",
            "--quasi-identifiers",
            metavar="COLUMNS",
            help="The columns that make the groups, separated by commas.",
        ),
    ],
    k: Annotated[
        int | None, typer.Option("-k", help="Demand groups of at least this many rows (else exit 5).")
    ] = None,
    memory: Annotated[
        str | None, typer.Option("--memory", help="Memory (1GB by default); more is spilled to disk.")
    ] = None,
    temp_directory: Annotated[Path | None, typer.Option("--temp-directory", help="Where to spill.")] = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print the measurement on standard output.")
    ] = False,
    quiet: Annotated[bool, typer.Option("--quiet", help="Say nothing but errors.")] = False,
) -> None:
    """Measure the smallest group of a table, whoever made it.

    Rows whose quasi-identifiers all read * count as suppressed and belong to no group.

    A missing value is equal to a missing value, and to nothing else.
    """
    # Imported here: `shoal --help` and a mistyped flag shall not wait for DuckDB.
    from shoal.engines.duckdb import DEFAULT_MEMORY, DuckDB

    with reported():
        if k is not None and k < 1:
            raise PolicyError(f"k must be at least 1; it is {k}")
        with DuckDB(memory=memory or DEFAULT_MEMORY, temp_directory=temp_directory) as engine:
            verdict = verdict_on(engine, table, arguments.names(quasi), 1 if k is None else k)
        if verdict.measured.rows == 0:
            raise PolicyError(f"{table.name} has no rows; there is nothing to audit")
        if as_json:
            print_json(_facts(verdict, k))
        if not quiet:
            say(_line(verdict, k))
        if not verdict.holds:
            found = verdict.measured
            raise AuditError(
                f"{found.groups_below:,} group(s) with {found.rows_below:,} row(s) are smaller than k = {k}"
            )


def _facts(verdict: Verdict, k: int | None) -> dict[str, object]:
    return {**verdict.to_dict(), "demanded": k, "quasi_identifiers": list(verdict.quasi_identifiers)}


def _line(verdict: Verdict, k: int | None) -> str:
    found = verdict.measured
    reached = "no group" if verdict.k is None else f"k {verdict.k:,}"
    below = "" if k is None else f"   below {k}: {found.groups_below:,} groups, {found.rows_below:,} rows"
    return (
        f"{reached}   rows {found.rows:,}   groups {found.groups:,}   "
        f"suppressed {found.suppressed:,} rows ({percent(found.suppressed / found.rows)}){below}"
    )
