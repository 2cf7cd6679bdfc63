"""The square in which all users are, and its division into ever smaller quarters.

A cell is named by its level, 0 for the whole square, and by its code: the bits of its column and row,
interleaved. The four parts of a cell have neighbouring codes, and the code of the whole is theirs without the
last two bits.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from shoal.errors import PolicyError
from shoal.location.cloaking.box import Box

MOST_LEVELS = 12
"""Counts of all cells of so many levels take 90 MB."""

_USUAL_LEVELS = 10
_MOST_BITS = 30


@dataclass(frozen=True, kw_only=True)
class Square:
    """Where users can be.

    Parameters
    ----------
    x, y
        Its lower left corner.
    side
        How many whole coordinates a side has: a power of two.
    levels
        How often it is divided into four; 10, or fewer if cells would be smaller than a point.
    """

    x: int
    y: int
    side: int
    levels: int = -1
    _spread: list[int] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        bits = self.side.bit_length() - 1
        if self.side < 2 or self.side != 1 << bits or bits > _MOST_BITS:
            near = 1 << min(max((self.side - 1).bit_length(), 1), _MOST_BITS)
            raise PolicyError(
                f"the side of the square must be a power of two, at most 2^{_MOST_BITS}: {near} would do"
            )
        most = min(bits, MOST_LEVELS)
        levels = min(bits, _USUAL_LEVELS) if self.levels == -1 else self.levels
        if not 1 <= levels <= most:
            raise PolicyError(f"this square can be divided 1 to {most} times, not {levels} times")
        object.__setattr__(self, "levels", levels)
        object.__setattr__(self, "_spread", [_spread(number) for number in range(1 << levels)])

    @property
    def bits(self) -> int:
        """How many bits a coordinate has."""
        return self.side.bit_length() - 1

    def holds(self, x: int, y: int) -> bool:
        """Whether a point is in the square."""
        return 0 <= x - self.x < self.side and 0 <= y - self.y < self.side

    def code(self, x: int, y: int) -> int:
        """The code of the smallest cell that holds a point of the square."""
        shift = self.bits - self.levels
        return self._spread[(x - self.x) >> shift] | self._spread[(y - self.y) >> shift] << 1

    def cell(self, x: int, y: int, level: int) -> Box:
        """The cell of a level that holds a point of the square."""
        side = self.side >> level
        left, bottom = x - (x - self.x) % side, y - (y - self.y) % side
        return Box(left, left + side - 1, bottom, bottom + side - 1)


def _spread(number: int) -> int:
    """The bits of a number, with a zero after each."""
    return sum((number >> bit & 1) << 2 * bit for bit in range(number.bit_length()))
