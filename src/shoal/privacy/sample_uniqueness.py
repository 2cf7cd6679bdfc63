"""Sample uniqueness: a limit on the share of released rows that are like no other released row."""

from __future__ import annotations

from dataclasses import dataclass

from shoal.model.description import Description
from shoal.privacy._at_risk import ShareAtRisk
from shoal.privacy._core_rule import CoreRule


@dataclass(frozen=True, kw_only=True)
class SampleUniqueness(ShareAtRisk):
    """A release in which at most a share `most` of the rows is unique. With a k of 2 or more none is."""

    name = "sample-uniqueness"
    description = Description(
        title="Sample uniqueness",
        short="A limit on the share of unique rows",
        meaning="Of the released rows at most this share may differ from every other one in the "
        "quasi-identifiers.",
        when="With k = 1, for a sample of a large population, in which a unique row need not be a unique "
        "person.",
        limits="A unique row may well be a unique person; limit population-uniqueness, too.",
        example="most 0.01: of 1,000 rows at most 10 are unique.",
    )
    measures = "the share of rows that are unique in the release"

    @property
    def at_risk_below(self) -> int:
        return 2

    @property
    def demand(self) -> str:
        return f"at most {self.most:.4g} of the rows unique"

    def core_rule(self) -> CoreRule:
        return CoreRule(kind="rows-at-risk", most=self.most, from_=2)
