"""Work in the background: a public function in a separate process.

A search may take all the memory, crash, or run for an hour; the page keeps working, reloads, and shows it in
as many tabs as there are. To stop a job is Ctrl-C in its process: a search then answers with the best so far.
A process that answered takes the next job. What happens in it is in `worker.py`.
"""

from __future__ import annotations

import contextlib
import threading
import time
from collections import deque
from collections.abc import Callable
from multiprocessing.reduction import ForkingPickler
from typing import Any, Literal

from shoal.studio.lease import Lease
from shoal.studio.process import CRASHED, Process
from shoal.studio.worker import AWAKE, READY

State = Literal["waiting", "running", "paused", "stopping", "done", "stopped", "failed"]

MOST_REPORTS = 2_000
"""Reports that are kept of a job; when there are more, every second one is forgotten."""

AT_ONCE = 2
"""Queued jobs that run at the same time: each takes all the cores that it can get."""

MOST_IDLE = 2
"""Processes that wait for a job; each keeps some hundred megabytes."""

PATIENCE = 5.0
"""Seconds for a job that writes into the user's folders to undo incomplete writes."""


class Job:
    """A function at work, what it has reported, and its answer.

    Parameters
    ----------
    title
        What people call it.

    Attributes
    ----------
    state
        "waiting" for its turn; "stopping" between the wish and the answer; "stopped" if there is no answer.
    reports
        Its reports while it ran, oldest first: `Progress` of a search.
    result
        The answer of the function.
    error
        A sentence for people, if it failed.
    error_kind
        The name of the error's class.
    started, ended
        When its process began and ended with it.
    process_id
        Its process, once it has one.
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
        self.process_id: int | None = None
        self._stop: Callable[[], None] = lambda: None
        self._pause: Callable[[bool], bool] = lambda _: False
        self._paused_at: float | None = None
        self._paused = 0.0
        self._every = 1
        self._heard = 0
        self._lock = threading.RLock()
        self._over = threading.Event()
        self._afterwards: Callable[[], None] | None = None

    @property
    def is_running(self) -> bool:
        """Whether there is no answer yet."""
        return self.ended is None

    @property
    def seconds(self) -> float:
        """How long it works, or worked; waiting and pauses do not count."""
        if self.state == "waiting":
            return 0.0
        return max(0.0, (self._paused_at or self.ended or time.time()) - self.started - self._paused)

    def stop(self) -> None:
        """End it soon, with the best so far if it has one; a second wish ends it at once."""
        with self._lock:
            if not self.is_running:
                return
            self.stopped_by_hand = True
            self._go_on()
            if self.state != "waiting":
                self.state = "stopping"
            stop = self._stop
        stop()  # not under the lock: a job that waits leaves the queue, whose lock comes first

    def pause(self) -> None:
        """Pause it; neither its clock nor the budget of its search runs while it is paused."""
        with self._lock:
            if self.state != "running":
                return
            # Set before it is done: those who wait for its place read the state.
            self.state, self._paused_at = "paused", time.time()
            if not self._pause(True):
                self.state, self._paused_at = "running", None

    def resume(self) -> None:
        """Let it go on."""
        with self._lock:
            if self._go_on():
                self.state = "running"

    def _go_on(self) -> bool:
        if self._paused_at is None:
            return False
        self._paused += time.time() - self._paused_at
        self._paused_at = None
        self._pause(False)
        return True

    def wait(self, seconds: float | None = None) -> bool:
        """Wait for the answer; whether it came."""
        return self._over.wait(seconds)

    def begin(self) -> bool:
        """Its turn has come; whether it still wants it."""
        with self._lock:
            if self.is_running:
                self.state, self.started = "running", time.time()
            return self.is_running

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
        """Keep the answer; the first one counts."""
        with self._lock:
            if not self.is_running:
                return
            self._go_on()
            if self.state == "waiting":  # it never began
                self.started = time.time()
            self.result, self.error, self.error_kind = result, error, kind or None
            # The state last: pages look at it without the lock, and are drawn once for each.
            self.ended = time.time()
            self.state = state
            self._over.set()


class Workers:
    """Processes that jobs run in. One always waits: a search begins at once."""

    def __init__(self, at_once: int = AT_ONCE) -> None:
        self._lock = threading.RLock()
        self._alive: set[Process] = set()
        self._followers: dict[threading.Thread, Job] = {}
        self._idle: list[Process] = []
        self._renewed = 0
        self._closed = False
        self._at_once = at_once
        self._queued: set[Job] = set()
        self._waiting: deque[tuple[Job, tuple[Any, ...]]] = deque()

    def start(
        self,
        title: str,
        function: Callable[..., Any],
        *arguments: Any,
        reports: str = "",
        queued: bool = False,
        afterwards: Callable[[], None] | None = None,
        **named: Any,
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
        queued
            Whether it waits while `AT_ONCE` others of that kind are at work; paused ones do not count.
        afterwards
            Called when its process has ended without an answer, however that came about: takes away what it
            left. Such a job is given `PATIENCE` to do so itself when the studio ends.
        """
        job = Job(title)
        job._afterwards = afterwards
        task = (function, arguments, named, reports, 0.0 if afterwards is None else PATIENCE)
        with self._lock:
            if self._closed:
                job.end("stopped")
            elif queued:
                job.state = "waiting"
                job._stop = lambda: self._forget(job)
                self._waiting.append((job, task))
                self._take_turns()
            else:
                self._begin(job, task)
        return job

    def warm(self) -> None:
        """Have a process ready for the next job."""
        with self._lock:
            if not self._idle and not self._closed:
                self._idle.append(self._new())

    def renew(self) -> None:
        """Restart the waiting processes, with the current environment; those at work take no other job."""
        with self._lock:
            self._renewed += 1
            idle, self._idle = self._idle, []
            self._alive.difference_update(idle)
        for process in idle:
            process.kill()
            process.bury()
        threading.Thread(target=self.warm, daemon=True).start()

    def close(self) -> None:
        """End every job at once, and the process that waits; those that write may first clear up."""
        with self._lock:
            self._closed = True
            left, self._idle = list(self._alive), []
            followers = dict(self._followers)
            waiting = [job for job, _ in self._waiting]
            self._waiting.clear()
        for job in waiting:
            job.end("stopped")
        patient = [job for job in followers.values() if job._afterwards is not None and job.is_running]
        for job in patient:
            job.stop()
        end = time.monotonic() + PATIENCE
        for job in patient:
            job.wait(max(0.0, end - time.monotonic()))
        for process in left:
            process.kill()
        for process in left:
            process.join(5)
        for listener in followers:  # they clear up
            listener.join(5)

    def _forget(self, job: Job) -> None:
        with self._lock:
            self._waiting = deque(each for each in self._waiting if each[0] is not job)
        job.end("stopped")

    def _take_turns(self) -> None:
        """Begin what waits, as far as there is room."""
        with self._lock:
            while self._waiting and not self._closed:
                if sum(job.state != "paused" for job in self._queued) >= self._at_once:
                    return
                job, task = self._waiting.popleft()
                if job.begin():
                    self._queued.add(job)
                    self._begin(job, task)

    def _begin(self, job: Job, task: tuple[Any, ...]) -> None:
        try:
            process = self._given(task)
        except Exception as error:  # it cannot be packed
            _not_handed_over(job, error)
            return
        lease = Lease(process, self._take_turns)
        job._stop, job._pause, job.process_id = lease.stop, lease.pause, process.number
        listener = threading.Thread(
            target=self._follow, args=(job, lease), name=f"job: {job.title}", daemon=True
        )
        with self._lock:
            self._followers[listener] = job
        listener.start()
        threading.Thread(target=self.warm, daemon=True).start()

    def _given(self, task: tuple[Any, ...]) -> Process:
        """A process that has the task; those that wait may have died."""
        packed = ForkingPickler.dumps(task)
        with self._lock:
            while self._idle:
                process = self._idle.pop()
                if process.is_alive:
                    with contextlib.suppress(OSError):
                        process.give(packed)
                        return process
                self._alive.discard(process)
            process = self._new()
            process.give(packed)
            return process

    def _new(self) -> Process:
        process = Process()
        self._alive.add(process)
        return process

    def _follow(self, job: Job, lease: Lease) -> None:
        process, renewed, kept = lease.process, self._renewed, False
        try:
            answer = _heard(job, process)
            kept = _is_ready(process) and lease.end() and self._keep(process, answer, renewed)
            _take_in(job, answer)
            if job.state == "stopped":
                process.kill()
        except (EOFError, OSError):
            _ended_without_answer(job, process, closed=self._closed)
        except Exception as error:  # it cannot be unpacked
            _not_handed_over(job, error)
            process.kill()
        finally:
            lease.end()
            with self._lock:
                self._queued.discard(job)
            self._take_turns()
            if not kept:
                process.kill()  # it would wait for another task
                process.bury()
            if job.state != "done" and job._afterwards is not None:
                job._afterwards()
            with self._lock:
                if not kept:
                    self._alive.discard(process)
                self._followers.pop(threading.current_thread(), None)

    def _keep(self, process: Process, answer: tuple[Any, ...], renewed: int) -> bool:
        """Let a process wait for the next job; whether it does."""
        with self._lock:
            room = len(self._idle) < MOST_IDLE and not self._closed
            if not room or renewed != self._renewed or answer[0] != "done":
                return False
            self._idle.append(process)
            return True


def _heard(job: Job, process: Process) -> tuple[Any, ...]:
    """The answer of a process; its reports before are kept."""
    while True:
        message: tuple[Any, ...] = process.receive()
        if message == AWAKE:
            process.is_awake()
        elif message[0] == "report":
            job.hear(message[1])
        else:
            return message


def _is_ready(process: Process) -> bool:
    """Whether a process waits for another task; it may have ended itself."""
    with contextlib.suppress(EOFError, OSError):
        while (message := process.receive()) == AWAKE:
            process.is_awake()
        return bool(message == READY)
    return False


def _take_in(job: Job, message: tuple[Any, ...]) -> None:
    kind, *rest = message
    if kind == "done":
        job.end("done", result=rest[0])
    elif kind == "stopped":
        job.end("stopped")
    else:
        job.end("failed", error=rest[0], kind=rest[1])


def _not_handed_over(job: Job, error: Exception) -> None:
    words = f"this is a bug in Shoal, please report it: {type(error).__name__} between two processes"
    job.end("failed", error=words, kind="InternalError")


def _ended_without_answer(job: Job, process: Process, *, closed: bool) -> None:
    if job.stopped_by_hand or closed:
        job.end("stopped")
    else:
        words = process.last_words()
        job.end("failed", error=words, kind="InternalError" if words == CRASHED else "EngineError")
