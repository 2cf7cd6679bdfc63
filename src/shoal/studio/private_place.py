"""Where the studio keeps uploads and runs: in memory where the system has a private place for that.

Files in a tmpfs are on no disk that somebody could read later, unless the system swaps. What libraries spill
because memory is short must not go there, and neither must tables that would fill it.
"""

from __future__ import annotations

import os
import shutil
from pathlib import Path

ROOM = 4
"""How many times the largest upload must fit: a table, its runs, and what is read off them."""
_STATED = ("TMPDIR", "TEMP", "TMP")


def memory_places() -> list[Path]:
    """The folders of this machine that are kept in memory, and that we may write to."""
    stated = os.environ.get("XDG_RUNTIME_DIR")
    wanted = [*([Path(stated)] if stated else []), Path("/dev/shm")]
    kept = _tmpfs()
    return [place for place in wanted if place.resolve() in kept and os.access(place, os.W_OK | os.X_OK)]


def memory_place(largest: int) -> Path | None:
    """The folder in memory with enough room; `None` without one, or if the user chose a place.

    Parameters
    ----------
    largest
        Bytes of the largest upload.
    """
    if any(os.environ.get(name) for name in _STATED):
        return None
    return next((place for place in memory_places() if fits(place, ROOM * largest)), None)


def fits(place: Path, size: int) -> bool:
    """Whether so many bytes are free there."""
    try:
        return shutil.disk_usage(place).free >= size
    except OSError:
        return False


def _tmpfs() -> set[Path]:
    try:
        lines = Path("/proc/mounts").read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:  # no Linux
        return set()
    parts = [line.split() for line in lines]
    return {Path(each[1]) for each in parts if len(each) > 2 and each[2] == "tmpfs"}
