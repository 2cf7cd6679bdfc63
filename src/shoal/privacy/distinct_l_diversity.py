"""Distinct l-diversity: every group has at least l different sensitive values.

Paper: Machanavajjhala, Gehrke, Kifer and Venkitasubramaniam, TKDD 1(1), 2007, section 4.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

from shoal.model.description import Description
from shoal.model.parameter import parameter
from shoal.model.table.people import SensitiveColumn
from shoal.privacy._base import SensitiveModel, at_least
from shoal.privacy._core_rule import CoreRule
from shoal.privacy._value_shares import ValueShares


@dataclass(frozen=True, kw_only=True)
class DistinctLDiversity(SensitiveModel):
    """Groups of at least l distinct values.

    Both facts hold: further rows take no value away.

    Parameters
    ----------
    l
        Least distinct values of a group.
    """

    l: int = field(  # noqa: E741  its name in every paper
        metadata=parameter("l", "Different values in each group.", start=3)
    )

    name = "distinct-l-diversity"
    description = Description(
        title="Distinct l-diversity",
        short="At least l different values in every group",
        meaning="In each group the sensitive column has at least l different values, so that finding a "
        "person's group does not reveal the value.",
        when="A first protection of a diagnosis or an income: easy to explain and to reach. Begin with 2 or "
        "3.",
        limits="It does not count how often values occur: of 100 rows 98 may have the same one.",
        example="l = 3: a group with flu, flu, asthma is refused; flu, asthma, diabetes is released.",
    )
    measures = "fewest different sensitive values in a group; 1 reveals everybody's value"
    unit = "l"
    grows = True

    def __post_init__(self) -> None:
        super().__post_init__()
        at_least(self.name, "l", self.l, 1, whole=True)

    @property
    def demand(self) -> str:
        return f"at least {self.l} distinct values of {self.attribute!r} in each group"

    def value(self, histogram: Mapping[int, int], column: SensitiveColumn) -> int:  # noqa: ARG002
        return len(histogram)

    def accepts(self, value: float) -> bool:
        return value >= self.l

    def reaches(self, present: Collection[int], column: SensitiveColumn) -> bool:  # noqa: ARG002
        return len(present) >= self.l

    @property
    def least_rows(self) -> int:
        return self.l

    @property
    def distinct_demand(self) -> tuple[str, int] | None:
        return None if self.joint else (self.attribute, self.l)

    def core_rule(self, column: SensitiveColumn | None) -> CoreRule:  # noqa: ARG002
        return CoreRule(kind="distinct", least=self.l)

    def most_belief(self, value: int, column: SensitiveColumn) -> float:  # noqa: ARG002
        return 1 / self.l  # what "l well represented values" means: one of l

    @classmethod
    def undemanded(cls, values: ValueShares) -> Mapping[str | None, float | None]:
        return {None: values.least(values.distinct)}
