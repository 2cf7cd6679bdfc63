"""One round at one member: commit, prove, deal, complain, sum, open, confirm.

Whoever breaks a rule is convicted by what it signed, expelled, and the round is tried again among the
others, with the same piece in another slot and fresh shares. A round ends when every member of the roster
has confirmed that its slots are open: only then does a sender know that all have its piece.
"""

from __future__ import annotations

import asyncio
import contextlib
import secrets
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property

from shoal.channel.board import Board, Repeated
from shoal.channel.collection import Collection, Table
from shoal.channel.dealing import Dealing, Random, Share, added, deal, opens
from shoal.channel.envelope import seal
from shoal.channel.evidence import WRONG_PROOF, WRONG_SUM
from shoal.channel.payloads import (
    COMMIT,
    CONFIRM,
    DEAL,
    ECHO,
    PROOF,
    SUM,
    Rules,
    commitments_in,
    context_of,
    shares_in,
    slots_of,
    written_shares,
)
from shoal.channel.proof import prove, proves
from shoal.channel.slot import Piece, piece_of
from shoal.channel.statement import Attempt, Statement


@dataclass(frozen=True)
class Opened:
    """The slots of a round, and how this member came to know them.

    Parameters
    ----------
    attempt
        The attempt in which they were opened.
    slots
        The number in each slot.
    dealt, given
        The shares that this member got, by dealer, and gave, by member.
    sums
        What each member announced.
    """

    attempt: Attempt
    slots: tuple[int, ...]
    dealt: Mapping[str, tuple[Share, ...]]
    given: Mapping[str, tuple[Share, ...]]
    sums: Mapping[str, tuple[Share, ...]]

    @cached_property
    def pieces(self) -> list[Piece]:
        """What arrived."""
        return [piece for piece in map(piece_of, filter(None, self.slots)) if piece is not None]

    @property
    def collisions(self) -> int:
        """Slots that hold neither nothing nor a piece."""
        return sum(map(bool, self.slots)) - len(self.pieces)


class Round:
    """What a member does in each phase; a test of misbehaviour overrides one of the methods.

    Parameters
    ----------
    board
        What the member knows.
    rules
        The group of the commitments, and how often proofs are repeated.
    piece
        What to send in this round.
    on_open
        Called with the slots before this member confirms them.
    unseal
        Opens what is sealed for this member.
    randomly
        Where randomness comes from.
    """

    def __init__(
        self,
        board: Board,
        rules: Rules,
        piece: Piece | None,
        on_open: Callable[[Opened], None],
        unseal: Callable[[bytes], bytes | None],
        randomly: Random = secrets.randbelow,
    ) -> None:
        self.board = board
        self.rules = rules
        self.curve = rules.curve
        self.piece = piece
        self.on_open = on_open
        self.unseal = unseal
        self.randomly = randomly

    async def run(self) -> Opened:
        """Try until the round is over."""
        number = self.board.round
        opened: dict[bytes, Opened] = {}
        while self.board.round == number:
            with contextlib.suppress(Repeated):
                await self._try(self.board.attempt, opened)
        assert self.board.finished is not None
        return opened[self.board.finished.id]

    async def _try(self, attempt: Attempt, opened: dict[bytes, Opened]) -> None:
        values, used = self.inputs(slots_of(len(attempt.roster)))
        dealing = deal(self.curve, values, len(attempt.roster), self.randomly)
        commits = await self.board.broadcast(attempt, COMMIT, self.committed(dealing))
        tables = {
            name: commitments_in(each.said, len(attempt.roster), self.curve) for name, each in commits.items()
        }
        self.deal_out(attempt, dealing)
        proofs = await self.board.broadcast(attempt, PROOF, self.proof(attempt, dealing, used))
        await self._check_proofs(attempt, commits, tables, proofs)
        dealt = await Collection(self, attempt, dealing, commits, tables).shares()
        sums = await self._sum(attempt, dealt, commits, tables)
        totals = added(list(sums.values()), self.curve.order)
        given = {name: dealing.to(at) for at, name in enumerate(attempt.roster)}
        found = Opened(attempt, tuple(each.value for each in totals), dealt, given, sums)
        opened[attempt.id] = found
        self.on_open(found)
        self.board.say(attempt, CONFIRM, b"")
        self.board.finish(attempt, await self.board.gather(attempt, CONFIRM))

    # What this member says

    def inputs(self, slots: int) -> tuple[list[int], int | None]:
        """The value for each slot, and which one is used."""
        values = [0] * slots
        if self.piece is None:
            return values, None
        used = self.randomly(slots)
        values[used] = self.piece.number()
        return values, used

    def committed(self, dealing: Dealing) -> bytes:
        """The commitments."""
        return b"".join(point for slot in dealing.commitments for point in slot)

    def deal_out(self, attempt: Attempt, dealing: Dealing) -> None:
        """Send each member its shares."""
        for at, name in enumerate(attempt.roster):
            if name != self.board.name:
                self.board.say(attempt, DEAL, self.shares_for(dealing, at), to=name)

    def shares_for(self, dealing: Dealing, at: int) -> bytes:
        """The shares of one member."""
        return written_shares(dealing.to(at))

    def proof(self, attempt: Attempt, dealing: Dealing, used: int | None) -> bytes:
        """That at most one slot is used."""
        slots = [self.curve.total(each) for each in dealing.commitments]
        context = context_of(self.board.statement(attempt, COMMIT + ECHO, self.board.name), attempt)
        blinds = dealing.blinds(self.curve.order)
        return prove(self.curve, slots, blinds, used, context, self.rules.proofs, self.randomly)

    def complaint(self, attempt: Attempt, missing: list[str]) -> bytes:
        """Whose shares did not arrive."""
        return bytes(name in missing for name in attempt.roster)

    def answer(self, attempt: Attempt, dealing: Dealing, complaining: list[str]) -> bytes:
        """The shares of those who did not get theirs, sealed for each of them."""
        return b"".join(
            seal(self.shares_for(dealing, at), self.board.membership.of(name).box)
            for at, name in enumerate(attempt.roster)
            if name in complaining
        )

    def reveal(self, attempt: Attempt, dealing: Dealing, objecting: list[str]) -> bytes:
        """The shares of those who say that they cannot use the answer; they are public now."""
        return b"".join(
            self.shares_for(dealing, at) for at, name in enumerate(attempt.roster) if name in objecting
        )

    def sum(self, dealt: Mapping[str, tuple[Share, ...]]) -> bytes:
        """The sum of all shares that this member got."""
        return written_shares(added(list(dealt.values()), self.curve.order))

    # What the others say

    async def _check_proofs(
        self,
        attempt: Attempt,
        commits: Mapping[str, Statement],
        tables: Table,
        proofs: Mapping[str, Statement],
    ) -> None:
        for name in attempt.roster:
            if name == self.board.name:
                continue
            echo = self.board.statement(attempt, COMMIT + ECHO, name)
            slots = [self.curve.total(slot) for slot in tables[name]]
            context = context_of(echo, attempt)
            if not proves(self.curve, slots, proofs[name].said, context, self.rules.proofs):
                self.board.accuse(WRONG_PROOF, name, attempt, commits[name], echo, proofs[name])
            await asyncio.sleep(0)  # others may have something to say meanwhile

    async def _sum(
        self,
        attempt: Attempt,
        dealt: Mapping[str, tuple[Share, ...]],
        commits: Mapping[str, Statement],
        tables: Table,
    ) -> dict[str, tuple[Share, ...]]:
        """What all members announce, checked against the commitments."""
        announced = await self.board.broadcast(attempt, SUM, self.sum(dealt))
        sums = {}
        for at, name in enumerate(attempt.roster):
            sums[name] = tuple(shares_in(announced[name].said, len(attempt.roster), self.curve))
            slots = slots_of(len(attempt.roster))
            expected = [
                self.curve.total(table[slot][at] for table in tables.values()) for slot in range(slots)
            ]
            if not opens(self.curve, sums[name], expected):
                echo = self.board.statement(attempt, COMMIT + ECHO, name)
                self.board.accuse(WRONG_SUM, name, attempt, echo, announced[name], *commits.values())
        self.board.check(attempt)
        return sums
