"""(alpha,k)-anonymity: in no group is a sensitive value more frequent than alpha.

The k is the policy's.

Paper: Wong, Li, Fu and Wang, KDD 2006.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from shoal.errors import PolicyError
from shoal.model.table.people import People, SensitiveColumn
from shoal.privacy._base import SLACK, SensitiveModel, between


@dataclass(frozen=True, kw_only=True)
class AlphaKAnonymity(SensitiveModel):
    """Groups in which no sensitive value has a share above alpha.

    Unions of admitted groups are admitted: a share in a union lies between the shares in its parts. Supersets
    are not: with alpha = 1/2, {a, b} is admitted and {a, b, b} is not.

    Parameters
    ----------
    alpha
        Greatest share, 0 to 1.
    values
        The values that are sensitive; all of the column when empty.
    """

    alpha: float
    values: tuple[str, ...] = ()

    name = "alpha-k-anonymity"
    lower_is_safer = True

    def __post_init__(self) -> None:
        super().__post_init__()
        between(self.name, "alpha", self.alpha, 0, 1)
        if not isinstance(self.values, tuple) or not all(isinstance(each, str) for each in self.values):
            raise PolicyError(f"{self.name}: values is a list of texts")

    @property
    def demand(self) -> str:
        which = "any value" if not self.values else f"{len(self.values)} value(s)"
        return f"share of {which} of {self.attribute!r} at most {self.alpha:g} in each group"

    def check(self, people: People) -> None:
        known = people.column(self.attribute).values
        for value in self.values:
            if value not in known:
                # No hint at the values that exist: messages hold no cell of the table.
                raise PolicyError(f"{self.name}: column {self.attribute!r} has no value {value!r}")

    def capped(self, column: SensitiveColumn) -> set[int]:
        """The codes whose share is limited."""
        if not self.values:
            return set(range(len(column.counts)))
        return {code for code, value in enumerate(column.values) if value in self.values}

    def value(self, histogram: Mapping[int, int], column: SensitiveColumn) -> float:
        rows, capped = sum(histogram.values()), self.capped(column)
        return max((count / rows for value, count in histogram.items() if value in capped), default=0.0)

    def accepts(self, value: float) -> bool:
        return value <= self.alpha + SLACK

    def reaches(self, present: Collection[int], column: SensitiveColumn) -> bool:
        capped = self.capped(column)
        # Every share may use its slack: seven values reach alpha = 0.142857142.
        return sum(self.alpha + SLACK if value in capped else 1 for value in present) >= 1 - SLACK
