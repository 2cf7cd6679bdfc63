"""beta-likeness: in no group is a sensitive value much more frequent than in the whole table, relatively.

Basic: (q - p) / p is at most beta for every value, p being its share in the table and q that in the group.
Enhanced: it is at most min(beta, -ln p), so that a frequent value cannot grow to certainty either.

Paper: Cao and Karras, PVLDB 5(11), 2012.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass

from shoal.errors import PolicyError
from shoal.model.table.people import SensitiveColumn
from shoal.privacy._base import SLACK, SensitiveModel, at_least


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

    beta: float
    enhanced: bool = True

    name = "beta-likeness"
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
