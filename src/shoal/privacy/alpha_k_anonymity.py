"""(alpha,k)-anonymity: in no group is a sensitive value more frequent than alpha.

The k is the policy's.

Paper: Wong, Li, Fu and Wang, KDD 2006.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

from shoal.errors import PolicyError
from shoal.model.description import Description
from shoal.model.parameter import parameter
from shoal.model.table.people import People, SensitiveColumn
from shoal.privacy._base import SensitiveModel, between
from shoal.privacy._core_rule import ANY_SHARE, CoreRule
from shoal.privacy._slack import SLACK
from shoal.privacy._value_shares import ValueShares


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

    alpha: float = field(
        metadata=parameter("alpha", "Greatest share of a value in a group, 0 to 1.", start=0.5, step=0.05)
    )
    values: tuple[str, ...] = field(
        default=(),
        metadata=parameter("Delicate values", "Type one and press Enter; all values if there are none."),
    )

    name = "alpha-k-anonymity"
    description = Description(
        title="(alpha,k)-anonymity",
        short="No delicate value has more than a share alpha",
        meaning="In no group does a value, or one of the values that you name, have a larger share than "
        "alpha.",
        when="When a few values are delicate and most are harmless: name the delicate ones.",
        limits="Values that are not named are not protected. A share can be much larger than in the whole "
        "table.",
        example="alpha = 0.3 for HIV: among ten rows at most three may have it.",
    )
    measures = "the largest share that one sensitive value has in a group"
    unit = "alpha"
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

    def core_rule(self, column: SensitiveColumn | None) -> CoreRule:
        assert column is not None
        capped, values = self.capped(column), range(len(column.counts))
        return CoreRule(
            kind="shares",
            floors=[0.0] * len(values),
            caps=[self.alpha + SLACK if value in capped else ANY_SHARE for value in values],
        )

    def most_belief(self, value: int, column: SensitiveColumn) -> float:
        return self.alpha if value in self.capped(column) else 1.0

    @classmethod
    def undemanded(cls, values: ValueShares) -> Mapping[str | None, float | None]:
        return {None: values.greatest(values.shares)}
