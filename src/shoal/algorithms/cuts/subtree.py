"""Optimal cuts through hierarchies: between levels and free cuts.

Every released value is a node of its hierarchy, neighbours at different depths. The search is that of
`exact` with nodes that are opened in place of cuts.

Paper: the hierarchy-restricted variation of Bayardo and Agrawal, ICDE 2005, section 4, which they do not
search. Proofs and measurements: docs/algorithms/subtree.md.
"""

from __future__ import annotations

from dataclasses import dataclass

from shoal import _core
from shoal.algorithms.cuts._tree_cuts import TreeCutSearch
from shoal.cost import CostMetric
from shoal.model.description import Description
from shoal.model.policy.budget import Budget
from shoal.model.result.problem import Problem
from shoal.model.result.result import Status
from shoal.model.result.searched_kind import SUBTREES


@dataclass(frozen=True, kw_only=True)
class Subtree(TreeCutSearch):
    """Optimal nodes by best-first search with one hierarchy solved by dynamic programming."""

    name = "subtree"
    description = Description(
        title="Subtrees",
        short="The best labels at mixed depths, proved",
        meaning="Releases labels of the hierarchies, some coarser than others, and proves that none of "
        "this kind loses less.",
        when="When readers should find familiar labels, but not all equally coarse.",
    )
    searches = SUBTREES
    guarantee = Status.OPTIMAL
    needs_hierarchies = True
    kernel = staticmethod(_core.subtree)
    begins_with_levels = True

    @classmethod
    def minimizes(cls, cost: type[CostMetric]) -> bool:
        return super().minimizes(cost) or cost.needs_levels == "cell"

    def climbs(self, problem: Problem, budget: Budget) -> int:
        """Few starts: the search needs no good incumbent, and a climb prices its neighbours from scratch."""
        return min(super().climbs(problem, budget), max(1, min(4, 100_000 // len(problem.table.counts))))
