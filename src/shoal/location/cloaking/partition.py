"""Reciprocal partition: a quadtree that divides a cell only if every part has nobody or at least k users.

Whether a cell is divided depends on counts alone, so all users of a cell get that cell; and it has at least k
of them. One part with too few users keeps the whole cell together: boxes are larger than those of a quadtree
that looks only at the requester's part, and nobody is told apart by that.

Notion: reciprocity, in Kalnis, Ghinita, Mouratidis and Papadias, TKDE 19(12), 2007.
"""

from __future__ import annotations

from typing import ClassVar

from shoal.location.cloaking._base import Found, Place, SnapshotCloaker
from shoal.location.cloaking.answers import Answer
from shoal.location.cloaking.pyramid import Pyramid
from shoal.location.cloaking.settings import Settings


class PartitionCloaker(SnapshotCloaker):
    """Cells of a quadtree, with at least k users or nobody in every part."""

    name: ClassVar[str] = "partition"
    promise: ClassVar[str] = "at least k users would have got the same cloak, all of them with the same k"
    warning: ClassVar[str | None] = None
    by_class: ClassVar[bool] = True

    def __init__(self, settings: Settings) -> None:
        super().__init__(settings)
        self._pyramids = {k: Pyramid(settings.square) for k in settings.ks}
        self._codes: dict[str, int] = {}

    def found(self, user: str, k: int, least_area: int = 0) -> Found | None:  # noqa: ARG002
        counts, square, code = self._pyramids[k].counts, self.settings.square, self._codes[user]
        if counts[0][0] < k:
            return None
        level = 0
        while level < square.levels:
            shift = 2 * (square.levels - level - 1)
            first = code >> shift & ~3
            if any(0 < users < k for users in counts[level + 1][first : first + 4]):
                break
            level += 1
        place = self.positions[user]
        among = counts[level][code >> 2 * (square.levels - level)]
        return Found(square.cell(place.x, place.y, level), among)

    def _moved(self, user: str, time: int, old: Place | None, new: Place) -> list[Answer]:  # noqa: ARG002
        code = self.settings.square.code(new.x, new.y)
        if old is not None and old.k == new.k:
            self._pyramids[new.k].move(self._codes[user], code)
        else:
            if old is not None:
                self._pyramids[old.k].change(self._codes[user], -1)
            self._pyramids[new.k].change(code, 1)
        self._codes[user] = code
        return []

    def _removed(self, user: str, old: Place) -> None:
        self._pyramids[old.k].change(self._codes.pop(user), -1)
