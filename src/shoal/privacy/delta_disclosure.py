"""delta-disclosure privacy: no sensitive value is much rarer or more frequent in a group than in the table.

|ln(q / p)| is less than delta for every value of the table, p being its share there and q that in the group;
so every group must have every value. The paper writes log without a base; the one here is e.

Paper: Brickell and Shmatikov, KDD 2008.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

from shoal.model.description import Description
from shoal.model.parameter import parameter
from shoal.model.table.people import SensitiveColumn
from shoal.privacy._base import SensitiveModel, above
from shoal.privacy._core_rule import CoreRule
from shoal.privacy._slack import SLACK
from shoal.privacy._value_shares import ValueShares

_ANY_LOGARITHM = 100.0
"""More than the logarithm of any number of rows, and an exponent that does not overflow."""


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

    delta: float = field(
        metadata=parameter("delta", "Greatest logarithm of the ratio of shares.", start=1, step=0.1)
    )

    name = "delta-disclosure"
    description = Description(
        title="delta-disclosure privacy",
        short="No value becomes much more likely, or less",
        meaning="In every group every value is about as frequent as in the whole table: the ratio stays "
        "within e to the power of delta, up and down.",
        when="When it must not be learned either that somebody does not have a value. Only for columns with "
        "few values.",
        limits="The strictest of all: every group must have every value. Expect to lose much detail.",
        example="Half the table smokes; delta = 0.7: in each group between 25 % and 75 % must smoke.",
    )
    measures = "how far a value's frequency in a group is from that in the table, as a logarithm"
    unit = "delta"
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

    def core_rule(self, column: SensitiveColumn | None) -> CoreRule:
        assert column is not None
        factor = math.exp(min(self.delta - SLACK, _ANY_LOGARITHM))
        return CoreRule(
            kind="shares",
            floors=[share / factor for share in column.shares],
            caps=[share * factor for share in column.shares],
            from_=len(column.shares),
        )

    def most_belief(self, value: int, column: SensitiveColumn) -> float:
        return min(1.0, column.share(value) * math.exp(min(self.delta, _ANY_LOGARITHM)))

    @classmethod
    def undemanded(cls, values: ValueShares) -> Mapping[str | None, float | None]:
        """Holds for every delta above the value, not for the value itself."""
        logarithms = values.logarithms
        return {None: None if logarithms is None else values.greatest(logarithms)}
