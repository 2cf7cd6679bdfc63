"""A whole run of one of three holders without a desk: meet the others, take part, hang up."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

from shoal.engines.connection import engine_for
from shoal.errors import EngineError, PartyError, PolicyError, ShoalError
from shoal.joint.no_desk.holder import KINDS, EqualHolder, Finished, check_no_desk
from shoal.joint.no_desk.line import Line
from shoal.joint.own_rows import OwnRows, check_roles
from shoal.joint.policy import JointPolicy
from shoal.joint.recipient import Recipient
from shoal.network.identity import Identity
from shoal.network.meeting import Door, connect
from shoal.network.peer import Peer


def run_holder(
    policy: JointPolicy,
    identity: Identity,
    data: Path,
    target: Path | None,
    *,
    on_node: Callable[[int], None] | None = None,
) -> Finished:
    """Take part in one run; raises, and nothing is written, if it cannot be finished.

    Parameters
    ----------
    policy
        What was agreed.
    identity
        Who this is.
    data
        This holder's table.
    target
        The file to write, for the first holder.
    on_node
        Called with the number of nodes that were measured.
    """
    check_no_desk(policy, identity.name)
    check_roles(policy)
    first = identity.name == policy.holders[0]
    if first and target is None:
        raise PolicyError(f"{identity.name} is the first holder and writes the release; say where: --output")
    with engine_for(data, threads=policy.policy.threads) as engine:
        rows = OwnRows(policy, engine, data)
        recipient = Recipient(policy, target) if first and target is not None else None
        return asyncio.run(_met(policy, identity, rows, recipient, on_node))


async def _met(
    policy: JointPolicy,
    identity: Identity,
    rows: OwnRows,
    recipient: Recipient | None,
    on_node: Callable[[int], None] | None,
) -> Finished:
    async with AsyncExitStack() as stack:
        peers = await _peers(policy, identity, stack)
        lines = {name: Line(peer, policy.stated.patience) for name, peer in peers.items()}
        holder = EqualHolder(policy, identity.name, rows, lines, recipient, on_node)
        try:
            finished = await _with_lines(holder, lines)
        except BaseException as error:
            reason = _reason(error)
            await asyncio.gather(*(line.abort(reason) for line in lines.values()), return_exceptions=True)
            raise
        for line in lines.values():
            await line.hang_up()
        return finished


def _reason(error: BaseException) -> str:
    if isinstance(error, EngineError) and not isinstance(error, PartyError):
        return "it cannot go on"
    return str(error) if isinstance(error, ShoalError) else "it ended its part"


async def _with_lines(holder: EqualHolder, lines: dict[str, Line]) -> Finished:
    """Take part while both lines are heard; a line that fails ends the run."""
    work = asyncio.ensure_future(holder.run())
    heard = [asyncio.ensure_future(each) for line in lines.values() for each in _tasks(line)]
    try:
        await asyncio.wait([work, *heard], return_when=asyncio.FIRST_COMPLETED)
        if work.done():
            return work.result()
        # Who has heard the last word of all hangs up, perhaps before it is looked at here.
        if holder.end is None:
            next(each for each in heard if each.done()).result()
        if isinstance(holder.end, ShoalError):
            raise holder.end
        assert holder.end is not None, "a line that ends raises"
        return holder.end
    finally:
        for task in (work, *heard):
            task.cancel()
        await asyncio.gather(work, *heard, return_exceptions=True)


def _tasks(line: Line) -> list[Coroutine[Any, Any, None]]:
    return [line.hear(KINDS), line.flush()]


async def _peers(policy: JointPolicy, identity: Identity, stack: AsyncExitStack) -> dict[str, Peer]:
    """The other two: later holders come to earlier ones."""
    stated, own = policy.stated, policy.holders.index(identity.name)
    before, after = policy.holders[:own], policy.holders[own + 1 :]
    peers: dict[str, Peer] = {}
    door: Door | None = None
    if after:
        host, port = stated.place_of(identity.name)
        expected = [policy.certificates[name] for name in after]
        door = await stack.enter_async_context(Door(host, port, identity, expected))
    for name in before:
        host, port = stated.place_of(name)
        peers[name] = await connect(host, port, identity, policy.certificates[name], seconds=stated.meeting)
    for name in after:
        assert door is not None
        peers[name] = await door.peer(name, seconds=stated.meeting)
    return peers
