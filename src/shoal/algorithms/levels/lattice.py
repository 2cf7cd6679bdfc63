"""The default search over levels: the proved optimum for any metric and limit, costs monotone or not.

Branch and bound over boxes of the lattice, best bound first; if no part of a group at the top of a box could
be released, its rows are suppressed in all of the box. It takes every privacy model, whether or not what is
above an admissible node is admissible; under an average risk it chooses which groups to give up, too. Most
nodes are never examined, and the lattice is never held in memory.

Proofs and measurements: docs/algorithms/lattice.md.
"""

from __future__ import annotations

from dataclasses import dataclass

from shoal import _core
from shoal.algorithms._answer import Reader
from shoal.algorithms._giving_up import result_with_given_up
from shoal.algorithms.levels._lattice import Lattice, LevelAlgorithm
from shoal.model.description import Description
from shoal.model.policy.budget import Budget, ProgressCallback
from shoal.model.recoding.level_recoding import LevelRecoding
from shoal.model.result.problem import Problem
from shoal.model.result.result import Result, Status
from shoal.model.result.searched_kind import LEVELS


@dataclass(frozen=True, kw_only=True)
class LatticeSearch(LevelAlgorithm):
    """Optimal levels by branch and bound over boxes."""

    name = "lattice"
    description = Description(
        title="Levels",
        short="The best level per column, proved",
        meaning="Chooses one level of each hierarchy for the whole column, and proves that no other choice "
        "of levels loses less.",
        when="When rules demand one scale per column, or when you come from ARX.",
    )
    searches = LEVELS
    guarantee = Status.OPTIMAL

    def solve(
        self,
        problem: Problem,
        budget: Budget,
        *,
        threads: int = 1,
        seed: int = 0,
        on_progress: ProgressCallback | None = None,
    ) -> Result:
        lattice = Lattice(problem)
        reader = Reader(self.name, lattice.priced.cost)
        answer = lattice.core.search(
            lattice.priced.price,
            k=lattice.least_rows,
            limit=problem.most_suppressed,
            low=list(lattice.low),
            high=list(lattice.high),
            seconds=budget.seconds,
            nodes=budget.nodes,
            gap=budget.gap,
            threads=threads,
            seed=seed,
            callback=reader.callback(on_progress),
        )
        return result_with_given_up(
            problem, reader.result(answer, lambda: LevelRecoding(tuple(answer.levels)))
        )

    def prove(
        self, problem: Problem, bound: int, on_progress: ProgressCallback | None = None
    ) -> _core.LatticeAnswer:
        """The lines of a proof that no levels cost less than a bound, in units: docs/proofs.md."""
        lattice = Lattice(problem)
        return lattice.core.prove(
            lattice.priced.price,
            k=lattice.least_rows,
            limit=problem.most_suppressed,
            low=list(lattice.low),
            high=list(lattice.high),
            bound=bound,
            callback=Reader(self.name, lattice.priced.cost).callback(on_progress),
        )
