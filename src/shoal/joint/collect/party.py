"""What the parties of a collection have in common: terms, an identity, a door, and connections to others."""

from __future__ import annotations

import contextlib
from collections import Counter as Counted
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from shoal.joint.collect.counter import Counter, Serve
from shoal.joint.collect.recorder import Recorder
from shoal.joint.collect.terms import Terms
from shoal.network.identity import Identity
from shoal.network.meeting import connect
from shoal.network.peer import SECONDS, Peer

Place = tuple[str, int]
Announce = Callable[[int], None]


@dataclass(frozen=True, kw_only=True)
class Setting:
    """What a party runs in.

    Parameters
    ----------
    now
        The clock, if it is not the system's.
    recorder
        Called with each frame; for tests.
    seconds
        How long to try to reach another party.
    on_progress
        Called with a sentence now and then.
    """

    now: Callable[[], datetime] = lambda: datetime.now(UTC)
    recorder: Recorder | None = None
    seconds: float = SECONDS
    on_progress: Callable[[str], None] = lambda _: None


class Party:
    """A party of a collection.

    Parameters
    ----------
    folder, name
        The folder that `shoal collect init` made for the party, and who it is.
    setting
        What it runs in, if not as usual.

    Attributes
    ----------
    terms
        What all parties agreed on.
    refused
        Connections that were turned away, by reason.
    """

    def __init__(self, folder: Path, name: str, setting: Setting | None = None) -> None:
        self.terms = Terms.load(folder)
        self.name = name
        self.refused: Counted[str] = Counted()
        self._identity = Identity.load(folder, name)
        self._setting = setting or Setting()

    async def _receive(
        self,
        visitors: Sequence[str],
        serve: Serve,
        end: Callable[[], Awaitable[None]],
        listen: Place | None,
        announce: Announce | None,
    ) -> None:
        """Serve visitors until something ends.

        Parameters
        ----------
        visitors, serve
            Who may come, and what is done for each.
        end
            What is waited for.
        listen
            Host and port, if not those of the terms.
        announce
            Called with the port, once somebody can connect.
        """

        async def recorded(peer: Peer) -> None:
            peer.recorder = self._setting.recorder
            await serve(peer)

        host, port = listen or self.terms.addresses[self.name]
        expected = [self.terms.certificates[each] for each in visitors]
        async with Counter(host, port, self._identity, expected, recorded) as counter:
            if announce:
                announce(counter.port)
            try:
                await counter.until(end())
            finally:
                self.refused = counter.refused

    @contextlib.asynccontextmanager
    async def _connected(self, name: str, seconds: float | None = None) -> AsyncIterator[Peer]:
        """Another party, hung up at the end."""
        host, port = self.terms.addresses[name]
        peer = await connect(
            host,
            port,
            self._identity,
            self.terms.certificates[name],
            seconds=seconds or self._setting.seconds,
        )
        peer.recorder = self._setting.recorder
        try:
            yield peer
        finally:
            await peer.close()
