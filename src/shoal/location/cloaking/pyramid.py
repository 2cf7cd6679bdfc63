"""How many users each cell of a square has, at every level.

A move changes the counts of cells that hold only one of both places: a step to the next street changes few.
"""

from __future__ import annotations

from array import array

from shoal.location.cloaking.square import Square


class Pyramid:
    """Counts of users by cell.

    Parameters
    ----------
    square
        What is divided.

    Attributes
    ----------
    counts
        Per level, from the whole square on, the users of each cell by its code.
    """

    def __init__(self, square: Square) -> None:
        self.counts = [array("i", bytes(4 << 2 * level)) for level in range(square.levels + 1)]

    @property
    def total(self) -> int:
        """How many users there are."""
        return self.counts[0][0]

    def change(self, code: int, by: int) -> None:
        """Add users to the smallest cell of this code, or take them away, and from all cells above."""
        for row in reversed(self.counts):
            row[code] += by
            code >>= 2

    def move(self, old: int, new: int) -> None:
        """Let one user go from one smallest cell to another."""
        level = len(self.counts) - 1
        while old != new:
            row = self.counts[level]
            row[old] -= 1
            row[new] += 1
            old >>= 2
            new >>= 2
            level -= 1
