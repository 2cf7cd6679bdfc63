"""A worker process as the studio sees it: called, paused, resumed, ended, cleaned up."""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import signal
import threading
from collections.abc import Iterator
from multiprocessing import resource_tracker
from typing import Any

from shoal.studio.worker import GO_ON, PAUSE, work

CAN_PAUSE = hasattr(signal, "SIGSTOP") and hasattr(signal, "SIGCONT")

ENDED_FROM_OUTSIDE = (
    "The process that did this was ended from outside; the memory of this machine may not have sufficed. "
    "Search with less time, another algorithm or fewer columns, or close other programs, and start again."
)
CRASHED = "The process that did this crashed. This is a bug in Shoal, please report it; nothing was released."
WITHOUT_ANSWER = "The process that did this ended without an answer; nothing was released. Start it again."

_CRASHES = [
    -getattr(signal, name)
    for name in ("SIGSEGV", "SIGBUS", "SIGABRT", "SIGFPE", "SIGILL")
    if hasattr(signal, name)
]
_SPAWN = multiprocessing.get_context("spawn")


class Process:
    """A process that waits for tasks, and the pipe to it."""

    def __init__(self) -> None:
        self._pipe, theirs = _SPAWN.Pipe()
        self._process = _SPAWN.Process(target=work, args=(theirs,), daemon=True)
        with _ctrl_c_blocked():
            self._process.start()
        theirs.close()
        self.number = int(self._process.pid or 0)
        self._lock = threading.Lock()
        self._awake = threading.Event()
        self._awake.set()

    @property
    def is_alive(self) -> bool:
        """Whether it has not ended."""
        with contextlib.suppress(ValueError):  # buried
            return bool(self._process.is_alive())
        return False

    def give(self, packed: Any) -> None:
        """Hand the task over."""
        self._pipe.send_bytes(packed)

    def receive(self) -> Any:
        """Its next message; `EOFError` when it has ended."""
        return self._pipe.recv()

    def send(self, word: str) -> bool:
        """Send it a command; whether it could be sent."""
        with contextlib.suppress(OSError, ValueError):
            self._pipe.send(word)
            return True
        return False

    def kill(self) -> None:
        """End it at once, with all that it has started."""
        with contextlib.suppress(OSError, ValueError, AttributeError):
            os.killpg(self.number, signal.SIGKILL)
        with contextlib.suppress(OSError, ValueError):  # it may not lead its process group yet
            self._process.kill()

    def pause(self) -> bool:
        """Let it stop itself; whether it will."""
        return CAN_PAUSE and self._awake.wait(0.5) and self.send(PAUSE)

    def go_on(self) -> None:
        """Wake it, repeatedly until it reports that it is awake: it may not sleep yet."""
        self._awake.clear()
        self.send(GO_ON)
        threading.Thread(target=self._wake, daemon=True).start()

    def is_awake(self) -> None:
        """It reported that it is awake: do not wake it again, it may be paused later."""
        with self._lock:
            self._awake.set()

    def _wake(self) -> None:
        while True:
            with self._lock:
                if self._awake.is_set() or not self.is_alive:
                    return
                with contextlib.suppress(OSError, ValueError):
                    os.kill(self.number, signal.SIGCONT)
            self._awake.wait(0.05)

    def last_words(self) -> str:
        """Why it ended without an answer, as a sentence."""
        self.join(5)
        code = self._process.exitcode
        if code in _CRASHES:
            return CRASHED
        return ENDED_FROM_OUTSIDE if code is not None and code < 0 else WITHOUT_ANSWER

    def join(self, seconds: float | None = None) -> None:
        """Wait until it has ended."""
        with contextlib.suppress(ValueError):  # buried
            self._process.join(seconds)

    def bury(self) -> None:
        """See to it that it ends soon, and leaves nothing behind."""
        self.join(5)
        self.kill()
        self.join()
        self._pipe.close()
        # Its two descriptors stay open as long as somebody knows the job, which is until its table is closed.
        with self._lock, contextlib.suppress(ValueError):
            self._process.close()


@contextlib.contextmanager
def _ctrl_c_blocked() -> Iterator[None]:
    """A process that is started here does not hear Ctrl-C in the terminal until it wants to."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    # Started here, for it unblocks Ctrl-C when it has started: the process after it would hear one.
    resource_tracker.ensure_running()
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
