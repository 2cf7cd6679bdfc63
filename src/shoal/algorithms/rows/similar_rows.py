"""Groups of similar rows by a few columns of numbers, for columns that are microaggregated on their own.

The same searches as `microaggregate`: the shortest path for one column, MDAV for several.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import lcm

import numpy as np
from numpy.typing import NDArray

from shoal import _core
from shoal.algorithms._watch import Watch
from shoal.algorithms.rows._shortest_path import optimal_runs


def similar_rows(columns: Sequence[Sequence[Fraction]], k: int) -> NDArray[np.int64]:
    """Per row the number of its group; each group has at least k rows.

    Parameters
    ----------
    columns
        Per column the number of each row; there are at least k rows.
    k
        Least size of a group.
    """
    return _neighbours(columns[0], k) if len(columns) == 1 else _mdav(columns, k)


def _neighbours(numbers: Sequence[Fraction], k: int) -> NDArray[np.int64]:
    """The groups of one column with the least sum of squares."""
    common = lcm(*(each.denominator for each in set(numbers)))
    values, of_row, counts = np.unique(
        np.array([int(each * common) for each in numbers], object), return_inverse=True, return_counts=True
    )
    runs = optimal_runs(values.tolist(), counts.tolist(), k, Watch())
    groups = np.empty(len(numbers), np.int64)
    order = np.argsort(of_row.reshape(-1), kind="stable")
    at = 0
    for pieces in runs.pieces:
        for group, copies in pieces.items():
            groups[order[at : at + copies]] = group
            at += copies
    return groups


def _mdav(columns: Sequence[Sequence[Fraction]], k: int) -> NDArray[np.int64]:
    """The groups of several columns, each measured in its standard deviations."""
    codes, positions = [], []
    for column in columns:
        values, of_row = np.unique(np.array([float(each) for each in column]), return_inverse=True)
        codes.append(of_row.reshape(-1))
        deviation = float(np.std(values[codes[-1]]))
        positions.append(
            _core.Positions("mean", of_code=((values - values[0]) / (deviation or 1.0)).tolist(), missing=-1)
        )
    lines, of_row = np.unique(np.column_stack(codes), axis=0, return_inverse=True)
    answer = _core.microaggregation(
        positions,
        np.ascontiguousarray(lines, np.int32),
        np.bincount(of_row.reshape(-1)).astype(np.int64),
        k=k,
        variable=False,
        gamma=0.2,
        seconds=None,
        nodes=None,
        callback=None,
    )
    return answer.groups.astype(np.int64)[of_row.reshape(-1)]
