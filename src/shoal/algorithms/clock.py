"""The clock of searches: it stands still while the process is paused, in the core and in Python alike."""

from __future__ import annotations

from shoal import _core


def now() -> float:
    """Wall time in seconds since a fixed moment, without pauses."""
    return _core.now()
