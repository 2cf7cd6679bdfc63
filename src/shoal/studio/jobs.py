"""Work that goes on behind the page: a public function in a process of its own.

A search may take all the memory, crash, or run for an hour; the page goes on, reloads, and shows it in as
many tabs as there are. To stop a job is Ctrl-C in its process: a search then answers with the best so far.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import threading
import time
import warnings
from collections.abc import Callable
from multiprocessing.connection import Connection
from typing import Any, Literal

import shoal
from shoal import InternalError, ShoalError

State = Literal["running", "stopping", "done", "stopped", "failed"]

MOST_REPORTS = 2_000
"""Reports that are kept of a job; when there are more, every second one is forgotten."""

_SPAWN = multiprocessing.get_context("spawn")


class Job:
    """A function at work, what it has reported, and its answer.

    Parameters
    ----------
    title
        What people call it.

    Attributes
    ----------
    state
        "stopping" between the wish and the answer; "stopped" if there is no answer.
    reports
        What it told while it ran, oldest first: `Progress` of a search.
    result
        The answer of the function.
    error
        A sentence for people, if it failed.
    error_kind
        The name of the error's class.
    """

    def __init__(self, title: str) -> None:
        self.title = title
        self.state: State = "running"
        self.reports: list[Any] = []
        self.result: Any = None
        self.error: str | None = None
        self.error_kind: str | None = None
        self.stopped_by_hand = False
        self.started = time.time()
        self.ended: float | None = None
        self._stop: Callable[[], None] = lambda: None
        self._every = 1
        self._heard = 0
        self._over = threading.Event()

    @property
    def is_running(self) -> bool:
        """Whether there is no answer yet."""
        return self.state in ("running", "stopping")

    @property
    def seconds(self) -> float:
        """How long it runs, or ran."""
        return (self.ended or time.time()) - self.started

    def stop(self) -> None:
        """End it soon, with the best so far if it has one; a second wish ends it at once."""
        if not self.is_running:
            return
        self.stopped_by_hand = True
        self._stop()
        self.state = "stopping"

    def wait(self, seconds: float | None = None) -> bool:
        """Wait for the answer; whether it came."""
        return self._over.wait(seconds)

    def hear(self, report: Any) -> None:
        """Keep a report, and thin out old ones when there are many."""
        self._heard += 1
        if self.reports and self._heard % self._every:
            self.reports[-1] = report
            return
        self.reports.append(report)
        if len(self.reports) > MOST_REPORTS:
            self.reports = self.reports[::2]
            self._every *= 2

    def end(self, state: State, *, result: Any = None, error: str | None = None, kind: str = "") -> None:
        """Keep the answer."""
        if not self.is_running:
            return
        self.result, self.error, self.error_kind = result, error, kind or None
        self.ended = time.time()
        self.state = state
        self._over.set()


class Workers:
    """Processes that jobs run in. One is always started ahead: a search begins at once."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._alive: set[Any] = set()
        self._spare: tuple[Any, Connection] | None = None
        self._closed = False

    def start(
        self, title: str, function: Callable[..., Any], *arguments: Any, reports: str = "", **named: Any
    ) -> Job:
        """Begin a job.

        Parameters
        ----------
        title
            What people call it.
        function, arguments, named
            A function of a module, and what to call it with.
        reports
            The name of its argument that takes a callback; what it is called with is kept as a report.
        """
        job = Job(title)
        with self._lock:
            process, pipe = self._spare or self._new()
            self._spare = None
        asked_twice = threading.Event()

        def stop() -> None:
            if asked_twice.is_set():
                process.kill()
                return
            asked_twice.set()
            with contextlib.suppress(OSError):
                pipe.send("stop")

        job._stop = stop
        threading.Thread(
            target=self._follow,
            args=(job, process, pipe, (function, arguments, named, reports)),
            name=f"job: {title}",
            daemon=True,
        ).start()
        threading.Thread(target=self.warm, daemon=True).start()
        return job

    def warm(self) -> None:
        """Have a process ready for the next job."""
        with self._lock:
            if self._spare is None and not self._closed:
                self._spare = self._new()

    def renew(self) -> None:
        """Have the process that waits started anew, with the environment as it is now."""
        with self._lock:
            spare, self._spare = self._spare, None
            if spare is not None:
                self._alive.discard(spare[0])
        if spare is not None:
            process, pipe = spare
            process.kill()
            process.join(5)
            pipe.close()
        threading.Thread(target=self.warm, daemon=True).start()

    def close(self) -> None:
        """End every job at once, and the process that waits."""
        with self._lock:
            self._closed = True
            left = list(self._alive)
        for process in left:
            process.kill()
        for process in left:
            process.join(5)

    def _new(self) -> tuple[Any, Connection]:
        ours, theirs = _SPAWN.Pipe()
        process = _SPAWN.Process(target=work, args=(theirs,), daemon=True)
        process.start()
        theirs.close()
        self._alive.add(process)
        return process, ours

    def _follow(self, job: Job, process: Any, pipe: Connection, task: tuple[Any, ...]) -> None:
        try:
            pipe.send(task)
            while job.is_running:
                kind, *told = pipe.recv()
                if kind == "report":
                    job.hear(told[0])
                elif kind == "done":
                    job.end("done", result=told[0])
                elif kind == "stopped":
                    job.end("stopped")
                else:
                    job.end("failed", error=told[0], kind=told[1])
        except (EOFError, OSError):
            _ended_without_answer(job)
        finally:
            process.join(5)
            process.kill()
            process.join()
            pipe.close()
            with self._lock:
                self._alive.discard(process)


def _ended_without_answer(job: Job) -> None:
    if job.stopped_by_hand:
        job.end("stopped")
    else:
        words = "The process that did this ended without an answer; the memory may not have sufficed."
        job.end("failed", error=words, kind="EngineError")


def work(pipe: Connection) -> None:
    """What a worker does: wait for a function, run it, tell the answer, end."""
    with contextlib.suppress(OSError, AttributeError):
        os.setsid()  # Ctrl-C in the terminal is for the studio, which ends its workers itself
    # Ahead of the first job: loading what they need takes longest.
    _ = shoal.anonymize, shoal.report

    try:
        function, arguments, named, reports = pipe.recv()
    except (EOFError, OSError):
        return
    threading.Thread(target=_listen, args=(pipe,), daemon=True).start()
    if reports:
        named = {**named, reports: lambda report: pipe.send(("report", report))}
    warnings.simplefilter("ignore")  # results carry their warnings
    try:
        answer: tuple[Any, ...] = ("done", function(*arguments, **named))
    except KeyboardInterrupt:
        answer = ("stopped",)
    except ShoalError as error:
        answer = ("failed", str(error), type(error).__name__)
    except InternalError as error:
        answer = ("failed", f"this is a bug in Shoal, please report it: {error}", "InternalError")
    except MemoryError:
        answer = ("failed", "the memory does not suffice for this", "EngineError")
    except Exception as error:  # its message may hold a cell of the table
        words = f"this is a bug in Shoal, please report it: {type(error).__name__} in {function.__name__}"
        answer = ("failed", words, "InternalError")
    with contextlib.suppress(OSError):
        pipe.send(answer)


def _listen(pipe: Connection) -> None:
    import _thread

    try:
        while pipe.recv() == "stop":
            _thread.interrupt_main()
    except (EOFError, OSError):
        os._exit(1)  # the studio is gone
