"""Temporal cloak: a fixed cell, and an interval in which k users were in it.

A request waits until k users have visited the cell, counted from the moment of the request on, and is
answered with the interval from the request to the visit of the last of them.

It promises that k users were there in that time, not that k users could have sent the request: whoever came
later would have got an interval that begins later.

Paper: the temporal variant in Gruteser and Grunwald, MobiSys 2003, without its random lengthening of
intervals.
"""

from __future__ import annotations

from typing import ClassVar

from shoal.errors import PolicyError
from shoal.location.cloaking._base import Asked, Place
from shoal.location.cloaking._delaying import DelayingCloaker, Waiting
from shoal.location.cloaking.answers import Answer, Cloak
from shoal.location.cloaking.box import Box
from shoal.location.cloaking.settings import Settings


class QuadtreeTimeCloaker(DelayingCloaker):
    """A fixed cell, and the time that k users take to visit it."""

    name: ClassVar[str] = "quadtree-time"
    promise: ClassVar[str] = "at least k users were in the cell during the interval"
    needs_tolerance: ClassVar[bool] = True
    warning: ClassVar[str | None] = (
        "a user who asks alone in a cell waits until others come: nobody else would have got an interval "
        "that begins at that moment, so the request is from that user"
    )

    def __init__(self, settings: Settings) -> None:
        super().__init__(settings)
        if settings.cell is None:
            raise PolicyError("quadtree-time needs the side of its cells: --cell 1024")
        self._side = settings.cell
        self._present: dict[tuple[int, int], set[str]] = {}
        self._visitors: dict[tuple[int, int], dict[int, set[str]]] = {}
        self._first: dict[int, frozenset[str]] = {}

    def ask(self, asked: Asked) -> list[Answer]:
        waiting = self._come(asked, self.tolerance(asked.request)[2])
        present = frozenset(self._present[self._cell(asked.x, asked.y)])
        if len(present) >= asked.k:
            return [self._cloak(waiting, present, len(present), asked.time)]
        return self._stay(waiting)

    def issuers(self, cloak: Cloak) -> frozenset[str]:
        assert cloak.issuers is not None
        return cloak.issuers

    def _stayed(self, waiting: Waiting) -> None:
        cell = self._cell(waiting.asked.x, waiting.asked.y)
        self._visitors.setdefault(cell, {})[waiting.serial] = set(self._present[cell])
        self._first[waiting.serial] = frozenset(self._present[cell])

    def _left(self, waiting: Waiting) -> None:
        cell = self._cell(waiting.asked.x, waiting.asked.y)
        del self._visitors[cell][waiting.serial], self._first[waiting.serial]
        if not self._visitors[cell]:
            del self._visitors[cell]

    def _moved(self, user: str, time: int, old: Place | None, new: Place) -> list[Answer]:
        cell = self._cell(new.x, new.y)
        if old is not None and self._cell(old.x, old.y) == cell:
            return []
        if old is not None:
            self._removed(user, old)
        self._present.setdefault(cell, set()).add(user)
        answers: list[Answer] = []
        for serial, visitors in list(self._visitors.get(cell, {}).items()):
            visitors.add(user)
            waiting = self._waiting[serial]
            if len(visitors) >= waiting.asked.k:
                first = self._first[serial]
                self._leave(waiting)
                answers.append(self._cloak(waiting, first, len(visitors), time))
        return answers

    def _removed(self, user: str, old: Place) -> None:
        cell = self._cell(old.x, old.y)
        self._present[cell].discard(user)
        if not self._present[cell]:
            del self._present[cell]

    def _cell(self, x: int, y: int) -> tuple[int, int]:
        square = self.settings.square
        return (x - square.x) // self._side, (y - square.y) // self._side

    def _cloak(self, waiting: Waiting, first: frozenset[str], among: int, now: int) -> Cloak:
        """A cloak; whoever was there at its beginning would have got the same one."""
        asked, square, side = waiting.asked, self.settings.square, self._side
        column, row = self._cell(asked.x, asked.y)
        left, bottom = square.x + column * side, square.y + row * side
        box = Box(left, left + side - 1, bottom, bottom + side - 1)
        return Cloak(asked.request, asked.k, box, asked.time, now, among, now, issuers=first)
