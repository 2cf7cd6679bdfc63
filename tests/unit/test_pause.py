"""A pause: the clock of searches stands still while the process does."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
import time
from typing import Any

import pytest

import shoal
from shoal import _core
from tests.patience import until

PAUSE = 0.3
"""Seconds that a process is left paused at least; by how much the clocks differ afterwards is measured."""

ROUNDING = 1e-6


def moment() -> tuple[float, float]:
    """The clock of searches, then that of the machine."""
    return _core.now(), time.monotonic()


def lost(first: tuple[float, float], last: tuple[float, float]) -> float:
    """Seconds that the clock of searches left out between two moments, at least."""
    return (last[1] - first[1]) - (last[0] - first[0])


def _pausing(pipe: Any) -> None:
    seen = [moment()]
    over = threading.Event()

    def watch() -> None:
        while not over.is_set():
            seen.append((_core.now(), time.monotonic()))

    watcher = threading.Thread(target=watch)
    watcher.start()
    until(lambda: len(seen) > 1)
    first = moment()
    shoal.pause()
    last = moment()
    looks = len(seen)
    until(lambda: len(seen) > looks + 1)
    over.set()
    watcher.join()
    clock = [each for each, _ in seen]
    pipe.send((lost(first, last), lost(seen[0], seen[-1]), clock == sorted(clock)))


@pytest.mark.skipif(not hasattr(signal, "SIGSTOP"), reason="this system cannot pause a process")
def test_no_thread_sees_the_time_of_a_pause() -> None:
    """Neither the one that paused nor one that reads the clock all the time, which never goes back."""
    spawn = multiprocessing.get_context("spawn")
    ours, theirs = spawn.Pipe()
    process = spawn.Process(target=_pausing, args=(theirs,), daemon=True)
    process.start()
    assert process.pid is not None
    _, status = os.waitpid(process.pid, os.WUNTRACED)
    assert os.WIFSTOPPED(status)
    stopped = time.monotonic()
    time.sleep(PAUSE)
    assert not ours.poll()
    stopped = time.monotonic() - stopped
    os.kill(process.pid, signal.SIGCONT)
    of_the_one_that_paused, of_the_watcher, ordered = ours.recv()
    assert ordered
    assert of_the_one_that_paused >= stopped - ROUNDING
    assert of_the_watcher >= stopped - ROUNDING
    process.join()


def test_a_clock_that_is_held_goes_on_from_where_it_stands() -> None:
    """Holding twice is holding once."""
    _core.hold_clock()
    first = moment()
    time.sleep(0.05)
    _core.hold_clock()
    assert _core.now() == first[0]
    held = time.monotonic() - first[1]
    _core.release_clock()
    _core.release_clock()
    last = moment()
    assert last[0] >= first[0]
    assert lost(first, last) >= held - ROUNDING
