"""k-anonymity: every row hides among at least k - 1 others with the same quasi-identifiers.

Where one person has many rows, k rows may be one person; then persons are counted, by the column that tells
them apart.

Paper: Samarati and Sweeney, 1998; Sweeney, IJUFKS 10(5), 2002.
"""

from __future__ import annotations

from dataclasses import dataclass

from shoal.errors import PolicyError
from shoal.model.table.people import Group, People
from shoal.privacy._base import GroupModel, at_least


@dataclass(frozen=True)
class KAnonymity(GroupModel):
    """Groups of at least k rows, or k persons.

    Both facts hold: a superset has no fewer rows and no fewer persons, and so a union has no fewer either.

    Parameters
    ----------
    k
        Least rows, or persons, of a group.
    entity
        The column that tells persons apart; `None` if every row is one.
    """

    k: int
    entity: str | None = None

    name = "k-anonymity"
    supersets_are_admitted = True

    def __post_init__(self) -> None:
        at_least(self.name, "k", self.k, 1, whole=True)
        if self.entity is not None and not isinstance(self.entity, str):
            raise PolicyError(f"{self.name}: entity names a column; it is {self.entity!r}")

    @property
    def columns(self) -> tuple[str, ...]:
        return () if self.entity is None else (self.entity,)

    @property
    def demand(self) -> str:
        return f"at least {self.k} {'rows' if self.entity is None else 'persons'} in each group"

    def measure(self, group: Group, people: People) -> int:
        if self.entity is None:
            return group.rows
        return len(group.histogram(people.position(self.entity)))

    def admits(self, group: Group, people: People) -> bool:
        return self.measure(group, people) >= self.k
