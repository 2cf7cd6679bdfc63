"""Requests that wait for other users, each until its deadline."""

from __future__ import annotations

import heapq
from abc import abstractmethod

from shoal.location.cloaking._base import Asked, Cloaker
from shoal.location.cloaking.answers import Answer, Delayed, Dropped
from shoal.location.cloaking.messages import Request
from shoal.location.cloaking.settings import Settings

OVERDUE = "not enough users came before the deadline"
CROWDED = "too many requests wait"


class Waiting:
    """A request that waits.

    Attributes
    ----------
    serial
        Requests are numbered in the order in which they came.
    asked, deadline
        The request, and the last moment at which it can be answered.
    """

    __slots__ = ("asked", "deadline", "serial")

    def __init__(self, serial: int, asked: Asked, deadline: int) -> None:
        self.serial = serial
        self.asked = asked
        self.deadline = deadline


class DelayingCloaker(Cloaker):
    """A way of cloaking that lets requests wait."""

    def __init__(self, settings: Settings) -> None:
        super().__init__(settings)
        self._serial = 0
        self._by_user: dict[str, dict[str, Waiting]] = {}
        self._waiting: dict[int, Waiting] = {}
        self._deadlines: list[tuple[int, int]] = []

    @property
    def waiting(self) -> int:
        return len(self._waiting)

    def waits(self, user: str, name: str) -> bool:
        return name in self._by_user.get(user, {})

    @property
    def deadline(self) -> int | None:
        while self._deadlines and self._deadlines[0][1] not in self._waiting:
            heapq.heappop(self._deadlines)
        return self._deadlines[0][0] if self._deadlines else None

    def pass_time(self, now: int) -> list[Answer]:
        dropped: list[Answer] = []
        while (deadline := self.deadline) is not None and deadline < now:
            waiting = self._waiting[heapq.heappop(self._deadlines)[1]]
            self._leave(waiting)
            dropped.append(Dropped(waiting.asked.request, OVERDUE, deadline))
        return dropped

    def cancel(self, user: str, name: str | None) -> list[Request]:
        own = self._by_user.get(user, {})
        chosen = list(own.values()) if name is None else [own[name]] if name in own else []
        for waiting in chosen:
            self._leave(waiting)
        return [waiting.asked.request for waiting in chosen]

    def _come(self, asked: Asked, wait: int) -> Waiting:
        self._serial += 1
        return Waiting(self._serial, asked, asked.time + wait)

    def _stay(self, waiting: Waiting) -> list[Answer]:
        """Let a request wait."""
        request = waiting.asked.request
        if len(self._waiting) >= self.settings.most_waiting:
            return [Dropped(request, CROWDED, request.time)]
        self._waiting[waiting.serial] = waiting
        self._by_user.setdefault(request.user, {})[request.id] = waiting
        heapq.heappush(self._deadlines, (waiting.deadline, waiting.serial))
        self._stayed(waiting)
        return [Delayed(request, waiting.deadline)]

    def _leave(self, waiting: Waiting) -> None:
        request = waiting.asked.request
        del self._waiting[waiting.serial]
        own = self._by_user[request.user]
        del own[request.id]
        if not own:
            del self._by_user[request.user]
        # Deadlines of requests that left are dropped when they are met, or when they are the most.
        if len(self._deadlines) > 64 + 2 * len(self._waiting):
            self._deadlines = [(each.deadline, each.serial) for each in self._waiting.values()]
            heapq.heapify(self._deadlines)
        self._left(waiting)

    @abstractmethod
    def _stayed(self, waiting: Waiting) -> None:
        """Note a request that waits from now on."""

    @abstractmethod
    def _left(self, waiting: Waiting) -> None:
        """Forget a request that no longer waits."""
