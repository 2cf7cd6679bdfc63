"""Top-down specialization: from one group down, by the steps that reveal most about the class per row lost.

Begins with everything joined. A step divides one value: a node of a hierarchy into its children, an interval
of a column without hierarchy into two. Of the steps that keep k, the limit and the models it takes the one
with the greatest score, until none is left.

Paper: Fung, Wang and Yu, ICDE 2005. What was changed: docs/algorithms/tds.md.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from shoal.algorithms._base import Algorithm
from shoal.algorithms._watch import BudgetEnded, Watch
from shoal.algorithms.cuts._specializations import (
    Cuts,
    Step,
    Steps,
    as_in_the_paper,
    groups_for,
    plain,
    stepped,
    why_not_stepped,
    with_step,
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
        status, interrupted, descent = Status.UNKNOWN, False, Descent(limited, watch)
        try:
            descent.begin()
            if descent.cuts is None:
                status = Status.INFEASIBLE if is_proof else Status.UNKNOWN
            else:
                status = Status.FEASIBLE
                while descent.go():
                    pass
                status = Status.MINIMAL if is_proof else Status.FEASIBLE
        except (BudgetEnded, KeyboardInterrupt) as end:
            interrupted = isinstance(end, KeyboardInterrupt)
        return stepped(problem, self.name, status, descent.cuts, watch, interrupted=interrupted)


class Descent:
    """The way down.

    Parameters
    ----------
    problem
        The problem, with a limit on suppressed rows.
    watch
        Counts the recodings that are examined.
    """

    def __init__(self, problem: Problem, watch: Watch) -> None:
        self.cuts: Cuts | None = None
        self._problem, self._watch = problem, watch
        self._steps, self._groups = Steps(problem.table), groups_for(problem)
        # Per interval of the recoding the steps that divide it, the greatest gain first.
        self._open: dict[tuple[int, int, int], list[Step]] = {}

    def begin(self) -> None:
        """Join everything; there are no cuts if that is not admissible."""
        self._watch.look()
        if not self._groups.admissible:
            return
        for attribute, size in enumerate(self._problem.table.sizes.tolist()):
            self._open[attribute, 0, size] = self._steps.down(attribute, 0, size)
        self.cuts = self._steps.coarsest

    def go(self) -> bool:
        """Go down the step of the greatest score; false if none is left."""
        assert self.cuts is not None
        self._groups.move_to(plain(self.cuts))
        anonymity = self._groups.smallest_kept
        best: tuple[Fraction, Step] | None = None
        for interval in sorted(self._open):  # ties go to the first attribute and code
            step = self._allowed(self.cuts, interval)
            if step is None:
                continue
            score = Fraction(step.gain, max(1, anonymity - self._groups.smallest_kept))
            if best is None or score > best[0]:
                best = score, step
        if best is None:
            return False
        step = best[1]
        del self._open[step.attribute, step.first, step.end]
        for first, end in step.parts:
            self._open[step.attribute, first, end] = self._steps.down(step.attribute, first, end)
        self.cuts = with_step(self.cuts, step)
        return True

    def _allowed(self, cuts: Cuts, interval: tuple[int, int, int]) -> Step | None:
        """The step of most gain that keeps the release admissible; the groups stay as it leaves them."""
        refused = []
        for step in self._open[interval]:
            self._watch.look()
            self._groups.move_to(plain(with_step(cuts, step)))
            if self._groups.admissible:
                break
            refused.append(step)
        else:
            step = None
        if self._problem.rises:  # what is refused here is refused below, too
            self._open[interval] = self._open[interval][len(refused) :]
        return step
