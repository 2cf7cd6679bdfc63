"""Cells of H3, the hexagons of several resolutions that cover the Earth.

A coarser cell is released as the ancestor of a finest cell: it says that the finest cell of the point is
among its descendants. Hexagons do not divide into hexagons, so descendants reach a little beyond the outline
of their ancestor, and the point with them. Cells of one level are disjoint as sets of finest cells, which is
all that groups and k need. The alternative, the coarse cell around the point itself, is no hierarchy: two
points of one fine cell can have two of these.

Where a shape is released, it is enlarged so that it holds all descendants. In the plane, the step from a cell
to its children is 1/sqrt(7) of the step between cells, which is sqrt(3) circumradii, so a descendant's points
are at most sqrt(3) * (1/sqrt(7) + 1/7 + ...) = 1.053 circumradii from the centre. `REACH` leaves a quarter
more for the distortion of the projection; a test tries points all over the Earth.
"""

from __future__ import annotations

import importlib
import math
from dataclasses import dataclass
from functools import cached_property
from itertools import repeat
from types import ModuleType

import numpy as np
from numpy.typing import NDArray

from shoal.errors import PolicyError
from shoal.location.box import Box

REACH = 1.32
"""How far from its centre the descendants of a cell may lie, in the greatest distance of its corners."""
RESOLUTIONS = 16
_PART = 100_000
"""Points between two looks at Ctrl-C."""
_RESOLUTION_AT = 52

Ids = NDArray[np.int64]
Degrees = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True)
class H3Cells:
    """Cells of H3.

    Parameters
    ----------
    finest_resolution
        The resolution of the finest cells, 0 to 15.
    levels
        How many resolutions there are, each coarser by one.
    """

    finest_resolution: int
    levels: int

    def finest(self, latitudes: Degrees, longitudes: Degrees) -> Ids:
        """The finest cell of each point."""
        cell_of, resolution = self._h3.latlng_to_cell, self.finest_resolution
        cells = np.empty(len(latitudes), np.int64)
        for start in range(0, len(cells), _PART):
            part = slice(start, start + _PART)
            found = map(cell_of, latitudes[part].tolist(), longitudes[part].tolist(), repeat(resolution))
            cells[part] = np.fromiter(found, np.int64)
        return cells

    def ancestors(self, cells: Ids, level: int) -> Ids:
        """The cells of a level that finest cells descend from."""
        # An index has four bits for its resolution and three per resolution, all set where it has none.
        resolution = self.finest_resolution - level
        unused = (1 << (3 * (RESOLUTIONS - 1 - resolution))) - 1
        return (cells & ~(0xF << _RESOLUTION_AT)) | (resolution << _RESOLUTION_AT) | unused

    def index(self, cell: int, level: int) -> str:  # noqa: ARG002  an index has its resolution
        """The index of a cell as H3 writes it."""
        return f"{cell:x}"

    def box(self, index: str) -> Box:
        """A box that holds every point whose finest cell is a cell or descends from it."""
        (latitude, longitude), radius = self._centre(index), REACH * self._radius(index)
        south, north = latitude - math.degrees(radius), latitude + math.degrees(radius)
        if south <= -90 or north >= 90:
            return Box.outward(-180, south, 180, north)
        wide = math.degrees(math.asin(min(1.0, math.sin(radius) / math.cos(math.radians(latitude)))))
        return Box.outward(longitude - wide, south, longitude + wide, north)

    def ring(self, index: str) -> list[tuple[float, float]]:
        """Corners that hold every point whose finest cell is a cell or descends from it."""
        # A hexagon touches the circle that it must hold with the middles of its sides.
        return self._ring(index, REACH / math.cos(math.pi / 6))

    def outline(self, index: str) -> list[tuple[float, float]]:
        """The cell as it is drawn: the corners that H3 gives it."""
        return self._ring(index, 1.0)

    def _ring(self, index: str, factor: float) -> list[tuple[float, float]]:
        latitude, longitude = self._centre(index)
        reach = math.degrees(factor * self._radius(index))
        if abs(latitude) + reach >= 90:
            return self.box(index).ring  # around a pole, corners enclose nothing
        centre = _vector(latitude, longitude)
        corners = []
        for corner in self._h3.cell_to_boundary(_cell(index)):
            moved = centre + factor * (_vector(*corner) - centre)
            high = math.degrees(math.atan2(moved[2], math.hypot(moved[0], moved[1])))
            along = math.degrees(math.atan2(moved[1], moved[0]))
            # Not wrapped: a cell across the date line stays one shape.
            corners.append((longitude + (along - longitude + 180) % 360 - 180, high))
        return [*corners, corners[0]]

    def _centre(self, index: str) -> tuple[float, float]:
        latitude, longitude = self._h3.cell_to_latlng(_cell(index))
        return float(latitude), float(longitude)

    def _radius(self, index: str) -> float:
        """The greatest angle between the centre of a cell and a corner, in radians."""
        centre = _vector(*self._centre(index))
        corners = self._h3.cell_to_boundary(_cell(index))
        return max(2 * math.asin(math.dist(centre, _vector(*each)) / 2) for each in corners)

    @cached_property
    def _h3(self) -> ModuleType:
        return h3_package()


def h3_package() -> ModuleType:
    """The package h3; `PolicyError` with the way to get it if it is not installed."""
    try:
        return importlib.import_module("h3.api.basic_int")
    except ImportError:
        raise PolicyError(
            "cells of H3 need the package h3, which is not installed: run pip install 'shoal[location]', or "
            'release squares with cells = "grid" and an origin'
        ) from None


def _cell(index: str) -> int:
    return int(index, 16)


def _vector(latitude: float, longitude: float) -> NDArray[np.float64]:
    high, along = math.radians(latitude), math.radians(longitude)
    return np.array(
        [math.cos(high) * math.cos(along), math.cos(high) * math.sin(along), math.sin(high)], np.float64
    )
