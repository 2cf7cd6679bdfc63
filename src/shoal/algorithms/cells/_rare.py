"""Rare combinations of values, and the cells to suppress so that none is left."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from shoal.algorithms._definitions import admissible, made_by
from shoal.model.recoding.groups import Groups, alike, printed_sizes
from shoal.model.recoding.local_recoding import SUPPRESSED_CELL, LocalRecoding
from shoal.model.result.problem import Problem
from shoal.model.table.domain import SUPPRESSED
from shoal.model.table.frequency_table import FrequencyTable

Combination = tuple[int, ...]
"""Attributes that are examined together."""


def rare_combinations(
    values: NDArray[np.int32], counts: NDArray[np.int64], tested: Sequence[Combination], k: int
) -> NDArray[np.bool_]:
    """Per row and combination, whether the row's values there occur fewer than k times."""
    rare = np.zeros((len(values), len(tested)), np.bool_)
    for number, attributes in enumerate(tested):
        rare[:, number] = alike(values[:, attributes], counts) < k
    return rare


def cells_to_suppress(
    rare: NDArray[np.bool_], tested: Sequence[Combination], order: Sequence[int]
) -> NDArray[np.bool_]:
    """Per row and attribute, whether the cell is suppressed so that no rare combination of the row is left.

    The cell in most of the row's rare combinations goes first (Figure 11, step 6).

    Parameters
    ----------
    rare, tested
        The rare combinations of each row, and the attributes of each.
    order
        The attributes; among cells in equally many combinations the first of them goes.
    """
    patterns, of_row = np.unique(rare, axis=0, return_inverse=True)
    chosen = np.zeros((len(patterns), len(order)), np.bool_)
    for number, pattern in enumerate(patterns):
        left = [set(tested[index]) for index in np.flatnonzero(pattern).tolist()]
        while left:
            attribute = max(order, key=lambda each: sum(each in attributes for attributes in left))
            chosen[number, attribute] = True
            left = [attributes for attributes in left if attribute not in attributes]
    return chosen[of_row.reshape(len(rare))]


def hidden(
    table: FrequencyTable,
    cells: NDArray[np.int64],
    k: int,
    most_suppressed: int,
    order: Sequence[int],
    each_turn: Callable[[], None] = lambda: None,
) -> NDArray[np.int64]:
    """The levels of the cells, with more of them suppressed until every row hides among k.

    A suppressed cell is a value like any other here, because a reader sees it. Rows in groups of k stay as
    they are; every other row loses one more cell in each turn, so it ends, at the latest when those rows
    have lost all cells.

    Parameters
    ----------
    table
        The rows.
    cells
        Per distinct row and attribute its level, or `SUPPRESSED_CELL`.
    k, most_suppressed
        Least rows of a group, and most rows that may be left without one.
    order
        The attributes; ties go to the first.
    each_turn
        Called before each turn; it may raise to end this.
    """
    cells = cells.copy()
    attributes = range(len(table.domains))
    every = [each for size in attributes for each in itertools.combinations(attributes, size + 1)]
    while True:
        each_turn()
        values = LocalRecoding.from_levels(table, cells).values
        sizes, stars = alike(values, table.counts), (cells == SUPPRESSED_CELL).all(axis=1)
        small = (sizes < k) & ~stars
        if not small.any():
            break
        rare = rare_combinations(values, table.counts, every, k)
        patterns = np.column_stack([rare, cells == SUPPRESSED_CELL])[small]
        cells[small] = _one_more(cells[small], patterns, every, order)
    left = int(table.counts[stars].sum())
    while 0 < left < k and left > most_suppressed:
        # Suppressing rows is not allowed: the smallest group follows them until they are a group themselves.
        smallest = np.flatnonzero(~stars & (sizes == sizes[~stars].min()))[0]
        joined = (values == values[smallest]).all(axis=1)
        cells[joined], stars = SUPPRESSED_CELL, stars | joined
        left = int(table.counts[stars].sum())
    return cells


def without_refused(problem: Problem, cells: NDArray[np.int64]) -> NDArray[np.int64] | None:
    """The levels of the cells, with all cells suppressed of rows in groups that k or a model refuses.

    Rows without any value are a group like any other to a reader. Where they are refused, and too many to be
    suppressed, the smallest groups follow them, one by one; `None` if even that does not help.
    """
    cells = cells.copy()
    while True:
        recoding = LocalRecoding.from_levels(problem.table, cells)
        groups = made_by(problem, recoding)
        without = np.array(
            [_reveals_nothing(recoding, values) for values in groups.values.tolist()], np.bool_
        )
        leaving = ~groups.kept & ~without
        if not leaving.any():
            if admissible(problem, groups) and _visible_groups_hold(problem, recoding, groups):
                return cells
            kept = np.flatnonzero(~without)
            if not len(kept):
                return None
            leaving[kept[np.argmin(groups.sizes[kept])]] = True
        cells[leaving[groups.of_row]] = SUPPRESSED_CELL


def _visible_groups_hold(problem: Problem, recoding: LocalRecoding, groups: Groups) -> bool:
    """Whether models of the whole release hold as a reader counts groups, without one that reads `*`."""
    domains = problem.table.domains
    labels = [recoding.labels(attribute, domain) for attribute, domain in enumerate(domains)]
    sizes, stars = printed_sizes(groups, range(len(domains)), labels, SUPPRESSED)
    return all(model.holds(sizes[~stars].tolist()) for model in problem.release_models)


def _reveals_nothing(recoding: LocalRecoding, values: Sequence[int]) -> bool:
    return all(nodes[value] is None for nodes, value in zip(recoding.nodes, values, strict=True))


def _one_more(
    cells: NDArray[np.int64],
    patterns: NDArray[np.bool_],
    every: Sequence[Combination],
    order: Sequence[int],
) -> NDArray[np.int64]:
    """The rows with one more suppressed cell each: of those left, the one in most rare combinations."""
    distinct, of_row = np.unique(patterns, axis=0, return_inverse=True)
    chosen = []
    for pattern in distinct:
        left = [attribute for attribute in order if not pattern[len(every) + attribute]]
        rare = [every[index] for index in np.flatnonzero(pattern[: len(every)]).tolist()]
        chosen.append(max(left, key=lambda each: sum(each in attributes for attributes in rare)))
    cells = cells.copy()
    cells[np.arange(len(cells)), np.array(chosen)[of_row.reshape(len(cells))]] = SUPPRESSED_CELL
    return cells
