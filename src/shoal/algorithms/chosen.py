"""The algorithm of a choice that was made before: a point of a front becomes a release on the usual way."""

from __future__ import annotations

import time
from dataclasses import dataclass

from shoal.algorithms._base import Algorithm
from shoal.model.budget import Budget, ProgressCallback
from shoal.model.groups import groups
from shoal.model.problem import Problem
from shoal.model.recoding import CutRecoding, Recoding
from shoal.model.result import Cost, Result, Status


@dataclass(frozen=True, kw_only=True)
class Chosen(Algorithm):
    """Answers with a recoding that is given.

    Parameters
    ----------
    recoding
        The recoding.
    found_by
        The search that found it, for the manifest.
    status, bound, nodes, seconds
        What is known of it.
    """

    name = "chosen"
    guarantee = Status.FEASIBLE

    recoding: Recoding
    found_by: str
    status: Status = Status.FEASIBLE
    bound: Cost | None = None
    nodes: int = 0
    seconds: float = 0.0

    @property
    def needs_hierarchies(self) -> bool:  # type: ignore[override]
        """Whether the recoding speaks of levels."""
        return not isinstance(self.recoding, CutRecoding)

    def solve(
        self,
        problem: Problem,
        budget: Budget,  # noqa: ARG002  nothing is searched
        *,
        threads: int = 1,  # noqa: ARG002
        seed: int = 0,  # noqa: ARG002
        on_progress: ProgressCallback | None = None,  # noqa: ARG002
    ) -> Result:
        started = time.monotonic()
        cost = problem.cost.of(problem.table, self.recoding, problem.k, problem.group_models)
        made = groups(problem.table, self.recoding, problem.k, models=problem.group_models)
        return Result(
            status=self.status,
            algorithm=self.found_by,
            recoding=self.recoding,
            cost=cost,
            bound=self.bound,
            suppressed=made.suppressed,
            nodes=self.nodes,
            seconds=self.seconds + time.monotonic() - started,
        )
