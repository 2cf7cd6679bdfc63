"""K-Optimize: the set-enumeration search for an optimal recoding over cuts.

The paper's algorithm with its two wrong rules repaired; kept recognizable, for comparison and study. The
default `exact` gives the same costs with far less work.

Paper: Bayardo and Agrawal, ICDE 2005. Deviations: docs/algorithms/k-optimize.md.
"""

from __future__ import annotations

from shoal import _core
from shoal.algorithms.cuts._cuts import CutSearch
from shoal.model.result.result import Status


class KOptimize(CutSearch):
    """Optimal cuts by depth-first search of the set-enumeration tree."""

    name = "k-optimize"
    guarantee = Status.OPTIMAL
    kernel = staticmethod(_core.k_optimize)
