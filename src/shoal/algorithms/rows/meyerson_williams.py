"""Meyerson and Williams: a greedy cover of the rows with sets of small diameter, made a partition.

Two covers: by all sets of k to 2k - 1 rows, which are very many, and by balls around rows. Both are
O(k log k) approximations of the least number of suppressed cells.

Paper: Meyerson and Williams, PODS 2004. Deviations and proofs: docs/algorithms/meyerson-williams.md.
"""

from __future__ import annotations

from dataclasses import dataclass, field

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
            cover = (subset_cover if self.cover == SUBSETS else ball_cover)(rows, watch)
            groups = disjoint(cover, problem.k)
        except (BudgetEnded, KeyboardInterrupt) as end:
            interrupted = isinstance(end, KeyboardInterrupt)
            return self.nothing(nodes=watch.nodes, seconds=watch.seconds, interrupted=interrupted)
        partition = rows.with_the_aside([[rows.distinct[row] for row in group] for group in groups])
        return self.answer(
            problem,
            Partition.of_groups(partition).recoding(problem.table, "cells"),
            bound=reported(problem, rows.bound()),
            nodes=watch.nodes,
            seconds=watch.seconds,
        )
