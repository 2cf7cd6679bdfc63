"""Whether a point lies in a shape, by definitions that share nothing with the cells."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise


def in_ring(latitude: float, longitude: float, ring: Sequence[Sequence[float]]) -> bool:
    """Whether a ring of longitudes and latitudes holds a point, its border included."""
    return any(_holds(latitude, longitude + turn, ring) for turn in (-360, 0, 360))


def _holds(latitude: float, longitude: float, ring: Sequence[Sequence[float]]) -> bool:
    """By how often a ray to the east crosses the ring."""
    inside = False
    for (x, y), (next_x, next_y) in pairwise(ring):
        across = (next_x - x) * (latitude - y) - (next_y - y) * (longitude - x)
        between = min(x, next_x) <= longitude <= max(x, next_x) and min(y, next_y) <= latitude <= max(
            y, next_y
        )
        if across == 0 and between:
            return True
        if (y > latitude) != (next_y > latitude):
            inside ^= longitude < x + (latitude - y) / (next_y - y) * (next_x - x)
    return inside


def in_box(latitude: float, longitude: float, box: str) -> bool:
    """Whether a released box holds a point, its border included."""
    west, south, east, north = map(float, box.split(" "))
    end = east if east >= west else east + 360
    return south <= latitude <= north and any(west <= longitude + turn <= end for turn in (-360, 0, 360))
