"""The third hop: search, and check the answer against the definitions."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from shoal.algorithms.searched_kind import searched_kind
from shoal.errors import InfeasibleError, InternalError, NotProvedError, PolicyError
from shoal.model.policy.budget import Budget, ProgressCallback
from shoal.model.recoding.distributed import DistributedRows
from shoal.model.recoding.level_recoding import LevelRecoding
from shoal.model.recoding.recoding import Recoding
from shoal.model.result.infeasible import infeasible, refused_altogether
from shoal.model.result.problem import Problem
from shoal.model.result.result import Result, Status
from shoal.model.table.remote_table import RemoteTable
from shoal.pipeline.plan import Plan
from shoal.pipeline.solution import Solution

Start = Callable[[Problem], Recoding | None]
"""Gives a recoding to begin with, if there is one."""


def solve(
    plan: Plan,
    problem: Problem,
    *,
    budget: Budget | None = None,
    rows: DistributedRows | None = None,
    start: Start | None = None,
    on_progress: ProgressCallback | None = None,
) -> Solution:
    """Search for the best recoding; `InternalError` if the answer is not what the definitions say.

    Parameters
    ----------
    plan, problem
        What to solve, and with which algorithm.
    budget
        Another budget than the policy's.
    rows
        The distinct rows, where an engine keeps them and its workers search.
    start
        A recoding to begin with, for searches that can use one.
    on_progress
        Called now and then while the search runs.
    """
    result = search(plan, problem, plan.policy.budget if budget is None else budget, rows, start, on_progress)
    searched = problem.table
    if isinstance(searched, RemoteTable):
        problem = _with_groups(problem, searched, result)
    solution = Solution(plan=plan, problem=problem, searched=searched, result=result)
    solution.check()
    return solution


def search(
    plan: Plan,
    problem: Problem,
    budget: Budget,
    rows: DistributedRows | None,
    start: Start | None,
    on_progress: ProgressCallback | None,
) -> Result:
    """Run the plan's algorithm; `PolicyError` if it cannot solve the problem."""
    algorithm = plan.algorithm
    if rows is not None:
        return algorithm.solve_distributed(problem, rows.over(problem.table.domains), budget, on_progress)
    reason = algorithm.supports(problem)
    if reason is not None:
        raise PolicyError(f"algorithm {algorithm.name!r} cannot solve this: {reason}")
    begin = start(problem) if start is not None and algorithm.takes_start else None
    return algorithm.solve(
        problem,
        budget,
        threads=plan.threads,
        seed=plan.policy.seed,
        on_progress=on_progress,
        **({} if begin is None else {"start": begin}),
    )


def _with_groups(problem: Problem, table: RemoteTable, result: Result) -> Problem:
    """The problem with the groups of the answer in place of distinct rows that stay in the engine."""
    if isinstance(result.recoding, LevelRecoding):
        levels = result.recoding.levels
    else:  # nothing is admissible: the coarsest recoding shows why
        levels = tuple(most for _, most in problem.levels) or tuple(
            domain.hierarchy.height for domain in table.domains
        )
    if result.suppressed > problem.most_suppressed:
        raise InternalError(f"the search suppresses {result.suppressed} rows, more than are allowed")
    return replace(problem, table=table.fetched(levels, problem.k))


def check_result(problem: Problem, result: Result, *, require_optimal: bool = False) -> None:
    """Raise unless there is a recoding to release, proved optimal if that is required."""
    if result.status is Status.INFEASIBLE:
        raise _nothing_admissible(problem, result)
    if result.recoding is None:
        if result.interrupted:
            raise KeyboardInterrupt
        raise NotProvedError(
            f"no recoding with k = {problem.k} was found before the search ended; that is no proof that "
            "there is none. Allow more seconds or nodes, or choose another algorithm"
        )
    if result.suppressed >= problem.table.rows:
        raise _nothing_left(problem, result)
    if require_optimal and result.status is not Status.OPTIMAL:
        raise _not_proved(result)


def _nothing_admissible(problem: Problem, result: Result) -> InfeasibleError:
    if not result.reason:
        return infeasible(problem)
    return refused_altogether(problem) or InfeasibleError(
        result.reason, k=problem.k, limit=problem.most_suppressed, suppressed=result.suppressed
    )


def _nothing_left(problem: Problem, result: Result) -> InfeasibleError:
    # No amount of time finds more than what is proved.
    proved = result.status is Status.OPTIMAL
    way_out = "generalize more (bins, a hierarchy)" if proved else "allow the search more time"
    return refused_altogether(problem) or InfeasibleError(
        f"the recoding that was found suppresses all {problem.table.rows:,} rows, and an empty table is "
        f"no release. Limit the suppression, or {way_out}",
        k=problem.k,
        limit=problem.table.rows if problem.limit is None else problem.limit,
        suppressed=result.suppressed,
    )


def _not_proved(result: Result) -> NotProvedError:
    gap = "unknown" if result.gap is None else f"{100 * result.gap:.2g} %"
    kind = searched_kind(result.algorithm)
    # A search without any bound may be one that never proves anything.
    way_out = "" if result.bound is not None else ", or choose exact, subtree or lattice, which prove it"
    return NotProvedError(
        f"optimality was required but not proved: other {kind} may cost less (status {result.status}, "
        f"gap {gap}). Nothing was published; allow more seconds or nodes{way_out}"
    )
