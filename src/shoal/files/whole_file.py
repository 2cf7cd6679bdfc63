"""Files that are complete or absent.

A file is written in a private folder next to its target and then renamed: until then nobody else can read it.
"""

from __future__ import annotations

import os
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
            with staged.open("xb") as file:
                file.write(content)
                file.flush()
                os.fsync(file.fileno())
            keep_mode(staged, target)
            staged.replace(target)
    except (OSError, ValueError) as error:
        raise EngineError(f"cannot write {path}: {why(error)}") from None


def why(error: OSError | ValueError) -> str:
    """The system's reason for refusing a file."""
    return (error.strerror if isinstance(error, OSError) else None) or "the system does not accept its name"
