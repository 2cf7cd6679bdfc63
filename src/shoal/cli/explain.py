"""`shoal explain`: a policy in; why columns are as coarse as they are, and what constraints cost, out."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from shoal.cli import flags
from shoal.cli.console import INTERRUPTED, print_json, reported, say
from shoal.cli.policy_file import overridden, policy_of_file
from shoal.errors import PolicyError

if TYPE_CHECKING:
    from shoal.explanation.explanation import ConstraintPrice, Explanation

INFEASIBLE = 3
LOG_WIDTH = 200


def explain(
    source: Annotated[Path, typer.Argument(metavar="POLICY", help="A policy (.toml).")],
    seconds: Annotated[
        float | None,
        typer.Option("--seconds", help="What each search for a changed constraint may take; 10 by default."),
    ] = None,
    constraints: Annotated[
        bool,
        typer.Option(
            "--constraints/--no-constraints", help="Search for what each constraint costs; or columns alone."
        ),
    ] = True,
    again: Annotated[
        bool,
        typer.Option("--again", help="Search again, even if the manifest of the release has the recoding."),
    ] = False,
    consistent: flags.Consistent = False,
    threads: flags.Threads = None,
    memory: flags.Memory = None,
    search_memory: flags.SearchMemory = None,
    temp_directory: flags.TempDirectory = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print all figures on standard output.")] = False,
    markdown: Annotated[
        bool, typer.Option("--markdown", help="Print the explanation as Markdown on standard output.")
    ] = False,
    quiet: flags.Quiet = False,
) -> None:
    """Explain why each column is as coarse as it is, and what each constraint costs.

    Nothing is released. A policy that has no release is explained, too: by the constraints in its way (exit
    code 3).
    """
    with reported():
        if source.suffix.lower() != ".toml":
            raise PolicyError(f"shoal explain takes a policy (.toml); given was {source.name!r}")
        policy = policy_of_file(source)
        policy = overridden(policy, {"consistent": consistent, "threads": threads})
        # Imported here: `shoal --help` and a mistyped flag should not wait for DuckDB.
        from shoal.api.explain import explain as explained
        from shoal.cli.progress import ProgressLine
        from shoal.engines.connection import engine_for
        from shoal.explanation.text import saving
        from shoal.formatting.numbers import number

        def show(price: ConstraintPrice) -> None:
            if not quiet:
                saves = f", saves {saving(price)}" if price.compared is not None else ""
                say(f"{price.constraint}: {price.status}, cost {number(price.cost)}{saves}")

        with (
            engine_for(
                policy.source,
                memory=memory,
                threads=policy.threads,
                temp_directory=temp_directory,
                search_memory=search_memory,
            ) as engine,
            ProgressLine(quiet=quiet) as progress,
        ):
            explanation = explained(
                policy=policy,
                seconds=seconds,
                constraints=constraints,
                again=again,
                on_constraint=show,
                on_progress=progress,
                engine=engine,
            )
        _print(explanation, as_json=as_json, markdown=markdown, quiet=quiet)
    if explanation.interrupted:
        raise typer.Exit(INTERRUPTED)
    if explanation.infeasible is not None:
        raise typer.Exit(INFEASIBLE)


def _print(explanation: Explanation, *, as_json: bool, markdown: bool, quiet: bool) -> None:
    if as_json:
        print_json(explanation.to_dict())
    if markdown:
        typer.echo(explanation.to_markdown(), nl=False)
    if quiet or as_json or markdown:
        return
    from rich.console import Console
    from rich.table import Table

    from shoal.explanation.text import sections

    # A log has no width to keep to; folded tables are hard to read.
    width = None if sys.stderr.isatty() else LOG_WIDTH
    console = Console(stderr=True, markup=False, highlight=False, width=width)
    for section in sections(explanation):
        console.print(f"\n{section.title}")
        for line in section.lines:
            console.print(f"  {line}")
        if section.head:
            shown = Table(box=None, pad_edge=False)
            for heading in section.head:
                shown.add_column(heading, overflow="fold")
            for row in section.rows:
                shown.add_row(*row)
            console.print(shown)
