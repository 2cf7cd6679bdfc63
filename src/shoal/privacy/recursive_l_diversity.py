"""Recursive (c,l)-diversity: the most frequent sensitive value of a group is not too frequent.

With the counts of a group in falling order, r1 < c (r_l + r_(l+1) + ... + r_m): even without the l - 2 next
values the first one is no more than c times the rest.

Paper: Machanavajjhala, Gehrke, Kifer and Venkitasubramaniam, TKDD 1(1), 2007, definition 4.2.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

from shoal.model.description import Description
from shoal.model.parameter import parameter
from shoal.model.table.people import SensitiveColumn
from shoal.privacy._base import SensitiveModel, above, at_least
from shoal.privacy._core_rule import CoreRule
from shoal.privacy._slack import SLACK
from shoal.privacy._value_shares import ValueShares

UNDEMANDED_C = 3
"""The c for which it is measured where nothing is demanded: the most frequent value may be less than three
times as frequent as the rest."""


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

    c: float = field(metadata=parameter("c", "A larger c is weaker.", start=3, step=0.5))
    l: int = field(  # noqa: E741  its name in every paper
        metadata=parameter("l", "From which value on the rest is counted.", start=3, least=2)
    )

    name = "recursive-l-diversity"
    description = Description(
        title="Recursive (c,l)-diversity",
        short="The most frequent value does not stand out",
        meaning="In each group the most frequent value is less than c times as frequent as the values from "
        "the l-th on together, also after somebody excludes a few values.",
        when="When frequencies matter but entropy l-diversity demands too much. Begin with c = 3 and l = 3.",
        limits="A larger c is weaker. It does not know which values are alike.",
        example="c = 2, l = 2: flu, flu, flu, asthma, asthma is released (3 is less than 2 times 2); with "
        "one asthma less it is refused.",
    )
    measures = "how many of the most frequent values must be excluded before one stands out"
    unit = "l"
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

    @property
    def least_rows(self) -> int:
        return self.l

    def core_rule(self, column: SensitiveColumn | None) -> CoreRule:  # noqa: ARG002
        return CoreRule(kind="recursive", most=self.c - SLACK, from_=self.l)

    def most_belief(self, value: int, column: SensitiveColumn) -> float:  # noqa: ARG002
        return self.c / (1 + self.c)  # the most frequent value has less than c times the rest

    @classmethod
    def undemanded(cls, values: ValueShares) -> Mapping[str | None, float | None]:
        return {f"c={UNDEMANDED_C}": values.least(values.recursive_l(UNDEMANDED_C))}
