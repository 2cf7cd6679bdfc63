"""Two sites of one joined table, on one loop and without TLS, for tests of what they say."""

from __future__ import annotations

import asyncio
import csv
import socket
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, TypeVar

from shoal.engines.connection import engine_for
from shoal.joint.two_party import run as running
from shoal.joint.two_party.site import check_policy, read_site
from shoal.model.policy.policy import Policy
from shoal.network.frames import Frame
from shoal.network.peer import Peer
from tests.patience import PATIENCE

T = TypeVar("T")
Cells = Mapping[str, Sequence[object]]


def write_csv(path: Path, columns: Cells) -> Path:
    """Write columns as a CSV file."""
    with path.open("w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(columns)
        writer.writerows(zip(*columns.values(), strict=True))
    return path


async def both_ends(one: Callable[[Peer], Awaitable[T]], two: Callable[[Peer], Awaitable[T]]) -> list[T]:
    """Run both sites of a conversation; each hangs up at its end."""

    async def ended(site: Callable[[Peer], Awaitable[T]], peer: Peer) -> T:
        try:
            return await site(peer)
        finally:
            await peer.close()

    to_second, to_first = await peers()
    return list(await asyncio.gather(ended(one, to_second), ended(two, to_first)))


@dataclass
class Outcome:
    """What both sites have at the end, and the frames that the first one sent and received."""

    first: running.Finished
    second: running.Finished
    frames: list[tuple[str, Frame]] = field(default_factory=list)


async def peers() -> tuple[Peer, Peer]:
    """Both ends of a connection: the second site as the first sees it, and the other way round."""
    one, two = socket.socketpair()
    return (
        Peer("second", *(await asyncio.open_connection(sock=one))),
        Peer("first", *(await asyncio.open_connection(sock=two))),
    )


def run_both(policy: Policy, first: Path, second: Path, *, protocol: str = "tds", **more: Any) -> Outcome:
    """Run both sites to the end."""
    check_policy(policy)
    frames: list[tuple[str, Frame]] = []

    async def one(data: Path, peer: Peer, *, is_first: bool) -> running.Finished:
        with engine_for(data, threads=1) as engine:
            table = engine.read_once(data)
            site = read_site(engine, table, policy)
            asked = running.SiteRun(
                policy=policy,
                data=data,
                identity=None,  # type: ignore[arg-type]  # nobody listens here
                other=None,  # type: ignore[arg-type]
                host="",
                port=0,
                first=is_first,
                protocol=protocol,
                seconds=PATIENCE,
                told=more.get("told", lambda _: None),
            )
            if is_first:
                peer.recorder = lambda way, frame: frames.append((way, frame))
            return await running._agreed(asked, engine, table, site, peer)

    ends = asyncio.run(
        both_ends(
            lambda peer: one(first, peer, is_first=True), lambda peer: one(second, peer, is_first=False)
        )
    )
    return Outcome(ends[0], ends[1], frames)


def with_release(policy: Policy, path: Path) -> Policy:
    """The policy with another file to write."""
    return replace(policy, release=path)
