"""A text file that is there as a whole, or not at all."""

from __future__ import annotations

import contextlib
import os
import tempfile
from pathlib import Path

from shoal.errors import EngineError


def write_whole(path: Path, text: str) -> None:
    """Write a file beside its name, and give it the name when it is whole; a link's file is replaced."""
    target = Path(os.path.realpath(path))
    staged: Path | None = None
    try:
        mode = target.stat().st_mode & 0o777 if target.exists() else 0o666 & ~_umask()
        with tempfile.NamedTemporaryFile(
            "w", encoding="utf-8", newline="", dir=target.parent, prefix=".shoal-", delete=False
        ) as file:
            staged = Path(file.name)
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        staged.chmod(mode)
        staged.replace(target)
    except OSError as error:
        raise EngineError(f"cannot write {path}: {error.strerror}") from None
    finally:
        if staged is not None:
            with contextlib.suppress(OSError):
                staged.unlink(missing_ok=True)


def _umask() -> int:
    mask = os.umask(0o077)
    os.umask(mask)
    return mask
