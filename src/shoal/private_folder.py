"""A folder for spilled rows that only this user can read, and that no killed run leaves behind for good.

The folder is locked while its process lives. A lock dies with its process, so a folder whose lock can be had
belongs to nobody, and the next run removes it.
"""

from __future__ import annotations

import contextlib
import shutil
import tempfile
from pathlib import Path
from typing import IO

try:
    import fcntl
except ImportError:  # Windows: stale folders stay until the system clears its temporary files
    fcntl = None  # type: ignore[assignment]

PREFIX = "shoal-"
LOCK = "lock"


class PrivateFolder:
    """A new folder under `parent`, or under the system's folder for temporary files."""

    def __init__(self, parent: Path | None) -> None:
        self.path = Path(tempfile.mkdtemp(prefix=PREFIX, dir=parent))
        # Locked under another name first: a lock that others can see is held.
        self._handle = _lock(self.path / "new")
        if self._handle is not None:
            (self.path / "new").rename(self.path / LOCK)
        for other in self.path.parent.glob(f"{PREFIX}*/{LOCK}"):
            if other.parent != self.path:
                _remove_if_stale(other.parent)

    def remove(self) -> None:
        """Remove the folder with all that is in it."""
        shutil.rmtree(self.path, ignore_errors=True)
        if self._handle is not None:
            self._handle.close()


def _lock(file: Path) -> IO[bytes] | None:
    """Hold a lock until the handle is closed or the process ends; `None` if another holds it."""
    if fcntl is None:
        return None
    handle = file.open("ab")
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        handle.close()
        return None
    return handle


def _remove_if_stale(folder: Path) -> None:
    with contextlib.suppress(OSError):  # another user's, or removed by another run at this moment
        handle = _lock(folder / LOCK)
        if handle is not None:
            shutil.rmtree(folder, ignore_errors=True)
            handle.close()
