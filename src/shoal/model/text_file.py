"""Text files that are there whole or not at all."""

from __future__ import annotations

import os
import secrets
from pathlib import Path

from shoal.errors import EngineError


def write_text(path: Path, text: str) -> None:
    """Write a file that is there whole or not at all."""
    target = Path(os.path.realpath(path))  # a link is followed: the file that it names is replaced
    staged = target.with_name(f".shoal-{secrets.token_hex(8)}-{target.name}")
    try:
        try:
            with staged.open("x", encoding="utf-8", newline="") as file:
                file.write(text)
                file.flush()
                os.fsync(file.fileno())
            staged.replace(target)
        finally:
            staged.unlink(missing_ok=True)
    except OSError as error:
        raise EngineError(f"cannot write {path}: {error.strerror}") from None
