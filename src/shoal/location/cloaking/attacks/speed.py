"""Speed: nobody who was in one box can be everywhere in the next.

From the box before and a maximal speed follows what can be reached; the next box of the same pseudonym
shrinks to that part (Ghinita, Damiani, Silvestri and Bertino, 2009). The check counts the users in the
part that is left.
"""

from __future__ import annotations

from typing import ClassVar

from shoal.errors import PolicyError
from shoal.formatting.numbers import counted, number, percent
from shoal.location.cloaking.answers import Cloak
from shoal.location.cloaking.attacks._base import Check, CheckResult
from shoal.location.cloaking.box import Box
from shoal.location.cloaking.engine import Engine
from shoal.location.cloaking.tracks import Tracks


class Speed(Check):
    """Shrinks a box to what can be reached from the one before.

    Parameters
    ----------
    limit
        The maximal speed, in coordinates per second.
    """

    name: ClassVar[str] = "speed"
    words: ClassVar[str] = "shrinks a box to what can be reached from the one before"

    def __init__(self, limit: float) -> None:
        if not limit > 0:
            raise PolicyError("the maximal speed must be greater than 0: --speed 14")
        self._limit = limit
        self._tracks = Tracks()
        self._before: dict[str, Cloak] = {}
        self._left: list[int] = []
        self._shares: list[float] = []
        self._failed = 0

    def moved(self, user: str, time: int, place: tuple[int, int] | None) -> None:
        self._tracks.add(user, time, place)

    def saw(self, cloak: Cloak, engine: Engine) -> None:
        before = self._before.get(cloak.pseudonym)
        self._before[cloak.pseudonym] = cloak
        if before is None:
            return
        reach = self._limit * max(cloak.end - before.start, 0)
        left = shrunk(before.box, cloak.box, reach)
        inside = self._tracks.all_met(left, cloak.start, cloak.end) if left else frozenset()
        positions = engine.cloaker.positions
        near = sum(
            user not in positions or before.box.squared_distance(*positions[user][:2]) <= reach * reach
            for user in inside
        )
        self._left.append(near)
        self._shares.append(left.area / cloak.box.area if left else 0.0)
        self._failed += near < cloak.k

    def result(self) -> CheckResult:
        tried, least = len(self._left), min(self._left, default=None)
        mean = sum(self._shares) / tried if tried else None
        return CheckResult(
            name=self.name,
            tried=tried,
            failed=self._failed,
            least=least,
            holds=not self._failed,
            words=self._words(least, mean),
            facts={"area_left": mean},
        )

    def _words(self, least: int | None, mean: float | None) -> str:
        if not self._left:
            return "no pseudonym has two cloaks; with --pseudonyms user the requests of a user share one"
        return (
            f"of {counted(len(self._left), 'cloak')} after another one of the same pseudonym, "
            f"{self._failed:,} have fewer than k users where one can be by then; {number(least)} at least, "
            f"in {percent(mean)} of the area"
        )


def shrunk(before: Box, box: Box, reach: float) -> Box | None:
    """The part of a box that is at most so far from another in each direction; None if nothing is left."""
    far = int(reach)
    left = Box(
        max(box.x_low, before.x_low - far),
        min(box.x_high, before.x_high + far),
        max(box.y_low, before.y_low - far),
        min(box.y_high, before.y_high + far),
    )
    return left if left.x_low <= left.x_high and left.y_low <= left.y_high else None
