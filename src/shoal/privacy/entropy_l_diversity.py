"""Entropy l-diversity: the sensitive values of every group are spread as evenly as l equal ones, or more so.

Paper: Machanavajjhala, Gehrke, Kifer and Venkitasubramaniam, TKDD 1(1), 2007, definition 4.1.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

from shoal.model.description import Description
from shoal.model.parameter import parameter
from shoal.model.table.people import SensitiveColumn
from shoal.privacy._base import SensitiveModel, at_least
from shoal.privacy._core_rule import CoreRule
from shoal.privacy._slack import SLACK
from shoal.privacy._value_shares import ValueShares


@dataclass(frozen=True, kw_only=True)
class EntropyLDiversity(SensitiveModel):
    """Groups whose entropy is at least log(l); what is measured is l, the exponential of the entropy.

    Unions of admitted groups are admitted, because entropy is concave. Supersets are not: {a, b} has entropy
    log 2, and {a, b, b, b} has less.

    Parameters
    ----------
    l
        Least number of equally frequent values that would be as diverse; need not be whole.
    """

    l: float = field(  # noqa: E741  its name in every paper
        metadata=parameter("l", "As mixed as this many equally frequent values.", start=2, step=0.5)
    )

    name = "entropy-l-diversity"
    description = Description(
        title="Entropy l-diversity",
        short="Values spread as evenly as l equal ones",
        meaning="In each group the values are as mixed as l equally frequent ones would be, so that none is "
        "nearly all.",
        when="When a group in which 98 of 100 have one diagnosis would be as bad as 100 of 100.",
        limits="If one value has most of the whole table, no release can reach it. It does not know which "
        "values are alike: three stomach diseases are diverse.",
        example="l = 2: two flu and two asthma are released; three flu and one asthma measure 1.75 and are "
        "refused.",
    )
    measures = "as if the sensitive values of a group were that many, equally frequent"
    unit = "l"

    def __post_init__(self) -> None:
        super().__post_init__()
        at_least(self.name, "l", self.l, 1)

    @property
    def demand(self) -> str:
        return f"entropy of {self.attribute!r} at least log({self.l:g}) in each group"

    def value(self, histogram: Mapping[int, int], column: SensitiveColumn) -> float:  # noqa: ARG002
        rows = sum(histogram.values())
        shares = [count / rows for count in histogram.values()]
        return math.exp(-math.fsum(share * math.log(share) for share in shares))

    def accepts(self, value: float) -> bool:
        return value >= self.l * (1 - SLACK)

    def reaches(self, present: Collection[int], column: SensitiveColumn) -> bool:  # noqa: ARG002
        return len(present) >= self.l * (1 - SLACK)

    @property
    def least_rows(self) -> int:
        return math.ceil(self.l * (1 - SLACK))

    def core_rule(self, column: SensitiveColumn | None) -> CoreRule:  # noqa: ARG002
        return CoreRule(kind="entropy", least=self.l * (1 - SLACK))

    def most_belief(self, value: int, column: SensitiveColumn) -> float:  # noqa: ARG002
        return 1 / self.l  # what "l well represented values" means: one of l

    @classmethod
    def undemanded(cls, values: ValueShares) -> Mapping[str | None, float | None]:
        return {None: values.least(values.entropy_l)}
