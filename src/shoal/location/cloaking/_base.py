"""What every way of cloaking has in common.

A cloaker knows where users are, and is asked by an engine, which has checked what it passes on. Whatever
a cloaker answers follows from the messages so far: the same messages give the same answers.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import ClassVar, NamedTuple

from shoal.errors import PolicyError
from shoal.location.cloaking.answers import Answer, Cloak, Dropped
from shoal.location.cloaking.box import Box
from shoal.location.cloaking.messages import Request
from shoal.location.cloaking.settings import Settings

TOO_FEW = "fewer than k users are known"
TOO_SMALL = "the whole square is smaller than the least area"


class Place(NamedTuple):
    """Where a user is, and how many they want to hide among."""

    x: int
    y: int
    k: int


class Asked(NamedTuple):
    """A request with everything that it did not state."""

    request: Request
    x: int
    y: int
    k: int

    @property
    def time(self) -> int:
        """When it was asked."""
        return self.request.time


class Cloaker(ABC):
    """A way of cloaking.

    Parameters
    ----------
    settings
        What it is told once.

    Attributes
    ----------
    name, promise
        What it is called, and what it promises.
    warning
        Why fewer than k users could have sent a request, by an example; None if that cannot be.
    by_class
        Whether users who want the same k are a population of their own: they declare it with their position.
    takes_area
        Whether a request can demand a least area.
    needs_tolerance
        Whether every request must say how far box and interval may reach, or the settings for it.
    positions
        Where users are.
    """

    name: ClassVar[str]
    promise: ClassVar[str]
    warning: ClassVar[str | None]
    by_class: ClassVar[bool] = False
    takes_area: ClassVar[bool] = False
    needs_tolerance: ClassVar[bool] = False

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.positions: dict[str, Place] = {}

    def move(self, user: str, time: int, place: Place) -> list[Answer]:
        """Note where a user is; answers to requests that waited for it."""
        old = self.positions.get(user)
        self.positions[user] = place
        return self._moved(user, time, old, place)

    def remove(self, user: str) -> None:
        """Forget a user."""
        self._removed(user, self.positions.pop(user))

    @abstractmethod
    def ask(self, asked: Asked) -> list[Answer]:
        """Answer a request of a user whose place is known, and others that waited for it."""

    def cancel(self, user: str, name: str | None) -> list[Request]:  # noqa: ARG002
        """Withdraw the waiting request of this identifier, or all of a user; those that were withdrawn."""
        return []

    def pass_time(self, now: int) -> list[Answer]:  # noqa: ARG002
        """Answer requests whose deadline is over."""
        return []

    @property
    def deadline(self) -> int | None:
        """The next moment after which a request is dropped."""
        return None

    @property
    def waiting(self) -> int:
        """How many requests wait."""
        return 0

    def waits(self, user: str, name: str) -> bool:  # noqa: ARG002
        """Whether a user's request of this identifier waits."""
        return False

    @abstractmethod
    def issuers(self, cloak: Cloak) -> frozenset[str]:
        """The users who would have got this cloak, if they had asked; for a cloak answered just now."""

    def _moved(self, user: str, time: int, old: Place | None, new: Place) -> list[Answer]:  # noqa: ARG002
        return []

    def _removed(self, user: str, old: Place) -> None:  # noqa: B027
        pass

    def tolerance(self, request: Request) -> tuple[int, int, int]:
        """dx, dy and dt of a request; PolicyError if nobody states them."""
        usual = self.settings.tolerance or (None, None, None)
        stated = (request.dx, request.dy, request.dt)
        dx, dy, dt = (there if here is None else here for here, there in zip(stated, usual, strict=True))
        if dx is None or dy is None or dt is None:
            raise PolicyError(f"{self.name} needs dx, dy and dt: in each request, or by --tolerance")
        return dx, dy, dt


class Found(NamedTuple):
    """A box for a user of a snapshot, and how many users were counted in it."""

    box: Box
    among: int


class SnapshotCloaker(Cloaker):
    """A way of cloaking that looks only at where users are now, and answers at once."""

    @abstractmethod
    def found(self, user: str, k: int, least_area: int = 0) -> Found | None:
        """The box that a user gets; None if there are too few users. Changes nothing."""

    def ask(self, asked: Asked) -> list[Answer]:
        request, time = asked.request, asked.time
        found = self.found(request.user, asked.k, request.least_area)
        if found is None:
            few = len(self.positions) < asked.k or not request.least_area
            return [Dropped(request, TOO_FEW if few else TOO_SMALL, time)]
        return [Cloak(request, asked.k, found.box, time, time, found.among, time)]

    def issuers(self, cloak: Cloak) -> frozenset[str]:
        least = cloak.request.least_area
        return frozenset(
            user
            for user, place in self.positions.items()
            if cloak.box.holds(place.x, place.y)
            and (found := self.found(user, self._demanded(place, cloak), least)) is not None
            and found.box == cloak.box
        )

    def _demanded(self, place: Place, cloak: Cloak) -> int:
        """The k with which another user would have asked."""
        return place.k if self.by_class else cloak.k
