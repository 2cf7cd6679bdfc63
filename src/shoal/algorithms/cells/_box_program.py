"""The integer program of cell suppression over boxes, and its linear relaxation by column generation.

Rows are assigned to boxes, and a box that is open has k rows or more. Its relaxation is as strong as that
over all groups, which are far more numerous. Proofs: docs/algorithms/cells.md.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from shoal.algorithms._highs import Clock, Columns, Program
from shoal.algorithms.cells._boxes import Boxes, Numbers, Priced, cheapest_groups
from shoal.algorithms.rows._partition import SUPPRESSED_ROW, Partition

UNIT = 2**20
"""Prices of rows are whole numbers of these parts, so that the bound does not rest on rounded ones."""

MOST_COLUMNS = 400
"""Groups that are added at a time."""


@dataclass(frozen=True, eq=False)
class Suppressible:
    """Whether rows may be suppressed whole: what one costs, and how many may be."""

    cost: int
    limit: int


@dataclass(frozen=True, eq=False)
class Relaxed:
    """Prices of the rows under which no group and no suppressed row is too cheap: their sum is a bound.

    Parameters
    ----------
    prices
        Per distinct row, in parts of `UNIT`.
    rounds
        How often boxes were priced.
    """

    prices: Numbers
    rounds: int

    def total(self, boxes: Boxes) -> int:
        """The sum of all prices, in parts of `UNIT`."""
        return int(boxes.counts @ self.prices)

    def bound(self, boxes: Boxes) -> int:
        """A bound: no release costs less."""
        return -(-self.total(boxes) // UNIT)


def relax(
    boxes: Boxes, start: Partition, start_costs: Numbers, k: int, whole: Suppressible, clock: Clock, best: int
) -> Relaxed:
    """Prices from the linear program over groups, to which the cheapest groups of all boxes are added.

    Parameters
    ----------
    boxes, k
        The problem.
    start, start_costs
        A release to begin with, and what each of its groups costs; a suppressed row is a group of its own.
    whole
        Whether rows may be suppressed whole.
    clock
        Ends it early; then the bound is weaker.
    best
        The cost of the best known release: no bound can be better.
    """
    counts = boxes.counts
    demand = counts.astype(np.float64)
    program = Program(demand, demand, _start_columns(start, start_costs, len(counts), whole))
    prices, rounds = np.zeros(len(counts), np.int64), 0
    while not clock.ended:
        solved = program.solve(clock)
        if not solved.optimal:
            break
        duals = np.floor(solved.duals * UNIT).astype(np.int64)
        priced = cheapest_groups(boxes, duals, UNIT, k)
        safe = _made_safe(duals, int(priced.box.min()), k, whole)
        if rounds == 0 or counts @ safe > counts @ prices:
            prices = safe
        rounds += 1
        columns = _new_columns(boxes, priced)
        if columns is None or Relaxed(prices, rounds).bound(boxes) >= best:
            break
        program.add(columns)
    return Relaxed(prices, rounds)


def _made_safe(prices: Numbers, least: int, k: int, whole: Suppressible) -> Numbers:
    """Lower prices until no group costs less than its rows' prices; groups have k rows or more."""
    safe = prices - max(0, -(least // k))
    return np.minimum(safe, whole.cost * UNIT) if whole.limit > 0 else safe


def _start_columns(start: Partition, costs: Numbers, rows: int, whole: Suppressible) -> Columns:
    """A column for each group of a release, and for each row to be suppressed, where that is allowed."""
    order = np.argsort(start.group, kind="stable")
    kept = order[start.group[order] != SUPPRESSED_ROW]
    groups = start.group[kept]
    starts = np.flatnonzero(np.diff(groups, prepend=-1))
    single = np.arange(rows) if whole.limit > 0 else np.zeros(0, np.int64)
    return Columns(
        cost=np.concatenate([costs[groups[starts]], np.full(len(single), whole.cost)]).astype(np.float64),
        upper=np.full(len(starts) + len(single), np.inf),
        first=np.concatenate([starts, len(kept) + np.arange(len(single) + 1)]),
        row=np.concatenate([start.row[kept], single]),
        value=np.concatenate([start.count[kept], np.ones(len(single))]).astype(np.float64),
    )


def _new_columns(boxes: Boxes, priced: Priced) -> Columns | None:
    """The groups that are too cheap, the cheapest of them first; `None` if there is none worth adding."""
    cheap = np.flatnonzero(priced.box < -UNIT // 1000)
    if not len(cheap):
        return None
    cheap = cheap[np.argsort(priced.box[cheap], kind="stable")[:MOST_COLUMNS]]
    chosen = np.zeros(len(boxes.price), np.bool_)
    chosen[cheap] = True
    of_entry = boxes.of_entry
    entries = np.flatnonzero(chosen[of_entry] & (priced.taken > 0))
    kinds, sizes = np.unique(of_entry[entries], return_counts=True)
    rows = np.bincount(of_entry[entries], priced.taken[entries], len(boxes.price))[kinds]
    return Columns(
        cost=(rows * boxes.price[kinds]).astype(np.float64),
        upper=np.full(len(kinds), np.inf),
        first=np.concatenate([[0], np.cumsum(sizes)]),
        row=boxes.row[entries],
        value=priced.taken[entries].astype(np.float64),
    )


def worth_keeping(boxes: Boxes, relaxed: Relaxed, best: int, k: int) -> Boxes:
    """The boxes, with their rows, that a release cheaper than the best known one can use."""
    gain = (best - 1) * UNIT - relaxed.total(boxes)
    return boxes.only(cheapest_groups(boxes, relaxed.prices, UNIT, k).entry <= gain)


def promising(boxes: Boxes, relaxed: Relaxed, k: int, entries: int) -> Boxes:
    """The boxes, with their rows, that the relaxation ranks best."""
    entry = cheapest_groups(boxes, relaxed.prices, UNIT, k).entry
    liked = np.zeros(len(entry), np.bool_)
    liked[np.argsort(entry, kind="stable")[:entries]] = True
    return boxes.only(liked)


@dataclass(frozen=True, eq=False)
class Assigned:
    """The answer of the integer program: a release cheaper than the known one, if there is one.

    `proved`: none is cheaper than this release or, without one, than the known one; `bound` holds anyway.
    """

    partition: Partition | None
    bound: float
    proved: bool
    nodes: int


def assign(
    boxes: Boxes,
    k: int,
    whole: Suppressible,
    best: int,
    clock: Clock,
    *,
    nodes: int | None = None,
    gap: float = 0.0,
) -> Assigned:
    """The cheapest assignment of rows to boxes that costs less than `best`.

    Once it is known which boxes are open, the rest is a transport of rows to them, whose cheapest solutions
    are whole; so only the boxes must be whole. A solution found in another way may not be: then all variables
    must be.
    """
    for all_whole in (False, True):
        program = _assignment(boxes, k, whole, best, all_whole=all_whole)
        solved = program.solve(clock, nodes=nodes, gap=gap)
        if not len(solved.values):
            return Assigned(None, best if solved.infeasible else -np.inf, solved.infeasible, solved.nodes)
        partition = _rounded(boxes, solved.values, k, whole)
        if partition is not None:
            return Assigned(partition, solved.bound, solved.optimal, solved.nodes)
    return Assigned(None, solved.bound, False, solved.nodes)


def _assignment(boxes: Boxes, k: int, whole: Suppressible, best: int, *, all_whole: bool) -> Program:
    """Columns: copies of a row in a box, per entry; boxes, open or not; copies suppressed, per distinct row.

    Rows: distinct rows; boxes; entries; the limit on suppressed rows; the cost to beat.
    """
    counts, entries, many, rows = boxes.counts, len(boxes.row), len(boxes.price), len(boxes.counts)
    at_box, at_entry, at_limit = rows, rows + many, rows + many + entries
    of_entry, number = boxes.of_entry, np.arange(entries)
    cost, spare = boxes.price[of_entry], np.full(rows, whole.cost)
    last = np.full(entries, at_limit + 1)
    blocks = [
        _block([boxes.row, at_box + of_entry, at_entry + number, last], [1, 1, 1, cost]),
        _box_block(boxes, k, at_box, at_entry),
        _block([np.arange(rows), np.full(rows, at_limit), np.full(rows, at_limit + 1)], [1, 1, spare]),
    ]
    lengths = np.concatenate([np.full(entries, 4), np.diff(boxes.first) + 1, np.full(rows, 3)])
    most = counts if whole.limit > 0 else np.zeros(rows)
    columns = Columns(
        cost=np.concatenate([cost, np.zeros(many), spare]).astype(np.float64),
        upper=np.concatenate([counts[boxes.row], np.ones(many), most]).astype(np.float64),
        first=np.concatenate([[0], np.cumsum(lengths)]),
        row=np.concatenate([block[0] for block in blocks]),
        value=np.concatenate([block[1] for block in blocks]),
    )
    low = np.concatenate([counts, np.zeros(many), np.full(entries + 2, -np.inf)])
    high = np.concatenate([counts, np.full(many, np.inf), np.zeros(entries), [whole.limit, best - 0.5]])
    integer = np.full(entries + many + rows, all_whole)
    integer[entries : entries + many] = True
    return Program(low, high, columns, integer)


Block = tuple[Numbers, NDArray[np.float64]]


def _block(rows: list[Numbers], values: list[int | Numbers]) -> Block:
    """Columns with an entry in each of these rows."""
    filled = [np.broadcast_to(np.asarray(value, np.float64), len(rows[0])) for value in values]
    return np.column_stack(rows).reshape(-1), np.column_stack(filled).reshape(-1)


def _box_block(boxes: Boxes, k: int, at_box: int, at_entry: int) -> Block:
    """An open box takes k rows or more, and any copies of its rows."""
    places = np.arange(len(boxes.price)) + boxes.first[:-1]
    rows = np.zeros(len(boxes.row) + len(boxes.price), np.int64)
    values = np.zeros(len(rows))
    heads = np.zeros(len(rows), np.bool_)
    heads[places] = True
    rows[heads], values[heads] = at_box + np.arange(len(boxes.price)), -float(k)
    rows[~heads], values[~heads] = at_entry + np.arange(len(boxes.row)), -boxes.counts[boxes.row]
    return rows, values


def _rounded(boxes: Boxes, values: NDArray[np.float64], k: int, whole: Suppressible) -> Partition | None:
    """The release of a solution; `None` if it is not one after rounding to whole copies."""
    entries, many, rows = len(boxes.row), len(boxes.price), len(boxes.counts)
    copies = np.rint(np.concatenate([values[:entries], values[entries + many :]])).astype(np.int64)
    of_row = np.concatenate([boxes.row, np.arange(rows)])
    group = np.concatenate([boxes.of_entry, np.full(rows, SUPPRESSED_ROW)])
    held = np.bincount(boxes.of_entry, copies[:entries], many)
    complete = np.array_equal(np.bincount(of_row, copies, rows), boxes.counts)
    fits = not ((held > 0) & (held < k)).any() and copies[entries:].sum() <= whole.limit
    if not complete or not fits or (copies < 0).any():
        return None
    used = np.flatnonzero(copies)
    return Partition(of_row[used], copies[used], group[used])
