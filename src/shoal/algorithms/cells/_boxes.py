"""The boxes of a table: all rows that agree on some attributes, as in released rows with suppressed cells.

A released row with suppressed cells describes the box of all rows that it could be. A release is an
assignment of rows to boxes around them, and is k-anonymous if every box that has rows has k of them or more.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Boxes:
    """Boxes of k rows or more, each with the most detail that its rows allow.

    Parameters
    ----------
    counts
        Per distinct row its copies.
    price
        Per box what each row that is released as it loses.
    first, row
        The distinct rows of box b are `row[first[b]:first[b + 1]]`.
    """

    counts: Numbers
    price: Numbers
    first: Numbers
    row: Numbers

    @property
    def of_entry(self) -> Numbers:
        """The box of each entry of `row`."""
        return np.repeat(np.arange(len(self.price)), np.diff(self.first))

    def only(self, entries: NDArray[np.bool_]) -> Boxes:
        """The boxes that still have rows if only some entries are kept."""
        sizes = np.bincount(self.of_entry[entries], minlength=len(self.price))
        kept = sizes > 0
        return Boxes(
            self.counts, self.price[kept], np.concatenate([[0], np.cumsum(sizes[kept])]), self.row[entries]
        )


def boxes_of(codes: NDArray[np.int32], counts: Numbers, k: int, charges: Sequence[int]) -> Boxes:
    """All boxes of k rows or more; the rows are grouped once per set of attributes."""
    attributes = codes.shape[1]
    numbers: dict[int, Numbers] = {0: np.zeros(len(codes), np.int64)}
    price, sizes, rows = [], [], []
    for kept in range(2**attributes):
        if kept:
            last = kept.bit_length() - 1
            keys = numbers[kept ^ (1 << last)] * (int(codes[:, last].max()) + 1) + codes[:, last]
            numbers[kept] = np.unique(keys, return_inverse=True)[1].reshape(-1).astype(np.int64)
        dropped = [a for a in range(attributes) if not kept >> a & 1]
        order = np.argsort(numbers[kept], kind="stable")
        number = numbers[kept][order]
        starts = np.flatnonzero(np.concatenate([[True], number[1:] != number[:-1]]))
        good = np.add.reduceat(counts[order], starts) >= k
        for attribute in dropped:
            # If the rows agree here, too, they are a more detailed box.
            column = codes[order, attribute]
            good &= np.minimum.reduceat(column, starts) != np.maximum.reduceat(column, starts)
        size = np.diff(np.concatenate([starts, [len(order)]]))
        price.append(np.full(int(good.sum()), sum(charges[a] for a in dropped), np.int64))
        sizes.append(size[good])
        rows.append(order[np.repeat(good, size)])
    return Boxes(
        np.asarray(counts, np.int64),
        np.concatenate(price),
        np.concatenate([[0], np.cumsum(np.concatenate(sizes))]),
        np.concatenate(rows).astype(np.int64),
    )


@dataclass(frozen=True, eq=False)
class Priced:
    """The cheapest group of each box, where rows have prices: what it costs beyond the prices of its rows.

    Parameters
    ----------
    box
        Per box the reduced cost of its cheapest group.
    entry
        Per entry that of the box's cheapest group with this row.
    taken
        Per entry how many copies of the row are in the box's cheapest group.
    """

    box: Numbers
    entry: Numbers
    taken: Numbers


def cheapest_groups(boxes: Boxes, prices: Numbers, unit: int, k: int) -> Priced:
    """Price all boxes; rows' prices and the costs are in parts of `unit`.

    A group of a box has k rows, those of the highest prices, and all others whose prices pay for them.
    """
    of_entry = boxes.of_entry
    term = boxes.price[of_entry] * unit - prices[boxes.row]
    rank = np.empty(len(prices), np.int64)
    rank[np.argsort(-prices, kind="stable")] = np.arange(len(prices))
    order = np.argsort(of_entry * len(prices) + rank[boxes.row])
    sizes, sorted_term = boxes.counts[boxes.row[order]], term[order]
    held = np.cumsum(sizes)
    begins = boxes.first[:-1]
    before = held - sizes - np.repeat((held - sizes)[begins], np.diff(boxes.first))
    needed = np.clip(k - before, 0, sizes)
    taken = np.where(sorted_term < 0, sizes, needed)
    box = np.add.reduceat(taken * sorted_term, begins)
    kth = np.maximum.reduceat(np.where(needed > 0, sorted_term, np.iinfo(np.int64).min), begins)
    entry = np.repeat(box - np.maximum(kth, 0), np.diff(boxes.first)) + sorted_term
    entry = np.where(taken > 0, np.repeat(box, np.diff(boxes.first)), entry)
    found_entry, found_taken = np.empty_like(entry), np.empty_like(taken)
    found_entry[order], found_taken[order] = entry, taken
    return Priced(box, found_entry, found_taken)
