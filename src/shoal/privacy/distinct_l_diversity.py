"""Distinct l-diversity: every group has at least l different sensitive values.

Paper: Machanavajjhala, Gehrke, Kifer and Venkitasubramaniam, TKDD 1(1), 2007, section 4.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from shoal.model.table.people import SensitiveColumn
from shoal.privacy._base import SensitiveModel, at_least


@dataclass(frozen=True, kw_only=True)
class DistinctLDiversity(SensitiveModel):
    """Groups of at least l distinct values.

    Both facts hold: further rows take no value away.

    Parameters
    ----------
    l
        Least distinct values of a group.
    """

    l: int  # noqa: E741  its name in every paper

    name = "distinct-l-diversity"
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
