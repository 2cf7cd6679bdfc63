"""Rectangles of whole coordinates: what a location service is told in place of a point.

Both ends belong to a box, as in every interval that Shoal prints: [0, 3] has four coordinates. The area of a
box is the number of points with whole coordinates in it.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple


class Box(NamedTuple):
    """A rectangle; all four ends belong to it."""

    x_low: int
    x_high: int
    y_low: int
    y_high: int

    @classmethod
    def around(cls, points: Iterable[tuple[int, int]]) -> Box:
        """The least box that holds these points, of which there is at least one."""
        xs, ys = zip(*points, strict=True)
        return cls(min(xs), max(xs), min(ys), max(ys))

    @property
    def width(self) -> int:
        """How many coordinates it has from left to right."""
        return self.x_high - self.x_low + 1

    @property
    def height(self) -> int:
        """How many coordinates it has from bottom to top."""
        return self.y_high - self.y_low + 1

    @property
    def area(self) -> int:
        """How many points with whole coordinates it has."""
        return self.width * self.height

    def holds(self, x: int, y: int) -> bool:
        """Whether a point is in the box."""
        return self.x_low <= x <= self.x_high and self.y_low <= y <= self.y_high

    def squared_distance(self, x: int, y: int) -> int:
        """The square of the distance from a point to the nearest point of the box."""
        across = max(self.x_low - x, 0, x - self.x_high)
        up = max(self.y_low - y, 0, y - self.y_high)
        return across * across + up * up
