"""Iterated two-phase hill climbing over cuts: good answers at once, no proof.

It goes on improving until the budget ends; without a budget it stops after a fixed number of starts.

Paper: Bayardo and Agrawal, ICDE 2005, section 7.3. Deviations: docs/algorithms/hill-climb.md.
"""

from __future__ import annotations

from dataclasses import replace

from shoal import _core
from shoal.algorithms._cuts import CutSearch
from shoal.model.budget import Budget, ProgressCallback
from shoal.model.problem import Problem
from shoal.model.result import Result, Status


class HillClimb(CutSearch):
    """Good cuts by removing and adding single ones, from many starts."""

    name = "hill-climb"
    guarantee = Status.FEASIBLE
    kernel = staticmethod(_core.hill_climb)
    starts = 256

    def solve(
        self,
        problem: Problem,
        budget: Budget,
        *,
        threads: int = 1,
        seed: int = 0,
        on_progress: ProgressCallback | None = None,
    ) -> Result:
        endless = budget.seconds is None and budget.nodes is None
        self.climbs = self.starts if endless else 0
        result = super().solve(problem, budget, threads=threads, seed=seed, on_progress=on_progress)
        return replace(result, bound=None)
