"""MinGen on cells: the best partition of few rows into groups, each lifted to its least common values.

Every group of at least k rows is released with, per column, the least node above all its values; the cost is
a mean over cells, such as the loss of precision. Dynamic programming over sets of distinct rows finds the
least cost. Equal rows are released alike; where all rows are distinct, that covers every possible
generalization. With privacy models in addition to k, a group is a set that all of them admit.

Paper: Sweeney, IJUFKS 10(5), 2002, section 3.4. Proofs and deviations: docs/algorithms/mingen-cells.md.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from shoal import _core
from shoal.algorithms._base import ONE_SET
from shoal.algorithms._definitions import admissible, made_by
from shoal.algorithms._rules import least_rows, privacy, unknown_model
from shoal.algorithms.cells._labels import why_ambiguous, why_no_population
from shoal.cost import CellMetric
from shoal.model.policy.budget import Budget
from shoal.model.recoding.local_recoding import SUPPRESSED_CELL, LocalRecoding
from shoal.model.result.problem import Problem
from shoal.model.result.result import Cost, Result, Status
from shoal.model.table.domain import SUPPRESSED

MOST_DISTINCT_ROWS = 16
"""Sets of distinct rows are numbered by their bits; 3^16 pairs of a set and a group in it take seconds."""

UNREACHED = np.iinfo(np.int64).max // 2

Sets = NDArray[np.int64]
"""One number per set of distinct rows, at the set's bits."""


def unsupported(problem: Problem) -> str | None:
    """Why the problem cannot be solved on cells, as the end of a sentence; `None` if it can."""
    rows = len(problem.table.counts)
    if not isinstance(problem.cost, CellMetric):
        return f"on cells it minimizes means over cells, such as 'precision', not {problem.cost.name!r}"
    if rows > MOST_DISTINCT_ROWS:
        return (
            f"on cells it tries all partitions of at most {MOST_DISTINCT_ROWS} distinct rows, and the "
            f"source has {rows:,}; leave out `cells`"
        )
    if problem.levels:
        return "on cells it does not support min_level and max_level; leave them out"
    if len(problem.sets) > 1:
        return ONE_SET
    if problem.release_models:
        name = problem.release_models[0].name
        return f"on cells it judges groups one by one, and {name!r} judges all together; leave out `cells`"
    return (
        unknown_model(problem)
        or why_no_population(problem)
        or why_ambiguous(problem.table.domains, by_row=True)
    )


def cell_level(problem: Problem, budget: Budget, *, algorithm: str = "mingen") -> Result:
    """The optimal recoding on cells of a problem that `unsupported` does not refuse.

    When the budget's seconds end first, all rows are one group, if the models admit it; the bound is what
    each row costs at least.

    Parameters
    ----------
    problem, budget
        The problem, and the seconds for it.
    algorithm
        The name to put in the result.
    """
    started = _core.now()
    possible = _Possible.of(problem)
    until = None if budget.seconds is None else started + budget.seconds
    try:
        partition, status = _best_partition(problem, possible, until), Status.OPTIMAL
        nothing = Status.INFEASIBLE
    except TimeoutError:
        partition, status, nothing = [possible.everything], Status.FEASIBLE, Status.UNKNOWN
    recoding = None if partition is None else _recoding(problem, partition)
    if recoding is None or not admissible(problem, made_by(problem, recoding)):
        seconds = _core.now() - started
        return Result(status=nothing, algorithm=algorithm, nodes=len(possible.groups), seconds=seconds)
    cost = problem.cost.of(problem.table, recoding, problem.k, problem.group_models)
    return Result(
        status=status,
        algorithm=algorithm,
        recoding=recoding,
        cost=cost,
        bound=_bound(problem, possible) if status is Status.FEASIBLE else cost,
        suppressed=made_by(problem, recoding).suppressed,
        nodes=len(possible.groups),
        seconds=_core.now() - started,
    )


@dataclass(frozen=True, eq=False)
class _Possible:
    """All sets of distinct rows, and those that can be groups of a best partition.

    Parameters
    ----------
    rows
        Per set its rows in the source.
    units
        Per set what one of its rows costs when the set is a group, in the metric's units.
    groups
        The sets of at least k rows that all models admit, increasing; without those that split into two
        such sets, where k is the only demand, or that would be released without any value.
    without_values
        Per set whether it may be released without any value, as the one group of that kind.
    """

    rows: Sets
    units: Sets
    groups: Sets
    without_values: NDArray[np.bool_]

    @property
    def everything(self) -> int:
        """The set of all rows."""
        return len(self.rows) - 1

    @classmethod
    def of(cls, problem: Problem) -> _Possible:
        counts, k = problem.table.counts, problem.k
        rows, largest = np.zeros(1, np.int64), np.zeros(1, np.int64)
        for count in counts.tolist():
            rows = np.concatenate([rows, rows + count])
            largest = np.concatenate([largest, np.maximum(largest, count)])
        # Rows are put aside until k of them are: the last brought at most `largest`, and k are left over. A
        # distinct row that has k by itself is put aside alone. With distinct rows, 2k rows always split.
        splits = np.where(largest >= k, rows - largest >= k, rows - (k - 1) - largest >= k)
        lifted = [_lifted(problem, each) for each in range(len(problem.table.domains))]
        units = np.asarray(sum((of_attribute for of_attribute, _ in lifted), np.int64(0)))
        if not problem.models:
            return cls(rows, units, np.flatnonzero((rows >= k) & ~splits), np.zeros(len(rows), np.bool_))
        admitted = _admitted(problem, rows)
        bare = np.logical_and.reduce([suppressed for _, suppressed in lifted])
        return cls(rows, units, np.flatnonzero(admitted & ~bare), admitted)


def _admitted(problem: Problem, rows: Sets) -> NDArray[np.bool_]:
    """Per set whether it has k rows and all models admit it."""
    admitted, judge = rows >= problem.k, privacy(problem)
    admitted &= rows >= least_rows(problem)
    if judge is not None:
        for number in np.flatnonzero(admitted).tolist():
            members = [row for row in range(number.bit_length()) if number >> row & 1]
            admitted[number] = judge.judge(members, int(rows[number])) == "admitted"
    return admitted


def _lifted(problem: Problem, attribute: int) -> tuple[Sets, NDArray[np.bool_]]:
    """Per set what a cell of an attribute costs on the least node above its values, and if that is `*`."""
    table = problem.table
    tree, codes = table.domains[attribute].hierarchy, table.codes[:, attribute]
    parts = np.array(tree.parts)
    nodes = tuple((level, part) for level, labels in enumerate(tree.labels) for part in range(len(labels)))
    first = np.cumsum([0, *(len(labels) for labels in tree.labels)])
    # All nodes of the tree as released values of a recoding: the metric prices them as it prices any.
    every = LocalRecoding(values=table.codes, nodes=(nodes,) * len(table.domains))
    assert isinstance(problem.cost, CellMetric)
    price = np.array(problem.cost.cell_units(table, every, attribute), np.int64)
    levels, lowest = _common_levels(parts[:, codes])
    units: Sets = price[first[levels] + parts[levels, codes[lowest]]]
    return units, (levels == tree.height) & (tree.labels[tree.height] == (SUPPRESSED,))


def _common_levels(parts: NDArray[np.int64]) -> tuple[Sets, Sets]:
    """Per set of rows the least level on which they are in one part, and the set's first row.

    Parameters
    ----------
    parts
        Per level and row the part. Levels are nested, so a set is in one part if each of its rows is in the
        part of the first.
    """
    levels, lowest = np.zeros(1, np.int64), np.zeros(1, np.int64)
    for row in range(parts.shape[1]):
        apart = (parts != parts[:, [row]]).sum(axis=0)  # per other row the least level that joins the two
        joined = np.maximum(levels, apart[lowest])
        joined[0] = 0  # the row by itself
        alone = np.where(np.arange(len(lowest)) == 0, row, lowest)
        levels, lowest = np.concatenate([levels, joined]), np.concatenate([lowest, alone])
    return levels, lowest


def _best_partition(problem: Problem, possible: _Possible, until: float | None) -> list[int] | None:
    """The groups of a cheapest partition; rows in none of them are suppressed. `None` if there is none.

    Raises `TimeoutError` when time is up.
    """
    rows, everything = possible.rows, possible.everything
    best = np.full(len(rows), UNREACHED)
    last = np.zeros(len(rows), np.int64)
    best[0] = 0
    # A set's groups are found from that of its last row on, so each partition is examined in one order.
    for group in possible.groups.tolist():
        if until is not None and _core.now() > until:
            raise TimeoutError
        others = _subsets(((1 << (group.bit_length() - 1)) - 1) & ~group)
        costs = best[others] + rows[group] * possible.units[group]
        better = costs < best[others | group]
        best[others[better] | group], last[others[better] | group] = costs[better], group
    assert isinstance(problem.cost, CellMetric)
    suppressed = everything - np.arange(len(rows))
    totals = best + rows[suppressed] * problem.cost.row_units(problem.table)
    too_many = (rows[suppressed] > problem.most_suppressed) & ~possible.without_values[suppressed]
    totals[too_many | (best == UNREACHED)] = UNREACHED
    kept = int(np.argmin(totals))
    return None if totals[kept] == UNREACHED else _groups_of(kept, last)


def _subsets(of: int) -> Sets:
    subsets = np.zeros(1, np.int64)
    for row in range(of.bit_length()):
        if of >> row & 1:
            subsets = np.concatenate([subsets, subsets | 1 << row])
    return subsets


def _groups_of(kept: int, last: Sets) -> list[int]:
    groups = []
    while kept:
        groups.append(int(last[kept]))
        kept &= ~groups[-1]
    return groups


def _recoding(problem: Problem, partition: list[int]) -> LocalRecoding:
    table = problem.table
    levels = np.full(table.codes.shape, SUPPRESSED_CELL)
    for group in partition:
        rows = [row for row in range(len(table.counts)) if group >> row & 1]
        for attribute, domain in enumerate(table.domains):
            parts = np.array(domain.hierarchy.parts)[:, table.codes[rows, attribute]]
            levels[rows, attribute] = int((parts != parts[:, [0]]).any(axis=1).sum())
    return LocalRecoding.from_levels(table, levels)


def _bound(problem: Problem, possible: _Possible) -> Cost:
    """No row costs less than in the cheapest group that it can be in."""
    assert isinstance(problem.cost, CellMetric)
    table, total = problem.table, -problem.cost.offset(problem.table)
    for row, count in enumerate(table.counts.tolist()):
        with_row = possible.groups[possible.groups >> row & 1 == 1]
        lost = problem.cost.row_units(table)
        total += count * int(possible.units[with_row].min(initial=lost))
    return Fraction(total, problem.cost.scale(table))
