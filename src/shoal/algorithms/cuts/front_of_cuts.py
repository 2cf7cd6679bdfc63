"""The front of k against a cost over cuts: the exact search for each k, started from its neighbour's answer.

A recoding that is admissible for k suppresses fewer rows for every smaller k, so the answer for the next
larger k is a good first incumbent. Under an average risk it may then have too many groups; the search checks
that.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from shoal.algorithms._priced_again import solved
from shoal.algorithms.cuts.exact import Exact
from shoal.errors import PolicyError
from shoal.model.policy.budget import Budget, Progress, ProgressCallback
from shoal.model.recoding.recoding import CutRecoding
from shoal.model.result.problem import Problem
from shoal.model.result.result import Result


@dataclass(frozen=True, kw_only=True)
class CutPoint:
    """The answer for one k."""

    k: int
    result: Result


def front_of_cuts(
    problem: Problem,
    ks: Sequence[int],
    budget: Budget,
    *,
    threads: int = 1,
    seed: int = 0,
    on_progress: ProgressCallback | None = None,
) -> tuple[CutPoint, ...]:
    """The cheapest recoding for each k, from the largest to the smallest.

    Ctrl-C ends the present search and leaves out the others. A k that no recoding reaches is left out, too.

    Parameters
    ----------
    problem
        Everything but k.
    ks
        The values of k.
    budget
        For each search.
    threads, seed, on_progress
        As for any search; nodes and seconds continue from one search to the next.
    """
    search = Exact()
    if not ks:
        raise PolicyError("name the values of k, as in ks=[2, 5, 10, 50]")
    reason = search.supports(problem)
    if reason is not None:
        raise PolicyError(f"algorithm {search.name!r} cannot solve this: {reason}")
    points: list[CutPoint] = []
    start: CutRecoding | None = None
    nodes, seconds = 0, 0.0
    for k in sorted(set(ks), reverse=True):

        def heard(progress: Progress, nodes: int = nodes, seconds: float = seconds) -> None:
            assert on_progress is not None
            on_progress(replace(progress, nodes=nodes + progress.nodes, seconds=seconds + progress.seconds))

        result = solved(
            search,
            replace(problem, k=k),
            budget,
            threads=threads,
            seed=seed,
            on_progress=None if on_progress is None else heard,
            start=start,
        )
        nodes, seconds = nodes + result.nodes, seconds + result.seconds
        if result.recoding is not None:
            points.append(CutPoint(k=k, result=result))
            start = result.recoding if isinstance(result.recoding, CutRecoding) else start
        if result.interrupted:
            break
    return tuple(points)
