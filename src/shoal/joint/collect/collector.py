"""The collector: waits for the relay, opens what may be opened, once, and publishes it by the audited road.

It sees the rows of groups of k or more, and the sizes of the other groups without their values. Its key is
destroyed when the release has its name: nothing that came later, or was kept somewhere, can be opened.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from shoal.errors import InfeasibleError, ShoalError
from shoal.formatting.numbers import counted
from shoal.joint.collect.closing import Closing
from shoal.joint.collect.leaks import rows_notes
from shoal.joint.collect.message import Message, message_bytes
from shoal.joint.collect.opening import Opened, opened
from shoal.joint.collect.party import Announce, Party, Place, Setting
from shoal.joint.collect.publishing import published
from shoal.joint.collect.sealing import KEY, OVERHEAD, SealingKey
from shoal.joint.collect.terms import COLLECTOR, RELAY
from shoal.joint.collect.wire import BATCH, TAKEN, all_batches
from shoal.network.meeting import Door
from shoal.network.peer import Peer

if TYPE_CHECKING:
    from shoal.pipeline.release import Release

_GRACE = 600.0  # seconds after the closing time in which the relay comes


class _Interrupted(Exception):  # noqa: N818  not an error
    """Ctrl-C came while messages were evaluated."""


@dataclass(frozen=True)
class Collected:
    """The outcome.

    Parameters
    ----------
    received
        Messages that the relay passed on.
    unreadable
        Those of them that are not sealed for this collection, or no messages.
    opened
        What was opened.
    release
        What was published.
    """

    received: int
    unreadable: int
    opened: Opened
    release: Release


class Collector(Party):
    """The collector.

    Parameters
    ----------
    folder
        The folder that `shoal collect init` made.
    output
        The release to write.
    replace
        Whether a file that is no release of Shoal may be replaced.
    setting
        What it runs in, if not as usual.
    """

    def __init__(
        self, folder: Path, output: Path, *, replace: bool = False, setting: Setting | None = None
    ) -> None:
        super().__init__(folder, COLLECTOR, setting)
        self._key = SealingKey(folder / KEY)
        self._output = output
        self._replace = replace

    async def run(self, listen: Place | None = None, announce: Announce | None = None) -> Collected:
        """Wait for the relay, and evaluate what it brings.

        Parameters
        ----------
        listen
            Host and port, if not those of the terms.
        announce
            Called with the port, once the relay can connect.
        """
        closing = Closing(self.terms.closes, self._setting.now)
        host, port = listen or self.terms.addresses[COLLECTOR]
        async with Door(host, port, self._identity, [self.terms.certificates[RELAY]]) as door:
            if announce:
                announce(door.port)
            peer = await door.peer(RELAY, seconds=closing.seconds + _GRACE)
            peer.recorder = self._setting.recorder
            try:
                size = message_bytes(self.terms.row_bytes) + OVERHEAD
                sealed = await all_batches(peer, BATCH, size, self.terms.customers, self.terms.digest)
                collected = self._evaluated(sealed)
            except _Interrupted:
                await asyncio.sleep(0)  # here the cancellation arrives; after it the door can be closed
                raise asyncio.CancelledError from None
            except InfeasibleError:
                # Evaluated, with nothing to publish: that is an outcome, and it is final.
                await self._end(peer)
                raise
            except ShoalError:
                await peer.abort("it could not evaluate the messages; its own messages say why")
                raise
            await self._end(peer)
        return collected

    async def _end(self, peer: Peer) -> None:
        self._key.destroy()
        await peer.send(TAKEN, {})

    def _evaluated(self, sealed: list[bytes]) -> Collected:
        messages = []
        for done, each in enumerate(sealed):
            self._look(f"unsealed {done:,} of {counted(len(sealed), 'message')}")
            text = self._key.unsealed(each, self.terms.digest)
            try:
                messages.append(Message.from_bytes(text or b""))
            except ValueError:
                continue
        found = opened(
            messages,
            self.terms.k,
            len(self.terms.columns),
            len(self.terms.quasi_identifiers),
            on_group=lambda done, groups: self._look(f"looked at {done:,} of {groups:,} groups"),
        )
        if not found.rows:
            raise InfeasibleError(
                f"none of {counted(len(messages), 'row')} opened: no {self.terms.k} customers sent the same "
                "quasi-identifiers. Nothing was written; collect with a smaller k, or ask for coarser values",
                k=self.terms.k,
                limit=0,
                suppressed=len(messages),
            )
        notes = rows_notes(self.terms, found)
        release = published(self.terms, found.rows, self._output, notes, replace=self._replace)
        return Collected(len(sealed), len(sealed) - len(messages), found, release)

    def _look(self, words: str) -> None:
        """Say how far it is, and end here after Ctrl-C: nothing has been written yet."""
        self._setting.on_progress(words)
        task = asyncio.current_task()
        if task is not None and task.cancelling():
            raise _Interrupted
