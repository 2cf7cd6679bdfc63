"""Entropy l-diversity: the sensitive values of every group are spread as evenly as l equal ones, or more so.

Paper: Machanavajjhala, Gehrke, Kifer and Venkitasubramaniam, TKDD 1(1), 2007, definition 4.1.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass

from shoal.model.table.people import SensitiveColumn
from shoal.privacy._base import SLACK, SensitiveModel, at_least


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

    l: float  # noqa: E741  its name in every paper

    name = "entropy-l-diversity"

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
