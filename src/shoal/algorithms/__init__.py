"""Algorithms by the name they have in a policy."""

from __future__ import annotations

from shoal.algorithms._base import Algorithm
from shoal.algorithms.exhaustive import Exhaustive

ALGORITHMS: dict[str, type[Algorithm]] = {algorithm.name: algorithm for algorithm in (Exhaustive,)}

DEFAULT = "exact"
"""What "auto" means for cuts."""

__all__ = ["ALGORITHMS", "DEFAULT", "Algorithm"]
