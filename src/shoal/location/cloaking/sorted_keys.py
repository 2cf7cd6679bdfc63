"""Whole numbers in order, with the rank of each; adding and removing one is cheap among a million.

Blocks of a few hundred numbers are kept sorted, and a tree of partial sums (Fenwick, 1994) says how many
numbers there are before a block.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Iterable

_BLOCK = 512


class SortedKeys:
    """Distinct whole numbers in order.

    Parameters
    ----------
    keys
        The first of them.
    """

    def __init__(self, keys: Iterable[int] = ()) -> None:
        ordered = sorted(keys)
        self._blocks = [ordered[start : start + _BLOCK] for start in range(0, len(ordered), _BLOCK)]
        self._count = len(ordered)
        self._index()

    def __len__(self) -> int:
        return self._count

    def add(self, key: int) -> None:
        """Put a number in that is not there."""
        if not self._blocks:
            self._blocks, self._count = [[key]], 1
            self._index()
            return
        place = min(bisect_left(self._last, key), len(self._blocks) - 1)
        block = self._blocks[place]
        insort(block, key)
        self._count += 1
        if len(block) > 2 * _BLOCK:
            self._blocks[place : place + 1] = [block[:_BLOCK], block[_BLOCK:]]
            self._index()
            return
        self._last[place] = block[-1]
        self._change(place, 1)

    def remove(self, key: int) -> None:
        """Take a number out that is there."""
        place = bisect_left(self._last, key)
        block = self._blocks[place]
        del block[bisect_left(block, key)]
        self._count -= 1
        if not block:
            del self._blocks[place]
            self._index()
            return
        self._last[place] = block[-1]
        self._change(place, -1)

    def rank(self, key: int) -> int:
        """How many numbers are smaller."""
        place = bisect_left(self._last, key)
        if place == len(self._blocks):
            return self._count
        before, node = bisect_left(self._blocks[place], key), place
        while node:
            before += self._sums[node]
            node &= node - 1
        return before

    def between(self, first: int, end: int) -> list[int]:
        """The numbers of these ranks, without the one at the end."""
        place, before, step = 0, 0, 1 << len(self._blocks).bit_length()
        while step := step >> 1:
            further = place + step
            if further < len(self._sums) and before + self._sums[further] <= first:
                place, before = further, before + self._sums[further]
        found: list[int] = []
        while len(found) < end - first and place < len(self._blocks):
            found += self._blocks[place][max(first - before, 0) : end - before]
            before += len(self._blocks[place])
            place += 1
        return found

    def _index(self) -> None:
        self._last = [block[-1] for block in self._blocks]
        sums = [0, *map(len, self._blocks)]
        for node in range(1, len(sums)):
            above = node + (node & -node)
            if above < len(sums):
                sums[above] += sums[node]
        self._sums = sums

    def _change(self, place: int, by: int) -> None:
        node, sums = place + 1, self._sums
        while node < len(sums):
            sums[node] += by
            node += node & -node
