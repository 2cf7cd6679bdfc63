"""`shoal compare`: a policy in, a table of what each algorithm makes of the data out."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from shoal.cli import arguments, flags
from shoal.cli.console import print_json, reported, say
from shoal.cli.policy_file import overridden, policy_of_file
from shoal.errors import PolicyError

if TYPE_CHECKING:
    from shoal.api.compare import Compared

_RIGHT = {"k", "gap", "NCP", "DM", "CM", "groups", "suppressed", "seconds", "smallest"}


def compare(
    source: Annotated[Path, typer.Argument(help="A policy (.toml).")],
    algorithms: Annotated[
        list[str] | None,
        typer.Option(
            "--algorithms",
            metavar="NAMES",
            help="Which to run, as in 'exact,local values=sets'; all by default.",
        ),
    ] = None,
    ks: Annotated[
        list[str] | None,
        typer.Option("-k", metavar="NUMBERS", help="The k to try, as in 2,5,10; the policy's by default."),
    ] = None,
    seconds: Annotated[
        float | None,
        typer.Option("--seconds", help="What each run may take; the policy's budget, or else 10."),
    ] = None,
    consistent: flags.Consistent = False,
    threads: flags.Threads = None,
    memory: flags.Memory = None,
    search_memory: flags.SearchMemory = None,
    temp_directory: flags.TempDirectory = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print all figures on standard output.")] = False,
    markdown: Annotated[bool, typer.Option("--markdown", help="Print the table as Markdown.")] = False,
    quiet: flags.Quiet = False,
) -> None:
    """Line up the algorithms on your own data: time, loss, groups, suppressed rows.

    Nothing is released. An algorithm that does not know the policy's cost minimizes the first that it knows.
    """
    with reported():
        if source.suffix.lower() != ".toml":
            raise PolicyError(f"shoal compare takes a policy (.toml); given was {source.name!r}")
        policy = policy_of_file(source)

        from shoal.api.compare import compare as runs_of
        from shoal.engines.connection import engine_for

        def show(run: Compared) -> None:
            if not quiet and run.status != "refused":
                say(f"{run.algorithm}, k = {run.k:,}: {run.status}, {run.seconds:.1f} s")

        policy = overridden(policy, {"consistent": consistent, "threads": threads})
        with engine_for(
            policy.source,
            memory=memory,
            threads=policy.threads,
            temp_directory=temp_directory,
            search_memory=search_memory,
        ) as engine:
            runs = runs_of(
                policy=policy,
                algorithms=arguments.names(algorithms) if algorithms else None,
                ks=[_whole(text) for text in arguments.names(ks)] if ks else None,
                seconds=seconds,
                on_run=show,
                engine=engine,
            )
    if as_json:
        print_json([run.to_dict() for run in runs])
        return
    _print_table(runs, markdown=markdown)
    from shoal.api.compare import proofs_of

    proofs = [] if quiet else proofs_of(runs)
    if proofs:
        say("")
        say("optimal, and a gap to it, is about one kind of recoding:")
    for line in proofs:
        say(f"  {line}")
    refused = {run.algorithm: run.why for run in runs if run.status == "refused"}
    if refused and not quiet:
        say("")
        for name, why in refused.items():
            say(f"not run: {name}: {why}")


def _whole(text: str) -> int:
    if not text.isdecimal() or len(text) > 30 or int(text) < 1:
        raise PolicyError(f"-k is a list of whole numbers, as in 2,5,10; one is {text!r}")
    return int(text)


def _print_table(runs: list[Compared], *, markdown: bool) -> None:
    from shoal.api.compare import table_of

    head, *lines = table_of(runs)
    widths = [max(len(line[column]) for line in (head, *lines)) for column in range(len(head))]
    right = [name in _RIGHT for name in head]

    def aligned(line: tuple[str, ...]) -> list[str]:
        return [
            cell.rjust(width) if is_right else cell.ljust(width)
            for cell, width, is_right in zip(line, widths, right, strict=True)
        ]

    if not markdown:
        for line in (head, *lines):
            typer.echo("  ".join(aligned(line)).rstrip())
        return
    rule = ["-" * (width - 1) + (":" if each else "-") for width, each in zip(widths, right, strict=True)]
    for cells in (aligned(head), rule, *map(aligned, lines)):
        typer.echo("| " + " | ".join(cells) + " |")
