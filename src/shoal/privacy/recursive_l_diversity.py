"""Recursive (c,l)-diversity: the most frequent sensitive value of a group is not too frequent.

With the counts of a group in falling order, r1 < c (r_l + r_(l+1) + ... + r_m): even without the l - 2 next
values the first one is no more than c times the rest.

Paper: Machanavajjhala, Gehrke, Kifer and Venkitasubramaniam, TKDD 1(1), 2007, definition 4.2.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass

from shoal.model.table.people import SensitiveColumn
from shoal.privacy._base import SLACK, SensitiveModel, above, at_least


@dataclass(frozen=True, kw_only=True)
class RecursiveLDiversity(SensitiveModel):
    """Groups in which r1 / (r_l + ... + r_m) is less than c; what is measured is that ratio.

    Unions of admitted groups are admitted: the largest count of a union is at most the sum of the largest
    counts, and its rest at least the sum of the rests. Supersets are not: with c = 2 and l = 2, {a, b} is
    admitted and {a, b, b} is not.

    Parameters
    ----------
    c
        What the ratio must be below; above 0.
    l
        From which of the counts on the rest is summed; at least 2.
    """

    c: float
    l: int  # noqa: E741  its name in every paper

    name = "recursive-l-diversity"
    lower_is_safer = True

    def __post_init__(self) -> None:
        super().__post_init__()
        above(self.name, "c", self.c, 0)
        at_least(self.name, "l", self.l, 2, whole=True)

    @property
    def demand(self) -> str:
        return f"recursive ({self.c:g}, {self.l})-diversity of {self.attribute!r} in each group"

    def value(self, histogram: Mapping[int, int], column: SensitiveColumn) -> float:  # noqa: ARG002
        falling = sorted(histogram.values(), reverse=True)
        rest = sum(falling[self.l - 1 :])
        return falling[0] / rest if rest else math.inf

    def accepts(self, value: float) -> bool:
        return value < self.c - SLACK

    def reaches(self, present: Collection[int], column: SensitiveColumn) -> bool:  # noqa: ARG002
        return len(present) >= self.l
