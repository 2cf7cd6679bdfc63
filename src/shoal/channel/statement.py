"""What members say in a round, signed: whoever has a statement can show it to a third party.

A statement belongs to one attempt at one round among one roster of one session, to one phase, and to
everybody or one recipient. An honest member makes at most one for each of these: two with different digests
convict.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.channel.membership import Membership
from shoal.network.frames import Frame
from shoal.network.identity import Identity

SIGNATURE = 64
DIGEST = 32


@dataclass(frozen=True)
class Attempt:
    """One attempt at a round; when a member is expelled, the round is tried again among the others.

    Parameters
    ----------
    session
        What distinguishes this run of the group from every other.
    round
        Its number.
    roster
        Who takes part, sorted.
    """

    session: bytes
    round: int
    roster: tuple[str, ...]

    @cached_property
    def id(self) -> bytes:
        """32 bytes that stand for it."""
        names = "\0".join(self.roster).encode()
        return digest_of(b"attempt", self.session, self.round.to_bytes(8), names)


@dataclass(frozen=True)
class Statement:
    """One signed statement.

    Parameters
    ----------
    attempt
        The id of the attempt.
    phase
        As `payloads` numbers them.
    sender, recipient
        Names; an empty recipient is everybody.
    digest
        SHA-256 of what is said.
    signature
        The sender's, on all of the above.
    payload
        What is said; None where only the digest is known.
    """

    attempt: bytes
    phase: int
    sender: str
    recipient: str
    digest: bytes
    signature: bytes
    payload: bytes | None

    @property
    def said(self) -> bytes:
        """What is said, where it is known."""
        if self.payload is None:
            raise ValueError("a statement of which only the digest is known")
        return self.payload

    def is_signed(self, membership: Membership) -> bool:
        """Whether its sender signed it, and its payload is the one that was signed."""
        if self.sender not in membership.by_name or (
            self.payload is not None and hashlib.sha256(self.payload).digest() != self.digest
        ):
            return False
        certificate = membership.by_name[self.sender].certificate
        return certificate.verify(self.signature, self._text())

    def without_payload(self) -> Statement:
        """Its digest alone."""
        return replace(self, payload=None)

    def _text(self) -> bytes:
        names = f"{self.sender}\0{self.recipient}".encode()
        return digest_of(b"statement", self.attempt, bytes([self.phase]), names, self.digest)

    def frame(self, kind: int, round: int) -> Frame:
        """As it is sent."""
        head = {"round": round, "phase": self.phase, "sender": self.sender, "to": self.recipient}
        parts = (self.attempt, self.signature, self.said)
        return Frame(kind, head, tuple(map(as_array, parts)))

    @classmethod
    def of_frame(cls, frame: Frame) -> tuple[int, Statement]:
        """The round and the statement in a frame; ValueError if there is none."""
        match frame.head:
            case {"round": int(round), "phase": int(phase), "sender": str(sender), "to": str(recipient)}:
                attempt, signature, payload = (each.tobytes() for each in frame.arrays)
                if 0 <= phase < 256 and len(attempt) == DIGEST and len(signature) == SIGNATURE:
                    digest = hashlib.sha256(payload).digest()
                    return round, cls(attempt, phase, sender, recipient, digest, signature, payload)
        raise ValueError("a frame that is no statement")

    def to_json(self) -> dict[str, Any]:
        """For a file."""
        payload = None if self.payload is None else self.payload.hex()
        named = {"phase": self.phase, "sender": self.sender, "recipient": self.recipient, "payload": payload}
        coded = {"attempt": self.attempt, "digest": self.digest, "signature": self.signature}
        return {**named, **{key: value.hex() for key, value in coded.items()}}

    @classmethod
    def of_json(cls, found: dict[str, Any]) -> Statement:
        """What `to_json` wrote; ValueError, KeyError or TypeError if it is something else."""
        phase, sender, recipient = found["phase"], found["sender"], found["recipient"]
        if type(phase) is not int or not 0 <= phase < 256 or not isinstance(sender + recipient, str):
            raise ValueError("no statement")
        payload = None if found["payload"] is None else bytes.fromhex(found["payload"])
        coded = [bytes.fromhex(found[key]) for key in ("attempt", "digest", "signature")]
        return cls(coded[0], phase, sender, recipient, coded[1], coded[2], payload)


def stated(
    identity: Identity, attempt: Attempt, phase: int, payload: bytes, recipient: str = ""
) -> Statement:
    """Say something, and sign it."""
    digest = hashlib.sha256(payload).digest()
    unsigned = Statement(attempt.id, phase, identity.name, recipient, digest, b"", payload)
    return replace(unsigned, signature=identity.sign(unsigned._text()))


def vote_text(attempt: bytes, phase: int, accused: str) -> bytes:
    """What a member signs that did not hear another in time."""
    return digest_of(b"silence", attempt, bytes([phase]), accused.encode())


def accusation_text(evidence: bytes) -> bytes:
    """What a member signs that accuses another."""
    return digest_of(b"accusation", evidence)


def digest_of(*parts: bytes) -> bytes:
    digest = hashlib.sha256(b"shoal.channel")
    for part in parts:
        digest.update(len(part).to_bytes(4) + part)
    return digest.digest()


def as_array(content: bytes) -> NDArray[np.uint8]:
    """Bytes, as frames carry them."""
    return np.frombuffer(content, np.uint8) if content else np.zeros(0, np.uint8)
