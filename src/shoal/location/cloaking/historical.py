"""Historical k-anonymity: k - 1 other users were wherever a pseudonym asked from, along a whole sequence.

A request that matches an element of an LBQID (`lbqid`) gets a box and an interval that k - 1 other users'
histories meet. The first such request of a pseudonym chooses these users, those with the nearest points;
the following ones keep them. If that takes more than the tolerance, the pseudonym is changed, provided
that the user has been in a mix zone with k users since the last request; otherwise the request is
suppressed. Requests that match no element get a Hilbert cloak.

It promises that k histories fit all requests of a pseudonym. It does not promise that k users could have
sent a request: another user's nearest users are other ones.

Paper: Bettini, Wang and Jajodia, SDM 2005. Their smallest box is found by nearest points, as there: the
measure is the share of the tolerance that a point needs in space or time, whichever is more.
"""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import replace
from typing import ClassVar, NamedTuple

from shoal.location.cloaking._base import Asked, Cloaker, Place
from shoal.location.cloaking.answers import Answer, Cloak, Dropped
from shoal.location.cloaking.box import Box
from shoal.location.cloaking.hilbert import HilbertCloaker
from shoal.location.cloaking.lbqid import Lbqid, Matcher
from shoal.location.cloaking.settings import Settings

SUPPRESSED = "suppressed: fewer than k histories are within the tolerance, and no mix zone was crossed"

_Point = tuple[int, int, int]  # time, x, y
_Tolerance = tuple[int, int, int]


class _Chosen(NamedTuple):
    """The users whose histories a request meets, and the box and interval that it takes."""

    users: tuple[str, ...]
    box: Box
    start: int
    end: int


class _Pseudonym:
    """What is remembered of a pseudonym: how far it went, and the users chosen for it."""

    def __init__(self, user: str, number: int, matchers: list[Matcher]) -> None:
        self.link = f"{number} {user}"
        self.number = number
        self.matchers = matchers
        self.kept: tuple[str, ...] | None = None


class HistoricalCloaker(Cloaker):
    """Boxes that k histories meet, the same ones along a sequence."""

    name: ClassVar[str] = "historical"
    promise: ClassVar[str] = (
        "k histories meet every box of a pseudonym that matches an LBQID; other requests are as of hilbert, "
        "one by one"
    )
    by_class: ClassVar[bool] = True
    needs_tolerance: ClassVar[bool] = True
    warning: ClassVar[str | None] = (
        "a user whose nearest users are far away takes a box that none of them would get, as they have "
        "nearer ones: the request is from that user"
    )

    def __init__(self, settings: Settings) -> None:
        super().__init__(settings)
        self._others = HilbertCloaker(settings)
        self._histories: dict[str, list[_Point]] = {}
        self._pseudonyms: dict[str, _Pseudonym] = {}
        self._in_zone: list[set[str]] = [set() for _ in settings.mix_zones]
        self._mixed: set[str] = set()

    def ask(self, asked: Asked) -> list[Answer]:
        request, user = asked.request, asked.request.user
        pseudonym = self._pseudonyms.get(user) or self._renewed(user)
        if not _stepped(pseudonym, asked):
            return [self._linked(answer, pseudonym) for answer in self._others.ask(asked)]
        tolerance = self.tolerance(request)
        chosen = self._choice(user, asked, tolerance, pseudonym.kept)
        if chosen is None and pseudonym.kept is not None and user in self._mixed:
            pseudonym = self._renewed(user)
            _stepped(pseudonym, asked)
            chosen = self._choice(user, asked, tolerance, None)
        if chosen is None:
            return [Dropped(request, SUPPRESSED, asked.time)]
        pseudonym.kept = chosen.users
        self._mixed.discard(user)
        _, box, start, end = chosen
        return [Cloak(request, asked.k, box, start, end, asked.k, asked.time, pseudonym.link)]

    def issuers(self, cloak: Cloak) -> frozenset[str]:
        inside = (user for user, place in self.positions.items() if cloak.box.holds(place.x, place.y))
        return frozenset(user for user in inside if self._gets(user, cloak))

    def _gets(self, user: str, cloak: Cloak) -> bool:
        """Whether a user would have got this box and interval, asking from where they are."""
        request, place = cloak.request, self.positions[user]
        if not any(each.matches(place.x, place.y, request.time) for each in self._sequences(user)):
            found = self._others.found(user, place.k)
            return found is not None and (found.box, request.time, request.time) == (
                cloak.box,
                cloak.start,
                cloak.end,
            )
        own = self._pseudonyms.get(user)
        asked = Asked(request, place.x, place.y, place.k)
        chosen = self._choice(user, asked, self.tolerance(request), own.kept if own else None)
        return chosen is not None and chosen[1:] == (cloak.box, cloak.start, cloak.end)

    def _sequences(self, user: str) -> list[Lbqid]:
        return [each for each in self.settings.lbqids if each.user in (None, user)]

    def _renewed(self, user: str) -> _Pseudonym:
        """A fresh pseudonym of a user, which has shown nothing yet."""
        number = self._pseudonyms[user].number + 1 if user in self._pseudonyms else 1
        own = [Matcher(each) for each in self._sequences(user)]
        self._pseudonyms[user] = _Pseudonym(user, number, own)
        return self._pseudonyms[user]

    def _choice(
        self, user: str, asked: Asked, tolerance: _Tolerance, kept: tuple[str, ...] | None
    ) -> _Chosen | None:
        """The k - 1 others with the nearest points, or those that are kept; None if it takes too much."""
        near = [
            (found[0], other, found[1])
            for other in (self.positions if kept is None else kept)
            if other != user and (found := self._nearest(other, asked, tolerance)) is not None
        ]
        if kept is None:
            near.sort()
            near = near[: asked.k - 1]
        if len(near) < asked.k - 1:
            return None
        points = [(asked.time, asked.x, asked.y), *(point for _, _, point in near)]
        times = [time for time, _, _ in points]
        box = Box.around((x, y) for _, x, y in points)
        return _Chosen(tuple(other for _, other, _ in near), box, min(times), max(times))

    def _nearest(self, user: str, asked: Asked, tolerance: _Tolerance) -> tuple[float, _Point] | None:
        """The point of a history that takes the least share of the tolerance; None if each takes more."""
        dx, dy, dt = tolerance
        history = self._histories.get(user, [])
        best: tuple[float, _Point] | None = None
        for point in reversed(history[bisect_left(history, (asked.time - dt, -(2**60), 0)) :]):
            time, x, y = point
            across, up, earlier = abs(x - asked.x), abs(y - asked.y), asked.time - time
            if across <= dx and up <= dy:
                share = max(across / (dx or 1), up / (dy or 1), earlier / (dt or 1))
                if best is None or share < best[0]:
                    best = share, point
        return best

    def _linked(self, answer: Answer, pseudonym: _Pseudonym) -> Answer:
        if not isinstance(answer, Cloak):
            return answer
        return replace(answer, link=pseudonym.link)

    def _moved(self, user: str, time: int, old: Place | None, new: Place) -> list[Answer]:  # noqa: ARG002
        self._others.move(user, time, new)
        history = self._histories.setdefault(user, [])
        history.append((time, new.x, new.y))
        if len(history) > 2 * self.settings.most_points:
            del history[: self.settings.most_points]
        for zone, inside in zip(self.settings.mix_zones, self._in_zone, strict=True):
            if zone.holds(new.x, new.y):
                inside.add(user)
                self._mixed.update(each for each in inside if self.positions[each].k <= len(inside))
            else:
                inside.discard(user)
        return []

    def _removed(self, user: str, old: Place) -> None:  # noqa: ARG002
        self._others.remove(user)
        del self._histories[user]
        self._pseudonyms.pop(user, None)
        self._mixed.discard(user)
        for inside in self._in_zone:
            inside.discard(user)


def _stepped(pseudonym: _Pseudonym, asked: Asked) -> bool:
    """Let every automaton of a pseudonym go on; whether any element matches."""
    steps = [matcher.step(asked.x, asked.y, asked.time) for matcher in pseudonym.matchers]
    return any(steps)
