"""Writes a text whole or not at all: a full disk shall not cost the file that stood there before."""

from __future__ import annotations

import contextlib
import os
import secrets
from pathlib import Path


def write_whole(path: str | Path, text: str) -> Path:
    """Write a text beside its name and give it the name when it is whole.

    Parameters
    ----------
    path
        The file; a link is followed.
    text
        What to write.
    """
    target = Path(os.path.realpath(path))
    staged = target.with_name(f".{target.name[:100]}-{secrets.token_hex(4)}")
    try:
        staged.write_text(text, encoding="utf-8")
        staged.replace(target)
    finally:
        with contextlib.suppress(OSError):
            staged.unlink()
    return Path(path)
