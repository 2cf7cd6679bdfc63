"""The connections of one member to all others: what is to be sent waits in a queue for each.

Of two members, the one whose name sorts first connects. A link that fails is lost for the rest of the
session, and whoever is behind it counts as silent towards this member.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable
from types import TracebackType
from typing import Any

from numpy.typing import NDArray

from shoal.channel.membership import Membership
from shoal.errors import PartyError, PolicyError
from shoal.network.frames import Frame
from shoal.network.identity import Identity
from shoal.network.meeting import Door, connect
from shoal.network.peer import Peer

_FOREVER = 10.0 * 365 * 86_400  # silence is judged by rounds, not by links
_QUEUED = 10_000  # frames that a member may be behind

Heard = Callable[[str, Frame], None]


class Links:
    """Connections to all other members; an asynchronous context manager.

    Parameters
    ----------
    membership
        Who there is.
    identity
        Who this member is.
    kinds
        The kinds of frames that the protocol has.
    cap
        The most bytes of a frame.
    seconds
        How long to wait for the others to come.

    Attributes
    ----------
    heard
        Called with the name and each frame that arrives.
    lost
        Why links were lost, by name.
    changed
        Called when a link is lost.
    failure
        An error of this program while it read or wrote.
    """

    def __init__(
        self, membership: Membership, identity: Identity, kinds: tuple[int, ...], cap: int, seconds: float
    ) -> None:
        self.heard: Heard = lambda _name, _frame: None
        self.changed: Callable[[], None] = lambda: None
        self.lost: dict[str, str] = {}
        self.failure: BaseException | None = None
        self._membership = membership
        self._identity = identity
        self._kinds = kinds
        self._cap = cap
        self._seconds = seconds
        self._peers: dict[str, Peer] = {}
        self._queues: dict[str, asyncio.Queue[tuple[int, dict[str, Any], tuple[NDArray[Any], ...]]]] = {}
        self._tasks: list[asyncio.Task[None]] = []
        self._door: Door | None = None

    async def __aenter__(self) -> Links:
        own = self._membership.of(self._identity.name)
        others = [each for each in self._membership.members if each.name != own.name]
        before = [each for each in others if each.name < own.name]
        self._door = Door(own.host, own.port, self._identity, [each.certificate for each in before])
        await self._door.__aenter__()
        try:
            coming = [self._door.peer(each.name, seconds=self._seconds) for each in before]
            going = [
                connect(each.host, each.port, self._identity, each.certificate, seconds=self._seconds)
                for each in others
                if each.name > own.name
            ]
            for peer in await asyncio.gather(*coming, *going):
                self._peers[peer.name] = peer
                self._queues[peer.name] = asyncio.Queue(_QUEUED)
        except BaseException:
            await self.__aexit__(None, None, None)
            raise
        for name in self._peers:
            self._tasks += [asyncio.create_task(self._write(name)), asyncio.create_task(self._read(name))]
        for task in self._tasks:
            task.add_done_callback(self._ended)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        # What was said last (evidence, a confirmation) still goes out.
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(2):
                await asyncio.gather(
                    *(queue.join() for name, queue in self._queues.items() if name not in self.lost)
                )
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        for peer in self._peers.values():
            await peer.close()
        if self._door:
            await self._door.__aexit__(None, None, None)

    @property
    def bytes_sent(self) -> int:
        """So far, to all."""
        return sum(peer.bytes_sent for peer in self._peers.values())

    def send(self, name: str, kind: int, head: dict[str, Any], *arrays: NDArray[Any]) -> None:
        """Put a frame into the queue of a member; nothing happens if its link is lost."""
        if name in self.lost:
            return
        try:
            self._queues[name].put_nowait((kind, head, arrays))
        except asyncio.QueueFull:
            self.drop(name, "does not read what is sent to it")

    def drop(self, name: str, reason: str) -> None:
        """Give up a link."""
        if name not in self.lost:
            self.lost[name] = reason
            self._peers[name].drop()
            self.changed()

    def _ended(self, task: asyncio.Task[None]) -> None:
        if not task.cancelled() and task.exception() is not None:
            self.failure = task.exception()
            self.changed()

    async def _write(self, name: str) -> None:
        queue = self._queues[name]
        while name not in self.lost:
            kind, head, arrays = await queue.get()
            try:
                await self._peers[name].send(kind, head, *arrays, seconds=_FOREVER)
            except PartyError as error:
                self.drop(name, str(error))
            queue.task_done()

    async def _read(self, name: str) -> None:
        while name not in self.lost:
            try:
                frame = await self._peers[name].receive(self._kinds, seconds=_FOREVER, cap=self._cap)
                self.heard(name, frame)
            except PartyError as error:
                self.drop(name, str(error))
            except PolicyError:  # of this member's own files
                raise
            except ValueError:  # a frame of a known kind with something else inside
                self.drop(name, f"{name}: sent a frame that the protocol does not have")
