"""The closing time: after it no row is accepted, and only then groups are opened."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from datetime import UTC, datetime

_LOOK = 1.0  # seconds: clocks are set, and computers sleep


class Closing:
    """When a collection closes, by this party's clock.

    Parameters
    ----------
    at
        The moment.
    now
        The clock, if it is not the system's.
    """

    def __init__(self, at: datetime, now: Callable[[], datetime] | None = None) -> None:
        self._at = at
        self._now = now or (lambda: datetime.now(UTC))
        self._early = asyncio.Event()

    @property
    def has_come(self) -> bool:
        """Whether the collection is closed."""
        return self._early.is_set() or self._now() >= self._at

    @property
    def seconds(self) -> float:
        """How long it still takes, at most."""
        return max(0.0, (self._at - self._now()).total_seconds())

    def now(self) -> None:
        """Close, because nobody is left."""
        self._early.set()

    async def wait(self) -> None:
        """Until the collection is closed."""
        while not self.has_come:
            try:
                async with asyncio.timeout(min(_LOOK, max(self.seconds, 0.01))):
                    await self._early.wait()
            except TimeoutError:
                pass

    def refusal(self) -> str:
        """What a late customer hears."""
        when = f"{self._at.astimezone(UTC):%Y-%m-%d %H:%M} UTC"
        return f"the collection is closed, since {when} or since all rows were in"
