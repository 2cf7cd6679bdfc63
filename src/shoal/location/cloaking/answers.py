"""What the anonymizer answers: a cloak, that a request waits, or that it was dropped and why."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from shoal.location.cloaking.box import Box
from shoal.location.cloaking.messages import Request


@dataclass(frozen=True, slots=True)
class Cloak:
    """What may be sent to a location service in place of a user, a point and a time.

    Parameters
    ----------
    request
        What it answers; with the place it was sent from.
    k
        How many users it should hide the issuer among.
    box, start, end
        Place and time, all ends included.
    among
        How many users the algorithm counted.
    time
        When it was answered.
    link
        Cloaks with the same link get the same pseudonym; None if the engine decides.
    issuers
        Who would have got this cloak, where only the algorithm knows it.
    pseudonym
        What replaces the user.
    """

    request: Request
    k: int
    box: Box
    start: int
    end: int
    among: int
    time: int
    link: str | None = None
    issuers: frozenset[str] | None = None
    pseudonym: str = ""

    def to_dict(self) -> dict[str, Any]:
        """As it is sent: nothing of the user, and neither place nor time of the request."""
        box = self.box
        return {
            "type": "cloak",
            "id": self.request.id,
            "pseudonym": self.pseudonym,
            "x": [box.x_low, box.x_high],
            "y": [box.y_low, box.y_high],
            "time": [self.start, self.end],
        }


@dataclass(frozen=True, slots=True)
class Delayed:
    """A request waits for other users, at most until a deadline."""

    request: Request
    until: int

    def to_dict(self) -> dict[str, Any]:
        """As it is sent."""
        return {"type": "delayed", "id": self.request.id, "until": self.until}


@dataclass(frozen=True, slots=True)
class Dropped:
    """A request must not be sent."""

    request: Request
    reason: str
    time: int

    def to_dict(self) -> dict[str, Any]:
        """As it is sent."""
        return {"type": "dropped", "id": self.request.id, "reason": self.reason}


Answer = Cloak | Delayed | Dropped
