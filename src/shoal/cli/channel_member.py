"""`shoal channel member`: take part in a group, round after round, until Ctrl-C."""

from __future__ import annotations

import asyncio
import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from shoal.cli.console import reported, say

if TYPE_CHECKING:
    from shoal.channel.evidence import Evidence
    from shoal.channel.participant import Participant
    from shoal.channel.round import Opened


def member(
    own: Annotated[str, typer.Option("--as", metavar="NAME", help="Which member this is.")],
    group: Annotated[
        Path, typer.Option("--group", metavar="FILE", help="The group file; group.toml when absent.")
    ] = Path("group.toml"),
    keys: Annotated[
        Path | None,
        typer.Option("--keys", metavar="FOLDER", help="Where NAME.key is; next to the group file."),
    ] = None,
    socket: Annotated[
        Path | None,
        typer.Option(
            "--socket", metavar="PATH", help="For `send` and `receive`; NAME.sock next to the group file."
        ),
    ] = None,
    evidence: Annotated[
        Path | None,
        typer.Option("--evidence", metavar="FOLDER", help="Where evidence goes; next to the group file."),
    ] = None,
    record: Annotated[
        Path | None,
        typer.Option("--record", metavar="FILE", help="Write down what this member sees; for a study."),
    ] = None,
) -> None:
    """Take part: meet the other members, run rounds, and serve `send` and `receive` on this machine.

    It ends with Ctrl-C, or when too few members are left. Messages that nobody took are gone then.
    """
    with reported():
        from shoal.channel.keys import Keys
        from shoal.channel.membership import Membership
        from shoal.channel.participant import Participant

        found = Membership.read(group)
        found.of(own)
        participant = Participant(found, Keys.load(keys or group.parent, own))
        folder = evidence or group.parent
        participant.on_evidence = lambda each: _write_evidence(each, folder)
        if record is not None:
            path = record
            os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600))
            participant.on_round = lambda opened: _write_view(opened, path)
        asyncio.run(_run(participant, socket or group.parent / f"{own}.sock"))


async def _run(participant: Participant, path: Path) -> None:
    from shoal.channel.local_socket import LocalSocket

    names = participant.membership.group(participant.own.group)
    say(f"{participant.own.name}: waiting for the other {len(names) - 1} members; Ctrl-C ends it")
    async with LocalSocket(participant, path).serve():
        await participant.run()


def _write_evidence(evidence: Evidence, folder: Path) -> None:
    from shoal.files.whole_file import write_bytes

    path = (
        folder / f"{evidence.accused}-{evidence.attempt.session.hex()[:8]}-{evidence.attempt.round}.evidence"
    )
    write_bytes(path, evidence.to_bytes())
    say(f"expelled {evidence.words}; the evidence is in {path}")


def _write_view(opened: Opened, path: Path) -> None:
    from shoal.channel.coalition import View

    with path.open("a", encoding="utf-8") as file:
        file.write(json.dumps(View.of(opened).to_json()) + "\n")
