"""A group on this machine: real processes, real sockets, one message, and what a coalition saw of it."""

from __future__ import annotations

import contextlib
import json
import os
import secrets
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from shoal.channel.coalition import View, unseen_fillings
from shoal.channel.curve import Ristretto
from shoal.channel.keys import Keys
from shoal.channel.local_socket import ask
from shoal.channel.membership import Member, Membership, Settings
from shoal.channel.slot import piece_of
from shoal.errors import EngineError, PolicyError

GROUP = "group.toml"
_LOOK = 0.1


@dataclass(frozen=True)
class Sighting:
    """What a coalition can say of one piece.

    Parameters
    ----------
    round, slot
        Where it came up.
    fillings
        For each other member, in how many ways it can have sent it.
    """

    round: int
    slot: int
    fillings: dict[str, int]


@dataclass(frozen=True)
class Shown:
    """What a demo measured.

    Parameters
    ----------
    text
        What the receiver got.
    receiver, sender
        Who; nobody but the demo knows the second.
    rounds
        How many there were.
    seconds, sent
        Processor seconds and bytes per member and round.
    spies
        The coalition.
    sightings
        What it saw of each piece.
    """

    text: str
    receiver: str
    sender: str
    rounds: int
    seconds: float
    sent: float
    spies: tuple[str, ...]
    sightings: tuple[Sighting, ...]


def loopback_group(folder: Path, size: int, settings: Settings) -> Membership:
    """Keys and the group file of a group on free ports of this machine."""
    names = [f"m{number:02}" if size > 9 else f"m{number}" for number in range(1, size + 1)]
    sockets = [socket.create_server(("127.0.0.1", 0)) for _ in names]
    members = []
    for name, each in zip(names, sockets, strict=True):
        keys = Keys.create(folder, name, days=1)
        members.append(
            Member(
                name=name,
                group=0,
                host="127.0.0.1",
                port=each.getsockname()[1],
                certificate=keys.identity.certificate,
                box=keys.public_box,
            )
        )
    for each in sockets:
        each.close()
    membership = Membership(settings, tuple(members))
    (folder / GROUP).write_text(membership.to_toml(), encoding="utf-8")
    return membership


@contextlib.contextmanager
def processes(
    folder: Path, names: Sequence[str], recording: Sequence[str] = ()
) -> Iterator[list[subprocess.Popen[bytes]]]:
    """One process for each member; they end with the context."""
    # Members run the code that this process runs, wherever it was imported from.
    paths = [str(Path(__file__).parents[2]), *filter(None, [os.environ.get("PYTHONPATH")])]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(paths)}
    with contextlib.ExitStack() as stack:
        started: list[subprocess.Popen[bytes]] = []
        for name in names:
            command = [sys.executable, "-m", "shoal.cli", "channel", "member"]
            command += ["--group", str(folder / GROUP), "--as", name]
            command += ["--record", str(folder / f"{name}.view")] if name in recording else []
            log: IO[bytes] = stack.enter_context((folder / f"{name}.log").open("wb"))
            process = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, env=environment
            )
            started.append(process)
        try:
            yield started
        finally:
            for process in started:
                process.send_signal(signal.SIGTERM)
            for process in started:
                process.wait()


def wait_for_rounds(folder: Path, names: Sequence[str], started: Sequence[subprocess.Popen[bytes]]) -> None:
    """Wait until all members run rounds; raise, with its words, if one ends."""
    waiting = list(names)
    while waiting:
        for name, process in zip(names, started, strict=True):
            if process.poll() is not None:
                said = (folder / f"{name}.log").read_text(encoding="utf-8", errors="replace").strip()
                raise EngineError(f"the process of {name} ended: {said or 'without a word'}")
        with contextlib.suppress(EngineError):
            if ask(folder / f"{waiting[0]}.sock", {"do": "status"})["rounds"]:
                waiting.pop(0)
                continue
        time.sleep(_LOOK)


def show(folder: Path, k: int, spies: int, text: str, settings: Settings) -> Shown:
    """Start a group of k members and some spies, let one of the k send, and look at what the spies have."""
    if spies < 0 or k + spies < 3:
        raise PolicyError("a group has three members at least; raise -k or --spies")
    membership = loopback_group(folder, k + spies, settings)
    names = membership.group(0)
    watching = tuple(secrets.SystemRandom().sample(names, spies))
    sender = secrets.choice([name for name in names if name not in watching])
    receiver = secrets.choice([name for name in names if name != sender])
    with processes(folder, names, watching) as started:
        wait_for_rounds(folder, names, started)
        ask(folder / f"{sender}.sock", {"do": "send", "to": receiver, "text": text, "wait": True})
        received = ask(folder / f"{receiver}.sock", {"do": "receive", "count": 1})["texts"]
        statuses = [ask(folder / f"{name}.sock", {"do": "status"}) for name in names]
    rounds = sum(each["rounds"] for each in statuses)
    return Shown(
        text=received[0],
        receiver=receiver,
        sender=sender,
        rounds=max(each["rounds"] for each in statuses),
        seconds=sum(each["processor_seconds"] for each in statuses) / rounds,
        sent=sum(each["bytes_sent"] for each in statuses) / rounds,
        spies=tuple(sorted(watching)),
        sightings=tuple(_sightings(folder, watching)),
    )


def _sightings(folder: Path, spies: Sequence[str]) -> Iterator[Sighting]:
    if not spies:
        return
    # The last line of a record can be half written: its process was ended.
    recorded = {
        name: [View.of_json(json.loads(line)) for line in _whole_lines(folder / f"{name}.view")]
        for name in spies
    }
    for views in zip(*recorded.values(), strict=False):
        together = dict(zip(recorded, views, strict=True))
        for slot, number in enumerate(views[0].slots):
            if number and piece_of(number) is not None:
                fillings = unseen_fillings(together, slot, Ristretto.order)
                yield Sighting(views[0].round, slot, fillings)


def _whole_lines(path: Path) -> list[str]:
    return path.read_text(encoding="utf-8").split("\n")[:-1]
