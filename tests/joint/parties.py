"""Parties of a joint release on one loop, over real sockets and TLS."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pandas

from shoal.engines.connection import engine_for
from shoal.joint.desk import Desk, Finished
from shoal.joint.holder import Holder, Learned
from shoal.joint.own_rows import OwnRows
from shoal.joint.policy import JointPolicy
from shoal.joint.recipient import Recipient
from shoal.joint.stated import Stated
from shoal.model.policy.policy import Policy
from shoal.network.frames import Frame
from shoal.network.identity import Identity
from shoal.network.meeting import Door
from tests.patience import PATIENCE

NAMES = ("desk", "north", "south", "west", "east", "centre")

Recorded = list[tuple[str, str, Frame]]
"""Whom the desk talked to, which way, and the frame."""


@dataclass
class Run:
    """What a run left behind."""

    finished: Finished | None = None
    learned: dict[str, Learned] = field(default_factory=dict)
    errors: dict[str, BaseException] = field(default_factory=dict)
    recorded: Recorded = field(default_factory=list)


def identities(folder: Path, names: Sequence[str] = NAMES) -> dict[str, Identity]:
    """Throw-away identities."""
    return {name: Identity.create(folder, name, days=1) for name in names}


def joint_policy(policy: Policy, known: Mapping[str, Identity], holders: int, **stated: Any) -> JointPolicy:
    """A policy for some of the parties."""
    names = NAMES[: holders + 1]
    recipient = stated.get("recipient", "desk")
    pinned = dict.fromkeys([*names, recipient])
    told = Stated(
        holders=names[1:],
        parties={name: known[name].certificate.fingerprint for name in pinned},
        **{"timeout": PATIENCE, "meeting": PATIENCE, **stated},
    )
    return JointPolicy(
        policy=policy, stated=told, certificates={name: known[name].certificate for name in pinned}
    )


def run_joint(
    policy: JointPolicy,
    known: Mapping[str, Identity],
    tables: Sequence[pandas.DataFrame | Path],
    target: Path,
    *,
    spoil: Mapping[str, Callable[[Holder], None]] | None = None,
    policies: Mapping[str, JointPolicy] | None = None,
) -> Run:
    """One run on one loop; `spoil` may change a holder before it begins."""
    made = Run()
    for number, each in enumerate(tables):
        if isinstance(each, pandas.DataFrame):
            each.to_csv(target.parent / f"rows-{number}.csv", index=False)

    async def everybody() -> None:
        recipient = Recipient(policy, target) if policy.stated.recipient == "desk" else None
        desk = Desk(policy, known["desk"], recipient, recorder=lambda *each: made.recorded.append(each))
        expected = [each for name, each in policy.certificates.items() if name != "desk"]
        async with Door("127.0.0.1", 0, known["desk"], expected) as door:
            await asyncio.gather(
                at_desk(desk, door),
                *(at_holder(name, number, door.port) for number, name in enumerate(policy.holders)),
            )

    async def at_desk(desk: Desk, door: Door) -> None:
        try:
            made.finished = await desk.run(door)
        except Exception as error:
            made.errors["desk"] = error

    async def at_holder(name: str, number: int, port: int) -> None:
        given = tables[number]
        path = given if isinstance(given, Path) else target.parent / f"rows-{number}.csv"
        own = (policies or {}).get(name, policy)
        with ExitStack() as stack:
            engine = stack.enter_context(engine_for(path))
            try:
                holder = Holder(at_port(own, port), known[name], OwnRows(own, engine, path))
                if spoil and name in spoil:
                    spoil[name](holder)
                made.learned[name] = await holder.run()
            except Exception as error:
                made.errors[name] = error

    asyncio.run(asyncio.wait_for(everybody(), PATIENCE))
    return made


def at_port(policy: JointPolicy, port: int) -> JointPolicy:
    """The policy with the desk at a port of this machine."""
    from dataclasses import replace

    return replace(policy, stated=replace(policy.stated, address=f"127.0.0.1:{port}"))


def split(table: pandas.DataFrame, owners: Sequence[int], holders: int) -> list[pandas.DataFrame]:
    """The rows of each holder."""
    owner = list(itertools.islice(itertools.cycle(owners), len(table)))
    return [table[[each == number for each in owner]] for number in range(holders)]


def multiset(path: Path) -> list[tuple[str, ...]]:
    """The rows of a release, in no order."""
    read = pandas.read_csv(path, dtype=str, keep_default_na=False)
    return sorted(tuple(row) for row in read.itertuples(index=False, name=None))
