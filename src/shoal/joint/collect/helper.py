"""A helper: multiplies blinded points by its secret scalar, once per ticket, until the collection closes.

It sees how many customers ask and points that are random to it. Its scalar is made here, never leaves, and is
destroyed at the end: without it nobody can find out, by guessing, what is in a row that stayed closed.
"""

from __future__ import annotations

from pathlib import Path

from shoal.errors import PartyError, PolicyError
from shoal.joint.collect.blinding import POINT, evaluated
from shoal.joint.collect.closing import Closing
from shoal.joint.collect.own_scalar import OwnScalar
from shoal.joint.collect.party import Announce, Party, Place, Setting
from shoal.joint.collect.terms import CUSTOMERS, RELAY, Terms
from shoal.joint.collect.tickets import TICKET, Tickets
from shoal.joint.collect.wire import (
    CLOSE,
    CLOSED,
    EVALUATE,
    EVALUATED,
    SMALL,
    as_array,
    check_terms,
    field,
    malformed,
)
from shoal.network.peer import Peer


class Helper(Party):
    """A helper of a collection.

    Parameters
    ----------
    folder, name
        The folder that `shoal collect init` made, and which helper it is.
    setting
        What it runs in, if not as usual.

    Attributes
    ----------
    answered
        Requests that were answered.
    """

    def __init__(self, folder: Path, name: str, setting: Setting | None = None) -> None:
        check_helper(folder, name)
        super().__init__(folder, name, setting)
        self.answered = 0
        self._tickets = Tickets(folder)
        self._own = OwnScalar(folder)

    async def run(self, listen: Place | None = None, announce: Announce | None = None) -> None:
        """Answer until the collection closes; then destroy the scalar.

        Parameters
        ----------
        listen
            Host and port, if not those of the terms.
        announce
            Called with the port, once somebody can connect.
        """
        self._closing = Closing(self.terms.closes, self._setting.now)
        if self._closing.has_come:
            self._own.destroy()
            raise PolicyError(f"{self._closing.refusal()}; make another one with `shoal collect init`")
        self._scalar = self._own.value(is_known=self._tickets.used > 0)
        await self._receive((CUSTOMERS, RELAY), self._serve, self._closing.wait, listen, announce)
        self._scalar = b""
        self._own.destroy()

    async def _serve(self, peer: Peer) -> None:
        if peer.name == RELAY:
            frame = await peer.receive(CLOSE, cap=SMALL)
            check_terms(peer, frame, self.terms.digest)
            await peer.send(CLOSED, {})
            self._closing.now()
            return
        frame = await peer.receive(EVALUATE, cap=SMALL)
        check_terms(peer, frame, self.terms.digest)
        shown, request = field(peer, frame, 0, TICKET), field(peer, frame, 1, POINT)
        if self._closing.has_come:
            raise PartyError(peer.name, self._closing.refusal())
        fault = self._tickets.fault(shown, request)
        if fault is not None:
            raise PartyError(peer.name, fault)
        try:
            answer = evaluated(self._scalar, request)
        except ValueError:
            raise malformed(peer) from None
        if not self._tickets.is_used(shown):
            self._tickets.use(shown, request)
        self.answered += 1
        await peer.send(EVALUATED, {}, as_array(answer))


def check_helper(folder: Path, name: str) -> None:
    """Raise `PolicyError` if the collection has no such helper."""
    names = Terms.load(folder).helper_names
    if name not in names:
        raise PolicyError(f"the collection has no helper {name!r}; its helpers are {', '.join(names)}")
