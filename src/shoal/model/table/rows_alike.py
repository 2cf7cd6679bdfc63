"""Counts how many rows each row is like, if `*` is like everything.

Rows are counted by where their stars are: two such patterns are compared on the columns in which neither has
any.
"""

from __future__ import annotations

from collections import defaultdict

import numpy as np
from numpy.typing import NDArray

from shoal.model.table.distinct_codes import LARGEST_KEY

Ints = NDArray[np.int64]


def rows_alike(values: Ints, stars: NDArray[np.bool_], rows: Ints) -> Ints:
    """Per distinct row how many rows are like it, itself among them.

    Parameters
    ----------
    values, stars
        Per distinct row and column the number of its cell, and whether that reads `*`.
    rows
        How many rows each of them is.
    """
    patterns, of_row = np.unique(stars, axis=0, return_inverse=True)
    of_row = of_row.reshape(len(stars))
    members = [np.flatnonzero(of_row == pattern) for pattern in range(len(patterns))]
    pairs: defaultdict[bytes, list[tuple[int, int]]] = defaultdict(list)
    for one in range(len(patterns)):
        for other in range(len(patterns)):
            pairs[(patterns[one] | patterns[other]).tobytes()].append((one, other))
    found = np.zeros(len(rows), np.int64)
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
            found[members[one]] += counted[other][number[members[one]]]
    return found


def _numbers(values: Ints) -> Ints:
    """A number for each row, the same for equal ones; all the same if there is no column."""
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
