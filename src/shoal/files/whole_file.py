"""Files that are there whole or not at all.

Written in a private folder beside the target and renamed: until it has its name, nobody else can read it.
"""

from __future__ import annotations

import os
from pathlib import Path

from shoal.errors import EngineError
from shoal.files.private_folder import STAGED, PrivateFolder, keep_mode


def write_text(path: Path, text: str) -> None:
    """Write a text file that is there whole or not at all."""
    try:
        content = text.encode()
    except UnicodeEncodeError:
        raise EngineError(f"cannot write {path}: its text has half a character, which UTF-8 lacks") from None
    write_bytes(path, content)


def write_bytes(path: Path, content: bytes) -> None:
    """Write a file that is there whole or not at all; a device or a pipe is written to, never replaced."""
    try:
        target = Path(os.path.realpath(path))  # a link is followed: the file that it names is replaced
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
    """Why the system refused a file, in its own words."""
    return (error.strerror if isinstance(error, OSError) else None) or "the system does not take its name"
