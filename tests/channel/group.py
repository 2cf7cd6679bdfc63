"""Groups in one process: real sockets and TLS, one event loop, members that misbehave on request."""

from __future__ import annotations

import asyncio
import functools
import socket
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path

from shoal.channel.curve import Ristretto
from shoal.channel.evidence import Evidence
from shoal.channel.keys import Keys
from shoal.channel.membership import Member, Membership, Settings
from shoal.channel.participant import Participant
from shoal.channel.payloads import Rules
from shoal.channel.round import Round
from shoal.errors import ShoalError
from tests.patience import PATIENCE

NAMES = ("ann", "bob", "cem", "dora", "eva", "finn")


@functools.cache
def keys(name: str) -> Keys:
    """A member's keys, made once."""
    return Keys.create(Path(tempfile.mkdtemp()), name)


def membership(sizes: tuple[int, ...] = (4,), **settings: object) -> Membership:
    """Members in groups of these sizes, on free ports."""
    numbers = [group for group, size in enumerate(sizes) for _ in range(size)]
    found = list(zip(NAMES, numbers, strict=False))
    sockets = [socket.create_server(("127.0.0.1", 0)) for _ in found]
    ports = [each.getsockname()[1] for each in sockets]
    for each in sockets:
        each.close()
    agreed = Settings(**{"k": 2, "proofs": 2, "interval": 0.0, "timeout": 30.0, **settings})  # type: ignore[arg-type]
    return Membership(
        agreed,
        tuple(
            Member(
                name=name,
                group=group,
                host="127.0.0.1",
                port=port,
                certificate=keys(name).identity.certificate,
                box=keys(name).public_box,
            )
            for (name, group), port in zip(found, ports, strict=True)
        ),
    )


class Group:
    """Members that run until something holds.

    Parameters
    ----------
    membership
        Who there is.
    rounds
        What members do who do not do what they should, by name.
    """

    def __init__(self, membership: Membership, rounds: Mapping[str, type[Round]] | None = None) -> None:
        self.membership = membership
        self.evidence: dict[str, list[Evidence]] = {each.name: [] for each in membership.members}
        self.ended: dict[str, BaseException | None] = {}
        self.members: dict[str, Participant] = {}
        for each in membership.members:
            kind = (rounds or {}).get(each.name, Round)
            member = Participant(membership, keys(each.name), round_type=kind, seconds=PATIENCE)
            member.on_evidence = self.evidence[each.name].append
            self.members[each.name] = member

    @property
    def rules(self) -> Rules:
        """As the members have them."""
        return Rules(Ristretto(), self.membership.settings.proofs)

    def texts(self, name: str) -> list[str]:
        """What a member has received."""
        return [each.decode() for each in self.members[name].inbox.texts]

    def expelled(self, name: str) -> dict[str, str]:
        """Whom a member saw expelled, and for what."""
        return {each.accused: each.kind for each in self.evidence[name]}

    def run(self, holds: Callable[[], bool]) -> None:
        """Run all members until something holds, or nobody is left."""
        asyncio.run(asyncio.wait_for(self._run(holds), PATIENCE))

    async def _run(self, holds: Callable[[], bool]) -> None:
        tasks = {name: asyncio.create_task(self._member(name)) for name in self.members}
        try:
            while not holds():
                assert not all(task.done() for task in tasks.values()), self.ended
                await asyncio.sleep(0.005)
        finally:
            for task in tasks.values():
                task.cancel()
            await asyncio.gather(*tasks.values(), return_exceptions=True)
            for task in tasks.values():
                if not task.cancelled() and task.exception() is not None:
                    raise task.exception()  # type: ignore[misc]

    async def _member(self, name: str) -> None:
        self.ended.pop(name, None)
        try:
            await self.members[name].run()
        except ShoalError as error:
            self.ended[name] = error
