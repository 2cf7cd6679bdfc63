"""Compressed files: opened as streams, or unpacked into the private folder of a session."""

from __future__ import annotations

import bz2
import gzip
import importlib
import lzma
import shutil
import zipfile
import zlib
from pathlib import Path
from typing import IO, Any

from shoal.engines.duckdb.session import DuckSession
from shoal.errors import EngineError, PolicyError

DAMAGED = (OSError, EOFError, zlib.error, lzma.LZMAError, zipfile.BadZipFile)
"""What reading a file raises if the system refuses it, or if it was cut."""


def unpacked(session: DuckSession, path: Path, compression: str, suffix: str) -> tuple[Path, str]:
    """An unpacked copy of a file, and the name of what was inside.

    Parameters
    ----------
    session
        Whose folder has the copy.
    path
        The file.
    compression
        How it is compressed.
    suffix
        The suffix of the copy; of a `.zip`, its member has its own.
    """
    try:
        if compression == "zip":
            return _member(session, path)
        target = session.folder / f"{session.fresh('unpacked')}{suffix}"
        with opened(path, compression) as packed, target.open("wb") as copy:
            shutil.copyfileobj(packed, copy, 1 << 20)
        return target, path.name.removesuffix(path.suffix)
    except DAMAGED as error:
        raise unreadable(path, error) from None


def opened(path: Path, compression: str | None) -> IO[bytes]:
    """The bytes of a file, decompressed."""
    openers: dict[str | None, Any] = {None: open, "gzip": gzip.open, "bzip2": bz2.open, "xz": lzma.open}
    return _zstandard(path) if compression == "zstandard" else openers[compression](path, "rb")


def _zstandard(path: Path) -> IO[bytes]:
    for module, name in (("compression.zstd", "open"), ("zstandard", "open")):
        try:
            stream: IO[bytes] = getattr(importlib.import_module(module), name)(path, "rb")
            return stream
        except ImportError:
            continue
    try:
        arrow: IO[bytes] = importlib.import_module("pyarrow").input_stream(str(path), compression="zstd")
        return arrow
    except ImportError:
        raise PolicyError(
            f'{path.name}: .zst needs pyarrow: pip install "shoal[arrow]", or unpack the file first'
        ) from None


def _member(session: DuckSession, path: Path) -> tuple[Path, str]:
    with zipfile.ZipFile(path) as archive:
        members = [
            each
            for each in archive.infolist()
            if not each.is_dir()
            and not each.filename.startswith("__MACOSX/")
            and Path(each.filename).name[0] != "."
        ]
        if len(members) != 1:
            names = ", ".join(Path(each.filename).name for each in members[:10])
            raise PolicyError(
                f"{path.name} must have one file inside, and has {len(members)}"
                f"{f': {names}; unpack it, and name one of them' if members else ''}"
            )
        name = Path(members[0].filename).name
        target = session.folder / f"{session.fresh('unpacked')}{''.join(Path(name).suffixes[-2:])}"
        try:
            with archive.open(members[0]) as packed, target.open("wb") as copy:
                shutil.copyfileobj(packed, copy, 1 << 20)
        except RuntimeError:  # the only one: a password is needed
            raise EngineError(
                f"{path.name} is protected by a password; unpack it first, and name the file inside"
            ) from None
        except NotImplementedError:
            raise EngineError(
                f"{path.name} is compressed in a way that Python does not read; unpack it first"
            ) from None
    return target, name


def unreadable(path: Path, error: Exception) -> EngineError:
    """What to say of a file that cannot be read or unpacked."""
    reason = getattr(error, "strerror", None)
    if reason:
        return EngineError(f"cannot read {path}: {reason}")
    return EngineError(f"{path.name} cannot be read; is it complete, and does its name end rightly?")
