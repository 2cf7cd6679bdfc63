"""The default search over levels: the proved optimum for any metric and limit, costs monotone or not.

Branch and bound over boxes of the lattice, best bound first; what must be suppressed at the top of a box is
suppressed in all of it. Most nodes are never looked at, and the lattice is never held.

Proofs and measurements: docs/algorithms/lattice.md.
"""

from __future__ import annotations

from dataclasses import dataclass

from shoal import _core
from shoal.algorithms._lattice import Lattice, LevelAlgorithm
from shoal.model.budget import Budget, Progress, ProgressCallback
from shoal.model.level_recoding import LevelRecoding
from shoal.model.problem import Problem
from shoal.model.result import Result, Status


@dataclass(frozen=True, kw_only=True)
class LatticeSearch(LevelAlgorithm):
    """Optimal levels by branch and bound over boxes."""

    name = "lattice"
    guarantee = Status.OPTIMAL

    def solve(
        self,
        problem: Problem,
        budget: Budget,
        *,
        threads: int = 1,
        seed: int = 0,  # noqa: ARG002
        on_progress: ProgressCallback | None = None,
    ) -> Result:
        lattice = Lattice(problem)
        cost = lattice.priced.cost

        def moment(units: int, bound: int, nodes: int, seconds: float) -> Progress:
            found = units < _core.INFINITE
            return Progress(
                cost=float(cost(units)) if found else None,
                bound=float(cost(bound)) if found or bound < _core.INFINITE else None,
                nodes=nodes,
                seconds=seconds,
            )

        def forward(units: int, bound: int, nodes: int, seconds: float) -> None:
            if on_progress is not None:
                on_progress(moment(units, bound, nodes, seconds))

        answer = lattice.core.search(
            lattice.priced.price,
            k=problem.k,
            limit=problem.most_suppressed,
            low=list(lattice.low),
            high=list(lattice.high),
            seconds=budget.seconds,
            nodes=budget.nodes,
            gap=budget.gap,
            threads=threads,
            callback=None if on_progress is None else forward,
        )
        trace = tuple(moment(each.cost, each.bound, each.nodes, each.seconds) for each in answer.trace)
        if not answer.found:
            return Result(
                status=Status.INFEASIBLE if answer.proved else Status.UNKNOWN,
                algorithm=self.name,
                nodes=answer.nodes,
                seconds=answer.seconds,
                interrupted=answer.interrupted,
                trace=trace,
            )
        return Result(
            status=Status.OPTIMAL if answer.proved else Status.FEASIBLE,
            algorithm=self.name,
            recoding=LevelRecoding(tuple(answer.levels)),
            cost=cost(answer.cost),
            bound=cost(answer.bound),
            suppressed=answer.suppressed,
            nodes=answer.nodes,
            seconds=answer.seconds,
            interrupted=answer.interrupted,
            trace=trace,
        )
