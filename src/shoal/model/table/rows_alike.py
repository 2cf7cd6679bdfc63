"""Counts how many rows each row matches, if `*` matches everything.

Rows are counted by the pattern of their stars: two patterns are compared on the columns where neither has a
star.
"""

from __future__ import annotations

from collections import defaultdict

import numpy as np
from numpy.typing import NDArray

from shoal.model.table.distinct_codes import LARGEST_KEY

Ints = NDArray[np.int64]


def rows_alike(values: Ints, stars: NDArray[np.bool_], rows: Ints) -> Ints:
    """For each distinct row how many rows match it, itself included.

    Parameters
    ----------
    values, stars
        For each distinct row and column the code of its cell, and whether the cell reads `*`.
    rows
        How many rows each distinct row represents.
    """
    patterns, of_row = np.unique(stars, axis=0, return_inverse=True)
    of_row = of_row.reshape(len(stars))
    members = [np.flatnonzero(of_row == pattern) for pattern in range(len(patterns))]
    pairs: defaultdict[bytes, list[tuple[int, int]]] = defaultdict(list)
    for one in range(len(patterns)):
        for other in range(len(patterns)):
            pairs[(patterns[one] | patterns[other]).tobytes()].append((one, other))
    matching = np.zeros(len(rows), np.int64)
    for hidden, both in pairs.items():
        compared = values[:, ~np.frombuffer(hidden, np.bool_)]
        number = _numbers(compared)
        counted: dict[int, Ints] = {}
        for one, other in both:
            if other not in counted:
                there = members[other]
                counted[other] = np.bincount(number[there], rows[there], int(number.max()) + 1).astype(
                    np.int64
                )
            matching[members[one]] += counted[other][number[members[one]]]
    return matching


def _numbers(values: Ints) -> Ints:
    """A number for each row, the same for equal rows; without columns all rows are equal."""
    numbers = np.zeros(len(values), np.int64)
    distinct = 1
    for column in values.T:
        size = int(column.max(initial=0)) + 1
        if distinct * size > LARGEST_KEY:
            numbers = np.unique(numbers, return_inverse=True)[1].astype(np.int64).reshape(-1)
            distinct = int(numbers.max(initial=0)) + 1
        numbers = numbers * size + column
        distinct *= size
    return np.unique(numbers, return_inverse=True)[1].astype(np.int64).reshape(-1)
