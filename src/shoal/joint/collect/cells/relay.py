"""The relay of the method `cells`: passes on encrypted rows, gives back stars, and passes on rows.

First it takes an encrypted row per ticket until the collection closes, and gives all of them to the first
helper in a random order. When the helpers know the stars, each customer asks for those of its row and hands
in the row with stars, sealed for the collector; the relay passes these on in another random order.
"""

from __future__ import annotations

import asyncio
from datetime import timedelta
from pathlib import Path

from shoal.errors import InfeasibleError, PartyError
from shoal.files.whole_file import write_private
from shoal.formatting.numbers import counted
from shoal.joint.collect.cells.encryption import PAIR, pairs_of
from shoal.joint.collect.closing import Closing
from shoal.joint.collect.party import Announce, Party, Place, Setting
from shoal.joint.collect.sealing import OVERHEAD
from shoal.joint.collect.terms import COLLECTOR, CUSTOMERS, RELAY
from shoal.joint.collect.tickets import TICKET, Tickets
from shoal.joint.collect.waiting import WAITING, Waiting, pass_on
from shoal.joint.collect.wire import (
    ACCEPTED,
    ANSWER,
    ASK,
    BATCH,
    EVALUATION,
    NOT_YET,
    ROWS,
    SMALL,
    STARS,
    SUBMIT,
    TAKEN,
    as_array,
    check_terms,
    field,
    malformed,
    table,
)
from shoal.network.frames import Frame
from shoal.network.peer import Peer

ANSWERS = "answers.bin"
ANSWERED = "answered.txt"
KNOWN_STARS = "stars.bin"


class CellsRelay(Party):
    """The relay of a collection by the method `cells`.

    Parameters
    ----------
    folder
        The folder that `shoal collect init` made.
    setting
        What it runs in, if not as usual.
    answers_within
        How long customers have to hand in their rows, once the stars are known.
    """

    def __init__(
        self, folder: Path, setting: Setting | None = None, *, answers_within: timedelta = timedelta(days=1)
    ) -> None:
        super().__init__(folder, RELAY, setting)
        self._columns = len(self.terms.quasi_identifiers)
        self._tickets = Tickets(folder)
        self._rows = Waiting(folder / WAITING, PAIR * self._columns)
        self._answered = Tickets(folder, ANSWERED)
        self._answers = Waiting(folder / ANSWERS, self.terms.row_bytes + OVERHEAD)
        self._stars_path = folder / KNOWN_STARS
        self._stars: bytes | None = None
        self._answers_within = answers_within

    @property
    def accepted(self) -> int:
        """Encrypted rows."""
        return self._tickets.used

    @property
    def answered(self) -> int:
        """Rows with stars."""
        return self._answered.used

    async def run(self, listen: Place | None = None, announce: Announce | None = None) -> None:
        """Take rows, have them compared, take rows with stars, and pass them on.

        Parameters
        ----------
        listen
            Host and port, if not those of the terms.
        announce
            Called with the port, once somebody can connect.
        """
        self._closing = Closing(self.terms.closes, self._setting.now)
        self._all_answered = asyncio.Event()
        if self._tickets.all_used:
            self._closing.now()
        await self._receive((CUSTOMERS,), self._serve, self._work, listen, announce)
        for each in (self._rows, self._answers):
            each.remove()
        self._stars_path.unlink(missing_ok=True)

    async def _work(self) -> None:
        await self._closing.wait()
        if self._stars_path.exists():
            self._stars = self._stars_path.read_bytes()
        else:
            self._stars = await self._compared()
            write_private(self._stars_path, self._stars)
        answers_close = Closing(self._setting.now() + self._answers_within, self._setting.now)
        self._look_whether_all_answered()
        waiting = asyncio.create_task(answers_close.wait())
        answered = asyncio.create_task(self._all_answered.wait())
        try:
            await asyncio.wait({waiting, answered}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            waiting.cancel()
            answered.cancel()
        async with self._connected(COLLECTOR) as peer:
            order = self._answers.shuffled(self.answered)
            await pass_on(peer, BATCH, self._answers, order, self.terms.digest)
            await peer.receive(TAKEN, seconds=EVALUATION, cap=SMALL)

    async def _compared(self) -> bytes:
        """The stars of all rows, in the order in which they came."""
        if self.accepted < self.terms.k:
            raise InfeasibleError(
                f"only {counted(self.accepted, 'row')} came, and k is {self.terms.k}; nothing was compared",
                k=self.terms.k,
                limit=0,
                suppressed=self.accepted,
            )
        async with self._connected(self.terms.helper_names[0]) as peer:
            order = self._rows.shuffled(self.accepted)
            await pass_on(peer, ROWS, self._rows, order, self.terms.digest)
            stars = table(peer, await peer.receive(STARS, seconds=EVALUATION), 0, self._columns)
            if len(stars) != len(order):
                raise malformed(peer)
        of_place = [b""] * len(order)
        for place, each in zip(order, stars, strict=True):
            of_place[place] = each
        return b"".join(of_place)

    async def _serve(self, peer: Peer) -> None:
        frame = await peer.receive((SUBMIT, ASK, ANSWER), cap=SMALL)
        check_terms(peer, frame, self.terms.digest)
        shown = field(peer, frame, 0, TICKET)
        if frame.kind == SUBMIT:
            self._take(peer, frame, shown)
            await peer.send(ACCEPTED, {})
            if self._tickets.all_used:
                self._closing.now()
            return
        place = self._tickets.place(shown)
        if place is None:
            raise PartyError(peer.name, "this token has no row in the collection")
        if self._stars is None:
            await peer.send(NOT_YET, {})
        elif frame.kind == ASK:
            own = self._stars[place * self._columns : (place + 1) * self._columns]
            await peer.send(STARS, {}, as_array(own))
        else:
            self._take_answer(peer, frame, shown)
            await peer.send(ACCEPTED, {})
            self._look_whether_all_answered()

    def _take(self, peer: Peer, frame: Frame, shown: bytes) -> None:
        row = field(peer, frame, 1, self._rows.size)
        try:
            pairs_of(row)
        except ValueError:
            raise malformed(peer) from None
        fault = self._tickets.fault(shown, row)
        if fault is not None:
            raise PartyError(peer.name, fault)
        if not self._tickets.is_used(shown):
            if self._closing.has_come:
                raise PartyError(peer.name, self._closing.refusal())
            self._rows.keep(row, self.accepted)
            self._tickets.use(shown, row)

    def _take_answer(self, peer: Peer, frame: Frame, shown: bytes) -> None:
        message = field(peer, frame, 1, self._answers.size)
        fault = self._answered.fault(shown, message)
        if fault is not None:
            raise PartyError(peer.name, fault)
        if not self._answered.is_used(shown):
            self._answers.keep(message, self.answered)
            self._answered.use(shown, message)

    def _look_whether_all_answered(self) -> None:
        if self.answered == self.accepted:
            self._all_answered.set()
