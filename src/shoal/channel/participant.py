"""A member at work: it meets the others, runs round after round, sends its pieces and opens what is for it.

Rounds go on whether anybody has something to send or not: otherwise the beginning of one would say that
somebody does. Every message that comes up is passed on to all members of the receiver's group, who all try
to open it. What comes from another group counts when more than half of that group pass it on.
"""

from __future__ import annotations

import asyncio
import secrets
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from shoal.channel.board import Board
from shoal.channel.curve import Ristretto
from shoal.channel.envelope import opened, sealed
from shoal.channel.evidence import Evidence
from shoal.channel.frame_kinds import HELLO, KINDS, PIECE, SAME
from shoal.channel.keys import Keys
from shoal.channel.links import Links
from shoal.channel.mailbox import Inbox, Outbox
from shoal.channel.membership import Membership
from shoal.channel.payloads import Rules, largest_frame
from shoal.channel.round import Opened, Round
from shoal.channel.slot import WIDTH, piece_of, pieces
from shoal.channel.statement import as_array, digest_of
from shoal.errors import PartyError, PolicyError
from shoal.network.frames import Frame

_PASSED_ON = 1_000  # pieces that are kept of each member of another group
_EARLY = 20  # frames of one member that may come before the session is agreed on
START = 300.0
"""Seconds to wait for all members to come."""


@dataclass
class Costs:
    """What rounds took.

    Parameters
    ----------
    rounds
        How many there were.
    seconds
        Of the processor, in this process.
    sent
        Bytes to all others, without what TLS adds.
    """

    rounds: int = 0
    seconds: float = 0.0
    sent: int = 0


class Participant:
    """One member of a group.

    Parameters
    ----------
    membership
        Who there is, and what they agreed on.
    keys
        Who this member is, and the key for messages to it.
    round_type
        What it does in a round; a test of misbehaviour has its own.
    seconds
        How long to wait for all to come.

    Attributes
    ----------
    on_evidence, on_round
        Called with evidence against a member that was expelled, and with the slots of each round that ended.
    changed
        Set whenever a round has ended.
    """

    def __init__(
        self,
        membership: Membership,
        keys: Keys,
        *,
        round_type: type[Round] = Round,
        seconds: float = START,
    ) -> None:
        self.membership = membership
        self.own = membership.of(keys.identity.name)
        if self.own.certificate != keys.identity.certificate or self.own.box != keys.public_box:
            raise PolicyError(
                f"the group file has another certificate or key of {self.own.name} than its own files"
            )
        self.outbox = Outbox()
        self.inbox = Inbox(keys.box)
        self.costs = Costs()
        self.board: Board | None = None
        self.on_evidence: Callable[[Evidence], None] = lambda _evidence: None
        self.on_round: Callable[[Opened], None] = lambda _opened: None
        self.changed = asyncio.Condition()
        self._keys = keys
        self._round_type = round_type
        self._seconds = seconds
        self._rules = Rules(Ristretto(), membership.settings.proofs)
        self._group = membership.group(self.own.group)
        self._links: Links
        self._hello: dict[str, str] = {}
        self._same: dict[str, str] = {}
        self._before: list[tuple[str, Frame]] = []
        self._passed_on: dict[str, OrderedDict[int, None]] = {}

    def send(self, to: str, text: bytes) -> int:
        """Queue a message; gives its number, see `Outbox.add`."""
        receiver = self.membership.of(to)
        return self.outbox.add(pieces(receiver.group, sealed(text, receiver.box)))

    async def run(self, rounds: int | None = None) -> None:
        """Meet the others, and run rounds: some, or until cancelled."""
        cap = largest_frame(len(self._group), self._rules)
        async with Links(self.membership, self._keys.identity, KINDS, cap, self._seconds) as links:
            self._links = links
            links.heard = self._heard
            board = Board(self.membership, self._keys.identity, await self._begin(), links, self._rules)
            board.on_evidence = lambda evidence: self.on_evidence(evidence)
            self.board = board
            for name, frame in self._before:
                self._heard(name, frame)
            while rounds is None or board.round < rounds:
                await self._round(board)
                await asyncio.sleep(self.membership.settings.interval)

    async def _round(self, board: Board) -> None:
        began, sent = time.process_time(), self._links.bytes_sent
        piece = self.outbox.next()
        found = await self._round_type(board, self._rules, piece, self._pass_on, self._unseal).run()
        self.outbox.settle(piece, found.pieces)
        self.costs.rounds += 1
        self.costs.seconds += time.process_time() - began
        self.costs.sent += self._links.bytes_sent - sent
        self.on_round(found)
        async with self.changed:
            self.changed.notify_all()

    async def _begin(self) -> bytes:
        """Agree on a session that was never there before: every member adds a random number."""
        self._hello[self.own.name] = secrets.token_hex(16)
        await self._exchange(HELLO, self._hello)
        numbers = sorted(self._hello.items())
        text = "\0".join(f"{name}\0{number}" for name, number in numbers).encode()
        session = digest_of(b"session", self.membership.digest, text)
        self._same[self.own.name] = session.hex()
        await self._exchange(SAME, self._same)
        for name, theirs in self._same.items():
            if theirs != session.hex():
                raise PartyError(
                    name,
                    "has another group file, or was told another number by somebody; compare and start again",
                )
        return session

    async def _exchange(self, kind: int, values: dict[str, str]) -> None:
        news = asyncio.Event()
        self._links.changed = news.set
        self._news = news
        for name in self._group:
            if name != self.own.name:
                self._links.send(name, kind, {"value": values[self.own.name]})
        try:
            async with asyncio.timeout(self._seconds):
                while missing := [name for name in self._group if name not in values]:
                    for name in missing:
                        if name in self._links.lost:
                            raise PartyError(name, "left before the first round; start the group again")
                    news.clear()
                    await news.wait()
        except TimeoutError:
            raise PartyError(missing[0], "did not begin in time") from None

    def _heard(self, name: str, frame: Frame) -> None:
        if frame.kind in (HELLO, SAME):
            value = frame.head.get("value")
            if not isinstance(value, str) or len(value) > 64:
                raise ValueError("a frame that begins nothing")
            (self._hello if frame.kind == HELLO else self._same).setdefault(name, value)
            self._news.set()
        elif frame.kind == PIECE:
            self._take(name, frame)
        elif name not in self._group:
            raise ValueError("a frame from another group")
        elif self.board is None:
            self._before.append((name, frame))
            if sum(peer == name for peer, _ in self._before) > _EARLY:
                raise ValueError("more than a member sends before the first round")
        else:
            self.board.heard(name, frame)

    def _pass_on(self, opened: Opened) -> None:
        """Step 8: to all members of the receiver's group."""
        for piece in opened.pieces:
            if piece.group == self.own.group:
                self.inbox.add(piece)
                continue
            content = as_array(piece.number().to_bytes(WIDTH))
            for name in self.membership.group(piece.group):
                self._links.send(name, PIECE, {}, content)

    def _unseal(self, envelope: bytes) -> bytes | None:
        return opened(envelope, self._keys.box)

    def _take(self, name: str, frame: Frame) -> None:
        """A piece from another group, as one of its members passes it on."""
        if len(frame.arrays) != 1 or frame.arrays[0].nbytes != WIDTH:
            raise ValueError("a frame that is no piece")
        number = int.from_bytes(frame.arrays[0].tobytes())
        piece, group = piece_of(number), self.membership.group(self.membership.of(name).group)
        if piece is None or piece.group != self.own.group or name in self._group:
            return
        kept = self._passed_on.setdefault(name, OrderedDict())
        kept[number] = None
        while len(kept) > _PASSED_ON:
            kept.popitem(last=False)
        if 2 * sum(number in self._passed_on.get(each, ()) for each in group) > len(group):
            self.inbox.add(piece)

    def status(self) -> dict[str, Any]:
        """Facts for programs."""
        board = self.board
        return {
            "name": self.own.name,
            "round": board.round if board else None,
            "roster": list(board.roster) if board else None,
            "expelled": {name: each.words for name, each in board.expelled.items()} if board else {},
            "waiting": self.outbox.waiting,
            "arrived": self.outbox.arrived,
            "collisions": self.outbox.collisions,
            "received": len(self.inbox.texts),
            "rounds": self.costs.rounds,
            "processor_seconds": round(self.costs.seconds, 4),
            "bytes_sent": self.costs.sent,
        }
