"""A table behind a connection, and the parts of the connection that others may see."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from shoal.errors import PolicyError
from shoal.model.table.engine_entry import ENGINES, EngineEntry, engine_of_address

_USER = re.compile(r"(?<=://)[^/?#]*@")
_SECRET = re.compile(r"(?i)\b(password|passwd|pwd|sslpassword|token|secret)=[^&\s]*")


@dataclass(frozen=True, kw_only=True)
class TableSource:
    """A table that Shoal reads where it lives.

    Parameters
    ----------
    connection
        A URL (`duckdb:///file.db`, `postgres://user@host/db`, `spark://host:port`, `local`), or an open
        connection of a library that Shoal knows.
    table
        The table's name there, with its schema if it needs one.
    path
        In its place, for Spark: a file or folder that its workers can read.
    """

    connection: Any = field(repr=False, compare=False)
    table: str | None = None
    path: str | None = None

    def __post_init__(self) -> None:
        if isinstance(self.connection, str) and self.engine is None:
            *others, last = [address for each in ENGINES.values() for address in each.addresses]
            raise PolicyError(
                f"a connection is a URL that begins with {', '.join(others)} or {last}, or it is local, for "
                "Spark in this process; the given one is neither"
            )
        if (self.table is None) == (self.path is None):
            raise PolicyError(
                "name the table behind the connection (table = ..., or --table); for Spark also a path"
            )
        if self.path is not None and self.engine is not None and not self.engine.writes_paths:
            raise PolicyError(
                "a path behind a connection is for Spark; leave out the connection to read a local file"
            )

    @property
    def engine(self) -> EngineEntry | None:
        """The engine that the URL selects; `None` for an open connection."""
        return engine_of_address(self.connection) if isinstance(self.connection, str) else None

    @property
    def name(self) -> str:
        """What to call the table in messages."""
        return self.table or self.path or ""

    @property
    def described(self) -> list[str | None]:
        """What a policy's digest includes: no user, no password."""
        url = redacted(self.connection) if isinstance(self.connection, str) else None
        return [url, self.table, self.path]


def release_place(stated: str | Path, source: object, folder: Path | None = None) -> Path | str:
    """Where a release goes: to a file, or to a table where the source lives.

    Parameters
    ----------
    stated
        What the user wrote.
    source
        What is released. Only for a `TableSource` can a name be that of a table: a name without a slash that
        does not end like a file.
    folder
        What a path is relative to.
    """
    path = Path(stated) if folder is None else folder / stated
    if not isinstance(source, TableSource) or isinstance(stated, Path):
        return path
    is_file = "/" in stated or path.name.lower().endswith((".csv", ".tsv", ".parquet", ".gz"))
    by_engine = source.engine is not None and source.engine.writes_paths
    if by_engine and (is_file or source.path is not None):
        return stated if "://" in stated else str(path.absolute())  # a folder that Spark writes
    return path if is_file else stated


def redacted(url: str) -> str:
    """A URL without user and password."""
    return _SECRET.sub(r"\1=...", _USER.sub("", url))


def resolved(url: str, folder: Path) -> str:
    """The URL of a DuckDB file, relative to a folder as paths in a policy are; any other URL unchanged."""
    path = url.removeprefix("duckdb:///")
    if path == url or not path or Path(path).is_absolute():
        return url
    return f"duckdb:///{(folder / path).absolute()}"
