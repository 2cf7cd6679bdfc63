"""Opens a file as a table of a session, whatever its format."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path

from shoal.engines.duckdb.file import FileFormat, FileTable, cell_type, file_stamp
from shoal.engines.duckdb.files import compression
from shoal.engines.duckdb.files.arrow import arrow_table
from shoal.engines.duckdb.files.converted import Converted
from shoal.engines.duckdb.files.excel import excel_table
from shoal.engines.duckdb.files.formats import SourceFormat
from shoal.engines.duckdb.files.json_lines import json_table
from shoal.engines.duckdb.files.parquet import parquet_table
from shoal.engines.duckdb.files.statistics import statistics_table
from shoal.engines.duckdb.files.text import text_table
from shoal.engines.duckdb.session import DuckSession
from shoal.engines.sql.table import StoredTable
from shoal.errors import EngineError, PolicyError
from shoal.model.result.manifest import manifest_path
from shoal.model.table.file_options import FileOptions

_HEEDED = {
    "csv": ("encoding", "delimiter", "quote", "header", "skip"),
    "excel": ("header", "skip", "sheet"),
    "sas": ("encoding",),
    "spss": ("encoding",),
    "stata": ("encoding",),
}
"""Which options each format has; others have none."""

_WRITTEN = FileOptions(encoding="utf-8", quote='"', header=True, skip=0)
"""How Shoal itself writes text."""


def open_file(
    session: DuckSession, path: Path, options: FileOptions, *, delimiter: str | None = None
) -> StoredTable:
    """Open a file.

    Parameters
    ----------
    session
        Where it is read.
    path
        The file.
    options
        What the user states.
    delimiter
        The delimiter of a release that this session has just written; `None` for any other file.
    """
    try:
        stored = SourceFormat.of(path)
        if not path.exists():
            raise EngineError(f"the file {path} does not exist")
        stamp = file_stamp(path)
        opened = _opened(session, path, stored, options, delimiter)
    except compression.DAMAGED as error:
        raise compression.unreadable(path, error) from None
    described = session.fetched(f"DESCRIBE SELECT * FROM {opened.relation}", path.name)
    reading = opened.reading
    is_text = reading.format == "csv"
    file = FileTable(
        path=path,
        stored=FileFormat("csv" if is_text else "parquet", stored.compression == "gzip", reading.delimiter),
        types={row[0]: cell_type(row[1]) for row in described},
        stamp=stamp,
        reading=reading,
    )
    view = session.view("file", f"SELECT * FROM {opened.relation}", path.name)
    places = None
    if opened.places is not None:
        places = session.view("places", f"SELECT * FROM {opened.places}", path.name)
    return StoredTable(session, file, view, opened.structs, places)


def _opened(
    session: DuckSession, path: Path, stored: SourceFormat, options: FileOptions, delimiter: str | None
) -> Converted:
    name, place, packed = path.name, path, stored.compression
    in_place = packed is None or (packed == "gzip" and stored.kind in ("csv", "json"))
    while not in_place:
        assert packed is not None
        place, inside = compression.unpacked(session, place, packed, stored.suffix)
        stored = SourceFormat.of(Path(inside))
        in_place = stored.compression is None
        packed = stored.compression
    kind = stored.kind
    assert kind is not None
    if kind != "csv" and place.stat().st_size == 0:
        raise PolicyError(f"{name} is empty; write it again")
    _check_heeded(name, kind, options)
    gzipped = path is place and packed == "gzip"
    if kind == "csv":
        own = delimiter is not None
        if own or manifest_path(path).exists():
            options, own = options.over(replace(_WRITTEN, delimiter=delimiter)), True
        opener = partial(compression.opened, place, "gzip" if gzipped else None)
        found = text_table(
            session, name, place, opener, options, by_name=stored.delimiter, gzipped=gzipped, own=own
        )
    elif kind == "parquet":
        found = parquet_table(session, name, place)
    elif kind == "excel":
        found = excel_table(session, name, place, options)
    elif kind == "json":
        found = json_table(session, name, place, gzipped=gzipped)
    elif kind in ("arrow", "orc"):
        found = arrow_table(session, name, place, kind)
    else:
        found = statistics_table(session, name, place, stored.suffix, kind, options)
    packing = None if path is place and not gzipped else SourceFormat.of(path).compression
    return replace(found, reading=replace(found.reading, compression=packing))


def _check_heeded(name: str, kind: str, options: FileOptions) -> None:
    for option in options.stated:
        if option not in _HEEDED.get(kind, ()):
            what = "is for workbooks" if option == "sheet" else "is for text files"
            raise PolicyError(f"{option} {what}, and {name} is none; leave it out")
