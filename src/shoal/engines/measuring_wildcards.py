"""Measures how many rows of a table each row is like, if `*` is like everything. Knows its cells alone.

Two rows are like each other if they agree wherever neither reads `*`; a missing value agrees with a missing
value alone. A row whose quasi-identifiers all read `*` tells nothing: it is not measured, and nobody is
hidden by it. That is how sdcMicro counts, but for those rows.

Rows are counted by where their stars are: two such patterns are compared on the columns in which neither has
any.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from sqlglot import exp

from shoal.engines import sql
from shoal.engines.table import Table
from shoal.model.measurement import WildcardMeasurement

Ints = NDArray[np.int64]
LARGEST_KEY = 2**62


def wildcards_measured(table: Table, quasi_identifiers: Sequence[str], k: int) -> WildcardMeasurement:
    """One pass over the rows, then one over the distinct ones for each two patterns of stars."""
    columns = range(len(quasi_identifiers))
    cells = [exp.alias_(table.seen(name), f"g{index}") for index, name in enumerate(quasi_identifiers)]
    stars = [exp.alias_(table.is_star(name), f"s{index}") for index, name in enumerate(quasi_identifiers)]
    ranks = [sql.fragment(f"dense_rank() OVER (ORDER BY g{index}) - 1 AS r{index}") for index in columns]
    flags = [exp.alias_(exp.cast(exp.column(f"s{index}"), "INT"), f"t{index}") for index in columns]
    with table.selected(quasi_identifiers) as relation:
        groups = sql.counted([*cells, *stars], relation)
        ranked = exp.select(*ranks, *flags, "n").from_(groups.subquery("g"))
        found = table.session.arrays(ranked, table.about)
    values = np.column_stack([np.asarray(found[f"r{index}"]).astype(np.int64) for index in columns])
    starred = np.column_stack([np.asarray(found[f"t{index}"]).astype(np.int64) for index in columns]) == 1
    rows = np.asarray(found["n"]).astype(np.int64)
    told = ~starred.all(axis=1)
    like = rows_alike(values[told], starred[told], rows[told])
    return WildcardMeasurement(
        smallest=int(like.min()) if len(like) else None, rows_below=int(rows[told][like < k].sum())
    )


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
