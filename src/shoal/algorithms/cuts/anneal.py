"""Simulated annealing over cuts that obey hierarchies: good answers within a budget, no proof.

From a recoding it goes to a neighbour, which opens or closes one node of a hierarchy or adds or removes
one cut; to a worse one with a chance that falls as it cools. The same seed gives the same answer.

Paper: Winkler, Census Bureau Statistics 2002-7. What was changed: docs/algorithms/anneal.md.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from shoal import _core
from shoal.algorithms.cuts._stochastic import StochasticSearch
from shoal.model.description import Description
from shoal.model.result.searched_kind import TREE_CUTS
from shoal.model.table.frequency_table import FrequencyTable

LOOKS_PER_CUT = 40
LONGEST_COOLING = 5_000


@dataclass(frozen=True, kw_only=True)
class Anneal(StochasticSearch):
    """Good cuts by repeated walks that cool down."""

    name = "anneal"
    description = Description(
        title="Annealing",
        short="Good labels by chance that cools down",
        meaning="Changes a recoding at random, ever more carefully (Winkler). Proves nothing.",
        when="To repeat a study.",
    )
    searches = TREE_CUTS
    kernel = staticmethod(_core.anneal)

    def shape(self, table: FrequencyTable) -> dict[str, Any]:
        # The budget does not matter here: a longer search extends a shorter one.
        cuts = int(table.sizes.sum()) - len(table.domains)
        return {**super().shape(table), "cooling": max(1, min(LONGEST_COOLING, LOOKS_PER_CUT * cuts))}
