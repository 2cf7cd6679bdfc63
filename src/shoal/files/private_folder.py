"""A folder that only this user can read, and that no killed run leaves behind for good.

Whatever lies in it is private from its first byte, whoever creates it and with whatever mode: rows that are
spilled, and files on their way to their names. Files in it get the mode that they would have outside, so that
renaming them out of it publishes them as plain new files; the process-wide umask, which other threads rely
on, is never touched.

The folder is locked while its process lives. A lock dies with its process, so a folder whose lock can be had
belongs to nobody, and the next run that needs a folder beside it removes it.
"""

from __future__ import annotations

import contextlib
import shutil
import stat
import tempfile
from pathlib import Path
from typing import IO

try:
    import fcntl
except ImportError:  # Windows: stale folders stay until somebody removes them
    fcntl = None  # type: ignore[assignment]

SPILLED = "shoal-"
STAGED = ".shoal-"
LOCK = ".shoal-lock"  # no name that a staged file could have
_NEW = ".shoal-new"


class PrivateFolder:
    """A new folder under `parent`, or under the system's folder for temporary files.

    Parameters
    ----------
    parent
        Where to make it.
    prefix
        How its name begins; of the others that begin so, those of dead processes are removed.
    """

    def __init__(self, parent: Path | None, *, prefix: str = SPILLED) -> None:
        self.path = Path(tempfile.mkdtemp(prefix=prefix, dir=parent))
        # Locked under another name first: a lock that others can see is held.
        self._handle = _lock(self.path / _NEW)
        if self._handle is not None:
            (self.path / _NEW).rename(self.path / LOCK)
        for other in self.path.parent.glob(f"{prefix}*/{LOCK}"):
            if other.parent != self.path:
                _remove_if_stale(other.parent)

    def __enter__(self) -> PrivateFolder:
        return self

    def __exit__(self, *_: object) -> None:
        self.remove()

    def remove(self) -> None:
        """Remove the folder with all that is in it."""
        shutil.rmtree(self.path, ignore_errors=True)
        if self._handle is not None:
            self._handle.close()


def usual_mode(target: Path) -> int:
    """The mode that a file gets which is written there: that of the file it replaces, or a new one's."""
    if target.exists():
        return stat.S_IMODE(target.stat().st_mode)
    with tempfile.TemporaryDirectory(prefix=SPILLED) as folder:
        (Path(folder) / "mode").touch()
        return stat.S_IMODE((Path(folder) / "mode").stat().st_mode)


def keep_mode(staged: Path, target: Path) -> None:
    """Give a file or folder the mode of what it is about to replace, if it replaces anything."""
    if target.exists():
        staged.chmod(stat.S_IMODE(target.stat().st_mode))


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
