"""The default search over cuts: proved optima where K-Optimize's tree grows too large.

One attribute, the axis, leaves the tree and is solved by dynamic programming at every node; the same
dynamic program over the allset gives the lower bound. Nodes are explored best bound first, in rounds that
do not depend on the number of threads.

Proofs and measurements: docs/algorithms/exact.md.
"""

from __future__ import annotations

from shoal import _core
from shoal.algorithms.cuts._cuts import CutSearch
from shoal.model.description import Description
from shoal.model.result.problem import Problem
from shoal.model.result.result import Status
from shoal.model.result.searched_kind import CUTS


class Exact(CutSearch):
    """Optimal cuts by best-first search with a projected attribute."""

    name = "exact"
    description = Description(
        title="Exact",
        short="The best intervals and sets, proved",
        meaning="Joins neighbouring values of each column into intervals or sets, and proves that no "
        "choice of this kind loses less. Shows how far it is from the best while it runs.",
        when="When every value of a column shall be released in one way, at the least loss.",
    )
    searches = CUTS
    guarantee = Status.OPTIMAL
    kernel = staticmethod(_core.exact)
    begins_with_levels = True

    def supports(self, problem: Problem) -> str | None:
        if problem.table.sizes.min() > _core.LONGEST_AXIS:
            shortest = min(problem.table.domains, key=len)
            return (
                f"every quasi-identifier has more than {_core.LONGEST_AXIS:,} distinct values "
                f"('{shortest.name}' has {len(shortest):,}); put the numbers into bins (bin = WIDTH), "
                "or use 'hill-climb'"
            )
        return super().supports(problem)
