"""Everybody's confirmation of a round, which a member that is done shows to one that is behind."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

from shoal.channel.membership import Membership
from shoal.channel.payloads import CONFIRM
from shoal.channel.statement import SIGNATURE, Attempt, Statement
from shoal.network.frames import Frame


@dataclass(frozen=True)
class Completion:
    """An attempt that all of its roster confirmed.

    Parameters
    ----------
    attempt
        The attempt.
    signatures
        On the confirmations, in the order of the roster.
    """

    attempt: Attempt
    signatures: tuple[bytes, ...]

    @classmethod
    def of(cls, attempt: Attempt, confirmed: Mapping[str, Statement]) -> Completion:
        """From what everybody said."""
        return cls(attempt, tuple(confirmed[name].signature for name in attempt.roster))

    @property
    def head(self) -> dict[str, Any]:
        """The head of its frame."""
        return {"round": self.attempt.round, "roster": list(self.attempt.roster)}

    @classmethod
    def of_frame(cls, frame: Frame, session: bytes) -> Completion:
        """What a frame claims; ValueError if it is nothing of the kind."""
        match frame.head, frame.arrays:
            case {"round": int(round), "roster": [*names]}, (signed,):
                content = signed.tobytes()
                if (
                    0 <= round < 2**63
                    and all(isinstance(each, str) for each in names)
                    and len(content) == SIGNATURE * len(names)
                ):
                    parts = [content[at : at + SIGNATURE] for at in range(0, len(content), SIGNATURE)]
                    return cls(Attempt(session, round, tuple(names)), tuple(parts))
        raise ValueError("a frame that ends no round")

    def holds(self, membership: Membership) -> bool:
        """Whether all of the roster signed."""
        attempt, nothing = self.attempt, sha256(b"").digest()
        return all(
            Statement(attempt.id, CONFIRM, name, "", nothing, signature, b"").is_signed(membership)
            for name, signature in zip(attempt.roster, self.signatures, strict=True)
        )
