"""Searches on one counted table for policies that differ a little from its own."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from shoal.engines.sql.engine import SqlEngine
from shoal.errors import InfeasibleError, NotProvedError, PolicyError
from shoal.explanation.changes import Change, with_k
from shoal.model.policy.budget import Budget, ProgressCallback
from shoal.model.recoding.recoding import Recoding
from shoal.model.result.problem import Problem
from shoal.model.result.result import Result
from shoal.model.table.frequency_table import FrequencyTable
from shoal.model.table.merged_rows import projected
from shoal.pipeline.plan import Plan, plan
from shoal.pipeline.pose import pose
from shoal.pipeline.solution import Solution
from shoal.pipeline.solve import check_result, solve


@dataclass(frozen=True, kw_only=True, eq=False)
class Trials:
    """A table that is open and counted, and how long each search on it may take.

    Parameters
    ----------
    engine, source
        Where the rows are; they are counted again where a changed policy uses other columns.
    base, table
        The plan of the unchanged policy, and what was counted for it.
    budget, on_progress
        Of every search.
    """

    engine: SqlEngine
    source: Any
    base: Plan
    table: FrequencyTable
    budget: Budget
    on_progress: ProgressCallback | None = None

    def solve(
        self,
        change: Change,
        *,
        budget: Budget | None = None,
        start: Callable[[Problem], Recoding | None] | None = None,
    ) -> Solution:
        """Solve the problem of a changed policy; `PolicyError` if its algorithm cannot.

        Parameters
        ----------
        change
            The changed policy.
        budget
            Another budget than that of all searches.
        start
            A recoding to begin with, for searches that can use one.
        """
        changed = plan(change.policy)
        problem = pose(changed, self._table(change, changed))
        budget = self.budget if budget is None else budget
        return solve(changed, problem, budget=budget, start=start, on_progress=self.on_progress)

    def _table(self, change: Change, changed: Plan) -> FrequencyTable:
        """What is counted for a changed policy."""
        if change.kind == "attribute":
            left = {quasi_identifier.name for quasi_identifier in change.policy.quasi_identifiers}
            kept = [at for at, domain in enumerate(self.table.domains) if domain.name in left]
            return projected(self.table, kept)
        if change.kind in ("model", "entity"):
            return self.engine.count(self.source, change.policy.attributes, changed.evidence).frequencies
        return self.table

    def largest_k(self) -> int | None:
        """The largest k below the policy's with a release, by bisection; `None` if none was found."""
        quick = replace(self.budget, gap=1.0)  # any recoding will do
        low, high = 0, self.base.policy.k
        while high - low > 1:
            middle = (low + high) // 2
            try:
                answer = self.solve(with_k(self.base.policy, middle), budget=quick)
            except PolicyError:  # not every algorithm knows every k
                high = middle
                continue
            if answer.result.interrupted:
                raise KeyboardInterrupt
            if failure(answer.problem, answer.result) is None:
                low = middle
            else:
                high = middle
        return low or None


def failure(problem: Problem, result: Result) -> str | None:
    """Why an answer is no release, if it is none."""
    try:
        check_result(problem, result)
    except (InfeasibleError, NotProvedError) as error:
        return str(error)
    return None
