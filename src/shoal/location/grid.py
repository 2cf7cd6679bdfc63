"""Squares of a local projection: metres east and north of an origin, each level twice as wide as the finer.

The projection keeps the scale along the parallel of the origin and along all meridians (equirectangular), on
a sphere with the mean radius of the Earth. A point belongs to the square whose south-western corner is the
nearest one south and west of it, so a square has its southern and western border and not the other two.
Squares of a level are made of four of the finer one, exactly: positions are whole numbers, and the coarser
one is that number halved and rounded down.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from shoal.location.box import Box

METRES_PER_DEGREE = 111_195.08
"""Of a great circle, for the mean radius of the Earth."""
_SHIFT = 32
_MIDDLE = 1 << 31
_LOW = (1 << _SHIFT) - 1
_INDEX = re.compile(r"(\d+)mN(-?\d+)E(-?\d+)")

Ids = NDArray[np.int64]
Degrees = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True)
class Grid:
    """A grid of squares.

    Parameters
    ----------
    latitude, longitude
        The origin, in degrees.
    side
        The side of the finest squares, in whole metres.
    levels
        How many levels of squares there are.
    """

    latitude: float
    longitude: float
    side: int
    levels: int

    def finest(self, latitudes: Degrees, longitudes: Degrees) -> Ids:
        """The finest square of each point."""
        north = np.floor((latitudes - self.latitude) * METRES_PER_DEGREE / self.side)
        # Half way round the Earth the squares end, wherever the date line is.
        around = (longitudes - self.longitude + 180) % 360 - 180
        east = np.floor(around * self._per_degree / self.side)
        return _joined(east.astype(np.int64), north.astype(np.int64))

    def ancestors(self, cells: Ids, level: int) -> Ids:
        """The squares of a level that finest squares lie in."""
        east, north = _parted(cells)
        return _joined(east >> level, north >> level)

    def index(self, cell: int, level: int) -> str:
        """A square by its side and its south-western corner, in metres: `500mN-1000E1500`."""
        east, north = cell >> _SHIFT, (cell & _LOW) - _MIDDLE
        side = self.side << level
        return f"{side}mN{north * side}E{east * side}"

    def box(self, index: str) -> Box:
        """The box of a square; `ValueError` for a text that names none."""
        found = _INDEX.fullmatch(index)
        if found is None:
            raise ValueError("no square")
        side, north, east = (int(part) for part in found.groups())
        # Only as far as the points that can lie in it.
        west = max(-180.0, east / self._per_degree)
        far = min(180.0, (east + side) / self._per_degree)
        return Box.outward(
            self.longitude + west,
            self.latitude + north / METRES_PER_DEGREE,
            self.longitude + far,
            self.latitude + (north + side) / METRES_PER_DEGREE,
        )

    def ring(self, index: str) -> list[tuple[float, float]]:
        """The corners of a square that hold every point of it, as longitude and latitude."""
        return self.box(index).ring

    def outline(self, index: str) -> list[tuple[float, float]]:
        """The square as it is drawn: its own corners."""
        return self.box(index).ring

    @property
    def _per_degree(self) -> float:
        return METRES_PER_DEGREE * math.cos(math.radians(self.latitude))


def _joined(east: Ids, north: Ids) -> Ids:
    return (east << _SHIFT) | (north + _MIDDLE)


def _parted(cells: Ids) -> tuple[Ids, Ids]:
    return cells >> _SHIFT, (cells & _LOW) - _MIDDLE
