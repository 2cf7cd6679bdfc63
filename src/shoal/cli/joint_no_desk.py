"""`shoal joint no-desk`: three holders of rows release them together, without anybody else."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Annotated

import typer

from shoal.cli.console import reported, say
from shoal.errors import ShoalWarning

_EVERY = 10  # nodes between two lines


def no_desk(
    policy: Annotated[
        Path, typer.Argument(metavar="POLICY", help='The policy, with desk = "" under [joint].')
    ],
    data: Annotated[Path, typer.Option("--data", help="This holder's own table.")],
    name: Annotated[str, typer.Option("--as", metavar="NAME", help="Which holder this is.")],
    keys: Annotated[Path, typer.Option("--keys", help="The folder with NAME.key and NAME.crt.")] = Path(),
    certificates: Annotated[
        Path | None,
        typer.Option(
            "--certificates", help="The folder of all certificates; certificates next to the policy."
        ),
    ] = None,
    output: Annotated[
        Path | None, typer.Option("-o", "--output", help="The release, which the first holder writes.")
    ] = None,
) -> None:
    """Release the rows of three holders together without a desk: one of the three sides of a run.

    Counts are shared among the three, and only totals are opened. Much slower than with a desk.
    """
    with reported(), warnings.catch_warnings():
        warnings.simplefilter("ignore", ShoalWarning)
        from shoal.joint.needed import check_packages

        check_packages("cryptography", "rbcl", "mpyc")
        from shoal.joint.leaks import limits, statement
        from shoal.joint.no_desk.run import run_holder
        from shoal.joint.policy import JointPolicy
        from shoal.network.identity import Identity

        read = JointPolicy.read(policy, certificates)
        finished = run_holder(read, Identity.load(keys, name), data, output, on_node=_told)
        result = finished.result
        say(f"{result.status}   nodes {result.nodes:,}   suppressed {result.suppressed:,} rows")
        if finished.published is not None:
            say(f"{finished.published.path}: {finished.published.manifest.groups:,} groups, the audit holds")
        else:
            say(f"{read.holders[0]} wrote the release, SHA-256 {finished.digest}")
        for party, lines in statement(read).items():
            for line in lines:
                say(f"{party} learned {line}")
        for line in limits(read):
            say(line)


def _told(nodes: int) -> None:
    if not nodes:
        say("all three holders are there")
    elif nodes % _EVERY == 0:
        say(f"{nodes:,} nodes measured")
