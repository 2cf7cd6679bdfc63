"""Row suppression: values stay as they are, and rows with too few equal ones are suppressed.

Groups are fixed, so there is one release that keeps every admitted group. An average risk can demand fewer;
then the cheapest are given up.

Paper: Ciriani et al., k-Anonymity, 2007, section 3 (_TS). Proof: docs/algorithms/suppress-rows.md.
"""

from __future__ import annotations

from dataclasses import dataclass

from shoal import _core
from shoal.algorithms._base import ONE_SET, Algorithm
from shoal.algorithms._definitions import admissible, made_by
from shoal.algorithms._giving_up import with_given_up
from shoal.algorithms._rules import is_known, rows_at_risk
from shoal.model.description import Description
from shoal.model.policy.budget import Budget, ProgressCallback
from shoal.model.policy.recoding_model import RecodingModel
from shoal.model.recoding.level_recoding import LevelRecoding
from shoal.model.result.problem import Problem
from shoal.model.result.result import Result, Status
from shoal.model.result.searched_kind import WHOLE_ROWS


@dataclass(frozen=True, kw_only=True)
class SuppressRows(Algorithm):
    """The rows that must go, and no others."""

    name = "suppress-rows"
    description = Description(
        title="Leave out rows",
        short="The rows that must go, proved",
        meaning="Leaves out the rows that are not private enough and releases the others as they are.",
        when="When values must not be changed.",
    )
    searches = WHOLE_ROWS
    guarantee = Status.OPTIMAL
    recoding_models = (RecodingModel.TS,)
    needs_hierarchies = True

    def supports(self, problem: Problem) -> str | None:
        if any(least > 0 for least, _ in problem.levels):
            return "it generalizes nothing, and min_level demands it; use 'lattice', or leave min_level out"
        unsupported = [model.name for model in problem.release_models if not is_known(model)]
        unsupported += [model.name for model in rows_at_risk(problem)]
        if unsupported:
            return (
                f"it does not know which groups to suppress for {unsupported[0]!r}, a demand on all of them"
            )
        return ONE_SET if len(problem.sets) > 1 else None

    def solve(
        self,
        problem: Problem,
        budget: Budget,  # noqa: ARG002  there is nothing to search
        *,
        threads: int = 1,  # noqa: ARG002
        seed: int = 0,  # noqa: ARG002
        on_progress: ProgressCallback | None = None,  # noqa: ARG002
    ) -> Result:
        started = _core.now()
        table = problem.table
        every = LevelRecoding((0,) * len(table.domains))
        recoding, is_proved = with_given_up(problem, every)
        groups = made_by(problem, recoding)
        seconds = _core.now() - started
        if not admissible(problem, groups):
            needed = groups.suppressed + problem.fewest_given_up(groups.sizes[groups.kept].tolist())
            return Result(
                status=Status.INFEASIBLE,
                algorithm=self.name,
                suppressed=needed,
                nodes=1,
                seconds=seconds,
                reason=_why_not(problem, needed),
            )
        cost = bound = problem.cost.of(table, recoding, problem.k, problem.group_models)
        if not is_proved:  # no release costs less than one that may ignore the risk
            bound = problem.cost.of(table, every, problem.k, problem.group_models)
        return Result(
            status=Status.OPTIMAL if bound == cost else Status.FEASIBLE,
            algorithm=self.name,
            recoding=recoding,
            cost=cost,
            bound=bound,
            suppressed=groups.suppressed,
            nodes=1,
            seconds=seconds,
        )


def _why_not(problem: Problem, needed: int) -> str:
    rows = problem.table.rows
    demands = f"k = {problem.k}" + (" and the other demands" if problem.models else "")
    if needed > problem.most_suppressed:
        allow = f"Allow suppression = {needed}, choose" if needed < rows else "Choose"
        return (
            f"without generalizing, {needed:,} of {rows:,} row(s) must be suppressed to reach "
            f"{demands}, and suppression allows {problem.most_suppressed:,}. {allow} a smaller k, or a model "
            'that generalizes: model = "AG_TS"'
        )
    return (
        f"without generalizing, no choice of rows reaches {demands}: people who match no row are refused. "
        'Choose a model that generalizes: model = "AG_"'
    )
