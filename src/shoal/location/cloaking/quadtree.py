"""Quadtree cloak: the smallest quarter of a quarter ... of the square that holds the requester and k users.

It promises that k users are in the box, not that k users could have sent the request: whoever has k users
in a smaller cell never gets a larger one.

Paper: Gruteser and Grunwald, MobiSys 2003.
"""

from __future__ import annotations

from typing import ClassVar

from shoal.location.cloaking._base import Found
from shoal.location.cloaking._counting import CountingCloaker


class QuadtreeCloaker(CountingCloaker):
    """The smallest cell with k users."""

    name: ClassVar[str] = "quadtree"
    promise: ClassVar[str] = "at least k users are in the box"
    warning: ClassVar[str | None] = (
        "two users alone in their quarter get the whole square although it has many others: nobody else gets "
        "it, so the request is from one of the two"
    )

    def found(self, user: str, k: int, least_area: int = 0) -> Found | None:  # noqa: ARG002
        counts, levels, code = self._pyramid.counts, self.settings.square.levels, self._codes[user]
        if counts[0][0] < k:
            return None
        level = 0
        while level < levels and counts[level + 1][code >> 2 * (levels - level - 1)] >= k:
            level += 1
        place = self.positions[user]
        box = self.settings.square.cell(place.x, place.y, level)
        return Found(box, counts[level][code >> 2 * (levels - level)])
