"""Several files with the same columns, named by a pattern, as one table."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from shoal.engines.duckdb.file import FileTable, file_digest, file_stamp
from shoal.engines.duckdb.session import DuckSession, quoted
from shoal.engines.sql.table import StoredTable
from shoal.errors import EngineError
from shoal.files.pattern import matching
from shoal.model.result.manifest import manifest_path


@dataclass(frozen=True, kw_only=True)
class SeveralFiles(FileTable):
    """Files that DuckDB can select from as one table.

    Parameters
    ----------
    parts
        The files, in the order of their rows.
    """

    parts: tuple[Path, ...]

    def digest(self) -> str:
        """SHA-256 of the names of the files and of their bytes."""
        sha = hashlib.sha256()
        for path in self.parts:
            sha.update(repr((path.name, file_digest(path))).encode())
        return sha.hexdigest()

    def current_stamp(self) -> tuple[int, ...]:
        found, _ = sources(self.path)
        return (len(found), *(number for path in found for number in file_stamp(path)))


def sources(pattern: Path) -> tuple[list[Path], int]:
    """The files of a pattern, and how many releases of Shoal are left out."""
    found = [path for path in matching(pattern) if not path.name.endswith(".manifest.json")]
    files = [path for path in found if not manifest_path(path).exists()]
    return files, len(found) - len(files)


def open_several(session: DuckSession, pattern: Path, opened: Callable[[Path], StoredTable]) -> StoredTable:
    """Open the files of a pattern.

    Parameters
    ----------
    session
        Where they are read.
    pattern
        A path like `stays-*.csv`.
    opened
        Opens one of them.
    """
    files, releases = sources(pattern)
    if not files:
        raise EngineError(f"no file matches {pattern}")
    tables = [opened(path) for path in files]
    first = tables[0].file
    for table in tables[1:]:
        _check_alike(first, table.file)
    columns = ", ".join(map(quoted, first.types))
    view = session.view(
        "files",
        " UNION ALL ".join(f"SELECT {columns} FROM {table.relation.sql()}" for table in tables),
        pattern.name,
    )
    reading = first.reading
    if reading is not None:
        notes = dict.fromkeys(
            note for table in tables if table.file.reading for note in table.file.reading.notes
        )
        left = f"{releases} release{'s' * (releases > 1)} of Shoal that the pattern matches left out"
        reading = replace(reading, files=len(files), notes=(*notes, *([left] if releases else [])))
    stamp = (len(files), *(number for table in tables for number in table.file.stamp))
    several = SeveralFiles(
        path=pattern,
        stored=first.stored,
        types=first.types,
        stamp=stamp,
        reading=reading,
        parts=tuple(files),
    )
    return StoredTable(session, several, view)


def _check_alike(first: FileTable, other: FileTable) -> None:
    if list(other.types) == list(first.types):
        differing = [name for name in first.types if first.types[name] != other.types[name]]
        if not differing:
            return
        raise EngineError(
            f"column {differing[0]!r} of {other.path.name} has another type than in {first.path.name}; write "
            "them alike, or release them one by one"
        )
    missing = [name for name in first.types if name not in other.types]
    more = [name for name in other.types if name not in first.types]
    if missing:
        how = f"it lacks {missing[0]!r}"
    elif more:
        how = f"it has {more[0]!r} in addition"
    else:
        how = "they are in another order"
    raise EngineError(
        f"{other.path.name} does not have the same columns as {first.path.name}: {how}; write them alike, or "
        "release them one by one"
    )
