"""CliqueCloak: requests wait until k of them lie in each other's tolerances, and leave together.

A request tolerates a box and an interval around its place and time. Two requests of different users are
neighbours if each lies in the tolerance of the other. When a request comes, a largest clique of
neighbours with it is sought whose size is at least the greatest k in it; all of it leaves with the box
and the interval around it. Otherwise the request waits, and is dropped after its deadline.

Paper: Gedik and Liu, ICDCS 2005. At most 20 neighbours are looked at, the nearest.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from shoal.location.cloaking._base import Asked
from shoal.location.cloaking._delaying import DelayingCloaker, Waiting
from shoal.location.cloaking.answers import Answer, Cloak
from shoal.location.cloaking.box import Box
from shoal.location.cloaking.largest_clique import largest_clique
from shoal.location.cloaking.settings import Settings

MOST_NEIGHBOURS = 20

_Cell = tuple[int, int, int]


class CliqueCloaker(DelayingCloaker):
    """Cliques of requests that tolerate each other."""

    name: ClassVar[str] = "clique"
    promise: ClassVar[str] = (
        "at least k users sent requests that leave together with the same cloak, within everybody's tolerance"
    )
    needs_tolerance: ClassVar[bool] = True
    warning: ClassVar[str | None] = (
        "it holds among requests that leave together; where few users ask, most requests are dropped, and "
        "each side of the box goes through somebody's place"
    )

    def __init__(self, settings: Settings) -> None:
        super().__init__(settings)
        self._cells: dict[_Cell, dict[int, Waiting]] = {}
        self._sizes: dict[int, int] = {}

    def ask(self, asked: Asked) -> list[Answer]:
        waiting = self._come(asked, self.tolerance(asked.request)[2])
        clique = self._clique(waiting)
        if not clique:
            return self._stay(waiting)
        for each in clique:
            if each is not waiting:
                self._leave(each)
        return self._cloaks(clique, asked.time)

    def issuers(self, cloak: Cloak) -> frozenset[str]:
        assert cloak.issuers is not None
        return cloak.issuers

    def _clique(self, new: Waiting) -> list[Waiting]:
        """The requests that leave with a new one, in the order in which they came; none if it waits."""
        around = sorted(self._neighbours(new), key=lambda each: _distance(new, each))[:MOST_NEIGHBOURS]
        around.sort(key=lambda each: each.serial)
        graph = [
            sum(1 << place for place, other in enumerate(around) if self._tolerate(each, other))
            for each in around
        ]
        best = 0
        # A clique whose greatest k is `k` is one among the requests with at most k: the largest of those is
        # at least as large, and does if it has k members.
        for k in sorted({new.asked.k, *(each.asked.k for each in around if each.asked.k > new.asked.k)}):
            modest = sum(1 << place for place, each in enumerate(around) if each.asked.k <= k)
            clique = largest_clique(graph, modest)
            if clique.bit_count() + 1 >= k and clique.bit_count() > best.bit_count():
                best = clique
        if not best:  # k is at least 2
            return []
        return [*(each for place, each in enumerate(around) if best >> place & 1), new]

    def _tolerate(self, one: Waiting, other: Waiting) -> bool:
        """Whether two requests are of different users, and each in the other's tolerance."""
        if one.asked.request.user == other.asked.request.user:
            return False
        across, up, later = (
            abs(one.asked.x - other.asked.x),
            abs(one.asked.y - other.asked.y),
            abs(one.asked.time - other.asked.time),
        )
        return all(
            across <= dx and up <= dy and later <= dt
            for dx, dy, dt in (self.tolerance(each.asked.request) for each in (one, other))
        )

    def _cloaks(self, clique: list[Waiting], now: int) -> list[Answer]:
        box = Box.around((each.asked.x, each.asked.y) for each in clique)
        times = [each.asked.time for each in clique]
        users = frozenset(each.asked.request.user for each in clique)
        return [
            Cloak(
                each.asked.request, each.asked.k, box, min(times), max(times), len(users), now, issuers=users
            )
            for each in clique
        ]

    def _neighbours(self, new: Waiting) -> Iterator[Waiting]:
        """Requests that wait and tolerate a new one, which tolerates them.

        Those with a tolerance of up to 2^size are kept by cells of that side: they are at most a cell away.
        """
        x, y = new.asked.x, new.asked.y
        for size in self._sizes:
            column, row = x >> size, y >> size
            for across in (-1, 0, 1):
                for up in (-1, 0, 1):
                    cell = self._cells.get((size, column + across, row + up), {})
                    yield from (each for each in cell.values() if self._tolerate(new, each))

    def _stayed(self, waiting: Waiting) -> None:
        cell = self._cell(waiting)
        self._cells.setdefault(cell, {})[waiting.serial] = waiting
        self._sizes[cell[0]] = self._sizes.get(cell[0], 0) + 1

    def _left(self, waiting: Waiting) -> None:
        cell = self._cell(waiting)
        del self._cells[cell][waiting.serial]
        if not self._cells[cell]:
            del self._cells[cell]
        self._sizes[cell[0]] -= 1
        if not self._sizes[cell[0]]:
            del self._sizes[cell[0]]

    def _cell(self, waiting: Waiting) -> _Cell:
        dx, dy, _ = self.tolerance(waiting.asked.request)
        size = max(dx, dy).bit_length()
        return size, waiting.asked.x >> size, waiting.asked.y >> size


def _distance(new: Waiting, other: Waiting) -> tuple[int, int]:
    across, up = new.asked.x - other.asked.x, new.asked.y - other.asked.y
    return across * across + up * up, other.serial
