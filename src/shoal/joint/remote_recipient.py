"""A recipient that is a party of its own: the desk relays the sealed parts and cannot read them."""

from __future__ import annotations

import asyncio
from typing import Any

from shoal.errors import PartyError, PolicyError
from shoal.joint import messages as say
from shoal.joint.facts import Facts
from shoal.joint.keys import PublicKey, RunKeys
from shoal.joint.policy import VERSION, JointPolicy
from shoal.joint.recipient import Published, Recipient
from shoal.network.frames import Frame
from shoal.network.identity import Identity
from shoal.network.meeting import connect
from shoal.network.peer import Peer

_A_DAY = 86_400.0  # the search may take long; a desk that dies is noticed at once


async def receive_release(policy: JointPolicy, identity: Identity, recipient: Recipient) -> Published:
    """Take part in one run as its recipient."""
    stated = policy.stated
    desk = policy.certificates[stated.desk]
    peer = await connect(*stated.place, identity, desk, seconds=stated.meeting)
    try:
        run = await _hello(peer, policy)
        keys = await _keys(peer, policy, identity, run)
        recipient.open(keys, run)
        try:
            facts = await _parts(peer, policy, recipient)
            published = await asyncio.to_thread(recipient.publish, facts)
        finally:
            recipient.close()
        await peer.send(say.DONE, {"release_digest": published.release_digest}, seconds=stated.timeout)
    except BaseException as error:
        await peer.abort(str(error) if isinstance(error, PolicyError | PartyError) else "it ended its part")
        raise
    await peer.close()
    return published


async def _hello(peer: Peer, policy: JointPolicy) -> str:
    frame = await peer.receive(say.HELLO, seconds=policy.stated.meeting, cap=say.SMALL)
    if say.text(peer.name, frame.head, "policy") != policy.digest:
        raise PolicyError(f"{peer.name} has another policy than this one; compare the digests")
    run = say.text(peer.name, frame.head, "run")
    await peer.send(say.HELLO, {"version": VERSION, "run": run, "policy": policy.digest})
    return run


async def _keys(peer: Peer, policy: JointPolicy, identity: Identity, run: str) -> dict[str, bytes]:
    """What the recipient shares with each holder."""
    own = RunKeys(identity, run)
    await peer.send(say.KEYS, own.public.sent)
    frame = await peer.receive(say.KEYS, seconds=policy.stated.patience, cap=say.SMALL)
    found = frame.head.get("keys")
    stated: dict[str, Any] = found if isinstance(found, dict) else {}
    return {
        name: own.secret(name, PublicKey.received(stated.get(name), policy.certificates[name], run), "part")
        for name in policy.holders
    }


async def _parts(peer: Peer, policy: JointPolicy, recipient: Recipient) -> Facts:
    """The parts of all holders, each in its order, and then the facts."""
    expected = dict.fromkeys(policy.holders, 0)
    while True:
        frame = await peer.receive(
            (say.PART, say.FACTS, say.ENDED), seconds=_A_DAY, cap=say.CHUNK + say.SMALL
        )
        if frame.kind == say.ENDED:
            raise say.ended(peer.name, frame)
        if frame.kind == say.FACTS:
            if any(place >= 0 for place in expected.values()):
                raise PartyError(peer.name, "told of a release before all parts were there")
            return _facts(peer.name, frame)
        holder = say.text(peer.name, frame.head, "holder")
        number = say.whole(peer.name, frame.head, "number")
        if expected.get(holder) != number or len(frame.arrays) != 1:
            raise PartyError(peer.name, "sent parts of the release out of their order")
        last = frame.head.get("last") is True
        await recipient.take(holder, number, last, frame.arrays[0])
        expected[holder] = -1 if last else number + 1


def _facts(party: str, frame: Frame) -> Facts:
    head = dict(frame.head)
    try:
        head |= {name: tuple(head[name]) for name in ("columns", "levels", "trace")}
        return Facts(**head)
    except (KeyError, TypeError):
        raise PartyError(party, "sent no facts of a release where they are expected") from None
