"""A worker process in the hands of one job: commands reach it only until the job has its answer."""

from __future__ import annotations

import threading
from collections.abc import Callable

from shoal.studio.process import Process
from shoal.studio.worker import STOP


class Lease:
    """A process, as long as it works for one job.

    Parameters
    ----------
    process
        The process.
    turn
        Called when it was paused or goes on: others may take its place.
    """

    def __init__(self, process: Process, turn: Callable[[], None]) -> None:
        self.process = process
        self._turn = turn
        self._lock = threading.Lock()
        self._over = False
        self._stopped = False
        self._paused = False

    def stop(self) -> None:
        """End its function soon; a second wish ends the process at once."""
        with self._lock:
            if self._over:
                return
            again, self._stopped = self._stopped, True
            if again or not self.process.send(STOP):
                self.process.kill()

    def pause(self, rest: bool) -> bool:
        """Pause it, or let it go on; whether it will."""
        with self._lock:
            if self._over:
                return False
            self._paused = True
            if rest and not self.process.pause():
                return False
            if not rest:
                self.process.go_on()
        threading.Thread(target=self._turn, daemon=True).start()
        return True

    def end(self) -> bool:
        """The job has its answer; whether the process can take another one.

        One that was stopped or paused cannot: a command may still be on its way.
        """
        with self._lock:
            self._over = True
            return not (self._stopped or self._paused)
