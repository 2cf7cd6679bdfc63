"""Meyerson and Williams: a greedy cover of the rows with sets of small diameter, made a partition.

Two covers: by all sets of k to 2k - 1 rows, which are very many, and by balls around rows. Both are
O(k log k) approximations of the least number of suppressed cells.

Paper: Meyerson and Williams, PODS 2004. Deviations and proofs: docs/algorithms/meyerson-williams.md.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from shoal.algorithms._watch import BudgetEnded, Watch
from shoal.algorithms.rows._cover import (
    MOST_BALL_ENTRIES,
    MOST_SUBSETS,
    Rows,
    ball_cover,
    disjoint,
    subset_cover,
    subsets,
)
from shoal.algorithms.rows._partition import Partition, PartitionAlgorithm, charges, reported
from shoal.errors import PolicyError
from shoal.model.description import Description
from shoal.model.parameter import parameter
from shoal.model.policy.budget import Budget, ProgressCallback
from shoal.model.result.problem import Problem
from shoal.model.result.result import Result
from shoal.model.result.searched_kind import CELLS
from shoal.model.suggestion import suggestion

SUBSETS, BALLS = "subsets", "balls"


@dataclass(frozen=True, kw_only=True)
class MeyersonWilliams(PartitionAlgorithm):
    """Groups from a greedy cover.

    Parameters
    ----------
    cover
        What the rows are covered with: "balls", or "subsets" of the rows.
    """

    name = "meyerson-williams"
    description = Description(
        title="Meyerson and Williams",
        short="Few blank cells, by greedy covers",
        meaning="Blanks single cells within a known factor of the least.",
        when="To repeat a study.",
    )
    searches = CELLS

    cover: str = field(
        default=BALLS,
        metadata=parameter("What rows are covered with", choices={"balls": "balls", "subsets": "subsets"}),
    )

    def __post_init__(self) -> None:
        if self.cover not in (SUBSETS, BALLS):
            hint = suggestion(str(self.cover), [SUBSETS, BALLS])
            raise PolicyError(f"cover must be 'balls' or 'subsets'; it is {self.cover!r}.{hint}")

    def supports(self, problem: Problem) -> str | None:
        reason = super().supports(problem)
        if reason is not None:
            return reason
        if self.cover == SUBSETS:
            many = subsets(problem.table.counts, problem.k, MOST_SUBSETS)
            if many > MOST_SUBSETS:
                return (
                    f"{len(problem.table.counts):,} distinct rows have more than {MOST_SUBSETS:,} sets of "
                    f"{problem.k} to {2 * problem.k - 1} rows; use cover = 'balls', or 'forest'"
                )
        elif (entries := len(problem.table.counts) ** 2) > MOST_BALL_ENTRIES:
            return (
                f"it holds the distances of all pairs of distinct rows, {entries:,}, and may hold "
                f"{MOST_BALL_ENTRIES:,}; use 'forest'"
            )
        return None

    def solve(
        self,
        problem: Problem,
        budget: Budget,
        *,
        threads: int = 1,  # noqa: ARG002
        seed: int = 0,  # noqa: ARG002
        on_progress: ProgressCallback | None = None,
    ) -> Result:
        watch, interrupted = Watch(budget, on_progress), False
        try:
            rows = Rows.of(problem.table, problem.k, charges(problem))
            partition = _partition(rows, self.cover, watch)
        except (BudgetEnded, KeyboardInterrupt) as end:
            interrupted = isinstance(end, KeyboardInterrupt)
            return self.nothing(nodes=watch.nodes, seconds=watch.seconds, interrupted=interrupted)
        return self.answer(
            problem,
            Partition.of_groups(partition).recoding(problem.table, "cells"),
            bound=reported(problem, rows.bound()),
            nodes=watch.nodes,
            seconds=watch.seconds,
        )


def parts_of_distances(distances: NDArray[np.int64], k: int, watch: Watch | None = None) -> list[list[int]]:
    """Parts of k to 2k - 1 rows of which nothing is known but their distances, by balls.

    Rows at distance 0 are equal. The parts, and the rows in them, are in ascending order.

    Parameters
    ----------
    distances
        Per pair of rows the number of columns that they differ in.
    k
        Least size of a part; there are at least k rows.
    watch
        Looked at now and then.
    """
    # Per row the first one that is equal to it; equal rows stand together under a number.
    representatives, of_row = np.unique(np.argmax(distances == 0, axis=1), return_inverse=True)
    counts = np.bincount(of_row.reshape(-1)).astype(np.int64)
    rows = Rows.of_distances(distances[np.ix_(representatives, representatives)], counts, k)
    left = [np.flatnonzero(of_row == each).tolist() for each in range(len(counts))]
    parts = []
    for group in _partition(rows, BALLS, watch or Watch()):
        # Equal rows that were set aside can be many: they are divided into parts of k.
        size = len(group) if len(group) < 2 * k else k
        parts += [
            sorted(left[row].pop(0) for row in group[start : start + size])
            for start in range(0, len(group), size)
        ]
    return sorted(parts)


def _partition(rows: Rows, cover: str, watch: Watch) -> list[list[int]]:
    """The groups, as distinct rows, each as often as the group has copies of it."""
    covered = (subset_cover if cover == SUBSETS else ball_cover)(rows, watch)
    groups = disjoint(covered, rows.k)
    return rows.with_the_aside([[rows.distinct[row] for row in group] for group in groups])
