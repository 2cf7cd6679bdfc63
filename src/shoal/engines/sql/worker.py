"""Runs statements on a thread of their own, so that Ctrl-C is heard while a database works."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, wait
from typing import TypeVar

T = TypeVar("T")

_LOOK_FOR_SIGNALS = 0.05


class Worker:
    """One thread, and how what it runs is stopped.

    Parameters
    ----------
    name
        What the thread is called.
    cancel
        Stops what runs; may be called again and again, also when nothing runs.
    watch
        Called while something runs, with the seconds that it has taken so far; what it raises ends it.
    """

    def __init__(
        self, name: str, cancel: Callable[[], None], watch: Callable[[float], None] | None = None
    ) -> None:
        self._threads = ThreadPoolExecutor(1, name)
        self._cancel = cancel
        self._watch = watch

    def run(self, work: Callable[[], T]) -> T:
        """What the work answers; when an exception such as Ctrl-C arrives here, the work is stopped first."""
        running = self._threads.submit(work)
        begin = time.monotonic()
        try:
            while not wait([running], timeout=_LOOK_FOR_SIGNALS).done:
                if self._watch is not None:
                    self._watch(time.monotonic() - begin)
        except BaseException:
            while not running.done():
                # Repeated: one that comes before a statement has begun is lost. More Ctrl-C change nothing.
                with contextlib.suppress(KeyboardInterrupt):
                    self._cancel()
                    wait([running], timeout=_LOOK_FOR_SIGNALS)
            raise
        return running.result()

    def close(self) -> None:
        """End the thread."""
        self._threads.shutdown()
