"""Runs statements on a separate thread, so that Ctrl-C works while a database is busy."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, wait
from typing import TypeVar

T = TypeVar("T")

_SECONDS_BETWEEN_CHECKS = 0.05


class Worker:
    """One thread, and a way to stop what it runs.

    Parameters
    ----------
    name
        What the thread is called.
    cancel
        Stops the running work; may be called repeatedly, also when nothing runs.
    watch
        Called while work runs, with the seconds it has taken so far; an exception from it stops the work.
    """

    def __init__(
        self, name: str, cancel: Callable[[], None], watch: Callable[[float], None] | None = None
    ) -> None:
        self._threads = ThreadPoolExecutor(1, name)
        self._cancel = cancel
        self._watch = watch

    def run(self, work: Callable[[], T]) -> T:
        """The result of the work; if an exception like Ctrl-C arrives here, the work is stopped first."""
        running = self._threads.submit(work)
        begin = time.monotonic()
        try:
            while not wait([running], timeout=_SECONDS_BETWEEN_CHECKS).done:
                if self._watch is not None:
                    self._watch(time.monotonic() - begin)
        except BaseException:
            while not running.done():
                # Repeated, because a cancel before the statement begins is lost. Further Ctrl-C are ignored.
                with contextlib.suppress(KeyboardInterrupt):
                    self._cancel()
                    wait([running], timeout=_SECONDS_BETWEEN_CHECKS)
            raise
        return running.result()

    def close(self) -> None:
        """End the thread."""
        self._threads.shutdown()
