"""A folder that only this user can read, and that a later run removes if this one is killed.

Everything in it is private from its first byte, whatever creates it and with whatever mode: spilled rows, and
files before they get their final names. Files in it get the mode that they would have outside, so that
renaming them out of it publishes them as plain new files; the process-wide umask, which other threads rely
on, is never touched.

The folder is locked while its process lives. A lock ends with its process, so a folder whose lock is free
belongs to nobody, and the next run that needs a folder in the same place removes it.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import stat
import sys
import tempfile
from pathlib import Path
from typing import IO

try:
    import fcntl
except ImportError:  # Windows: stale folders stay until somebody removes them
    fcntl = None  # type: ignore[assignment]

SPILLED = "shoal-"
STAGED = ".shoal-"
LOCK = ".shoal-lock"  # a name that no staged file can have
_NEW = ".shoal-new"


class PrivateFolder:
    """A new folder under `parent`, or under the system's folder for temporary files.

    Parameters
    ----------
    parent
        Where to create it.
    prefix
        How its name begins. Other folders with this prefix are removed if their processes have ended.
    """

    def __init__(self, parent: Path | None, *, prefix: str = SPILLED) -> None:
        self.path = Path(tempfile.mkdtemp(prefix=prefix, dir=parent))
        # Lock it under another name first, so that others never see the file unlocked.
        self._handle = _lock(self.path / _NEW, create=True)
        if self._handle is not None:
            (self.path / _NEW).rename(self.path / LOCK)
        remove_stale(self.path.parent, prefix=prefix)

    def __enter__(self) -> PrivateFolder:
        return self

    def __exit__(self, *_: object) -> None:
        self.remove()

    def remove(self) -> None:
        """Remove the folder and everything in it."""
        shutil.rmtree(self.path, ignore_errors=True)
        if self._handle is not None:
            self._handle.close()


def remove_stale(parent: Path, *, prefix: str = SPILLED) -> None:
    """Remove the private folders under `parent` whose processes have ended without doing so."""
    for lock in parent.glob(f"{prefix}*/{LOCK}"):
        _remove_if_stale(lock.parent)


def usual_mode(target: Path) -> int:
    """The mode of a file written there: that of the file it replaces, or that of a new file."""
    if target.exists():
        return stat.S_IMODE(target.stat().st_mode)
    with tempfile.TemporaryDirectory(prefix=SPILLED) as folder:
        (Path(folder) / "mode").touch()
        return stat.S_IMODE((Path(folder) / "mode").stat().st_mode)


def keep_mode(staged: Path, target: Path) -> None:
    """Give a file or folder the mode of what it is about to replace, if it replaces anything."""
    if target.exists():
        staged.chmod(stat.S_IMODE(target.stat().st_mode))


def _lock(file: Path, *, create: bool) -> IO[bytes] | None:
    """Lock a file until the handle is closed or the process ends; `None` if another process has the lock."""
    if fcntl is None:
        return None
    # Neither a link nor a pipe in its place is followed or waited for.
    flags = os.O_RDWR | os.O_NOFOLLOW | os.O_NONBLOCK | (os.O_CREAT if create else 0)
    handle = os.fdopen(os.open(file, flags, 0o600), "r+b", buffering=0)
    try:
        if not stat.S_ISREG(os.fstat(handle.fileno()).st_mode):
            raise OSError("not a regular file")
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        handle.close()
        return None
    return handle


def _is_own(folder: Path) -> bool:
    """Whether it is a folder of this user, and no link: anybody can put one into /tmp or /dev/shm."""
    found = folder.lstat()
    return stat.S_ISDIR(found.st_mode) and (sys.platform == "win32" or found.st_uid == os.getuid())


def _remove_if_stale(folder: Path) -> None:
    with contextlib.suppress(OSError):  # removed by another run at this moment
        handle = _lock(folder / LOCK, create=False) if _is_own(folder) else None
        if handle is not None:
            shutil.rmtree(folder, ignore_errors=True)
            handle.close()
