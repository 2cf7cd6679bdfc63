"""A point of a front."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from shoal.model.recoding.level_recoding import LevelRecoding
from shoal.model.recoding.recoding import Recoding
from shoal.model.result.result import Cost, Status
from shoal.objectives import Number, Objective


@dataclass(frozen=True, kw_only=True)
class FrontPoint:
    """A release on the front: no other point is better in everything.

    Parameters
    ----------
    number
        Its place on the whole front.
    values
        Objective -> value, in the objective's own unit.
    k, groups, suppressed
        Least rows of a group; the number of kept groups, and of suppressed rows.
    recoding, searched
        How the values change; and how the search found it, if the policy says harden and changed it after.
    alternatives
        Recodings with the same values of all objectives.
    status, bound
        Over rows and cuts, whether the cost is proved to be least for this k, and a lower bound on it.
    """

    number: int
    values: Mapping[str, Number]
    k: int
    groups: int
    suppressed: int
    recoding: Recoding
    searched: Recoding | None = field(default=None, repr=False)
    alternatives: tuple[Recoding, ...] = field(default=(), repr=False)
    status: Status = Status.FEASIBLE
    bound: Cost | None = None

    @property
    def levels(self) -> tuple[int, ...] | None:
        """Per quasi-identifier its level; `None` over rows and cuts."""
        return self.recoding.levels if isinstance(self.recoding, LevelRecoding) else None

    @property
    def risk(self) -> float:
        """The greatest risk that a known person's row is found: 1 / k."""
        return 1 / self.k

    def fact(self, name: str) -> Number:
        """The value of an objective, or k, groups or suppressed."""
        value: Number = self.values[name] if name in self.values else getattr(self, name)
        return value

    def gap(self, cost: str) -> float | None:
        """Share of a cost that is not proved necessary; `None` when nothing is known."""
        if self.bound is None or not self.values[cost]:
            return None if self.bound is None else 0.0
        return max(0.0, 1 - float(self.bound) / float(self.values[cost]))


def numbered(points: Sequence[FrontPoint], objectives: Sequence[Objective]) -> tuple[FrontPoint, ...]:
    """The points in the order of the objectives' values, each with its place as its number."""
    ordered = sorted(points, key=lambda point: tuple(point.values[each.name] for each in objectives))
    return tuple(replace(point, number=place) for place, point in enumerate(ordered))
