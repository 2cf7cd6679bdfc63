"""Plain enumeration of every set of cuts: the oracle that the searches are tested against.

It prunes nothing and uses only the metrics' definitions, so it is correct by inspection, but only for tiny
tables.
"""

from __future__ import annotations

import itertools

from shoal import _core
from shoal.algorithms._base import ONE_SET, Algorithm
from shoal.algorithms._definitions import admissible, cost_of, made_by
from shoal.algorithms._giving_up import with_given_up
from shoal.algorithms.cuts._cuts import costs_of_cuts
from shoal.model.description import Description
from shoal.model.policy.budget import Budget, ProgressCallback
from shoal.model.recoding.recoding import CutRecoding
from shoal.model.result.problem import Problem
from shoal.model.result.result import Cost, Result, Status
from shoal.model.result.searched_kind import CUTS

MOST_CUTS = 20


class Exhaustive(Algorithm):
    """Tries all recodings and keeps the cheapest; among equals the lexicographically smallest."""

    name = "exhaustive"
    description = Description(
        title="Exhaustive",
        short="Every choice tried, for tiny tables",
        meaning="Tries every choice of intervals and sets, at most about a million of them.",
        when="For tests.",
    )
    searches = CUTS
    guarantee = Status.OPTIMAL

    def supports(self, problem: Problem) -> str | None:
        if problem.cost.of_cuts is None:
            return f"over cuts it minimizes {', '.join(costs_of_cuts())}"
        if len(problem.sets) > 1:
            return ONE_SET
        cuts = int((problem.table.sizes - 1).sum())
        if cuts > MOST_CUTS:
            return f"it tries all 2^{cuts} recodings, and stops at 2^{MOST_CUTS}; use 'exact'"
        return None

    def solve(
        self,
        problem: Problem,
        budget: Budget,  # noqa: ARG002  a toy is over before a budget matters
        *,
        threads: int = 1,  # noqa: ARG002
        seed: int = 0,  # noqa: ARG002
        on_progress: ProgressCallback | None = None,  # noqa: ARG002
    ) -> Result:
        started = _core.now()
        best: tuple[Cost, CutRecoding, int] | None = None
        nodes, all_proved = 0, True
        for recoding in every_recoding(problem):
            nodes += 1
            recoding, is_proved = with_given_up(problem, recoding)
            groups = made_by(problem, recoding)
            all_proved &= is_proved
            if not admissible(problem, groups):
                continue
            cost = cost_of(problem, recoding, groups)
            candidate = (cost, recoding, groups.suppressed)
            if best is None or candidate[:2] < best[:2]:
                best = candidate
        seconds = _core.now() - started
        if best is None:
            nothing = Status.INFEASIBLE if all_proved else Status.UNKNOWN
            return Result(status=nothing, algorithm=self.name, nodes=nodes, seconds=seconds)
        cost, recoding, suppressed = best
        return Result(
            status=Status.OPTIMAL if all_proved else Status.FEASIBLE,
            algorithm=self.name,
            recoding=recoding,
            cost=cost,
            bound=cost if all_proved else None,
            suppressed=suppressed,
            nodes=nodes,
            seconds=seconds,
        )


def every_recoding(problem: Problem) -> list[CutRecoding]:
    """All subsets of the alphabet of cuts."""
    per_attribute = [
        [cuts for size in range(len(domain)) for cuts in itertools.combinations(range(1, len(domain)), size)]
        for domain in problem.table.domains
    ]
    return [CutRecoding(cuts) for cuts in itertools.product(*per_attribute)]


def suppressed_rows(problem: Problem, recoding: CutRecoding) -> int:
    """Rows in groups that are not released."""
    return made_by(problem, recoding).suppressed


__all__ = ["Exhaustive", "every_recoding", "suppressed_rows"]
