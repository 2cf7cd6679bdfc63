"""A result's numbers, checked against the definitions before anybody sees them.

A search adds up costs as it goes, most of them in C++ and in units of its own. What it reports is a claim:
its recoding is grouped and priced again here, from the counts and by `shoal.cost`, which shares no code with
the core. A difference is a bug, so nothing is published then. That a bound holds cannot be computed
from a recoding; that it is not above the cost can.
"""

from __future__ import annotations

from shoal.algorithms._base import Algorithm
from shoal.algorithms._definitions import cost_of, made_by
from shoal.errors import InternalError
from shoal.model.policy.budget import Budget, ProgressCallback
from shoal.model.recoding.groups import Groups
from shoal.model.recoding.recoding import Recoding
from shoal.model.result.problem import Problem
from shoal.model.result.result import Result, Status


def solved(
    algorithm: Algorithm,
    problem: Problem,
    budget: Budget,
    *,
    threads: int = 1,
    seed: int = 0,
    on_progress: ProgressCallback | None = None,
    start: Recoding | None = None,
) -> Result:
    """The algorithm's answer, its numbers checked; the table's rows must be here.

    Parameters
    ----------
    algorithm, problem, budget, threads, seed, on_progress
        As in `Algorithm.solve`.
    start
        A recoding to begin with, for searches that can.
    """
    options = {} if start is None else {"start": start}
    result = algorithm.solve(problem, budget, threads=threads, seed=seed, on_progress=on_progress, **options)
    if result.recoding is not None:
        check_numbers(problem, result, result.recoding, made_by(problem, result.recoding))
    return result


def check_numbers(problem: Problem, result: Result, recoding: Recoding, made: Groups) -> None:
    """Raise `InternalError` unless a result says of its recoding what the definitions say.

    Parameters
    ----------
    problem, result, recoding
        The problem, the answer, and the recoding in it.
    made
        The groups that the recoding makes, counted without the search.
    """
    if made.suppressed != result.suppressed:
        raise InternalError(
            f"{result.algorithm} says {result.suppressed} rows are suppressed, its recoding {made.suppressed}"
        )
    if result.cost is not None:
        cost = cost_of(problem, recoding, made)
        if cost != result.cost:
            raise InternalError(
                f"{result.algorithm} says its recoding costs {result.cost}, and by the definition of "
                f"{problem.cost.name!r} it costs {cost}"
            )
    check_bound(result)


def check_bound(result: Result) -> None:
    """Raise `InternalError` where a bound is above the cost, or an optimum below it."""
    if result.cost is None:
        return
    if result.bound is not None and result.bound > result.cost:
        raise InternalError(
            f"{result.algorithm} says nothing costs less than {result.bound}, and has {result.cost}"
        )
    if result.status is Status.OPTIMAL and result.bound != result.cost:
        raise InternalError(
            f"{result.algorithm} says a cost of {result.cost} is optimal, and its bound is {result.bound}"
        )


__all__ = ["check_bound", "check_numbers", "solved"]
