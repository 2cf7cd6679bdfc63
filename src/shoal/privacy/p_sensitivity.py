"""p-sensitive k-anonymity: every group of a k-anonymous release has at least p different sensitive values.

The k is the policy's. As a demand on a group it is distinct l-diversity; the two come from two papers, and a
report should name the one that the data holder chose.

Paper: Truta and Vinay, ICDE Workshops 2006.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from shoal.errors import PolicyError
from shoal.model.table.people import People, SensitiveColumn
from shoal.privacy._base import SensitiveModel, at_least


@dataclass(frozen=True, kw_only=True)
class PSensitivity(SensitiveModel):
    """Groups of at least p distinct values.

    Both facts hold: further rows take no value away.

    Parameters
    ----------
    p
        Least distinct values of a group.
    """

    p: int

    name = "p-sensitivity"
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
