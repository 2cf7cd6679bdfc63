"""Iterated two-phase hill climbing over cuts: good answers at once, no proof.

It goes on improving until the budget ends; without a budget it stops after a fixed number of starts.

Paper: Bayardo and Agrawal, ICDE 2005, section 7.3. Deviations: docs/algorithms/hill-climb.md.
"""

from __future__ import annotations

from dataclasses import replace

from shoal import _core
from shoal.algorithms.cuts._cuts import CutSearch
from shoal.model.description import Description
from shoal.model.policy.budget import Budget, ProgressCallback
from shoal.model.recoding.recoding import Recoding
from shoal.model.result.problem import Problem
from shoal.model.result.result import Result, Status
from shoal.model.result.searched_kind import CUTS


class HillClimb(CutSearch):
    """Good cuts by removing and adding single ones, from many starts."""

    name = "hill-climb"
    description = Description(
        title="Hill climbing",
        short="Good intervals and sets, quickly",
        meaning="Improves a choice of intervals and sets step by step until no step helps. Proves nothing.",
        when="When Exact takes too long.",
    )
    searches = CUTS
    guarantee = Status.FEASIBLE
    kernel = staticmethod(_core.hill_climb)

    def climbs(self, problem: Problem, budget: Budget) -> int:  # noqa: ARG002
        """As many starts as the budget allows; without one, a fixed number."""
        return 0 if budget.goes_on else 256

    def solve(
        self,
        problem: Problem,
        budget: Budget,
        *,
        threads: int = 1,
        seed: int = 0,
        on_progress: ProgressCallback | None = None,
        start: Recoding | None = None,
    ) -> Result:
        result = super().solve(
            problem, budget, threads=threads, seed=seed, on_progress=on_progress, start=start
        )
        return result if result.recoding is None else replace(result, status=Status.FEASIBLE, bound=None)
