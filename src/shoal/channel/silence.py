"""What a member does that does not hear another in time: it asks for what is missing, and then votes.

Whoever has a missing statement passes it on, since it is signed. Only shares are nobody else's; those are
complained about.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Protocol

from shoal.channel.frame_kinds import REQUEST, VOTE
from shoal.channel.links import Links
from shoal.channel.membership import Membership
from shoal.channel.payloads import DEAL, ECHO
from shoal.channel.statement import Attempt, Statement, as_array, vote_text
from shoal.network.frames import Frame
from shoal.network.identity import Identity

_MOST = 1_000  # votes and requests that are kept

Key = tuple[bytes, int, str]


class Known(Protocol):
    """What silence is judged by."""

    @property
    def attempt(self) -> Attempt:
        """The attempt under way."""

    @property
    def statements(self) -> Mapping[Key, Statement]:
        """What was said, by attempt, phase and sender."""


class Silence:
    """Requests and votes of one member.

    Parameters
    ----------
    known
        What was heard.
    membership, identity, links
        Of the session.
    convict
        Called with phase, name and votes when there are enough.
    """

    def __init__(
        self,
        known: Known,
        membership: Membership,
        identity: Identity,
        links: Links,
        convict: Callable[[int, str, tuple[tuple[str, bytes], ...]], None],
    ) -> None:
        self._known = known
        self._membership = membership
        self._identity = identity
        self._links = links
        self._convict = convict
        self._votes: dict[Key, dict[str, bytes]] = {}
        self._wanted: dict[Key, set[str]] = {}

    def request(self, attempt: Attempt, phase: int, names: list[str]) -> None:
        """Ask everybody for what these members said."""
        for name in attempt.roster:
            if name != self._identity.name:
                head = {"phase": phase, "names": names}
                self._links.send(name, REQUEST, head, as_array(attempt.id))

    def requested(self, peer: str, frame: Frame) -> list[Statement]:
        """What is known of what a member asks for, and is no one's share; ValueError if it asks for nothing.

        What is not known yet is remembered: see `wanted`.
        """
        match frame.head, frame.arrays:
            case {"phase": int(phase), "names": [*names]}, (attempt,):
                keys = [(attempt.tobytes(), phase, str(name)) for name in names]
            case _:
                raise ValueError("a frame that requests nothing")
        found = []
        for key in keys[: len(self._membership.members)] if phase % ECHO != DEAL else []:
            known = self._known.statements.get(key)
            if known is not None:
                found.append(known)
            elif len(self._wanted) < _MOST:
                self._wanted.setdefault(key, set()).add(peer)
        return found

    def wanted(self, statement: Statement) -> set[str]:
        """Who asked for a statement before it was here."""
        return self._wanted.pop((statement.attempt, statement.phase, statement.sender), set())

    def vote(self, attempt: Attempt, phase: int, names: list[str]) -> None:
        """Tell everybody that these members were not heard in time."""
        own = self._identity.name
        for accused in names:
            signature = self._identity.sign(vote_text(attempt.id, phase, accused))
            self._votes.setdefault((attempt.id, phase, accused), {})[own] = signature
            for name in attempt.roster:
                if name != own:
                    head = {"phase": phase, "accused": accused}
                    self._links.send(name, VOTE, head, as_array(attempt.id), as_array(signature))
            self._judge(phase, accused)

    def voted(self, peer: str, frame: Frame) -> None:
        """Count another's vote; ValueError if it is none. It may be on an attempt that has not begun here."""
        match frame.head, frame.arrays:
            case {"phase": int(phase), "accused": str(accused)}, (attempt, signature) if 0 <= phase < 256:
                key = (attempt.tobytes(), phase, accused)
            case _:
                raise ValueError("a frame that is no vote")
        certificate = self._membership.by_name[peer].certificate
        if len(self._votes) < _MOST and certificate.verify(signature.tobytes(), vote_text(*key)):
            self._votes.setdefault(key, {})[peer] = signature.tobytes()
            self._judge(phase, accused)

    def forget(self, attempts: set[bytes]) -> None:
        """Forget the votes and requests of attempts that are over."""
        self._wanted = {key: peers for key, peers in self._wanted.items() if key[0] not in attempts}
        self._votes = {key: votes for key, votes in self._votes.items() if key[0] not in attempts}

    def _judge(self, phase: int, accused: str) -> None:
        attempt = self._known.attempt
        votes = self._votes.get((attempt.id, phase, accused), {})
        voters = {name: votes[name] for name in attempt.roster if name in votes and name != accused}
        if accused in attempt.roster and 2 * len(voters) > len(attempt.roster):
            self._convict(phase, accused, tuple(voters.items()))
