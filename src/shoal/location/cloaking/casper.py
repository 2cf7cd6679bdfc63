"""Casper: from the smallest cell upwards, the first cell or pair of cells that is full and large enough.

A cell that has fewer than k users, or less than the area that a user demands, is joined with the neighbour
next to it or above it in the same parent: the pair that has fewer users, of those with k. If neither has,
the parent is next.

It promises that k users are in the box, not that k users could have sent the request.

Paper: Mokbel, Chow and Aref, VLDB 2006; its basic pyramid.
"""

from __future__ import annotations

from typing import ClassVar

from shoal.location.cloaking._base import Found
from shoal.location.cloaking._counting import CountingCloaker
from shoal.location.cloaking.box import Box

_BESIDE, _ABOVE = 1, 2  # the bits of a code that tell a neighbour


class CasperCloaker(CountingCloaker):
    """The first full cell or pair of cells from below."""

    name: ClassVar[str] = "casper"
    promise: ClassVar[str] = "at least k users are in the box, which has at least the demanded area"
    warning: ClassVar[str | None] = (
        "a user alone in a cell is joined with a neighbouring cell that has k users: those keep their own "
        "cell, so a request from the pair is from that user"
    )
    takes_area: ClassVar[bool] = True

    def found(self, user: str, k: int, least_area: int = 0) -> Found | None:
        square, code = self.settings.square, self._codes[user]
        place = self.positions[user]
        for level in reversed(range(square.levels + 1)):
            row, side = self._pyramid.counts[level], square.side >> level
            area = side * side
            cell = square.cell(place.x, place.y, level)
            if row[code] >= k and area >= least_area:
                return Found(cell, row[code])
            if level and 2 * area >= least_area:
                pairs = [(row[code] + row[code ^ other], other) for other in (_BESIDE, _ABOVE)]
                full = [pair for pair in pairs if pair[0] >= k]
                if full:
                    among, other = min(full)
                    return Found(_joined(cell, code, other), among)
            code >>= 2
        return None


def _joined(cell: Box, code: int, other: int) -> Box:
    """A cell together with the neighbour that differs from it in this bit."""
    if other == _BESIDE:
        left = cell.x_low - (cell.width if code & _BESIDE else 0)
        return cell._replace(x_low=left, x_high=left + 2 * cell.width - 1)
    bottom = cell.y_low - (cell.height if code & _ABOVE else 0)
    return cell._replace(y_low=bottom, y_high=bottom + 2 * cell.height - 1)
