"""The front of k against a cost: a search for each k, from the largest to the smallest.

A release for k is also one for every smaller k, so the answer for the next larger k is a good first incumbent
where the search takes one. Under an average risk it may have too many groups for it; the search checks that.

The budget is that of the whole front. Each search gets its share of what is left, so what one does not use
goes to those after it; the search for the k that will probably be chosen has several shares.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from shoal.algorithms._base import Algorithm
from shoal.algorithms._priced_again import solved
from shoal.errors import PolicyError
from shoal.model.policy.budget import Budget, Progress, ProgressCallback
from shoal.model.recoding.recoding import Recoding
from shoal.model.result.problem import Problem
from shoal.model.result.result import Result, Status

FAVOUR = 3
"""Shares of the budget for the k that will probably be chosen."""

_NEARLY = 0.95
"""Solvers may end a little before the time that they are given."""


@dataclass(frozen=True, kw_only=True)
class KPoint:
    """The answer for one k, which has a recoding."""

    k: int
    result: Result
    recoding: Recoding


@dataclass(frozen=True, kw_only=True)
class KAnswer:
    """The answers for several k.

    Parameters
    ----------
    points
        From the largest k to the smallest, without those for which no recoding was found.
    exact
        Whether each k was looked at, and each answer is proved to be best.
    by_clock
        Whether a limit of seconds ended a search, so that another run may find other recodings.
    interrupted
        Whether Ctrl-C ended the searches; the points so far are here.
    nodes, seconds
        Work of all searches together.
    """

    points: tuple[KPoint, ...]
    exact: bool
    by_clock: bool
    interrupted: bool
    nodes: int
    seconds: float


def front_of_ks(
    search: Algorithm,
    problem_of: Callable[[int], Problem],
    ks: Sequence[int],
    budget: Budget,
    *,
    favoured: int | None = None,
    threads: int = 1,
    seed: int = 0,
    on_progress: ProgressCallback | None = None,
) -> KAnswer:
    """The best recoding that a search finds for each k.

    Ctrl-C ends the present search and leaves out the others. A k that no recoding reaches is left out, too.

    Parameters
    ----------
    search
        What solves each problem; if it takes a start, it gets the answer for the next larger k.
    problem_of
        The problem for a k.
    ks
        The values of k.
    budget
        For all searches together.
    favoured
        The k that will probably be chosen.
    threads, seed, on_progress
        As for any search; nodes and seconds continue from one search to the next.
    """
    falling = sorted(set(ks), reverse=True)
    results: list[Result] = []
    points: list[KPoint] = []
    by_clock = False
    shares = {k: FAVOUR if k == favoured else 1 for k in falling}
    for place, k in enumerate(falling):
        problem = problem_of(k)
        _check(search, problem)
        spent = _spent(results)
        share = _share(budget, spent, Fraction(shares[k], sum(shares[each] for each in falling[place:])))
        start = points[-1].recoding if points and search.takes_start else None
        result = solved(
            search,
            problem,
            share,
            threads=threads,
            seed=seed,
            on_progress=_continued(on_progress, spent),
            start=start,
        )
        results.append(result)
        by_clock = by_clock or _ended_by_clock(search, result, share)
        if result.recoding is not None and result.suppressed < problem.table.rows:
            points.append(KPoint(k=k, result=result, recoding=result.recoding))
        if result.interrupted:
            break
    nodes, seconds = _spent(results)
    proved = all(each.status in (Status.OPTIMAL, Status.INFEASIBLE) for each in results)
    return KAnswer(
        points=tuple(points),
        exact=proved and len(results) == len(falling),
        by_clock=by_clock,
        interrupted=any(each.interrupted for each in results),
        nodes=nodes,
        seconds=seconds,
    )


def _check(search: Algorithm, problem: Problem) -> None:
    reason = search.supports(problem)
    if reason is not None:
        raise PolicyError(f"algorithm {search.name!r} cannot solve this: {reason}")


def _spent(results: Sequence[Result]) -> tuple[int, float]:
    return sum(each.nodes for each in results), sum(each.seconds for each in results)


def _share(budget: Budget, spent: tuple[int, float], share: Fraction) -> Budget:
    """A share of what is left."""
    nodes, seconds = spent
    return replace(
        budget,
        seconds=None if budget.seconds is None else max(0.0, budget.seconds - seconds) * float(share),
        nodes=None if budget.nodes is None else int(max(0, budget.nodes - nodes) * share),
    )


def _ended_by_clock(search: Algorithm, result: Result, share: Budget) -> bool:
    if share.seconds is None:
        return False
    if result.status is Status.OPTIMAL and search.clock_share is None:
        return False
    return result.seconds >= (search.clock_share or _NEARLY) * share.seconds


def _continued(on_progress: ProgressCallback | None, spent: tuple[int, float]) -> ProgressCallback | None:
    """Progress of one search as that of all so far."""
    if on_progress is None:
        return None
    nodes, seconds = spent

    def heard(progress: Progress) -> None:
        on_progress(replace(progress, nodes=nodes + progress.nodes, seconds=seconds + progress.seconds))

    return heard
