"""`shoal check`: verify a certificate of optimality."""

from __future__ import annotations

import sys
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from shoal.cli import table_flags
from shoal.cli.console import print_json, reported, say


def check(
    release: Annotated[Path, typer.Argument(metavar="RELEASE", help="The released CSV file.")],
    policy: Annotated[Path, typer.Option("--policy", metavar="FILE", help="The policy of the release.")],
    certificate: Annotated[
        Path,
        typer.Option("--certificate", metavar="FILE", help="The certificate that was written with it."),
    ],
    source: Annotated[
        Path | None,
        typer.Option("--source", metavar="FILE", help="The raw table, if it is not where the policy says."),
    ] = None,
    plain: Annotated[
        bool,
        typer.Option("--plain", help="Use Python and NumPy alone: slower, and the same verdict."),
    ] = False,
    as_json: table_flags.AsJson = False,
) -> None:
    """Verify that nothing of its kind costs less than a certificate claims, and what the release costs.

    Reads the raw table and recomputes every bound from its definition; nothing of the search is used.

    Exit codes: 0 verified, 5 refuted, 4 cannot check.
    """
    # Imported here: `shoal --help` and a mistyped flag should not wait for NumPy.
    from shoal.api.check import check as checked
    from shoal.api.check import exit_code

    with reported():
        shown = sys.stderr.isatty()
        found = checked(
            release,
            policy,
            certificate,
            source=source,
            plain=plain,
            on_progress=_show if shown else None,
        )
        if shown:
            print("\r\x1b[K", end="", file=sys.stderr)
        say(found.words)
        if as_json:
            facts = asdict(found)
            print_json({**facts, "bound": _plain(found.bound), "cost": _plain(found.cost)})
        if exit_code(found):
            raise typer.Exit(exit_code(found))


def _show(lines: int) -> None:
    print(f"\r\x1b[K{lines:,} nodes followed", end="", file=sys.stderr, flush=True)


def _plain(cost: object) -> int | float | None:
    return None if cost is None else float(cost) if float(cost) % 1 else int(cost)  # type: ignore[arg-type,call-overload]
