"""Waiting for what must come about, however busy the machine is.

A test waits for a state, and gives up on another one: a job that failed, a process that ended. Seconds are no
measure of either on a machine that has other work. What is left of them here only ends a run that hangs.
"""

from __future__ import annotations

import time
from collections.abc import Callable

PATIENCE = 900.0
"""Seconds until something hangs."""

_LOOK = 0.02


def until(holds: Callable[[], object], lost: Callable[[], object] = lambda: None) -> None:
    """Wait until something holds.

    Parameters
    ----------
    holds
        What is waited for.
    lost
        Why it cannot come about any more, once that is known: a job's error, a process's exit code.
    """
    end = time.monotonic() + PATIENCE
    while not holds():
        why = lost()
        # Looked at again: it may have come about just before.
        assert why is None or why is False or holds(), f"it cannot come about any more: {why}"
        assert time.monotonic() < end, "it did not come about"
        time.sleep(_LOOK)
