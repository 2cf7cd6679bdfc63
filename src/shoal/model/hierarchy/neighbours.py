"""Levels that join neighbours in a domain's order: a fixed number at a time, or halves of equal frequency.

A level is given by the first codes of its parts, and levels go from fine to coarse. Each joins whole parts of
the one below, so they are nested.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import accumulate, pairwise

Starts = tuple[int, ...]

AUTOMATIC_LEVELS = 4
"""Most levels that are built automatically, not counting the top. Each multiplies the nodes of a lattice."""


def joined(size: int, fan_outs: Iterable[int]) -> list[Starts]:
    """Levels over `size` values, each joining `fan_out` neighbouring parts of the one below, until one is
    left.

    The last part of a level can be smaller.
    """
    levels: list[Starts] = []
    starts = tuple(range(size))
    for fan_out in fan_outs:
        if len(starts) <= 1:
            break
        starts = starts[::fan_out]
        levels.append(starts)
    return levels


def halved(counts: Sequence[int]) -> list[Starts]:
    """Levels of 2, 4, 8, ... parts of nearly equal counts, built by halving; parts of one value stay.

    Levels are added while parts have at least two values on average, up to `AUTOMATIC_LEVELS`.
    """
    sums = [0, *accumulate(counts)]
    depth = min(AUTOMATIC_LEVELS, (len(counts) // 2).bit_length() - 1)
    levels: list[Starts] = [(0,)]
    for _ in range(depth):
        bounds = (*levels[0], len(counts))
        levels.insert(0, tuple(start for part in pairwise(bounds) for start in _halves(sums, *part)))
    return levels[:-1]


def _halves(sums: Sequence[int], first: int, end: int) -> Starts:
    if end - first == 1:
        return (first,)
    # Ties go to the smaller half on the left: `min` keeps the first.
    middle = min(range(first + 1, end), key=lambda cut: abs(2 * sums[cut] - sums[first] - sums[end]))
    return (first, middle)
