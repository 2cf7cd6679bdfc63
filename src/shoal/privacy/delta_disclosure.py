"""delta-disclosure privacy: no sensitive value is much rarer or more frequent in a group than in the table.

|ln(q / p)| is less than delta for every value of the table, p being its share there and q that in the group;
so every group must have every value. The paper writes log without a base; the one here is e.

Paper: Brickell and Shmatikov, KDD 2008.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass

from shoal.model.table.people import SensitiveColumn
from shoal.privacy._base import SLACK, SensitiveModel, above


@dataclass(frozen=True, kw_only=True)
class DeltaDisclosure(SensitiveModel):
    """Groups in which every share is near that of the table; what is measured is the greatest |ln(q / p)|.

    Unions of admitted groups are admitted: a share in a union lies between the shares in its parts. Supersets
    are not: in a table of half a, half b with delta = 0.2, {a, b} is admitted and {a, b, b} is not.

    Parameters
    ----------
    delta
        What the logarithm must be below; above 0.
    """

    delta: float

    name = "delta-disclosure"
    lower_is_safer = True
    compares_with_table = True

    def __post_init__(self) -> None:
        super().__post_init__()
        above(self.name, "delta", self.delta, 0)

    @property
    def demand(self) -> str:
        return f"{self.delta:g}-disclosure privacy of {self.attribute!r} in each group"

    def value(self, histogram: Mapping[int, int], column: SensitiveColumn) -> float:
        if len(histogram) < len(column.counts):
            return math.inf
        rows = sum(histogram.values())
        return max(abs(math.log(count / rows / column.share(value))) for value, count in histogram.items())

    def accepts(self, value: float) -> bool:
        return value < self.delta - SLACK

    def reaches(self, present: Collection[int], column: SensitiveColumn) -> bool:
        return len(present) == len(column.counts)
