"""Algorithms by the name they have in a policy."""

from __future__ import annotations

from shoal.algorithms._base import Algorithm
from shoal.algorithms.exact import Exact
from shoal.algorithms.exhaustive import Exhaustive
from shoal.algorithms.hill_climb import HillClimb
from shoal.algorithms.k_optimize import KOptimize

ALGORITHMS: dict[str, type[Algorithm]] = {
    algorithm.name: algorithm for algorithm in (Exact, KOptimize, HillClimb, Exhaustive)
}

DEFAULT = Exact.name
"""What "auto" means for cuts."""

__all__ = ["ALGORITHMS", "DEFAULT", "Algorithm"]
