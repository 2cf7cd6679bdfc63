"""What one member knows of a session: who said what, who is on the roster, who was expelled and why.

**Broadcast by echo.** A statement goes to everybody; when all are there, everybody repeats the digests and
signatures of all of them, signed. It counts when all echoes agree; if two do not, they contain two signed
statements of one member.

**Silence.** After the timeout whoever has a missing statement is asked for it; after twice the timeout its
sender is voted silent, and votes of more than half of the roster are evidence. The timeout is counted in
ticks of this process, so that a suspended one blames nobody.

**Expulsion.** Evidence is checked, repeated to all and acted on at once. Every link keeps the order of
frames, so a member that sees a statement of a smaller roster has already seen why. Who has finished a round
shows the others everybody's confirmation.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import replace

from shoal.channel.completion import Completion
from shoal.channel.evidence import (
    FALSE_ACCUSATION,
    MALFORMED,
    SILENCE,
    TWO_STATEMENTS,
    WRONG_ECHO,
    Evidence,
    convicts,
)
from shoal.channel.frame_kinds import ACCUSATION, DONE, REQUEST, STATEMENT, VOTE
from shoal.channel.links import Links
from shoal.channel.membership import Membership
from shoal.channel.payloads import (
    CONFIRM,
    DEAL,
    ECHO,
    Rules,
    echo_of,
    echoed,
    is_well_formed,
    longest_payload,
    phase_name,
)
from shoal.channel.silence import Key, Silence
from shoal.channel.statement import Attempt, Statement, accusation_text, as_array, stated
from shoal.errors import EngineError, PartyError, PolicyError
from shoal.network.frames import Frame
from shoal.network.identity import Identity

_TICKS = 20  # in which a timeout is counted
_WAITING = 1_000  # statements and votes that may be early


class Repeated(Exception):  # noqa: N818 - no error: the round goes on otherwise
    """The attempt is over: somebody was expelled, or the others have finished the round."""


class Board:
    """One member's knowledge of a session.

    Parameters
    ----------
    membership
        Who there is, and what they agreed on.
    identity
        Who this member is.
    session
        What distinguishes this run.
    links
        To the others.
    rules
        The form of statements.

    Attributes
    ----------
    round
        The number of the round under way.
    roster
        Who takes part in it.
    expelled
        The evidence against those who do not any more.
    finished
        The attempt that ended the round before.
    """

    def __init__(
        self, membership: Membership, identity: Identity, session: bytes, links: Links, rules: Rules
    ) -> None:
        self.round = 0
        self.roster = membership.group(membership.of(identity.name).group)
        self.expelled: dict[str, Evidence] = {}
        self.finished: Attempt | None = None
        self.on_evidence: Callable[[Evidence], None] = lambda _evidence: None
        self._size = len(self.roster)
        self.membership = membership
        self._identity = identity
        self._session = session
        self._links = links
        self._rules = rules
        self._longest = longest_payload(self._size, rules)
        self.statements: dict[Key, Statement] = {}
        self._early: deque[tuple[str, Statement]] = deque(maxlen=_WAITING)
        self._silence = Silence(self, membership, identity, links, self._convict_of_silence)
        self._completion: Completion | None = None
        self._past: set[bytes] = set()
        self._news = asyncio.Event()
        self._stopped: EngineError | None = None
        links.changed = self._news.set

    @property
    def name(self) -> str:
        """This member."""
        return self._identity.name

    @property
    def attempt(self) -> Attempt:
        """The attempt under way."""
        return Attempt(self._session, self.round, self.roster)

    # Saying and hearing

    def say(self, attempt: Attempt, phase: int, payload: bytes, to: str = "") -> None:
        """Say something to everybody, or to one member."""
        statement = stated(self._identity, attempt, phase, payload, to)
        if not to:
            self.statements[attempt.id, phase, self.name] = statement
        for name in (to,) if to else attempt.roster:
            if name != self.name:
                self._send_statement(name, statement, attempt.round)

    async def broadcast(self, attempt: Attempt, phase: int, payload: bytes) -> dict[str, Statement]:
        """Say something to everybody, and hear what everybody says, certain that all heard the same."""
        self.say(attempt, phase, payload)
        said = await self.gather(attempt, phase)
        self.say(attempt, phase + ECHO, echo_of(said, attempt.roster))
        for echo in (await self.gather(attempt, phase + ECHO)).values():
            self._compare(attempt, said, echo)
        return said

    async def gather(self, attempt: Attempt, phase: int) -> dict[str, Statement]:
        """What everybody says in a phase; who stays silent is expelled."""

        def missing() -> list[str]:
            return [name for name in attempt.roster if (attempt.id, phase, name) not in self.statements]

        def found() -> bool:
            return not missing()

        await self.until(attempt, lambda: found() or self._is_lost(missing()))
        if not found():
            self._silence.request(attempt, phase, missing())
            if self._is_lost(missing()):
                self._silence.vote(attempt, phase, missing())
            if not await self.until(attempt, found):
                self._silence.vote(attempt, phase, missing())
            if not await self.until(attempt, found):
                who = missing()[0]
                raise PartyError(
                    who,
                    f"said nothing in round {attempt.round} ({phase_name(phase)}), and at least half of the "
                    "group does not agree; look at the network, and start the group again",
                )
        return {name: self.statements[attempt.id, phase, name] for name in attempt.roster}

    async def until(self, attempt: Attempt, holds: Callable[[], bool]) -> bool:
        """Wait until something holds, as long as the timeout; raise when the attempt is over."""
        ticks = _TICKS
        while True:
            self.check(attempt)
            if holds():
                return True
            if ticks == 0:
                return False
            self._news.clear()
            try:
                async with asyncio.timeout(self.membership.settings.timeout / _TICKS):
                    await self._news.wait()
            except TimeoutError:
                ticks -= 1

    def statement(self, attempt: Attempt, phase: int, name: str) -> Statement:
        """What a member said to everybody."""
        return self.statements[attempt.id, phase, name]

    def dealt(self, attempt: Attempt) -> dict[str, Statement]:
        """The shares that have arrived, by dealer."""
        keys = {name: (attempt.id, DEAL, name) for name in attempt.roster}
        return {name: self.statements[key] for name, key in keys.items() if key in self.statements}

    def is_dealt_out(self, attempt: Attempt) -> bool:
        """Whether all shares have arrived that still can."""
        dealt = self.dealt(attempt)
        return all(name in dealt or name in self._links.lost or name == self.name for name in attempt.roster)

    def finish(self, attempt: Attempt, confirmed: Mapping[str, Statement]) -> None:
        """All have confirmed: the next round begins."""
        self._advance(Completion.of(attempt, confirmed))

    # Expelling

    def accuse(
        self,
        kind: str,
        accused: str,
        attempt: Attempt,
        *statements: Statement,
        phase: int = 0,
        signatures: tuple[tuple[str, bytes], ...] = (),
        accusation: bytes = b"",
        before: tuple[Evidence, ...] = (),
    ) -> None:
        """Put evidence before everybody, and expel the accused."""
        evidence = Evidence(kind, accused, attempt, statements, phase, signatures, accusation, before)
        if not convicts(evidence, self.membership, self._rules):
            raise AssertionError(f"evidence that does not convict: {kind}")
        self._expel(evidence)

    def _expel(self, evidence: Evidence) -> None:
        if evidence.accused in self.expelled or evidence.accused not in self.roster:
            return
        self.expelled[evidence.accused] = evidence
        self.on_evidence(evidence)
        content = evidence.to_bytes()
        signature = self._identity.sign(accusation_text(content))
        for name in self.roster:
            if name != self.name:
                self._links.send(name, ACCUSATION, {}, as_array(content), as_array(signature))
        self.roster = tuple(name for name in self.roster if name != evidence.accused)
        if evidence.accused == self.name:
            self._stopped = PartyError(self.name, f"was expelled by the group ({evidence.words})")
        self._check_size()
        self._news.set()
        self._hear_early()

    def _check_size(self) -> None:
        """Stop when k honest members are not certain any more: one who fell silent may have been honest."""
        settings = self.membership.settings
        silent = sum(each.kind == SILENCE for each in self.expelled.values())
        try:
            is_enough = len(self.roster) >= settings.k and settings.least_size(silent) <= self._size
        except PolicyError:  # no size would be enough
            is_enough = False
        if not is_enough:
            self._stopped = self._stopped or EngineError(
                f"the group has {len(self.roster)} of {self._size} members left, too few for "
                f"k = {settings.k}; nothing more is sent. "
                + "; ".join(each.words for each in self.expelled.values())
            )

    def check(self, attempt: Attempt) -> None:
        """Raise if the attempt is over, or this member cannot go on."""
        if self._links.failure is not None:
            raise self._links.failure
        if self._stopped is not None:
            raise self._stopped
        if attempt != self.attempt:
            raise Repeated

    def _compare(self, attempt: Attempt, said: Mapping[str, Statement], echo: Statement) -> None:
        """Look for a member that said different things to different members."""
        for name, repeated in echoed(echo, attempt).items():
            own = said[name]
            if (own.digest, own.signature) == (repeated.digest, repeated.signature):
                continue
            if not repeated.is_signed(self.membership):
                self.accuse(WRONG_ECHO, echo.sender, attempt, echo)
            elif own.digest != repeated.digest:
                self.accuse(TWO_STATEMENTS, name, attempt, own.without_payload(), repeated)
        self.check(attempt)

    # Frames of others

    def heard(self, peer: str, frame: Frame) -> None:
        """Take a frame; ValueError if the protocol has no such frame."""
        if frame.kind == STATEMENT:
            round, statement = Statement.of_frame(frame)
            if round < self.round and peer in self.roster:
                self._show_completion(peer)
            self._hear(peer, statement)
        elif frame.kind == REQUEST:
            for known in self._silence.requested(peer, frame):
                self._send_statement(peer, known, self.round)
        elif frame.kind == VOTE and peer in self.roster:
            self._silence.voted(peer, frame)
        elif frame.kind == ACCUSATION:
            content, signature = (each.tobytes() for each in frame.arrays)
            self._hear_accusation(peer, content, signature)
        elif frame.kind == DONE:
            self._hear_completion(Completion.of_frame(frame, self._session))
        self._news.set()

    def _hear(self, peer: str, statement: Statement) -> None:
        attempt = self.attempt
        if statement.attempt != attempt.id:
            if statement.attempt not in self._past and len(statement.said) <= self._longest:
                self._early.append((peer, statement))
            return
        key = (statement.attempt, statement.phase, statement.sender)
        if statement.sender not in self.roster or statement.recipient not in ("", self.name):
            return
        if (statement.phase == DEAL) != bool(statement.recipient) or statement.sender == self.name:
            return
        known = self.statements.get(key)
        if (known is not None and known.digest == statement.digest) or not statement.is_signed(
            self.membership
        ):
            return
        if known is not None:
            self.accuse(
                TWO_STATEMENTS,
                statement.sender,
                attempt,
                known.without_payload(),
                statement.without_payload(),
            )
        elif not is_well_formed(statement.phase, statement.said, len(self.roster), self._rules):
            self.accuse(MALFORMED, statement.sender, attempt, statement)
        else:
            self.statements[key] = statement
            if not statement.recipient:
                for name in self._silence.wanted(statement):
                    self._send_statement(name, statement, self.round)

    def _hear_early(self) -> None:
        """Look again at what came before its attempt began."""
        waiting = list(self._early)
        self._early.clear()
        for peer, statement in waiting:
            self._hear(peer, statement)

    def _hear_accusation(self, peer: str, content: bytes, signature: bytes) -> None:
        certificate = self.membership.by_name[peer].certificate
        if peer not in self.roster or not certificate.verify(signature, accusation_text(content)):
            return
        try:
            evidence = Evidence.of_bytes(content)
        except ValueError:
            evidence = None
        if evidence is not None and evidence.accused in self.expelled:
            return
        if evidence is not None and convicts(evidence, self.membership, self._rules):
            if evidence.attempt.session == self._session:
                self._expel(evidence)
            return
        self.accuse(FALSE_ACCUSATION, peer, self.attempt, signatures=((peer, signature),), accusation=content)

    # Silence, and the end of a round

    def _is_lost(self, names: list[str]) -> bool:
        return bool(names) and all(name in self._links.lost for name in names)

    def _convict_of_silence(self, phase: int, name: str, votes: tuple[tuple[str, bytes], ...]) -> None:
        before = tuple(replace(each, before=()) for each in self.expelled.values())
        self.accuse(SILENCE, name, self.attempt, phase=phase, signatures=votes, before=before)

    def _advance(self, completion: Completion) -> None:
        self.finished = completion.attempt
        self._completion = completion
        self.round = completion.attempt.round + 1
        # A member that is behind may still ask for what was said in the round before.
        self.statements = {key: each for key, each in self.statements.items() if key[0] not in self._past}
        self._past = {key[0] for key in self.statements}
        self._silence.forget(self._past)
        self._news.set()
        self._hear_early()

    def _show_completion(self, peer: str) -> None:
        if self._completion is not None:
            signatures = b"".join(self._completion.signatures)
            self._links.send(peer, DONE, self._completion.head, as_array(signatures))

    def _hear_completion(self, completion: Completion) -> None:
        """The others are done; this member has confirmed, too, so it knows what was in the slots."""
        attempt = completion.attempt
        has_confirmed = (attempt.id, CONFIRM, self.name) in self.statements
        if attempt.round == self.round and has_confirmed and completion.holds(self.membership):
            self._advance(completion)

    def _send_statement(self, name: str, statement: Statement, round: int) -> None:
        frame = statement.frame(STATEMENT, round)
        self._links.send(name, frame.kind, dict(frame.head), *frame.arrays)
