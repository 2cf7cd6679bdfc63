"""Orders categories by how often they occur, and by how alike their rows are in the other columns.

Frequent values come first, in bands of counts between powers of two; all values of fewer than 8 rows are one
band. Within a band, each value is followed by the one most like it: the one with the nearest distribution
over the other columns. A cut then joins rare values with rare ones, and with those that are alike, and the
frequent ones stay by themselves. Deterministic and exact: whole numbers only, and ties go to the first value.

A road not taken: clustering all values by likeness, and ordering its leaves. Rare values then lie between
frequent ones, and cuts lose up to twice as much; figures in docs/decisions/0023-orders-from-data.md.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Counts = NDArray[np.int64]

MOST_VALUES = 1_000
"""With more values, likeness is not looked at: the order is that of the bands."""
MOST_COLUMNS = 8
"""Columns that values are compared in: each takes a count of pairs."""
BINS = 16

_LOWEST_BAND = 3
"""Bits of the largest count of the lowest band: whether a value has one row or seven, the order hides it."""
_UNIT = 1 << 16
"""A share of 1. Squares of differences, summed over all bins, stay far below 2**63."""
_PRIOR = 4
"""Rows with the distribution of all rows that are added to each value: three rows are not yet a pattern."""


def binned(counts: Counts, *, ordered: bool, missing: bool) -> NDArray[np.int32]:
    """The bin of each code of a column, so that few bins describe its distribution.

    Parameters
    ----------
    counts
        Rows of each code.
    ordered
        Whether neighbouring codes are near each other: then bins have about equal numbers of rows. Otherwise
        the most frequent codes have a bin each, and the others share one.
    missing
        Whether the last code is the missing value, which has a bin of its own.
    """
    known = counts[: len(counts) - missing]
    if ordered:
        before = np.cumsum(known) - known
        bins = before * BINS // max(1, int(known.sum()))
    else:
        ranked = np.argsort(-known, kind="stable")
        bins = np.empty(len(known), np.int64)
        bins[ranked] = np.minimum(np.arange(len(known)), BINS - 1)
    return np.append(bins, [BINS] * missing).astype(np.int32)


def spread(bins: NDArray[np.int32], counts: Counts) -> int:
    """Rows outside the largest bin: what a column says about values, at most."""
    return int(counts.sum() - np.bincount(bins, counts).max()) if len(bins) else 0


def profiles(counts: Counts, pairs: Sequence[Counts]) -> Counts:
    """The distribution of each value over the bins of other columns, in 65,536ths.

    Parameters
    ----------
    counts
        Rows of each value.
    pairs
        Per other column the rows of each value and bin.
    """
    shares = []
    for table in pairs:
        whole = _UNIT * table.sum(axis=0) // max(1, int(table.sum()))
        shares.append((_UNIT * table + _PRIOR * whole) // (counts[:, None] + _PRIOR))
    return np.concatenate(shares, axis=1) if shares else np.zeros((len(counts), 0), np.int64)


def like_with_like(counts: Counts, described: Counts) -> list[int]:
    """The codes in their new order.

    Parameters
    ----------
    counts
        Rows of each code.
    described
        The profile of each code; without columns, the order is that of the bands.
    """
    bands: dict[int, list[int]] = {}
    for code, count in enumerate(counts.tolist()):
        bands.setdefault(max(_LOWEST_BAND, count.bit_length()), []).append(code)
    order: list[int] = []
    for band in sorted(bands, reverse=True):
        left = np.array(bands[band])
        if not order:  # nothing to be like: begin with the most frequent
            first = int(left[np.argmax(counts[left])])
            order.append(first)
            left = left[left != first]
        while described.shape[1] and len(left):
            apart = described[left] - described[order[-1]]
            nearest = int(np.argmin((apart * apart).sum(axis=1)))
            order.append(int(left[nearest]))
            left = np.delete(left, nearest)
        order.extend(left.tolist())
    return order
