"""What `genetic` and `anneal` share: they go on until the budget ends, prove nothing, and draw by a seed."""

from __future__ import annotations

from dataclasses import replace
from typing import ClassVar

from shoal.algorithms.cuts._tree_cuts import TreeCutSearch
from shoal.model.policy.budget import Budget, ProgressCallback
from shoal.model.recoding.recoding import Recoding
from shoal.model.result.problem import Problem
from shoal.model.result.result import Result, Status


class StochasticSearch(TreeCutSearch):
    """A search that tries one recoding after the other; each try is a node."""

    guarantee = Status.FEASIBLE

    looks: ClassVar[int] = 20_000
    """How many recodings it tries if no budget is stated."""

    def climbs(self, problem: Problem, budget: Budget) -> int:  # noqa: ARG002
        """None: it has starts of its own."""
        return 0

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
        if not budget.goes_on:
            budget = replace(budget, nodes=self.looks)
        result = super().solve(
            problem, budget, threads=threads, seed=seed, on_progress=on_progress, start=start
        )
        return result if result.recoding is None else replace(result, status=Status.FEASIBLE, bound=None)
