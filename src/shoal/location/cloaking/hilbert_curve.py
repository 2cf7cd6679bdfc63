"""The Hilbert curve: a walk through all points of a square in which neighbours stay near each other.

`plain_index` is the definition; `Curve` gives the same numbers four bits at a time, from tables that are made
of it, and `indices` those of many points at once.
"""

from __future__ import annotations

from functools import cache

import numpy as np
from numpy.typing import NDArray

_STEP = 4
_SIDE = 1 << _STEP


def plain_index(bits: int, x: int, y: int) -> int:
    """The place on the curve of a point in a square with a side of 2^bits."""
    index = 0
    for bit in reversed(range(bits)):
        right, up = x >> bit & 1, y >> bit & 1
        index = index << 2 | (3 * right ^ up)
        if not up:
            if right:
                x, y = ~x, ~y
            x, y = y, x
    return index


def indices(bits: int, x: NDArray[np.int64], y: NDArray[np.int64]) -> NDArray[np.int64]:
    """The places on the curve of many points."""
    x, y, index = x.copy(), y.copy(), np.zeros(len(x), np.int64)
    for bit in reversed(range(bits)):
        right, up = x >> bit & 1, y >> bit & 1
        index = index << 2 | (3 * right ^ up)
        turned = -(right & (1 - up))  # all bits of those that are turned over
        x, y = x ^ turned, y ^ turned
        x, y = np.where(up == 1, x, y), np.where(up == 1, y, x)
    return index


class Curve:
    """The curve through a square.

    Parameters
    ----------
    bits
        The side of the square is 2^bits.
    """

    def __init__(self, bits: int) -> None:
        # Squares whose side is not a power of 16 begin further down: leading zeros turn the curve once per
        # bit, so the first state is the one after them.
        self._shifts = tuple(reversed(range(0, bits, _STEP)))
        self._first = (-bits % _STEP) & 1
        self._tables = _tables()

    def index(self, x: int, y: int) -> int:
        """The place of a point on the curve."""
        index, state = 0, self._first
        for shift in self._shifts:
            part, state = self._tables[state][(x >> shift & 15) << _STEP | (y >> shift & 15)]
            index = index << 2 * _STEP | part
        return index


@cache
def _tables() -> tuple[list[tuple[int, int]], ...]:
    """By state (bit 0: coordinates are swapped, bit 1: turned over) and four bits of each coordinate: the
    eight bits of the index, and the next state."""
    return tuple([_stepped(state, x, y) for x in range(_SIDE) for y in range(_SIDE)] for state in range(4))


def _stepped(state: int, x: int, y: int) -> tuple[int, int]:
    index, swapped, turned = 0, state & 1, state >> 1
    for bit in reversed(range(_STEP)):
        right, up = x >> bit & 1 ^ turned, y >> bit & 1 ^ turned
        if swapped:
            right, up = up, right
        index = index << 2 | (3 * right ^ up)
        if not up:
            turned ^= right
            swapped ^= 1
    return index, swapped | turned << 1
