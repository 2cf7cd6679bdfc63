"""One column before and after: which labels the release has, and what each can represent."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from shoal.auditor.original.column_check import ReadColumn

Numbers = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class ComparedColumn:
    """A column of a release and the same column of its original.

    Parameters
    ----------
    name
        The column.
    read
        Its cells and values.
    released, original
        Per row the code of its cell.
    """

    name: str
    read: ReadColumn
    released: NDArray[np.int32]
    original: NDArray[np.int32]

    @cached_property
    def after(self) -> Numbers:
        """Released rows of each label."""
        return np.bincount(self.released, minlength=len(self.read.cells)).astype(np.float64)

    @cached_property
    def before(self) -> Numbers:
        """Original rows of each value."""
        return self.read.point_rows.astype(np.float64)

    @cached_property
    def points(self) -> NDArray[np.int64]:
        """Per original row which value it has."""
        return self.read.point_of_value[self.original]

    @cached_property
    def placed(self) -> NDArray[np.bool_]:
        """Per label whether it is a number in the original's range that the original lacks: a mean."""
        places = self.read.places
        return (places >= 0) & (places <= 1)

    @cached_property
    def coverage(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Which label counts towards which value, in pairs: what it can represent, or else the nearest value.

        A number that the original does not have covers nothing. Queries test whether it lies in a range, and
        ranges end halfway between values.
        """
        cells, points = self.read.coverage
        means = np.flatnonzero(self.placed)
        if not len(means):
            return cells, points
        assert self.read.positions is not None
        nearest = _nearest(self.read.positions, self.read.places[means])
        return np.concatenate([cells, means]), np.concatenate([points, nearest])

    @cached_property
    def sizes(self) -> NDArray[np.int64]:
        """How many of the original's values each label can represent."""
        return np.bincount(self.coverage[0], minlength=len(self.read.cells))

    @cached_property
    def density(self) -> Numbers:
        """Released rows of each label per value that it can represent: rows are spread evenly over them."""
        density: Numbers = self.after / np.maximum(self.sizes, 1)
        return density

    @cached_property
    def spread(self) -> Numbers:
        """Released rows of each value, if those of a label are spread evenly."""
        cells, points = self.coverage
        spread: Numbers = np.bincount(points, self.density[cells], len(self.before)).astype(np.float64)
        return spread

    @cached_property
    def label_of_point(self) -> NDArray[np.int64]:
        """Per value the narrowest label that covers it, among equals the one with more rows; -1 if none does.

        Where numbers were replaced by others, a number that none covers has the label nearest to it.
        """
        cells, points = self.coverage
        used = self.after[cells] > 0
        cells, points = cells[used], points[used]
        order = np.lexsort((cells, -self.after[cells], self.sizes[cells], points))
        labels = np.full(len(self.before), -1, np.int64)
        first, at = np.unique(points[order], return_index=True)
        labels[first] = cells[order][at]
        positions, means = self.read.positions, np.flatnonzero(self.placed & (self.after > 0))
        if positions is not None and len(means):
            bare = np.flatnonzero(labels[: len(positions)] < 0)
            means = means[np.argsort(self.read.places[means], kind="stable")]
            labels[bare] = means[_nearest(self.read.places[means], positions[bare])]
        return labels

    def memberships(self, of_point: NDArray[np.int64], parts: int) -> Numbers:
        """Per label the share of its values that each part of the domain has; no share if it has none."""
        cells, points = self.coverage
        keys = cells * parts + of_point[points]
        memberships: Numbers = np.bincount(keys, 1 / self.sizes[cells], len(self.sizes) * parts).astype(
            np.float64
        )
        return memberships.reshape(len(self.sizes), parts)

    def parts(self, most: int) -> tuple[NDArray[np.int64], int]:
        """The domain in at most `most` parts: runs of neighbours, or frequent words and the rest.

        For numbers and dates every part has about as many rows, and the missing value is its own part.
        """
        size, known = len(self.before), len(self.before) - self.read.has_missing
        if size <= most:
            return np.arange(size), size
        parts = np.full(size, most - 1, np.int64)
        if self.read.positions is None:
            often = np.lexsort((np.arange(size), -self.before))[: most - 1]
            parts[np.sort(often)] = np.arange(len(often))
            return parts, most
        ends = np.cumsum(self.before[:known])
        runs = np.minimum(
            ((ends - self.before[:known] / 2) / ends[-1] * (most - 1)).astype(np.int64), most - 2
        )
        _, parts[:known] = np.unique(runs, return_inverse=True)
        parts[known:] = parts[:known].max(initial=-1) + 1
        return parts, int(parts.max()) + 1

    @cached_property
    def middles(self) -> Numbers:
        """Per label the middle between the least and the greatest number that it can represent, 0 to 1.

        A number that the original does not have keeps its place.
        One half for a label that can represent no number.
        """
        positions = self.read.positions
        assert positions is not None
        cells, points = self.coverage
        known = points < len(positions)
        low = np.full(len(self.sizes), np.inf)
        high = np.full(len(self.sizes), -np.inf)
        np.minimum.at(low, cells[known], positions[points[known]])
        np.maximum.at(high, cells[known], positions[points[known]])
        some = low <= high
        middles = np.full(len(self.sizes), 0.5)
        middles[some] = (low[some] + high[some]) / 2
        middles[self.placed] = self.read.places[self.placed]
        return middles


def _nearest(sorted_places: Numbers, wanted: Numbers) -> NDArray[np.int64]:
    """Per place which of some sorted ones is nearest, of two the lower."""
    after = np.clip(np.searchsorted(sorted_places, wanted), 0, len(sorted_places) - 1)
    before = np.maximum(after - 1, 0)
    is_lower = wanted - sorted_places[before] <= sorted_places[after] - wanted
    return np.where(is_lower, before, after).astype(np.int64)
