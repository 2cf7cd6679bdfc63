"""How well sets of columns distinguish rows.

Distinction is the share of distinct combinations among the rows; separation the share of pairs of rows that
differ somewhere.

Paper: Motwani and Xu, Efficient algorithms for masking and finding quasi-identifiers, SDM 2008.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from shoal.model.table.coded_cells import CodedCells
from shoal.model.table.distinct_codes import LARGEST_KEY
from shoal.model.table.group_sizes import GroupSizes

MOST_COLUMNS = 16
MOST_WORK = 100_000_000
"""Lines to process, over all sets of columns: a few seconds. Where all sets would take more, only the
small ones are measured, and the whole."""


@dataclass(frozen=True, kw_only=True)
class Subset:
    """What a set of columns reveals.

    Parameters
    ----------
    columns
        The columns.
    distinction
        Distinct combinations over rows.
    separation
        The share of pairs of rows that are distinguished; 0 where there is no pair.
    uniqueness
        The share of rows that match no other row.
    """

    columns: tuple[str, ...]
    distinction: float
    separation: float
    uniqueness: float

    def to_dict(self) -> dict[str, object]:
        """For programs."""
        return {
            "columns": list(self.columns),
            "distinction": self.distinction,
            "separation": self.separation,
            "uniqueness": self.uniqueness,
        }


def subset_of(columns: Sequence[str], sizes: GroupSizes) -> Subset:
    """What the sizes of the groups of some columns reveal."""
    rows = sizes.rows
    alike = sum(
        size * (size - 1) * n for size, n in zip(sizes.sizes.tolist(), sizes.groups.tolist(), strict=True)
    )
    pairs = rows * (rows - 1)
    return Subset(
        columns=tuple(columns),
        distinction=sizes.count / rows if rows else 0.0,
        separation=(pairs - alike) / pairs if pairs else 0.0,
        uniqueness=sizes.of_size(1) / rows if rows else 0.0,
    )


def subsets_measured(cells: CodedCells) -> list[Subset]:
    """Every set of columns, or those of few columns and the whole: small ones first."""
    place = {name: index for index, name in enumerate(cells.columns)}
    whole = _Keyed.of(cells)
    if whole is None:  # more combinations than a key can encode: a line at a time
        subsets = [subset_of([name], sizes_of(cells.of([name]).counts)) for name in cells.columns]
        subsets += [subset_of(cells.columns, sizes_of(cells.counts))]
    else:
        most = largest_measured(whole.radices, len(whole.keys))
        subsets = list(_all(whole, most - 1) if most == len(place) else _small(whole, most))
    stated = [
        replace(each, columns=tuple(sorted(each.columns, key=lambda name: place[name]))) for each in subsets
    ]
    return sorted(stated, key=lambda each: (len(each.columns), [place[name] for name in each.columns]))


def largest_measured(radices: Sequence[int], lines: int) -> int:
    """The most columns per set that can be measured in time; at least one.

    Parameters
    ----------
    radices
        Distinct values of each column.
    lines
        Distinct rows.
    """
    columns = len(radices)
    if columns <= MOST_COLUMNS:
        products = np.ones(1)
        for radix in radices:
            products = np.concatenate([products, products * radix])
        if np.minimum(products, lines).sum() <= MOST_WORK:
            return columns
    work = 0
    for size in range(1, columns):
        work += math.comb(columns, size) * lines
        if work > MOST_WORK:
            return max(1, size - 1)
    return max(1, columns - 1)


@dataclass(frozen=True, kw_only=True, eq=False)
class _Keyed:
    """Distinct rows of some columns, each row a number whose digits are its codes.

    Parameters
    ----------
    columns, radices
        The columns, and how many codes each has; the last is the lowest digit.
    keys, counts
        Per distinct row its number, and how many rows it represents.
    """

    columns: tuple[str, ...]
    radices: tuple[int, ...]
    keys: NDArray[np.int64]
    counts: NDArray[np.int64]

    @classmethod
    def of(cls, cells: CodedCells) -> _Keyed | None:
        """The rows with keys; `None` if there are too many combinations."""
        codes = [np.unique(column, return_inverse=True) for column in cells.codes.T]
        radices = [max(1, len(values)) for values, _ in codes]
        if math.prod(radices) >= LARGEST_KEY:
            return None
        # The column with most values is the lowest digit: dropped first, it leaves few rows to others.
        order = sorted(range(len(radices)), key=lambda each: radices[each])
        keys = np.zeros(len(cells.codes), np.int64)
        for each in order:
            keys = keys * radices[each] + codes[each][1].reshape(-1)
        return cls(
            columns=tuple(cells.columns[each] for each in order),
            radices=tuple(radices[each] for each in order),
            keys=keys,
            counts=cells.counts,
        )

    def without(self, place: int) -> _Keyed:
        """Without one of the columns."""
        below = math.prod(self.radices[place + 1 :])
        keys = self.keys // (below * self.radices[place]) * below
        if below > 1:
            keys += self.keys % below
        return self._with([each for each in range(len(self.columns)) if each != place], keys)

    def only(self, places: Sequence[int]) -> _Keyed:
        """With some of the columns alone."""
        keys = np.zeros(len(self.keys), np.int64)
        for each in places:
            below = math.prod(self.radices[each + 1 :])
            keys = keys * self.radices[each] + self.keys // below % self.radices[each]
        return self._with(places, keys)

    def _with(self, places: Sequence[int], keys: NDArray[np.int64]) -> _Keyed:
        radices = tuple(self.radices[each] for each in places)
        keys, counts = _summed(keys, self.counts, math.prod(radices))
        columns = tuple(self.columns[each] for each in places)
        return _Keyed(columns=columns, radices=radices, keys=keys, counts=counts)

    @property
    def subset(self) -> Subset:
        """What the columns reveal."""
        return subset_of(self.columns, sizes_of(self.counts))


def _summed(
    keys: NDArray[np.int64], counts: NDArray[np.int64], size: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The distinct keys below a size, and the sum of the counts of each."""
    if size <= 4 * len(keys) + 65_536:
        sums = np.bincount(keys, counts, size)
        occurring = np.flatnonzero(sums)
        return occurring, sums[occurring].astype(np.int64)
    order = np.argsort(keys)
    sorted_ = keys[order]
    first = np.flatnonzero(np.r_[True, sorted_[1:] != sorted_[:-1]][: len(keys)])
    return sorted_[first], np.add.reduceat(counts[order], first) if len(first) else counts[:0]


def _small(whole: _Keyed, most: int) -> Iterator[Subset]:
    for size in range(1, most + 1):
        for places in combinations(range(len(whole.columns)), size):
            yield whole.only(places).subset
    yield whole.subset


def _all(larger: _Keyed, end: int) -> Iterator[Subset]:
    """A set and those below it that lack one of the columns up to an end, each from one with a column more.

    Only the sets on the way down are held. The columns with many values, at the end, go first.
    """
    yield larger.subset
    if len(larger.columns) > 1:
        for place in range(end, -1, -1):
            yield from _all(larger.without(place), place - 1)


def sizes_of(counts: NDArray[np.int64]) -> GroupSizes:
    """How many groups have each size, given the rows of each group."""
    sizes, groups = np.unique(counts, return_counts=True)
    return GroupSizes(sizes=sizes.astype(np.int64), groups=groups.astype(np.int64))
