"""A counted table, and searches on it for policies that differ a little."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from shoal.algorithms import Algorithm
from shoal.algorithms._priced_again import solved
from shoal.algorithms.cuts._cuts import CutSearch
from shoal.engines.sql.engine import SqlEngine
from shoal.errors import InfeasibleError, NotProvedError, PolicyError
from shoal.explanation.changes import Change, with_k
from shoal.model.hierarchy.with_hierarchies import with_hierarchies
from shoal.model.policy.budget import Budget, ProgressCallback
from shoal.model.policy.policy import Policy
from shoal.model.recoding.recoding import Recoding
from shoal.model.result.problem import Problem
from shoal.model.result.result import Result
from shoal.model.table.frequency_table import FrequencyTable
from shoal.model.table.merged_rows import projected
from shoal.pipeline.plan import evidence_of, problem_of
from shoal.pipeline.release import check_result, checked_algorithm


@dataclass(frozen=True, kw_only=True, eq=False)
class Solved:
    """A policy, the problem that it poses, and the answer."""

    policy: Policy
    algorithm: Algorithm
    problem: Problem
    result: Result


@dataclass(frozen=True, kw_only=True, eq=False)
class Trials:
    """A table that is open and counted, and how long each search on it may take.

    Parameters
    ----------
    engine, source
        Where the rows are; they are counted again where a changed policy looks at other columns.
    policy, table
        The policy, and what was counted for it.
    budget, on_progress
        Of every search.
    """

    engine: SqlEngine
    source: Any
    policy: Policy
    table: FrequencyTable
    budget: Budget
    on_progress: ProgressCallback | None = None

    def posed(self, change: Change) -> tuple[Algorithm, Problem]:
        """The algorithm and the problem of a changed policy; `PolicyError` if they do not go together."""
        policy = change.policy
        algorithm = checked_algorithm(policy)
        table = self.table
        if change.kind == "attribute":
            left = {each.name for each in policy.quasi_identifiers}
            table = projected(table, [at for at, each in enumerate(table.domains) if each.name in left])
        elif change.kind in ("model", "entity"):
            evidence = evidence_of(policy)
            table = self.engine.count(self.source, policy.attributes, evidence).frequencies
        return algorithm, posed(policy, algorithm, table)

    def solved(
        self,
        change: Change,
        *,
        budget: Budget | None = None,
        start: Callable[[Problem], Recoding | None] | None = None,
    ) -> Solved:
        """The changed policy's answer.

        Parameters
        ----------
        change
            The changed policy.
        budget
            Another budget than that of all searches.
        start
            A recoding to begin with, for searches that can.
        """
        algorithm, problem = self.posed(change)
        begin = start(problem) if start is not None and isinstance(algorithm, CutSearch) else None
        result = solved(
            algorithm,
            problem,
            self.budget if budget is None else budget,
            threads=change.policy.threads or os.cpu_count() or 1,
            seed=change.policy.seed,
            on_progress=self.on_progress,
            start=begin,
        )
        return Solved(policy=change.policy, algorithm=algorithm, problem=problem, result=result)

    def largest_k(self) -> int | None:
        """The largest k below the policy's with a release, by bisection; `None` if none was found."""
        quick = replace(self.budget, gap=1.0)  # any recoding will do
        low, high = 0, self.policy.k
        while high - low > 1:
            middle = (low + high) // 2
            try:
                answer = self.solved(with_k(self.policy, middle), budget=quick)
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


def posed(policy: Policy, algorithm: Algorithm, table: FrequencyTable) -> Problem:
    """The problem that a policy poses to an algorithm; `PolicyError` if it cannot solve it."""
    levels = with_hierarchies(
        table,
        policy.quasi_identifiers,
        every=algorithm.needs_hierarchies,
        neighbours=algorithm.joins_neighbours,
    )
    problem = problem_of(policy, levels)
    reason = algorithm.supports(problem)
    if reason is not None:
        raise PolicyError(f"algorithm {algorithm.name!r} cannot solve this: {reason}")
    return problem


def failure(problem: Problem, result: Result) -> str | None:
    """Why an answer is no release, if it is none."""
    try:
        check_result(problem, result, require_optimal=False)
    except (InfeasibleError, NotProvedError) as error:
        return str(error)
    return None
