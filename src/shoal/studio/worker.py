"""The worker's side of a job: a process that waits for a function, runs it, sends the answer, waits again.

To load what functions need takes 0.9 processor seconds, so a process that answered is used again. One that
was stopped or paused is not, nor one that has become large: the studio ends it, or it ends itself.
"""

from __future__ import annotations

import _thread
import contextlib
import gc
import os
import queue
import signal
import threading
import warnings
from multiprocessing.connection import Connection
from multiprocessing.reduction import ForkingPickler
from pathlib import Path
from types import FrameType
from typing import Any

import shoal
from shoal import EngineError, InternalError, ShoalError

STOP, PAUSE, GO_ON = "stop", "pause", "go on"
"""Commands of the studio."""

AWAKE = ("awake",)
"""The answer to "go on"."""

READY = ("ready",)
"""After an answer: the process can take another function."""

LARGEST = 512 * 2**20
"""Bytes that a process may hold between two functions; one that holds more ends, and gives them back."""

_patience = [0.0]
"""Seconds that the present function may take to clear up when the studio is gone."""

_one_at_a_time = threading.Lock()
_stopped_early = threading.Event()

_BUG = "this is a bug in Shoal, please report it"


def work(pipe: Connection) -> None:
    """What a worker does: wait for a function, run it, send the answer, and again."""
    _hear_only_the_studio()
    # Ahead of the first job: loading what they need takes longest.
    _ = shoal.anonymize, shoal.report

    warnings.simplefilter("ignore")  # results carry their warnings
    tasks: queue.SimpleQueue[tuple[Any, ...]] = queue.SimpleQueue()
    threading.Thread(target=_listen, args=(pipe, tasks), daemon=True).start()
    while True:
        *call, _patience[0] = tasks.get()
        packed = _packed(_answer(pipe, *call))
        try:
            with _one_at_a_time:
                pipe.send_bytes(packed)
            del call, packed
            if _resident() > LARGEST:
                gc.collect()
            if _resident() > LARGEST:
                return
            _patience[0] = 0.0
            _send(pipe, READY)
        except OSError:
            return


def _packed(answer: tuple[Any, ...]) -> Any:
    try:
        return ForkingPickler.dumps(answer)
    except Exception as error:  # its message may hold a cell of the table
        words = f"{_BUG}: an answer that cannot be handed over, {type(error).__name__}"
        return ForkingPickler.dumps(("failed", words, "InternalError"))


def _resident() -> int:
    """The bytes of memory that this process holds; more than any limit where nobody can tell."""
    try:
        pages = Path("/proc/self/statm").read_text(encoding="ascii").split()[1]
        return int(pages) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError):
        return LARGEST + 1


def _hear_only_the_studio() -> None:
    """Ctrl-C in the terminal is for the studio, which ends its workers itself."""
    # A process group, but no session: a worker that is paused when the studio is killed would sleep for
    # ever. In the same session the system wakes such a group, and hangs up on it.
    with contextlib.suppress(OSError, AttributeError):
        os.setpgid(0, 0)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # one that came until here is forgotten
    signal.signal(signal.SIGINT, _interrupted)
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})


def _interrupted(_number: int, frame: FrameType | None) -> None:
    """Raise `KeyboardInterrupt` in the function, but not once it has answered: the answer would be lost."""
    while frame is not None:
        if frame.f_code is _answer.__code__:
            raise KeyboardInterrupt
        frame = frame.f_back
    _stopped_early.set()


def _answer(pipe: Connection, function: Any, arguments: Any, named: Any, reports: str) -> tuple[Any, ...]:
    if reports:
        named = {**named, reports: lambda report: _send(pipe, ("report", report))}
    try:
        if _stopped_early.is_set():
            return ("stopped",)
        return ("done", function(*arguments, **named))
    except KeyboardInterrupt:
        return ("stopped",)
    except ShoalError as error:
        return ("failed", str(error), type(error).__name__)
    except InternalError as error:
        return ("failed", f"{_BUG}: {error}", "InternalError")
    except MemoryError:
        words = "the memory does not suffice for this; take fewer columns, or another algorithm"
        return ("failed", words, "EngineError")
    except (Exception, SystemExit) as error:  # its message may hold a cell of the table
        name = getattr(function, "__name__", "a function")
        return ("failed", f"{_BUG}: {type(error).__name__} in {name}", "InternalError")


def _interrupt() -> None:
    """Ctrl-C for the main thread; a real signal, as that also wakes it from a wait."""
    if hasattr(signal, "pthread_kill"):
        signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)
    else:
        _thread.interrupt_main()


def _send(pipe: Connection, words: tuple[Any, ...]) -> None:
    with _one_at_a_time:
        pipe.send(words)


def _listen(pipe: Connection, tasks: queue.SimpleQueue[tuple[Any, ...]]) -> None:
    """Pass functions on, and follow the studio's commands; exit soon after the studio is gone."""
    try:
        while True:
            word = pipe.recv()
            if word == STOP:
                _interrupt()
            elif word == PAUSE:
                with contextlib.suppress(EngineError):
                    shoal.pause()
            elif word == GO_ON:
                _send(pipe, AWAKE)
            else:
                tasks.put(word)
    except (EOFError, OSError):  # the studio is gone
        if _patience[0]:
            _interrupt()
            threading.main_thread().join(_patience[0])
        os._exit(1)
    except Exception:  # a task that cannot be unpacked
        os._exit(1)
