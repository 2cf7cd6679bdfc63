"""`shoal channel demo`: a group on this machine, one message, its cost, and what spies saw."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from dataclasses import asdict
from math import log
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from shoal.cli.console import print_json, reported, say

if TYPE_CHECKING:
    from shoal.channel.demo import Shown, Sighting

TEXT = "the lift on floor 3 is unsafe"


def demo(
    k: Annotated[
        int, typer.Option("-k", min=2, max=20, help="Honest members among whom a sender hides.")
    ] = 5,
    spies: Annotated[
        int, typer.Option("--spies", min=0, max=10, help="More members, who put together what they see.")
    ] = 2,
    text: Annotated[str, typer.Option("--text", help="What one of the k sends.")] = TEXT,
    proofs: Annotated[int, typer.Option("--proofs", help="Repetitions of each proof.")] = 40,
    as_json: Annotated[bool, typer.Option("--json", help="Print the facts on standard output.")] = False,
) -> None:
    """Start a group on this machine as real processes, send one message, print cost and what spies saw."""
    with reported(), tempfile.TemporaryDirectory(prefix="shoal-") as folder:
        from shoal.channel.demo import show
        from shoal.channel.membership import Settings

        watching = "1 is a spy" if spies == 1 else f"{spies} are spies"
        say(f"{k + spies} members on this machine, each a process of its own; {watching}")
        settings = Settings(k=k, proofs=proofs, interval=0.05, timeout=300.0)
        shown = show(Path(folder), k, spies, text, settings)
        if as_json:
            print_json(asdict(shown))
        else:
            _print(shown, k)


def _print(shown: Shown, k: int) -> None:
    size = k + len(shown.spies)
    pieces = len(shown.sightings)
    say(f'one of the {k} others sent {len(shown.text.encode())} bytes to {shown.receiver}: "{shown.text}"')
    say(f"cost per member and round: {shown.seconds:.2f} s of a processor, {shown.sent:,.0f} bytes sent")
    if not pieces:
        return
    per_byte = shown.sent * size * pieces / max(1, len(shown.text.encode()))
    say(f"{pieces} pieces, one per round: {per_byte:,.0f} bytes in the group for each byte of text")
    first = shown.sightings[0]
    who = " and ".join(shown.spies) + (" sees" if len(shown.spies) == 1 else " see together")
    say(f"\nwhat {who} of the first piece (round {first.round}, slot {first.slot}):")
    for line in _candidates(shown.sightings):
        say(line)
    least = min(sum(map(bool, each.fillings.values())) for each in shown.sightings)
    say(f"so the sender hides among {least}, for each of the {pieces} pieces")


def _candidates(sightings: Sequence[Sighting]) -> list[str]:
    """One line for each member that may have sent the first piece."""
    from shoal.channel.curve import Ristretto

    lines = []
    for name, count in sightings[0].fillings.items():
        power = round(log(count) / log(Ristretto.order)) if count else None
        ways = "impossible" if power is None else f"q^{power} ways to fill in the shares they do not see"
        lines.append(f"  {name} sent it: {ways}")
    return lines
