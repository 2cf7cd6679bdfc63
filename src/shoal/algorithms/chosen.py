"""The algorithm of a choice that was made before: a point of a front becomes a release on the usual way."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from shoal import _core
from shoal.algorithms._base import Algorithm
from shoal.errors import EngineError
from shoal.model.policy.budget import Budget, ProgressCallback
from shoal.model.policy.recoding_model import RecodingModel
from shoal.model.recoding.groups import groups
from shoal.model.recoding.local_recoding import LocalRecoding
from shoal.model.recoding.recoding import CutRecoding, Recoding
from shoal.model.result.problem import Problem
from shoal.model.result.result import Cost, Result, Status
from shoal.model.table.frequency_table import FrequencyTable


@dataclass(frozen=True, kw_only=True)
class Chosen(Algorithm):
    """Answers with a recoding that is given.

    Parameters
    ----------
    recoding, table
        The recoding, and the table that it was found for.
    found_by
        The search that found it, for the manifest.
    status, bound, nodes, seconds
        What is known of it.
    """

    name = "chosen"
    guarantee = Status.FEASIBLE

    recoding: Recoding
    table: FrequencyTable
    found_by: str
    status: Status = Status.FEASIBLE
    bound: Cost | None = None
    nodes: int = 0
    seconds: float = 0.0

    @property
    def recoding_models(self) -> tuple[RecodingModel, ...]:  # type: ignore[override]
        """The model that the recoding is of."""
        if isinstance(self.recoding, LocalRecoding):
            return (RecodingModel.CG_,)
        return (RecodingModel.AG_TS, RecodingModel.AG_)

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
        started = _core.now()
        if not self._is_of(problem.table):
            raise EngineError(
                "the source is no longer the table that the front was made of, and a release would not be "
                "what the point tells; make the front again"
            )
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
            seconds=self.seconds + _core.now() - started,
        )

    def _is_of(self, table: FrequencyTable) -> bool:
        """Whether a table has the rows that the recoding was found for."""
        values = [[domain.values for domain in each.domains] for each in (table, self.table)]
        return (
            values[0] == values[1]
            and np.array_equal(table.codes, self.table.codes)
            and np.array_equal(table.counts, self.table.counts)
        )
