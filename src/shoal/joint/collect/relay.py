"""The relay, the front of a collection: one sealed message per ticket, passed on without names.

It knows who sends, and sees only sealed bytes of equal length. Messages wait here until the collection
closes; then they go to the collector all at once, in a random order. What was passed on is removed.
"""

from __future__ import annotations

import contextlib
from pathlib import Path

from shoal.errors import PartyError
from shoal.joint.collect.closing import Closing
from shoal.joint.collect.message import message_bytes
from shoal.joint.collect.party import Announce, Party, Place, Setting
from shoal.joint.collect.sealing import OVERHEAD
from shoal.joint.collect.terms import COLLECTOR, CUSTOMERS, RELAY
from shoal.joint.collect.tickets import TICKET, Tickets
from shoal.joint.collect.waiting import WAITING, Waiting, pass_on
from shoal.joint.collect.wire import (
    ACCEPTED,
    BATCH,
    CLOSE,
    CLOSED,
    EVALUATION,
    SMALL,
    SUBMIT,
    TAKEN,
    check_terms,
    field,
)
from shoal.network.peer import Peer

_NEXT_DOOR = 5.0  # seconds to reach a helper that may have gone


class Relay(Party):
    """The relay of a collection.

    Parameters
    ----------
    folder
        The folder that `shoal collect init` made.
    setting
        What it runs in, if not as usual.
    """

    def __init__(self, folder: Path, setting: Setting | None = None) -> None:
        super().__init__(folder, RELAY, setting)
        self._tickets = Tickets(folder)
        self._waiting = Waiting(folder / WAITING, message_bytes(self.terms.row_bytes) + OVERHEAD)

    @property
    def accepted(self) -> int:
        """Messages that wait, or were passed on."""
        return self._tickets.used

    async def run(self, listen: Place | None = None, announce: Announce | None = None) -> None:
        """Take messages until the collection closes, and pass them on.

        Parameters
        ----------
        listen
            Host and port, if not those of the terms.
        announce
            Called with the port, once somebody can connect.
        """
        self._closing = Closing(self.terms.closes, self._setting.now)
        if self._tickets.all_used:
            self._closing.now()
        if not self._closing.has_come:
            await self._receive((CUSTOMERS,), self._serve, self._closing.wait, listen, announce)
            # If the collection was closed before, an earlier run has told them.
            await self._close_helpers()
        await self._pass_on()
        self._waiting.remove()

    async def _serve(self, peer: Peer) -> None:
        frame = await peer.receive(SUBMIT, cap=SMALL)
        check_terms(peer, frame, self.terms.digest)
        shown, message = field(peer, frame, 0, TICKET), field(peer, frame, 1, self._waiting.size)
        fault = self._tickets.fault(shown, message)
        if fault is not None:
            raise PartyError(peer.name, fault)
        if not self._tickets.is_used(shown):
            if self._closing.has_come:
                raise PartyError(peer.name, self._closing.refusal())
            # The message first: a ticket without a message would be a row that is lost.
            self._waiting.keep(message, self.accepted)
            self._tickets.use(shown, message)
        await peer.send(ACCEPTED, {})
        if self._tickets.all_used:
            self._closing.now()

    async def _close_helpers(self) -> None:
        """Tell the helpers that nobody is left, if they are still there; they have clocks of their own."""
        for name in self.terms.helper_names if self._closing.seconds else ():
            with contextlib.suppress(PartyError):
                async with self._connected(name, min(self._setting.seconds, _NEXT_DOOR)) as peer:
                    await peer.send(CLOSE, {"collection": self.terms.digest})
                    await peer.receive(CLOSED, cap=SMALL)

    async def _pass_on(self) -> None:
        """Give all messages to the collector; they stay here unless it says that it has evaluated them."""
        async with self._connected(COLLECTOR) as peer:
            order = self._waiting.shuffled(self.accepted)
            await pass_on(peer, BATCH, self._waiting, order, self.terms.digest)
            await peer.receive(TAKEN, seconds=EVALUATION, cap=SMALL)
