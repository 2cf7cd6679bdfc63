"""A genetic algorithm over cuts that obey hierarchies: good answers within a budget, no proof.

A member of the population is a set of cuts, repaired to a cut through each hierarchy; a column without
hierarchy may be cut anywhere. The same seed gives the same answer.

Paper: Iyengar, KDD 2002. What was changed: docs/algorithms/genetic.md.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from shoal import _core
from shoal.algorithms.cuts._stochastic import StochasticSearch
from shoal.errors import PolicyError
from shoal.model.description import Description
from shoal.model.parameter import parameter
from shoal.model.result.searched_kind import TREE_CUTS
from shoal.model.table.frequency_table import FrequencyTable

MOST_MEMBERS = 1_000_000


@dataclass(frozen=True, kw_only=True)
class Genetic(StochasticSearch):
    """Good cuts by crossover, mutation and selection.

    Parameters
    ----------
    members
        How many recodings the population has.
    """

    name = "genetic"
    description = Description(
        title="Genetic",
        short="Good labels by evolution",
        meaning="Breeds a population of recodings and keeps the best (Iyengar). Proves nothing.",
        when="To repeat a study, or for odd costs on large tables.",
    )
    searches = TREE_CUTS
    kernel = staticmethod(_core.genetic)

    members: int = field(default=100, metadata=parameter("Recodings in the population"))

    def __post_init__(self) -> None:
        whole = isinstance(self.members, int) and not isinstance(self.members, bool)
        if not whole or not 2 <= self.members <= MOST_MEMBERS:
            raise PolicyError(
                f"members must be a whole number from 2 to {MOST_MEMBERS:,}; it is {self.members!r}"
            )

    def shape(self, table: FrequencyTable) -> dict[str, Any]:
        return {**super().shape(table), "population": self.members}
