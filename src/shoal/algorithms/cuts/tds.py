"""Top-down specialization: from one group down, by the steps that reveal most about the class per row lost.

Begins with everything joined. A step divides one value: a node of a hierarchy into its children, an interval
of a column without hierarchy into two. Of the steps that keep k, the limit and the models it takes the one
with the greatest score, until none is left.

Paper: Fung, Wang and Yu, ICDE 2005. What was changed: docs/algorithms/tds.md.
"""

from __future__ import annotations

from dataclasses import dataclass

from shoal.algorithms._base import Algorithm
from shoal.algorithms._watch import BudgetEnded, Watch
from shoal.algorithms.cuts._descent import Descent
from shoal.algorithms.cuts._specializations import (
    Steps,
    as_in_the_paper,
    groups_for,
    stepped,
    why_not_stepped,
)
from shoal.model.description import Description
from shoal.model.policy.budget import Budget, ProgressCallback
from shoal.model.result.problem import Problem
from shoal.model.result.result import Result, Status
from shoal.model.result.searched_kind import TREE_CUTS


@dataclass(frozen=True, kw_only=True)
class Tds(Algorithm):
    """Cuts by specializing for a class."""

    name = "tds"
    description = Description(
        title="Top-down specialization",
        short="Labels that keep a class predictable",
        meaning="Begins with the coarsest values and makes finer those that help to predict the class "
        "column.",
        when="When readers train a classifier.",
    )
    searches = TREE_CUTS
    guarantee = Status.MINIMAL
    joins_neighbours = True

    def supports(self, problem: Problem) -> str | None:
        return why_not_stepped(problem)

    def solve(
        self,
        problem: Problem,
        budget: Budget,
        *,
        threads: int = 1,  # noqa: ARG002
        seed: int = 0,  # noqa: ARG002
        on_progress: ProgressCallback | None = None,
    ) -> Result:
        watch = Watch(budget, on_progress)
        limited = as_in_the_paper(problem)
        # Only then is all below an inadmissible recoding inadmissible too, also under the stated limit.
        is_proof = limited.rises and limited.limit == problem.limit
        status, interrupted, descent = Status.UNKNOWN, False, way_down(limited, watch)
        try:
            descent.begin()
            if descent.cuts is None:
                status = Status.INFEASIBLE if is_proof else Status.UNKNOWN
            else:
                status = Status.FEASIBLE
                while (best := descent.best()) is not None:
                    descent.take(best.step)
                status = Status.MINIMAL if is_proof else Status.FEASIBLE
        except (BudgetEnded, KeyboardInterrupt) as end:
            interrupted = isinstance(end, KeyboardInterrupt)
        return stepped(problem, self.name, status, descent.cuts, watch, interrupted=interrupted)


def way_down(problem: Problem, watch: Watch) -> Descent:
    """The way down a problem that has a limit on suppressed rows."""
    table = problem.table
    return Descent(Steps(table), table.sizes.tolist(), groups_for(problem), watch, rises=problem.rises)
