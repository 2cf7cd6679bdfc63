"""p-sensitive k-anonymity: every group of a k-anonymous release has at least p different sensitive values.

The k is the policy's. As a demand on a group it is distinct l-diversity; the two come from two papers, and a
report should name the one that the data holder chose.

Paper: Truta and Vinay, ICDE Workshops 2006.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

from shoal.errors import PolicyError
from shoal.model.description import Description
from shoal.model.parameter import parameter
from shoal.model.table.people import People, SensitiveColumn
from shoal.privacy._base import SensitiveModel, at_least
from shoal.privacy._core_rule import CoreRule
from shoal.privacy._value_shares import ValueShares


@dataclass(frozen=True, kw_only=True)
class PSensitivity(SensitiveModel):
    """Groups of at least p distinct values.

    Both facts hold: further rows take no value away.

    Parameters
    ----------
    p
        Least distinct values of a group.
    """

    p: int = field(metadata=parameter("p", "Different values in each group.", start=3))

    name = "p-sensitivity"
    description = Description(
        title="p-sensitivity",
        short="At least p different values in every group",
        meaning="The same demand as distinct l-diversity, by the name that rules on p-sensitive k-anonymity "
        "use.",
        when="When a rule of your institution speaks of p-sensitive k-anonymity.",
        limits="It does not count how often values occur: of 100 rows 98 may have the same one.",
        example="p = 2: a group with flu, flu is refused; flu, asthma is released.",
    )
    measures = "fewest different sensitive values in a group"
    unit = "p"
    grows = True

    def __post_init__(self) -> None:
        super().__post_init__()
        at_least(self.name, "p", self.p, 1, whole=True)

    @property
    def demand(self) -> str:
        return f"at least {self.p} distinct values of {self.attribute!r} in each group"

    def check(self, people: People) -> None:
        """The paper's first necessary condition: the whole table must have p values."""
        found = len(people.column(self.attribute).counts)
        if found < self.p:
            raise PolicyError(
                f"{self.name}: column {self.attribute!r} has {found:,} distinct value(s), so no group can "
                f"have p = {self.p}; choose a smaller p"
            )

    def value(self, histogram: Mapping[int, int], column: SensitiveColumn) -> int:  # noqa: ARG002
        return len(histogram)

    def accepts(self, value: float) -> bool:
        return value >= self.p

    def reaches(self, present: Collection[int], column: SensitiveColumn) -> bool:  # noqa: ARG002
        return len(present) >= self.p

    @property
    def least_rows(self) -> int:
        return self.p

    @property
    def distinct_demand(self) -> tuple[str, int] | None:
        return None if self.joint else (self.attribute, self.p)

    def core_rule(self, column: SensitiveColumn | None) -> CoreRule:  # noqa: ARG002
        return CoreRule(kind="distinct", least=self.p)

    def most_belief(self, value: int, column: SensitiveColumn) -> float:  # noqa: ARG002
        return 1 / self.p

    @classmethod
    def undemanded(cls, values: ValueShares) -> Mapping[str | None, float | None]:
        return {None: values.least(values.distinct)}
