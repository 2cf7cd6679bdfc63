"""k-anonymity: every row hides among at least k - 1 others with the same quasi-identifiers.

Paper: Samarati and Sweeney, 1998; Sweeney, IJUFKS 10(5), 2002.
"""

from __future__ import annotations

from dataclasses import dataclass

from shoal.errors import PolicyError
from shoal.privacy._base import Group, PrivacyModel


@dataclass(frozen=True)
class KAnonymity(PrivacyModel):
    """Groups of at least k rows.

    Both facts hold: a superset has no fewer rows, and so a union has no fewer either.
    """

    k: int

    name = "k-anonymity"
    supersets_are_admitted = True
    unions_are_admitted = True

    def __post_init__(self) -> None:
        if self.k < 1:
            raise PolicyError(f"k must be at least 1; it is {self.k}")

    def admits(self, group: Group) -> bool:
        return group.rows >= self.k
