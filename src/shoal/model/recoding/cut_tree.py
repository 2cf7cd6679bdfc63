"""Cuts of a table into regions, few enough to send to every worker; a row's codes give its region."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, kw_only=True, eq=False)
class Cut:
    """A cut of a region by the codes of one attribute.

    Parameters
    ----------
    attribute
        The attribute.
    sides
        The number of sides.
    start
        The first code of the second side, where the sides are two intervals.
    side_of_code
        Otherwise the side of each code of the domain.
    """

    attribute: int
    sides: int
    start: int = 0
    side_of_code: NDArray[np.int32] | None = None

    def side(self, codes: NDArray[np.int32]) -> NDArray[np.int32]:
        """The side of each code."""
        if self.side_of_code is None:
            return (codes >= self.start).astype(np.int32)
        return self.side_of_code[codes]


@dataclass(eq=False)
class CutTree:
    """Regions: 0 is the whole table, and the sides of a cut are numbered on from `first_side`.

    Parameters
    ----------
    regions
        The number of regions, including those that were cut.
    cuts, first_side
        For each region that was cut, its cut and the number of its first side.
    """

    regions: int = 1
    cuts: dict[int, Cut] = field(default_factory=dict)
    first_side: dict[int, int] = field(default_factory=dict)
    _arrays: _Arrays | None = field(default=None, init=False)

    def cut(self, region: int, cut: Cut) -> range:
        """Cut a region, and return the numbers of its sides."""
        self.cuts[region], self.first_side[region] = cut, self.regions
        self.regions += cut.sides
        self._arrays = None
        return self.sides(region)

    def sides(self, region: int) -> range:
        """The regions that a region was cut into; empty if it was not cut."""
        if region not in self.cuts:
            return range(0)
        first = self.first_side[region]
        return range(first, first + self.cuts[region].sides)

    def leaves(self) -> list[int]:
        """The regions that were not cut, from the first side to the last."""
        leaves, open_ = [], [0]
        while open_:
            region = open_.pop()
            sides = self.sides(region)
            if not sides:
                leaves.append(region)
            open_ += reversed(sides)
        return leaves

    def region(self, codes: NDArray[np.int32]) -> NDArray[np.int32]:
        """The leaf that each row is in, by its codes."""
        region = np.zeros(len(codes), np.int32)
        flat = self._flat
        moving = np.arange(len(codes))
        while True:
            moving = moving[flat.attribute[region[moving]] >= 0]
            if not len(moving):
                return region
            at = region[moving]
            code = codes[moving, flat.attribute[at]]
            listed = flat.listed_from[at] >= 0
            place = np.where(listed, flat.listed_from[at] + code, 0)
            side = np.where(listed, flat.listed[place], code >= flat.start[at])
            region[moving] = flat.first_side[at] + side

    @property
    def _flat(self) -> _Arrays:
        if self._arrays is None:
            self._arrays = self._flattened()
        return self._arrays

    def _flattened(self) -> _Arrays:
        """The cuts by region in arrays."""
        attribute, start, listed_from = (np.full(self.regions, -1, np.int64) for _ in range(3))
        first_side = np.zeros(self.regions, np.int32)
        listed, size = [np.zeros(1, np.int32)], 1
        for region, cut in self.cuts.items():
            attribute[region], start[region] = cut.attribute, cut.start
            first_side[region] = self.first_side[region]
            if cut.side_of_code is not None:
                listed_from[region] = size
                listed.append(cut.side_of_code)
                size += len(cut.side_of_code)
        return _Arrays(attribute, start, first_side, listed_from, np.concatenate(listed))


@dataclass(frozen=True, eq=False)
class _Arrays:
    attribute: NDArray[np.int64]  # -1 for a leaf
    start: NDArray[np.int64]
    first_side: NDArray[np.int32]
    listed_from: NDArray[np.int64]  # where the sides of its codes are listed; -1 if `start` separates them
    listed: NDArray[np.int32]
