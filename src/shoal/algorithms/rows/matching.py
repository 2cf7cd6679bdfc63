"""Small k by the lightest subgraph of few edges per row: pairs and triples for k = 2, cycles for k = 3.

Approximations of the least number of suppressed cells: within 3/2 (k = 2) and 2 (k = 3) where attributes have
two values, within 2 and 3 in general.

Paper: Aggarwal et al., ICDT 2005. Proofs: docs/algorithms/matching.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from shoal.algorithms._highs import Clock, why_missing
from shoal.algorithms.rows._cover import Rows
from shoal.algorithms.rows._factor import Edges, lightest_factor
from shoal.algorithms.rows._partition import Partition, PartitionAlgorithm, charges, reported
from shoal.model.description import Description
from shoal.model.policy.budget import Budget, ProgressCallback
from shoal.model.result.problem import Problem
from shoal.model.result.result import Result
from shoal.model.result.searched_kind import CELLS

MOST_ROWS = 3000
"""Rows whose distances are held; HiGHS has an edge for few of the pairs."""


@dataclass(frozen=True, kw_only=True)
class Matching(PartitionAlgorithm):
    """Groups from the lightest [1, 2]-factor, or from the lightest 2-factor."""

    name = "matching"
    description = Description(
        title="Matching",
        short="Few blank cells for k of 2 and 3",
        meaning="Pairs similar rows, within a small known factor of the least.",
        when="For k = 2 or 3.",
    )
    searches = CELLS

    def supports(self, problem: Problem) -> str | None:
        reason = super().supports(problem) or why_missing()
        if reason is not None:
            return reason
        k, counts = problem.k, problem.table.counts
        if k not in (2, 3):
            return f"it is for k = 2 and k = 3, and k is {k}; use 'forest' or 'cells'"
        rows = int(np.where(counts < 2 * k, counts, k + counts % k).sum())
        if rows > MOST_ROWS:
            return (
                f"it takes at most {MOST_ROWS:,} rows that are not among 2k equal ones; there are {rows:,}; "
                "use 'forest' or 'cells'"
            )
        return None

    def solve(
        self,
        problem: Problem,
        budget: Budget,
        *,
        threads: int = 1,  # noqa: ARG002
        seed: int = 0,  # noqa: ARG002
        on_progress: ProgressCallback | None = None,  # noqa: ARG002
    ) -> Result:
        clock, k = Clock(budget.seconds), problem.k
        weights = charges(problem)
        rows = Rows.of(problem.table, k, weights)
        apart = rows.apart[np.ix_(rows.distinct, rows.distinct)]
        edges = lightest_factor(apart, k - 1, 2, clock)
        if edges is None:
            return self.nothing(nodes=len(apart), seconds=clock.elapsed, interrupted=clock.interrupted)
        codes = problem.table.codes[rows.distinct]
        groups = [
            group
            for line, closed in _lines(edges, len(apart))
            for group in cut(line, closed, codes, weights, k)
        ]
        partition = rows.with_the_aside([[rows.distinct[row] for row in group] for group in groups])
        return self.answer(
            problem,
            Partition.of_groups(partition).recoding(problem.table, "cells"),
            bound=reported(problem, rows.bound()),
            nodes=len(apart),
            seconds=clock.elapsed,
        )


def _lines(edges: Edges, size: int) -> list[tuple[list[int], bool]]:
    """The paths and the cycles that edges make, each with whether it is a cycle; at most two edges meet."""
    neighbours: list[list[int]] = [[] for _ in range(size)]
    for a, b in edges.tolist():
        neighbours[a].append(b)
        neighbours[b].append(a)
    visited = [False] * size
    lines = []
    # Paths first, from their ends: what is left then are cycles.
    for start in sorted(range(size), key=lambda each: (len(neighbours[each]), each)):
        if visited[start]:
            continue
        line = [start]
        visited[start] = True
        while following := [each for each in neighbours[line[-1]] if not visited[each]]:
            line.append(following[0])
            visited[line[-1]] = True
        lines.append((line, len(neighbours[start]) == 2))
    return lines


def cut(
    line: Sequence[int], closed: bool, codes: NDArray[np.int32], weights: Sequence[int], k: int
) -> list[list[int]]:
    """The cheapest groups of k to 2k - 1 neighbours on a path, or on a cycle."""
    best: tuple[int, list[list[int]]] | None = None
    # Some group of a cycle begins among the first 2k - 1 of its rows.
    for turn in range(min(2 * k - 1, len(line)) if closed else 1):
        turned = [*line[turn:], *line[:turn]]
        cost, groups = _cut_path(turned, codes, weights, k)
        if best is None or cost < best[0]:
            best = cost, groups
    assert best is not None
    return best[1]


def _cut_path(
    line: Sequence[int], codes: NDArray[np.int32], weights: Sequence[int], k: int
) -> tuple[int, list[list[int]]]:
    """The cheapest groups of neighbours on a path, and what they cost."""
    # costs[end]: of the first `end` rows, and how long the last group is
    costs: list[tuple[int, int] | None] = [(0, 0)] + [None] * len(line)
    for end in range(k, len(line) + 1):
        for size in range(k, min(2 * k - 1, end) + 1):
            before = costs[end - size]
            if before is None:
                continue
            group = codes[list(line[end - size : end])]
            differ = (group != group[0]).any(axis=0)
            cost = before[0] + size * int(differ @ np.array(weights, np.int64))
            here = costs[end]
            if here is None or cost < here[0]:
                costs[end] = cost, size
    groups, end = [], len(line)
    last = costs[end]
    assert last is not None
    total = last[0]
    while end > 0:
        step = costs[end]
        assert step is not None
        groups.append(list(line[end - step[1] : end]))
        end -= step[1]
    return total, groups
