"""A box of latitudes and longitudes, as RFC 7946 has it: across the date line its west is above its east."""

from __future__ import annotations

import math
from dataclasses import dataclass

DECIMALS = 6
"""Of a printed degree: a tenth of a metre."""
_STEP = 1_000_000
_SLACK = 1e-3
"""Of a step: more than what double precision loses, so that a box holds the points on its border."""


@dataclass(frozen=True)
class Box:
    """A box in degrees.

    Parameters
    ----------
    west, south, east, north
        Its sides.
    """

    west: float
    south: float
    east: float
    north: float

    @classmethod
    def outward(cls, west: float, south: float, east: float, north: float) -> Box:
        """The box with printable sides that holds another one, whose longitudes may be beyond 180 degrees."""
        south, north = max(-90.0, _floor(south)), min(90.0, _ceil(north))
        if east - west >= 360 - 2 / _STEP:
            return cls(-180.0, south, 180.0, north)
        return cls(_wrapped(_floor(west)), south, _wrapped(_ceil(east)), north)

    @classmethod
    def read(cls, text: str) -> Box:
        """The box that a released cell states; `ValueError` if it states none."""
        west, south, east, north = map(float, text.split(" "))
        return cls(west, south, east, north)

    @property
    def text(self) -> str:
        """The box as it is released: west, south, east and north with spaces between them."""
        return " ".join(f"{side:.{DECIMALS}f}" for side in (self.west, self.south, self.east, self.north))

    def holds(self, latitude: float, longitude: float) -> bool:
        """Whether a point lies in the box."""
        if not self.south <= latitude <= self.north:
            return False
        around = _wrapped(longitude)
        if self.west <= self.east:
            return self.west <= around <= self.east or (abs(around) == 180 and 180 in (-self.west, self.east))
        return around >= self.west or around <= self.east

    @property
    def ring(self) -> list[tuple[float, float]]:
        """Its corners as longitude and latitude, counterclockwise and closed; longitudes are not wrapped."""
        east = self.east if self.west <= self.east else self.east + 360
        corners = [(self.west, self.south), (east, self.south), (east, self.north), (self.west, self.north)]
        return [*corners, corners[0]]


def _floor(side: float) -> float:
    return math.floor(side * _STEP - _SLACK) / _STEP


def _ceil(side: float) -> float:
    return math.ceil(side * _STEP + _SLACK) / _STEP


def _wrapped(longitude: float) -> float:
    """The longitude from -180 to 180."""
    return longitude if -180 <= longitude <= 180 else (longitude + 180) % 360 - 180
