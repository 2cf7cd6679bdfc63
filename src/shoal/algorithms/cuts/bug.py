"""Bottom-up generalization: from the values up, by the steps that lose least of the class per row gained.

Begins with every value as it is. A step joins the children of a node of a hierarchy, or two neighbouring
intervals of a column without hierarchy. It ends as soon as k, the limit and the models are satisfied.

Paper: Wang, Yu and Chakraborty, ICDM 2004. What was changed: docs/algorithms/bug.md.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from shoal import _core
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
    without_step,
)
from shoal.model.description import Description
from shoal.model.policy.budget import Budget, ProgressCallback
from shoal.model.result.problem import Problem
from shoal.model.result.result import Result, Status
from shoal.model.result.searched_kind import TREE_CUTS


@dataclass(frozen=True, kw_only=True)
class Bug(Algorithm):
    """Cuts by generalizing for a class."""

    name = "bug"
    description = Description(
        title="Bottom-up generalization",
        short="Labels for a class, from the values up",
        meaning="Begins with the values and makes coarser those that the class column needs least.",
        when="To repeat a study; top-down is mostly faster.",
    )
    searches = TREE_CUTS
    guarantee = Status.FEASIBLE
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
        status, cuts, interrupted = Status.UNKNOWN, None, False
        try:
            cuts = climbed(limited, watch)
            is_proof = (
                limited.rises and limited.limit == problem.limit
            )  # then the top decides for all below it
            nothing = Status.INFEASIBLE if is_proof else Status.UNKNOWN
            status = nothing if cuts is None else Status.FEASIBLE
        except (BudgetEnded, KeyboardInterrupt) as end:
            interrupted = isinstance(end, KeyboardInterrupt)
        return stepped(problem, self.name, status, cuts, watch, interrupted=interrupted)


def climbed(problem: Problem, watch: Watch) -> Cuts | None:
    """The first admissible recoding on the way up; `None` if there is none."""
    steps, groups = Steps(problem.table), groups_for(problem)
    cuts = steps.finest
    while True:
        watch.look()
        groups.move_to(plain(cuts))
        if groups.admissible:
            return cuts
        step = chosen(list(steps.up(cuts)), cuts, groups, watch)
        if step is None:
            return None
        cuts = without_step(cuts, step)


def chosen(possible: list[Step], cuts: Cuts, groups: _core.CutGroups, watch: Watch) -> Step | None:
    """The step of least loss per row that the smallest group gains; of least loss if none gains anything.

    Ties go to the first attribute and code.
    """
    anonymity, span = groups.smallest()
    best: tuple[Fraction, Step] | None = None
    for step in possible:
        first, last = span[step.attribute]
        # A smallest group without the joined values stays as it is.
        if not (step.first <= first and last < step.end):
            continue
        watch.look()
        groups.move_to(plain(without_step(cuts, step)))
        gained = groups.smallest()[0] - anonymity
        if gained > 0 and (best is None or Fraction(step.gain, gained) < best[0]):
            best = Fraction(step.gain, gained), step
    return min(possible, key=lambda step: step.gain, default=None) if best is None else best[1]
