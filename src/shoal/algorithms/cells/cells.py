"""The least cell suppression: the proved optimum of small and medium tables, else a good release and its gap.

A good release comes first, by local search and by the forest. Then rows are assigned to boxes, sets of rows
that agree on some attributes, by integer programming. Its linear relaxation is solved by column generation;
what it prices out of any better release is left out, and HiGHS does the rest.

Proofs and measurements: docs/algorithms/cells.md.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from shoal import _core
from shoal.algorithms._highs import Clock, why_missing
from shoal.algorithms.cells._box_program import UNIT, Suppressible, assign, promising, relax, worth_keeping
from shoal.algorithms.cells._boxes import Boxes, boxes_of
from shoal.algorithms.rows._partition import SUPPRESSED_ROW, Partition, PartitionAlgorithm, charges, reported
from shoal.algorithms.rows.forest import partition_of, suppressed
from shoal.model.description import Description
from shoal.model.policy.budget import Budget, Progress, ProgressCallback
from shoal.model.result.problem import Problem
from shoal.model.result.result import Result, Status
from shoal.model.result.searched_kind import CELLS

MOST_ENTRIES = 1_000_000
"""Rows times sets of attributes that boxes are made for."""

MOST_ASSIGNED = 40_000
"""The most entries of boxes that HiGHS is given; beyond, the bound of the relaxation is final."""

TRIAL_ENTRIES = 4
TRIAL_NODES = 50
"""Entries per distinct row, and nodes, of a first program; its release narrows the one that proves."""

SLACK = 1e-6
EXACT = 1000
"""How far a bound of HiGHS may be above the true one: this much, or this much per thousand."""
_SUPPRESSED_ROW = 255


@dataclass(frozen=True, kw_only=True)
class Cells(PartitionAlgorithm):
    """The least suppression of single cells."""

    name = "cells"
    description = Description(
        title="Cells",
        short="The fewest blank cells, with a bound",
        meaning="Blanks single cells and leaves all others as they are; proved for small tables, with a "
        "gap for others.",
        when="When values must stay as they are.",
    )
    searches = CELLS
    guarantee = Status.FEASIBLE

    def supports(self, problem: Problem) -> str | None:
        return super().supports(problem) or why_missing()

    def solve(
        self,
        problem: Problem,
        budget: Budget,
        *,
        threads: int = 1,
        seed: int = 0,
        on_progress: ProgressCallback | None = None,
    ) -> Result:
        search = _Search(problem, budget, on_progress)
        search.begin(threads, seed)
        if search.best is None:
            return self.nothing(
                nodes=search.nodes, seconds=search.clock.elapsed, interrupted=search.clock.interrupted
            )
        try:
            search.prove()
        except KeyboardInterrupt:
            search.clock.interrupted = True
        return self.answer(
            problem,
            search.best.recoding(problem.table, "cells"),
            bound=reported(problem, search.bound),
            nodes=search.nodes,
            seconds=search.clock.elapsed,
            interrupted=search.clock.interrupted,
        )


class _Search:
    """The best release so far, and what is proved about all."""

    def __init__(self, problem: Problem, budget: Budget, on_progress: ProgressCallback | None) -> None:
        self.problem, self.budget, self.on_progress = problem, budget, on_progress
        self.charges = charges(problem)
        self.whole = Suppressible(sum(self.charges), problem.most_suppressed)
        self.clock = Clock(budget.seconds)
        self.best: Partition | None = None
        self.cost = 0
        self.bound = 0
        self.nodes = 0

    def offer(self, partition: Partition) -> None:
        """Keep a release if it is the best so far."""
        cost = int(group_costs(self.problem.table.codes, partition, self.charges)[1])
        if self.best is None or cost < self.cost:
            self.best, self.cost = partition, cost

    def proved(self, bound: int) -> None:
        """Note a bound, and report it."""
        self.bound = max(self.bound, min(bound, self.cost))
        if self.on_progress is not None:
            cost, least = (float(reported(self.problem, each)) for each in (self.cost, self.bound))
            self.on_progress(Progress(cost=cost, bound=least, nodes=self.nodes, seconds=self.clock.elapsed))

    @property
    def done(self) -> bool:
        """Whether there is nothing left to prove, or no budget left."""
        close = self.cost - self.bound <= (self.budget.gap or 0.0) * self.cost
        spent = self.budget.nodes is not None and self.nodes >= self.budget.nodes
        return close or spent or self.clock.ended

    def begin(self, threads: int, seed: int) -> None:
        """Releases to begin with, and the bounds that come with them."""
        problem = self.problem
        table, sizes = problem.table, [len(domain) for domain in problem.table.domains]
        units = [[[0] * size, [charge]] for size, charge in zip(sizes, self.charges, strict=True)]
        local = _core.local(
            [[list(range(size)), [0] * size] for size in sizes],
            np.ascontiguousarray(table.codes, np.int32),
            np.ascontiguousarray(table.counts, np.int64),
            price=_core.Price("cells", suppressed_row=self.whole.cost, fixed=[], units=units),
            k=problem.k,
            limit=problem.most_suppressed,
            low=[0] * len(sizes),
            high=[1] * len(sizes),
            privacy=None,
            seconds=self.budget.seconds,
            nodes=self.budget.nodes,
            threads=threads,
            seed=seed,
            callback=None,
        )
        self.nodes += local.nodes
        self.clock.interrupted |= local.interrupted
        if local.found:
            self.offer(_by_levels(table.codes, table.counts, np.asarray(local.levels)))
            self.proved(local.bound)
        if not self.clock.ended:
            left = Budget(seconds=None if self.budget.seconds is None else self.clock.left)
            trees = suppressed(problem, left, threads)
            self.clock.interrupted |= trees.interrupted
            if trees.found:
                self.offer(partition_of(trees))
                self.proved(trees.bound)

    def prove(self) -> None:
        """Close the gap as far as size and budget allow."""
        table, k = self.problem.table, self.problem.k
        entries = len(table.counts) << len(table.domains)
        if self.done or entries > MOST_ENTRIES or table.rows * self.whole.cost > 2**61 // UNIT:
            return
        boxes = boxes_of(table.codes, table.counts, k, self.charges)
        assert self.best is not None
        start = _joined(self.best)
        costs, _ = group_costs(table.codes, start, self.charges)
        relaxed = relax(boxes, start, costs, k, self.whole, self.clock, self.cost)
        self.nodes += relaxed.rounds
        self.proved(relaxed.bound(boxes))
        if self.done:
            return
        trial = promising(boxes, relaxed, k, TRIAL_ENTRIES * len(table.counts))
        assigned = assign(trial, k, self.whole, self.cost, self.clock, nodes=TRIAL_NODES)
        self.nodes += assigned.nodes
        if assigned.partition is not None:
            self.offer(assigned.partition)
        if self.done:
            return
        left = worth_keeping(boxes, relaxed, self.cost, k)
        if len(left.row) <= MOST_ASSIGNED:
            nodes = None if self.budget.nodes is None else self.budget.nodes - self.nodes
            self._assign(left, nodes)

    def _assign(self, boxes: Boxes, nodes: int | None) -> None:
        """Look for a better release among all boxes that a better one can use: the program's bound holds."""
        gap = self.budget.gap or 0.0
        assigned = assign(boxes, self.problem.k, self.whole, self.cost, self.clock, nodes=nodes, gap=gap)
        self.nodes += assigned.nodes
        if assigned.partition is not None:
            self.offer(assigned.partition)
        if math.isfinite(assigned.bound):
            # Costs are whole numbers, so a proof ends less than one below; but a solution that was rounded to
            # whole copies may cost more than the program's, and then it is not the one that was proved.
            self.proved(math.ceil(assigned.bound - SLACK * max(1.0, assigned.bound / EXACT)))


def _by_levels(codes: NDArray[np.int32], counts: NDArray[np.int64], levels: NDArray[np.uint8]) -> Partition:
    """The groups of rows that were released alike."""
    levels = levels.reshape(codes.shape)
    shown = np.where(levels == 0, codes, -1)
    group = np.unique(shown, axis=0, return_inverse=True)[1].reshape(-1).astype(np.int64)
    group[levels[:, 0] == _SUPPRESSED_ROW] = SUPPRESSED_ROW
    return Partition(np.arange(len(codes)), np.asarray(counts, np.int64), group)


def _joined(partition: Partition) -> Partition:
    """The partition with one piece per row and group, and with its groups numbered from 0."""
    keys, of_piece = np.unique(np.column_stack([partition.row, partition.group]), axis=0, return_inverse=True)
    counts = np.bincount(of_piece.reshape(-1), partition.count).astype(np.int64)
    row, group = keys.T
    kept = group != SUPPRESSED_ROW
    group[kept] = np.unique(group[kept], return_inverse=True)[1].reshape(-1)
    return Partition(row, counts, group)


def group_costs(
    codes: NDArray[np.int32], partition: Partition, weights: list[int]
) -> tuple[NDArray[np.int64], int]:
    """What each group costs, and all of them with the suppressed rows."""
    many = int(partition.group.max(initial=-1)) + 1
    kept = partition.group != SUPPRESSED_ROW
    group, values = partition.group[kept], codes[partition.row[kept]]
    lost = np.zeros(many, np.int64)
    for column, weight in zip(values.T, weights, strict=True):
        low, high = np.full(many, np.iinfo(np.int32).max), np.full(many, -1)
        np.minimum.at(low, group, column)
        np.maximum.at(high, group, column)
        lost += weight * (low < high)
    costs = lost * np.bincount(group, partition.count[kept], many).astype(np.int64)
    return costs, int(costs.sum()) + sum(weights) * int(partition.count[~kept].sum())
