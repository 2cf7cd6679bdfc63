"""What algorithms share that form groups of rows and release each group alike."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from shoal.algorithms._answer import beyond_the_core
from shoal.algorithms._base import Algorithm
from shoal.algorithms._definitions import made_by
from shoal.cost import METRICS, ShareMetric, SuppressedCells
from shoal.errors import InternalError
from shoal.model.policy.recoding_model import RecodingModel
from shoal.model.recoding.local_recoding import SUPPRESSED_ROW, LocalRecoding, Vocabulary
from shoal.model.recoding.pieces import Pieces
from shoal.model.result.problem import Problem
from shoal.model.result.result import Cost, Result, Status
from shoal.model.table.frequency_table import FrequencyTable


@dataclass(frozen=True, eq=False)
class Partition:
    """Groups of rows; copies of one distinct row can be in several of them.

    Parameters
    ----------
    row, count, group
        Per piece its distinct row, how many copies it has, and its group; `SUPPRESSED_ROW` for none.
    """

    row: NDArray[np.int64]
    count: NDArray[np.int64]
    group: NDArray[np.int64]

    @classmethod
    def of_groups(cls, groups: Sequence[Sequence[int]]) -> Partition:
        """From the distinct rows of each group; a row occurs once per copy."""
        pieces = [(row, 1, number) for number, rows in enumerate(groups) for row in rows]
        return cls(*np.array(pieces, np.int64).T)

    def recoding(self, table: FrequencyTable, vocabulary: Vocabulary) -> LocalRecoding:
        """The recoding that releases each group alike; rows are divided only where their releases differ."""
        keys, of_piece = np.unique(np.column_stack([self.row, self.group]), axis=0, return_inverse=True)
        counts = np.bincount(of_piece.reshape(-1), self.count).astype(np.int64)
        fine = Pieces(of_row=keys[:, 0], counts=counts)
        recoding = LocalRecoding.from_groups(table, keys[:, 1], [vocabulary] * len(table.domains), fine)
        lines = np.column_stack([keys[:, 0], recoding.values])
        distinct, of_line = np.unique(lines, axis=0, return_inverse=True)
        merged = Pieces(
            of_row=distinct[:, 0].astype(np.int64),
            counts=np.bincount(of_line.reshape(-1), counts).astype(np.int64),
        )
        pieces = None if len(distinct) == len(table.counts) else merged
        return replace(recoding, values=distinct[:, 1:].astype(np.int32), pieces=pieces)


@dataclass(frozen=True, kw_only=True)
class PartitionAlgorithm(Algorithm):
    """An algorithm that supports k alone, and minimizes what cells lose.

    It divides the copies of a row among groups where that costs less, so it refuses every model that depends
    on what the copies are.
    """

    guarantee: ClassVar[Status] = Status.FEASIBLE
    recoding_models: ClassVar[tuple[RecodingModel, ...]] = (RecodingModel.CS,)

    def supports(self, problem: Problem) -> str | None:
        beyond = beyond_the_core(problem.table.rows, len(problem.sets))
        if beyond is not None:
            return beyond
        if problem.models:
            return (
                f"it supports k alone and may release equal rows differently, so it cannot promise "
                f"{problem.models[0].name!r}; use 'local'"
            )
        if any(low > 0 for low, _ in problem.levels):
            return "it releases values as they are wherever it can; leave out min_level"
        if not isinstance(problem.cost, ShareMetric | SuppressedCells):
            kinds = (ShareMetric, SuppressedCells)
            known = [name for name, metric in METRICS.items() if issubclass(metric, kinds)]
            return f"it minimizes what cells lose: {', '.join(known)}"
        return None

    def answer(
        self,
        problem: Problem,
        recoding: LocalRecoding,
        *,
        bound: Cost,
        nodes: int,
        seconds: float,
        interrupted: bool = False,
        proved: bool = False,
    ) -> Result:
        """The result for a release; its cost is counted from its cells."""
        groups = made_by(problem, recoding)
        if groups.suppressed > problem.most_suppressed:
            raise InternalError(f"{self.name} left rows in groups that are too small")
        cost = problem.cost.of(problem.table, recoding, problem.k)
        if bound > cost:
            raise InternalError(f"{self.name} found a release that costs less than its bound")
        return Result(
            status=Status.OPTIMAL if proved or bound == cost else Status.FEASIBLE,
            algorithm=self.name,
            recoding=recoding,
            cost=cost,
            bound=cost if proved else bound,
            suppressed=groups.suppressed,
            nodes=nodes,
            seconds=seconds,
            interrupted=interrupted,
        )

    def nothing(self, *, nodes: int, seconds: float, interrupted: bool) -> Result:
        """The result of a search that ended before it had groups."""
        return Result(
            status=Status.UNKNOWN,
            algorithm=self.name,
            nodes=nodes,
            seconds=seconds,
            interrupted=interrupted,
        )


def charges(problem: Problem) -> list[int]:
    """What a suppressed cell of each attribute costs, in whole numbers; any other cell costs nothing."""
    metric = problem.cost
    assert isinstance(metric, ShareMetric | SuppressedCells)
    return metric.whole_weights(problem.table)


def reported(problem: Problem, charged: int) -> Cost:
    """The metric's number for a sum of charges."""
    metric, table = problem.cost, problem.table
    unit = metric.units(table) if isinstance(metric, ShareMetric) else 1
    return Fraction(charged * unit, metric.scale(table))


__all__ = ["SUPPRESSED_ROW", "Partition", "PartitionAlgorithm", "charges", "reported"]
