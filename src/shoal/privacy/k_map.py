"""k-map: every released row is like at least k people of the population, in the table or not.

The population is a table of its own, or is estimated by survey weights: a row that weighs 40 stands for 40
people.

Paper: Sweeney, Computational Disclosure Control, 2001; El Emam and Dankar, JAMIA 15(5), 2008.
"""

from __future__ import annotations

from dataclasses import dataclass

from shoal.model.table.people import Group, People
from shoal.privacy._base import GroupModel, at_least


@dataclass(frozen=True, kw_only=True)
class KMap(GroupModel):
    """Groups that stand for at least k people.

    Both facts hold: a superset stands for no fewer people.

    Parameters
    ----------
    k
        Least people.
    """

    k: int

    name = "k-map"
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
