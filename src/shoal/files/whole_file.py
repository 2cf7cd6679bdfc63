"""Files that are complete or absent, and on disk when a call returns.

`write_text` and `write_bytes` write one file in a private folder next to its target and rename it: until
then, nobody else can read it. Two writers need more than that and use the functions below: a release is
audited between writing and renaming, and gets its name together with its manifest (`shoal.engines.staging`);
the studio gives several files their names, all or none, and can undo that after a crash
(`shoal.studio.file_transaction`).
"""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from shoal.errors import EngineError
from shoal.files.private_folder import STAGED, PrivateFolder, keep_mode


def write_text(path: Path, text: str) -> None:
    """Write a text file that ends up complete or absent."""
    try:
        content = text.encode()
    except UnicodeEncodeError:
        raise EngineError(
            f"cannot write {path}: its text has half a character, which UTF-8 cannot encode"
        ) from None
    write_bytes(path, content)


def write_bytes(path: Path, content: bytes) -> None:
    """Write a file that ends up complete or absent; a device or a pipe is written to, never replaced."""
    try:
        target = Path(os.path.realpath(path))  # follow a link: the file that it names is replaced
        if target.exists() and not target.is_file():
            path.write_bytes(content)
            return
        with PrivateFolder(target.parent, prefix=STAGED) as folder:
            staged = folder.path / target.name
            write_new(staged, content)
            keep_mode(staged, target)
            staged.replace(target)
    except (OSError, ValueError) as error:
        raise EngineError(f"cannot write {path}: {why(error)}") from None


def write_private(path: Path, content: bytes) -> None:
    """Write a file that only its owner can read, and that ends up complete or absent."""
    try:
        target = Path(os.path.realpath(path))
        with PrivateFolder(target.parent, prefix=STAGED) as folder:
            staged = folder.path / target.name
            write_new(staged, content, mode=0o600)
            staged.replace(target)
    except (OSError, ValueError) as error:
        raise EngineError(f"cannot write {path}: {why(error)}") from None


def write_new(path: Path, content: bytes | Path, *, mode: int = 0o666) -> None:
    """Write a file that does not exist yet, and sync it to disk.

    Parameters
    ----------
    path
        Its name.
    content
        Its bytes, or a file to copy them from.
    mode
        The permissions that it is created with, before the umask.
    """
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), mode)
    with os.fdopen(handle, "wb") as file:
        if isinstance(content, Path):
            with content.open("rb") as source:
                shutil.copyfileobj(source, file, 1 << 20)
        else:
            file.write(content)
        file.flush()
        os.fsync(file.fileno())


def sync(path: Path) -> None:
    """Sync a file, or the names in a folder, to disk."""
    try:
        handle = os.open(path, os.O_RDONLY)
    except PermissionError:  # not every system can open a folder; syncing it is optional
        if path.is_dir():
            return
        raise
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def why(error: OSError | ValueError) -> str:
    """The system's reason for refusing a file."""
    return (error.strerror if isinstance(error, OSError) else None) or "the system does not accept its name"
