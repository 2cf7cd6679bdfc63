"""K-Optimize: the set-enumeration search for an optimal recoding over cuts.

The paper's algorithm with its two wrong rules repaired; otherwise unchanged, for comparison and study. The
default `exact` gives the same costs with far less work.

Paper: Bayardo and Agrawal, ICDE 2005. Deviations: docs/algorithms/k-optimize.md.
"""

from __future__ import annotations

from shoal import _core
from shoal.algorithms.cuts._cuts import CutSearch
from shoal.model.description import Description
from shoal.model.result.result import Status
from shoal.model.result.searched_kind import CUTS


class KOptimize(CutSearch):
    """Optimal cuts by depth-first search of the set-enumeration tree."""

    name = "k-optimize"
    description = Description(
        title="K-Optimize",
        short="The best intervals and sets, by another tree",
        meaning="Finds what Exact finds, by Bayardo and Agrawal's search, repaired.",
        when="For comparison and study; Exact is faster.",
    )
    searches = CUTS
    guarantee = Status.OPTIMAL
    kernel = staticmethod(_core.k_optimize)
