"""Step 5 of a round, as the member that is dealt to sees it: check shares, complain of missing ones.

A missing share may be the dealer's fault, the network's, or a lie. The dealer answers a complaint over the
broadcast, sealed for the member that complains: statements reach everybody by way of others, too, so two
honest members need no link for it. Only if that member rejects the answer are the shares revealed: then one
of both is corrupt, and knew them anyway.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from shoal.channel.dealing import Dealing, Share, opens
from shoal.channel.evidence import WRONG_ANSWER, WRONG_SHARE
from shoal.channel.payloads import (
    ANSWER,
    COMPLAIN,
    ECHO,
    OBJECT,
    REVEAL,
    answers_in,
    complained,
    shares_in,
)
from shoal.channel.statement import Attempt, Statement

if TYPE_CHECKING:
    from shoal.channel.round import Round

Table = Mapping[str, list[list[bytes]]]
"""The commitments of each dealer, by slot and member."""

Shares = dict[str, tuple[Share, ...]]
"""By dealer, then by slot."""


class Collection:
    """The shares that are dealt to one member in an attempt.

    Parameters
    ----------
    round
        What this member says.
    attempt
        The attempt.
    dealing
        What this member dealt itself.
    commits, tables
        What everybody committed to: as it was said, and read.
    """

    def __init__(
        self,
        round: Round,
        attempt: Attempt,
        dealing: Dealing,
        commits: Mapping[str, Statement],
        tables: Table,
    ) -> None:
        self._round = round
        self._board = round.board
        self._attempt = attempt
        self._dealing = dealing
        self._commits = commits
        self._tables = tables

    async def shares(self) -> Shares:
        """What all members dealt to this one."""
        attempt, board = self._attempt, self._board
        await board.until(attempt, lambda: board.is_dealt_out(attempt))
        dealt = {board.name: self._dealing.to(attempt.roster.index(board.name))}
        for name, statement in board.dealt(attempt).items():
            dealt[name] = self._read(statement.said)
            if not self._are_dealt(dealt[name], name, board.name):
                board.accuse(WRONG_SHARE, name, attempt, self._commits[name], statement)
        complaints = await self._complaints(COMPLAIN, dealt)
        if complaints:
            dealt.update(await self._sealed(complaints))
            objections = await self._complaints(OBJECT, dealt)
            if objections:
                dealt.update(await self._revealed(objections))
        return {name: dealt[name] for name in attempt.roster}

    async def _complaints(self, phase: int, dealt: Shares) -> dict[str, Statement]:
        """What everybody misses; nothing if nobody misses anything."""
        missing = [name for name in self._attempt.roster if name not in dealt]
        said = await self._board.broadcast(
            self._attempt, phase, self._round.complaint(self._attempt, missing)
        )
        return said if any(any(each.said) for each in said.values()) else {}

    async def _sealed(self, complaints: Mapping[str, Statement]) -> Shares:
        """The shares that dealers sealed for this member, as far as they are right."""
        against = self._against(complaints)
        own = self._round.answer(self._attempt, self._dealing, against[self._board.name])
        said = await self._board.broadcast(self._attempt, ANSWER, own)
        right = {}
        for dealer, complaining in against.items():
            sealed = answers_in(ANSWER, said[dealer].said, len(self._attempt.roster))
            for name, envelope in zip(complaining, sealed, strict=False):
                if name == self._board.name:
                    shares = self._read(self._round.unseal(envelope) or b"")
                    if self._are_dealt(shares, dealer, name):
                        right[dealer] = shares
        return right

    async def _revealed(self, objections: Mapping[str, Statement]) -> Shares:
        """The shares for this member that dealers revealed; who does not reveal them is convicted."""
        against = self._against(objections)
        own = self._round.reveal(self._attempt, self._dealing, against[self._board.name])
        said = await self._board.broadcast(self._attempt, REVEAL, own)
        mine: Shares = {}
        for dealer, objecting in against.items():
            answers = answers_in(REVEAL, said[dealer].said, len(self._attempt.roster))
            right = len(answers) == len(objecting)
            for name, content in zip(objecting, answers, strict=False):
                shares = self._read(content)
                right = right and self._are_dealt(shares, dealer, name)
                if name == self._board.name:
                    mine[dealer] = shares
            if not right:
                echo = self._board.statement(self._attempt, OBJECT + ECHO, dealer)
                own_part = (self._commits[dealer], echo, said[dealer])
                self._board.accuse(WRONG_ANSWER, dealer, self._attempt, *own_part, *objections.values())
        self._board.check(self._attempt)
        return mine

    def _against(self, complaints: Mapping[str, Statement]) -> dict[str, list[str]]:
        """Who complains about each dealer, both in the order of the roster."""
        roster = self._attempt.roster
        against: dict[str, list[str]] = {name: [] for name in roster}
        for name in roster:
            for dealer in complained(complaints[name].said, roster):
                against[dealer].append(name)
        return against

    def _are_dealt(self, shares: Sequence[Share], dealer: str, to: str) -> bool:
        at = self._attempt.roster.index(to)
        return opens(self._round.curve, shares, [slot[at] for slot in self._tables[dealer]])

    def _read(self, content: bytes) -> tuple[Share, ...]:
        try:
            return tuple(shares_in(content, len(self._attempt.roster), self._round.curve))
        except ValueError:
            return ()
