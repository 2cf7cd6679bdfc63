"""Levels that join neighbours in a domain's order: a fixed number at a time, halves of equal frequency, or
those that lose least.

A level is given by the first codes of its parts, and levels go from fine to coarse. Each joins whole parts of
the one below, so they are nested.
"""

from __future__ import annotations

import heapq
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


def least_loss(counts: Sequence[int]) -> list[Starts]:
    """Levels that join neighbours whose union adds little to the general loss and is small, again and again.

    A union's price is what it adds to the loss, times its rows. The loss alone would leave small parts among
    large ones up to the top, and a search with several columns needs parts of many rows. The numbers of parts
    are the powers 4/5, 3/5, 2/5 and 1/5 of the number of values, so that the steps are even from the values
    up to the top, however many values there are.
    """
    parts = _Parts(counts)
    levels: list[Starts] = []
    for level in range(1, AUTOMATIC_LEVELS + 1):
        target = _root(len(counts) ** (AUTOMATIC_LEVELS + 1 - level), AUTOMATIC_LEVELS + 1)
        if target < 2:
            break
        while len(parts.rows) > target:
            parts.join_the_cheapest()
        levels.append(tuple(sorted(parts.rows)))
    return levels


class _Parts:
    """Neighbouring parts of a domain, by their first values; pairs wait in a heap, so that large domains are
    joined in almost linear time.

    Parameters
    ----------
    counts
        The rows of each value.
    """

    def __init__(self, counts: Sequence[int]) -> None:
        self.rows = dict(enumerate(counts))
        self._sizes = dict.fromkeys(self.rows, 1)
        self._next = {first: first + 1 for first in self.rows}
        self._before = {first: first - 1 for first in self.rows}
        self._pairs: list[tuple[int, int, int]] = []
        for first in self.rows:
            self._offer(first)

    def _offer(self, first: int) -> None:
        """Put a part and the next one on the heap. Ties go to the last pair: in an order from frequent to
        rare, to the rarest."""
        if self._next[first] in self.rows:
            heapq.heappush(self._pairs, (self._price(first), -first, self._next[first]))

    def _price(self, first: int) -> int:
        """What their union adds to the loss, times its rows."""
        second = self._next[first]
        added = self.rows[first] * self._sizes[second] + self.rows[second] * self._sizes[first]
        return added * (self.rows[first] + self.rows[second])

    def join_the_cheapest(self) -> None:
        """Join the pair of the least price."""
        while True:
            price, minus_first, second = heapq.heappop(self._pairs)
            first = -minus_first
            # A pair of which one has grown or gone is on the heap with its new price.
            if first in self.rows and self._next[first] == second and self._price(first) == price:
                break
        self.rows[first] += self.rows.pop(second)
        self._sizes[first] += self._sizes.pop(second)
        self._next[first] = after = self._next[second]
        if after in self.rows:
            self._before[after] = first
        self._offer(first)
        if self._before[first] in self.rows:
            self._offer(self._before[first])


def _root(number: int, degree: int) -> int:
    """The largest whole number whose power is at most `number`."""
    root = int(number ** (1 / degree))
    while root**degree > number:
        root -= 1
    while (root + 1) ** degree <= number:
        root += 1
    return root


def _halves(sums: Sequence[int], first: int, end: int) -> Starts:
    if end - first == 1:
        return (first,)
    # Ties go to the smaller half on the left: `min` keeps the first.
    middle = min(range(first + 1, end), key=lambda cut: abs(2 * sums[cut] - sums[first] - sums[end]))
    return (first, middle)
