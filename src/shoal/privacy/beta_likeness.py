"""beta-likeness: in no group is a sensitive value much more frequent than in the whole table, relatively.

Basic: (q - p) / p is at most beta for every value, p being its share in the table and q that in the group.
Enhanced: it is at most min(beta, -ln p), so that a frequent value cannot grow to certainty either.

Paper: Cao and Karras, PVLDB 5(11), 2012.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

from shoal.errors import PolicyError
from shoal.model.description import Description
from shoal.model.parameter import parameter
from shoal.model.table.people import SensitiveColumn
from shoal.privacy._base import SensitiveModel, at_least
from shoal.privacy._core_rule import CoreRule
from shoal.privacy._slack import SLACK
from shoal.privacy._value_shares import ValueShares


@dataclass(frozen=True, kw_only=True)
class BetaLikeness(SensitiveModel):
    """Groups in which no value gains more than allowed; what is measured is the greatest gain, in betas.

    Unions of admitted groups are admitted: a share in a union lies between the shares in its parts. Supersets
    are not: in a table of half a, half b with beta = 0, {a, b} is admitted and {a, b, b} is not.

    Parameters
    ----------
    beta
        Greatest gain.
    enhanced
        Whether frequent values are limited further.
    """

    beta: float = field(metadata=parameter("beta", "Greatest relative gain of a value.", start=2, step=0.5))
    enhanced: bool = field(
        default=True,
        metadata=parameter("Enhanced", "Also limits frequent values, by how frequent they are."),
    )

    name = "beta-likeness"
    description = Description(
        title="beta-likeness",
        short="No value becomes much more likely",
        meaning="In no group is a value more frequent than in the whole table by more than the factor 1 + "
        "beta. A rare value may not become likely.",
        when="When rare values are the delicate ones. Begin with a beta between 1 and 4.",
        limits="Only gains count: that somebody does not have a value may be learned.",
        example="1 % of the table have HIV; beta = 4: in a group at most 5 % may have it.",
    )
    measures = "how much more frequent a value is in a group than in the whole table, at most"
    unit = "beta"
    lower_is_safer = True
    compares_with_table = True

    def __post_init__(self) -> None:
        super().__post_init__()
        at_least(self.name, "beta", self.beta, 0)
        if not isinstance(self.enhanced, bool):
            raise PolicyError(f"{self.name}: enhanced is true or false; it is {self.enhanced!r}")

    @property
    def demand(self) -> str:
        kind = "enhanced" if self.enhanced else "basic"
        return f"{kind} {self.beta:g}-likeness of {self.attribute!r} in each group"

    def limit(self, share: float) -> float:
        """The greatest gain of a value that has this share in the whole table."""
        return min(self.beta, -math.log(share)) if self.enhanced else self.beta

    def cap(self, share: float) -> float:
        """The greatest share in a group, slack included, of a value that has this share in the table."""
        return share * (1 + max(SLACK, self.limit(share) * (1 + SLACK)))

    def value(self, histogram: Mapping[int, int], column: SensitiveColumn) -> float:
        rows, gains = sum(histogram.values()), [0.0]
        for value, count in histogram.items():
            share = column.share(value)
            gain, limit = (count / rows - share) / share, self.limit(share)
            if gain > SLACK:
                gains.append(gain * self.beta / limit if limit > 0 else math.inf)
        return max(gains)

    def accepts(self, value: float) -> bool:
        return value <= self.beta * (1 + SLACK)

    def reaches(self, present: Collection[int], column: SensitiveColumn) -> bool:
        return math.fsum(self.cap(column.share(value)) for value in present) >= 1 - SLACK

    def core_rule(self, column: SensitiveColumn | None) -> CoreRule:
        assert column is not None
        caps = [self.cap(share) for share in column.shares]
        return CoreRule(kind="shares", floors=[0.0] * len(caps), caps=caps)

    def most_belief(self, value: int, column: SensitiveColumn) -> float:
        return min(1.0, self.cap(column.share(value)))

    @classmethod
    def undemanded(cls, values: ValueShares) -> Mapping[str | None, float | None]:
        greatest = values.greatest(values.gains)
        gain = None if greatest is None else max(0.0, greatest)
        return {None: gain if values.gains_are_bounded else None, "basic": gain}
