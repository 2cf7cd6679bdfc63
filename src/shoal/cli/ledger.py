"""`shoal ledger`: shows a file of releases, and verifies it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from shoal.cli import flags
from shoal.cli.console import print_json, reported, say

if TYPE_CHECKING:
    from shoal.ledger import Chain, Entry

ledger = typer.Typer(
    name="ledger",
    help="Look at a ledger: the file in which releases are written down.",
    no_args_is_help=True,
    context_settings={"help_option_names": ["-h", "--help"]},
)

File = Annotated[Path, typer.Argument(metavar="FILE", help="The ledger (.jsonl).")]


@ledger.command()
def show(
    file: File,
    as_json: Annotated[bool, typer.Option("--json", help="Print the releases on standard output.")] = False,
) -> None:
    """Print the releases, one per line. Recodings are printed with --json only: they name source values."""
    from shoal.ledger import Ledger

    with reported():
        chain = Ledger(file).verify()
        if as_json:
            print_json({"releases": [entry.to_dict() for entry in chain.entries], "head": chain.head})
            return
        for line in _table(chain.entries):
            typer.echo(line)
        _warn_of_torn(chain)


@ledger.command()
def verify(
    file: File,
    head: Annotated[
        str | None,
        typer.Option(
            "--head", metavar="HASH", help="A hash that was kept: exit 5 unless a line of the ledger has it."
        ),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the facts on standard output.")] = False,
    quiet: flags.Quiet = False,
) -> None:
    """Check that no line was changed, removed, moved or put in; exit 5 with the first line that was.

    Lines that were cut off at the end are missed only by --head.
    """
    from shoal.ledger import Ledger

    with reported():
        chain = Ledger(file).verify(head)
        states = [entry.state for entry in chain.entries]
        if as_json:
            print_json(
                {
                    "lines": len(chain.lines),
                    "releases": len(states),
                    "unconfirmed": [line.serial for line in chain.entries if line.state == "unconfirmed"],
                    "torn": bool(chain.torn),
                    "head": chain.head,
                    "holds": True,
                }
            )
        if quiet:
            return
        say(
            f"whole   lines {len(chain.lines):,}   releases {len(states):,}   "
            f"unconfirmed {states.count('unconfirmed'):,}   head {chain.head or '-'}"
        )
        for entry in chain.entries:
            if entry.state == "unconfirmed":
                say(
                    f"shoal: warning: line {entry.serial} announced a release and nobody confirmed it: "
                    f"the run ended in between. Look whether {entry.facts['release'] or 'it'} is there; it "
                    "is counted as published"
                )
        _warn_of_torn(chain)


def _warn_of_torn(chain: Chain) -> None:
    if chain.torn:
        say(
            "shoal: warning: the last line is only a part of one: a process ended while it wrote. It was no "
            "release that was published; the next entry is appended after it"
        )


def _table(entries: tuple[Entry, ...]) -> list[str]:
    """The releases as a table."""
    rows = [("line", "time", "state", "release", "k", "rows", "suppressed", "audit", "quasi-identifiers")]
    lines = {entry.facts["release_digest"]: entry.serial for entry in entries}
    for entry in entries:
        facts = entry.facts
        version = f" (extends line {lines[facts['extends']]})" if facts.get("extends") in lines else ""
        rows.append(
            (
                str(entry.serial),
                str(facts["time"]),
                entry.state,
                str(facts["release"] or "(data frame)") + version,
                str(facts["k"]),
                f"{facts['rows']:,}",
                f"{facts['suppressed']:,}",
                "holds" if facts.get("audit", {}).get("holds") else "does not hold",
                ", ".join(entry.quasi_identifiers),
            )
        )
    widths = [max(len(row[index]) for row in rows) for index in range(len(rows[0]))]
    return [
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows
    ]
