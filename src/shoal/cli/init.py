"""`shoal init`: a commented policy for a table, so that the second command is `shoal anonymize`."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from shoal.cli import arguments, flags, table_flags
from shoal.cli.console import reported, say
from shoal.cli.policy_flags import cell_arguments, with_file_flags
from shoal.errors import PolicyError
from shoal.model.table.table_source import TableSource

if TYPE_CHECKING:
    from shoal.model.policy.first.first_policy import FirstPolicy

_PLURALS = {
    "identifier": ("identifier", "identifiers"),
    "quasi-identifier": ("quasi-identifier", "quasi-identifiers"),
    "sensitive": ("sensitive", "sensitive"),
    "other": ("other", "others"),
}


@with_file_flags
def init(
    source: flags.AnyTable,
    name: flags.Table = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "-o",
            "--output",
            metavar="FILE",
            help="The policy to write; TABLE.toml next to the table when absent.",
        ),
    ] = None,
    k: Annotated[
        int | None,
        typer.Option("-k", help="Least rows of a group; 10 when absent, less for a small table."),
    ] = None,
    stdout: Annotated[bool, typer.Option("--stdout", help="Print the policy and write no file.")] = False,
    force: Annotated[bool, typer.Option("--force", help="Replace a policy that exists.")] = False,
    memory: table_flags.Memory = None,
    temp_directory: table_flags.TempDirectory = None,
    missing: table_flags.Missing = None,
    formats: table_flags.Formats = None,
    **file: Any,
) -> None:
    """Write a commented policy for a table: likely roles, types, orders, and what needs a decision.

    The policy can be used as it is: `shoal anonymize TABLE.toml`. Its roles are guesses, so read it before
    you give the release away.
    """
    # Imported here: `shoal --help` and a mistyped flag should not wait for DuckDB.
    from shoal.api.init import default_path
    from shoal.api.init import init as first_policy
    from shoal.engines.connection import engine_for

    with reported():
        if stdout and output is not None:
            raise PolicyError("--stdout writes no file; leave out --output")
        table = arguments.source(source, name, file)
        target = None if stdout else output or default_path(table)
        with engine_for(table, memory=memory, temp_directory=temp_directory) as engine:
            made = first_policy(
                table, target, k=k, force=force, engine=engine, **cell_arguments(missing, formats)
            )
        if made.path is None:
            sys.stdout.write(made.text)
        if made.reading is not None and not isinstance(table, TableSource):
            say(f"{Path(table).name}: {made.reading}")
        for line in _summary(made):
            say(line)


def _summary(made: FirstPolicy) -> list[str]:
    total = sum(map(len, made.roles.values()))
    roles = [
        f"{len(columns)} {_PLURALS[role][len(columns) != 1]}"
        for role, columns in made.roles.items()
        if columns
    ]
    where = "policy" if made.path is None else str(made.path)
    lines = [f"{where}: {total} column{'s' * (total != 1)}: {', '.join(roles)}; k = {made.k}"]
    if made.decisions:
        lines += ["needs a decision:", *(f"- {sentence}" for sentence in made.decisions)]
    if made.path is not None:
        lines.append(f"next: shoal anonymize {shlex.quote(str(made.path))}")
    return lines
