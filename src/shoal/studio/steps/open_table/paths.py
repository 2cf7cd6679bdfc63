"""The files that can be opened by their path: the lists of the opened folders, and paths that were typed."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from shoal import EngineError, PolicyError
from shoal.engines.duckdb.files.formats import COMPRESSIONS, SUFFIXES
from shoal.studio.folders import Folders
from shoal.studio.project import policy_of

TABLES = tuple(SUFFIXES)
PACKED = tuple(COMPRESSIONS)
OWN = (".manifest.json", ".report.json")
"""Files next to a release, which are no tables."""

DATABASES = (".duckdb", ".ddb", ".db")
POLICY = ".toml"
MOST_LISTED = 400
"""Entries of a folder that are listed; what is not there is opened by typing its path."""


@dataclass(frozen=True, kw_only=True)
class Entry:
    """Something in an opened folder: a folder, a table's file, a database or a policy."""

    path: Path
    kind: str
    size: int = 0
    changed: str = ""


@dataclass(frozen=True, kw_only=True)
class Listing:
    """What a folder has that can be opened; `left_out` counts what did not fit."""

    folder: Path | None
    entries: tuple[Entry, ...]
    left_out: int = 0
    opens_as: str = ""
    """What the folder itself can be opened as: "project" or "parquet"."""


def kind_of(name: str) -> str | None:
    """What a file is by its name: "table", "database" or "policy"; `None` for all others."""
    lowered = name.lower()
    if suffix_of(lowered) and not lowered.endswith(OWN):
        return "table"
    if lowered.endswith(DATABASES):
        return "database"
    return "policy" if lowered.endswith(POLICY) else None


def suffix_of(name: str) -> str:
    """How the name of a table's file ends, `.csv.gz` and all; empty if it is none."""
    lowered = name.lower()
    packed = next((ending for ending in PACKED if lowered.endswith(ending)), "")
    kind = next((ending for ending in TABLES if lowered.removesuffix(packed).endswith(ending)), "")
    # What a .zip has in it is found when it is opened.
    return kind + packed if kind or packed == ".zip" else ""


def short(name: str, most: int = 60) -> str:
    """A name that fits into a line."""
    return name if len(name) <= most else name[: most - 1] + "…"


def place(folders: Folders, stated: str | Path) -> Path:
    """The file or folder that a text names, in an opened folder and not the studio's own."""
    return folders.resolved(stated)


def found_file(folders: Folders, stated: str | Path) -> Path:
    """As `place`, for a file that is there."""
    path = place(folders, stated)
    try:
        if path.is_dir():
            raise PolicyError(f"{short(path.name)!r} is a folder; name a file in it")
        if not path.exists():
            raise PolicyError(f"there is no {short(path.name)!r} in that folder; look for it in the list")
        if not path.is_file():
            raise PolicyError(f"{short(path.name)!r} is no plain file; copy what it gives into one")
    except OSError as error:
        raise EngineError(f"cannot read {short(path.name)!r}: {error.strerror}; may you read it?") from None
    return path


def listed(folders: Folders, folder: Path | None) -> Listing:
    """What can be opened in a folder; the opened folders themselves for `None`.

    Links that lead out of the opened folders, hidden files and the studio's own are not there.
    """
    if folder is None:
        roots = tuple(Entry(path=path, kind="folder") for path in folders.opened)
        return Listing(folder=None, entries=roots)
    inside = place(folders, folder)
    entries: list[Entry] = []
    try:
        with os.scandir(inside) as scanned:
            for item in scanned:
                entry = None if item.name.startswith(".") else _entry(folders, Path(item.path))
                if entry is not None:
                    entries.append(entry)
    except OSError as error:
        raise EngineError(
            f"cannot list {short(inside.name)!r}: {error.strerror}; choose another folder"
        ) from None
    entries.sort(key=lambda entry: (entry.kind != "folder", entry.path.name.lower(), entry.path.name))
    return Listing(
        folder=inside,
        entries=tuple(entries[:MOST_LISTED]),
        left_out=len(entries[MOST_LISTED:]),
        opens_as=_opens_as(inside, entries),
    )


def _opens_as(folder: Path, entries: Sequence[Entry]) -> str:
    """Whether a folder is a project, or a table in parts: Parquet files, or folders like year=2024."""
    if policy_of(folder) is not None:
        return "project"
    parts = sum(entry.path.suffix.lower() == ".parquet" for entry in entries)
    divided = any(entry.kind == "folder" and "=" in entry.path.name for entry in entries)
    return "parquet" if parts > 1 or divided else ""


def _entry(folders: Folders, path: Path) -> Entry | None:
    try:
        real = place(folders, path)
        if real.is_dir():
            return Entry(path=path, kind="folder")
        kind = kind_of(path.name)
        if kind is None or not real.is_file():
            return None
        stat = real.stat()
    except (PolicyError, OSError):
        return None
    day = datetime.fromtimestamp(stat.st_mtime).strftime("%Y-%m-%d %H:%M")
    return Entry(path=path, kind=kind, size=stat.st_size, changed=day)


def parent(folders: Folders, folder: Path) -> Path | None:
    """The folder above, or `None` for the list of opened folders."""
    if folder in folders.opened:
        return None
    return folder.parent if any(folder.parent.is_relative_to(root) for root in folders.opened) else None


def size_words(size: float) -> str:
    """A size as people read it."""
    for unit in ("bytes", "kB", "MB"):
        if size < 1024:
            return f"{size:.0f} {unit}" if unit == "bytes" or size >= 10 else f"{size:.1f} {unit}"
        size /= 1024
    return f"{size:.1f} GB"
