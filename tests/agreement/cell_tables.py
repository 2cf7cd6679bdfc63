"""Small tables for cell suppression, and its optimum by plain dynamic programming over sets of rows."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import lru_cache

from hypothesis import strategies as st

from shoal.cost import CostMetric, SuppressedCells
from shoal.model.result.problem import Problem

from .problems import table_of

Row = tuple[int, ...]


@st.composite
def coded_rows(draw: st.DrawFn, max_rows: int = 7, max_values: int = 4) -> list[Row]:
    """Any few rows: all equal, all different, one attribute, many copies of one of them."""
    values = draw(st.integers(1, max_values))
    row = st.tuples(*[st.integers(0, values - 1)] * draw(st.integers(1, 5)))
    rows = draw(st.lists(row, min_size=1, max_size=max_rows))
    return [*rows, *[rows[0]] * draw(st.sampled_from([0, 0, 0, 2, 3]))]


@st.composite
def cell_problems(
    draw: st.DrawFn,
    max_rows: int = 7,
    max_values: int = 4,
    cost: CostMetric | None = None,
    ks: tuple[int, int] = (1, 4),
) -> tuple[list[Row], Problem]:
    """Rows, and the problem to make them k-anonymous, k in a range, without suppressing one whole."""
    rows = draw(coded_rows(max_rows, max_values))
    k = draw(st.integers(min(len(rows), ks[0]), min(len(rows), ks[1])))
    sizes = [max(row[a] for row in rows) + 1 for a in range(len(rows[0]))]
    table = table_of(sizes, rows, [0] * len(rows))
    return rows, Problem(table=table, k=k, cost=cost or SuppressedCells(), limit=0)


def cells_of(rows: Sequence[Row]) -> int:
    """Cells that are suppressed if rows are released alike."""
    return len(rows) * sum(len(set(column)) > 1 for column in zip(*rows, strict=True))


def optimum(
    rows: Sequence[Row],
    k: int,
    price: Callable[[Sequence[Row]], int | Fraction] = cells_of,
    spare: int = 0,
) -> int | Fraction:
    """The least cost of all partitions into groups of k or more; `spare` rows may be suppressed whole."""
    width, prices = len(rows[0]), {}
    # Larger groups can be split, and their parts lose no more.
    for size in range(k, min(2 * k - 1, len(rows)) + 1):
        for chosen in itertools.combinations(range(len(rows)), size):
            prices[sum(1 << each for each in chosen)] = price([rows[each] for each in chosen])
    by_first: list[list[int]] = [[] for _ in rows]
    for group in prices:
        by_first[(group & -group).bit_length() - 1].append(group)

    @lru_cache(None)
    def best(left: int, spared: int) -> int | Fraction | None:
        if not left:
            return 0
        first = left & -left
        found: list[int | Fraction] = []
        if spared and (rest := best(left ^ first, spared - 1)) is not None:
            found.append(width + rest)
        fitting = (group for group in by_first[first.bit_length() - 1] if group & left == group)
        tried = ((prices[group], best(left ^ group, spared)) for group in fitting)
        found.extend(cost + rest for cost, rest in tried if rest is not None)
        return min(found, default=None)

    answer = best((1 << len(rows)) - 1, spare)
    assert answer is not None
    return answer
