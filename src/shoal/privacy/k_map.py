"""k-map: every released row is like at least k people of the population, in the table or not.

The population is a table of its own, or is estimated by survey weights: a row that weighs 40 stands for 40
people.

Paper: Sweeney, Computational Disclosure Control, 2001; El Emam and Dankar, JAMIA 15(5), 2008.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Self

from shoal.model.description import Description
from shoal.model.parameter import parameter
from shoal.model.table.people import PARTS_OF_A_PERSON, Group, People, SensitiveColumn
from shoal.privacy._base import GroupModel, at_least
from shoal.privacy._core_rule import CoreRule


@dataclass(frozen=True, kw_only=True)
class KMap(GroupModel):
    """Groups that stand for at least k people.

    Both facts hold: a superset stands for no fewer people.

    Parameters
    ----------
    k
        Least people.
    """

    k: int = field(metadata=parameter("k", "Least people of the population who look like a row.", start=10))

    name = "k-map"
    description = Description(
        title="k-map",
        short="Everybody hides among k people of the population",
        meaning="Each released row is like at least k people of the population, whether they are in the "
        "table or not.",
        when="When the table is a sample and nobody knows who is in it. Loses less than k-anonymity of the "
        "same k. Needs a table of the population, or a column of survey weights.",
        limits="It does not protect from somebody who knows that a person is in the table.",
        example="k = 10: a single baker aged 50 in the table may be released if the town has ten of them.",
    )
    measures = "fewest people of the population who look like a group"
    unit = "k"
    supersets_are_admitted = True
    needs_population = True

    def __post_init__(self) -> None:
        at_least(self.name, "k", self.k, 1, whole=True)

    @property
    def demand(self) -> str:
        return f"at least {self.k} people of the population like each row"

    def measure(self, group: Group, people: People) -> float:  # noqa: ARG002
        return float(group.population)

    def admits(self, group: Group, people: People) -> bool:  # noqa: ARG002
        return group.population >= self.k

    def core_rule(self, column: SensitiveColumn | None) -> CoreRule:  # noqa: ARG002
        return CoreRule(kind="population", least=float(self.k * PARTS_OF_A_PERSON))

    @classmethod
    def weakest(cls, *, entity: str | None, population: bool) -> Self | None:  # noqa: ARG003
        return cls(k=1) if population else None
