"""k-anonymity: every row hides among at least k - 1 others with the same quasi-identifiers.

Where one person has many rows, k rows may be one person; then persons are counted, by the column that tells
them apart.

Paper: Samarati and Sweeney, 1998; Sweeney, IJUFKS 10(5), 2002.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Self

from shoal.errors import PolicyError
from shoal.model.description import Description
from shoal.model.parameter import parameter
from shoal.model.table.people import Group, People, SensitiveColumn
from shoal.privacy._base import GroupModel, at_least
from shoal.privacy._core_rule import CoreRule


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

    k: int = field(metadata=parameter("k", "Least rows, or persons, of a group.", start=20))
    entity: str | None = field(
        default=None,
        metadata=parameter(
            "Counted by column", "This column identifies persons; without it every row is one person."
        ),
    )

    name = "k-anonymity"
    description = Description(
        title="k-anonymity",
        short="Everybody hides among at least k",
        meaning="Anyone who knows a person's quasi-identifiers finds at least k rows, or k persons, that "
        "look the same.",
        when="As a second floor in addition to the policy's own k: for instance k rows and, of another "
        "column, k persons.",
        limits="It does not look at what the rows have in common: if all k have one diagnosis, the "
        "diagnosis is known.",
        example="k = 3: “woman, 40 to 49, postcode 101**” must be on at least three rows.",
    )
    measures = "fewest rows, or persons, of a group"
    unit = "persons"
    supersets_are_admitted = True

    def __post_init__(self) -> None:
        at_least(self.name, "k", self.k, 1, whole=True)
        if self.entity is not None and not isinstance(self.entity, str):
            raise PolicyError(f"{self.name}: entity names a column; it is {self.entity!r}")

    @property
    def columns(self) -> tuple[str, ...]:
        return () if self.entity is None else (self.entity,)

    @property
    def person_columns(self) -> tuple[str, ...]:
        return self.columns

    @property
    def least_rows(self) -> int:
        return self.k

    @property
    def size_alone(self) -> bool:
        return self.entity is None

    @property
    def distinct_demand(self) -> tuple[str, int] | None:
        return None if self.entity is None else (self.entity, self.k)

    @property
    def label(self) -> str:
        return f"k={self.k}" if self.entity is None else self.entity

    @classmethod
    def weakest(cls, *, entity: str | None, population: bool) -> Self | None:  # noqa: ARG003
        return None if entity is None else cls(1, entity)

    @property
    def demand(self) -> str:
        return f"at least {self.k} {'rows' if self.entity is None else 'persons'} in each group"

    def measure(self, group: Group, people: People) -> int:
        if self.entity is None:
            return group.rows
        return len(group.histogram(people.position(self.entity)))

    def admits(self, group: Group, people: People) -> bool:
        return self.measure(group, people) >= self.k

    def core_rule(self, column: SensitiveColumn | None) -> CoreRule:
        return CoreRule(kind="size") if column is None else CoreRule(kind="distinct", least=self.k)
