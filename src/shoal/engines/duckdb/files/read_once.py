"""A large text file as a private Parquet file: its lines are parsed once, however often its rows are read.

A release reads the rows three times: to count them, to look for columns that leak, and to write them. Parsing
is most of that: a million rows of nine columns took 0.6 processor seconds to count as CSV and 0.2 as Parquet,
and 0.85 to convert.
"""

from __future__ import annotations

import shutil
from pathlib import Path

from sqlglot import exp

from shoal.engines.duckdb.file import FileTable, parquet_relation
from shoal.engines.duckdb.files.parquet import with_places
from shoal.engines.duckdb.session import DuckSession, literal
from shoal.engines.sql.table import StoredTable
from shoal.errors import EngineError

LEAST = 1 << 22
"""Smaller files are parsed each time."""
ROOM = 4
"""How many times its size must be free on the disk; a compressed file may unpack to ten times as much."""


def read_once(session: DuckSession, table: StoredTable) -> StoredTable:
    """The same rows, in a form that is quick to read again; the table itself where that does not pay.

    Parameters
    ----------
    session, table
        An open file.
    """
    file = table.file
    if type(file) is not FileTable or not file.is_text or not file.path.is_file():
        return table
    size = file.path.stat().st_size
    packed = file.reading is not None and file.reading.compression is not None
    needed = ROOM * size * (10 if packed else 1)
    if size < LEAST or shutil.disk_usage(session.folder).free < needed:
        return table
    place = str(session.folder / f"{session.fresh('parsed')}.parquet")
    rows = session.rendered(exp.select("*").from_(table.relation))
    try:
        session.run(f"COPY ({rows}) TO {literal(place)} (FORMAT parquet)", table.about)
    except EngineError:  # a full disk, or a broken line, which counting the rows reports
        Path(place).unlink(missing_ok=True)
        return table
    file.check_unchanged()
    places = with_places(place, table.columns)
    return table.stored_in(
        session.view("parsed", f"SELECT * FROM {parquet_relation(place)}", table.about),
        None if places is None else session.view("places", f"SELECT * FROM {places}", table.about),
    )
