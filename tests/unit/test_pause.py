"""A pause: the clock of searches stands still while the process does."""

from __future__ import annotations

import itertools
import multiprocessing
import os
import signal
import threading
import time
from typing import Any

import pytest

import shoal
from shoal import _core


def _pausing(pipe: Any) -> None:
    seen: list[float] = []
    over = threading.Event()

    def watch() -> None:
        while not over.is_set():
            seen.append(_core.now())

    watcher = threading.Thread(target=watch)
    watcher.start()
    begin, wall = _core.now(), time.monotonic()
    threading.Timer(0.05, lambda: pipe.send("about to pause")).start()
    time.sleep(0.2)
    shoal.pause()
    pipe.send((_core.now() - begin, time.monotonic() - wall))
    over.set()
    watcher.join()
    pipe.send((seen == sorted(seen), max(b - a for a, b in itertools.pairwise(seen))))


@pytest.mark.skipif(not hasattr(signal, "SIGSTOP"), reason="this system cannot pause a process")
def test_no_thread_sees_the_time_of_a_pause() -> None:
    """Neither the one that paused nor one that reads the clock all the time, which never goes back."""
    spawn = multiprocessing.get_context("spawn")
    ours, theirs = spawn.Pipe()
    process = spawn.Process(target=_pausing, args=(theirs,), daemon=True)
    process.start()
    ours.recv()
    time.sleep(2)
    assert process.pid is not None
    assert not ours.poll()
    os.kill(process.pid, signal.SIGCONT)
    clock, wall = ours.recv()
    assert wall > 1.7
    assert clock < wall - 1.3
    ordered, longest = ours.recv()
    assert ordered
    assert longest < 1
    process.join()


def test_a_clock_that_is_held_goes_on_from_where_it_stands() -> None:
    """Holding twice is holding once."""
    _core.hold_clock()
    first = _core.now()
    time.sleep(0.05)
    _core.hold_clock()
    assert _core.now() == first
    _core.release_clock()
    _core.release_clock()
    assert first <= _core.now() < first + 0.04
