"""The embedded engine: files and data frames, counted, recoded and measured by DuckDB.

Counting is one GROUP BY over the raw columns; domains are derived from the distinct combinations it leaves.
Recoding is a projection without a join (see `duckdb_lookups`), so the rows of a file keep their order.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from shoal.engines._base import Application, Counted, Source
from shoal.engines.cell_type import CellType
from shoal.engines.duckdb_session import DuckSession, literal
from shoal.engines.file import (
    FileFormat,
    FileTable,
    cell_type,
    check_names,
    csv_relation,
    file_digest,
    file_stamp,
    parquet_relation,
)
from shoal.engines.recoding import plan
from shoal.engines.sql_engine import SqlEngine
from shoal.engines.staging import Staged, Staging, check_target
from shoal.engines.table import FrameTable, StoredTable, frame_table, is_path
from shoal.engines.writing import store_frame, write_file, write_frame
from shoal.errors import EngineError, InternalError
from shoal.model.attribute import Attribute
from shoal.model.evidence import Evidence
from shoal.model.frequency import FrequencyTable

DEFAULT_MEMORY = "1GB"


class DuckDB(SqlEngine):
    """DuckDB inside this process. Use it in a `with` statement; it holds no state between sources.

    Parameters
    ----------
    memory
        Most memory that DuckDB may hold before it spills to disk.
    threads
        Threads for counting and writing; DuckDB's own choice when absent.
    temp_directory
        Where to spill; the system's folder for temporary files when absent.
    """

    name = "duckdb"

    def __init__(
        self, *, memory: str = DEFAULT_MEMORY, threads: int | None = None, temp_directory: Path | None = None
    ) -> None:
        self._session = DuckSession(memory=memory, threads=threads, temp_directory=temp_directory)

    @property
    def session(self) -> DuckSession:
        return self._session

    def close(self) -> None:
        self.session.close()

    def open(self, source: Source) -> StoredTable | FrameTable:
        if isinstance(source, StoredTable | FrameTable):
            return source
        return self._stored(Path(source)) if is_path(source) else frame_table(self.session, source)

    def written(self, source: Source) -> StoredTable | FrameTable:
        return self.open(source) if is_path(source) else frame_table(self.session, source, as_seen=True)

    def _stored(self, path: Path) -> StoredTable:
        stored = FileFormat.of(path)
        if not path.exists():
            raise EngineError(f"there is no file {path}")
        stamp = file_stamp(path)
        readable = self.session.readable(path)
        try:
            if stored.format == "csv":
                stored, relation, types = csv_relation(path, readable)
            else:
                relation = parquet_relation(readable)
                types = self._parquet_types(path, relation, readable)
        except OSError as error:
            raise EngineError(f"cannot read {path}: {error.strerror}") from None
        file = FileTable(path=path, stored=stored, types=types, stamp=stamp)
        view = self.session.view("file", f"SELECT * FROM {relation}", path.name)
        return StoredTable(self.session, file, view)

    def _parquet_types(self, path: Path, relation: str, readable: str) -> dict[str, CellType]:
        described = self.session.fetched(f"DESCRIBE SELECT * FROM {relation}", path.name)
        # DESCRIBE renames columns that are named alike; the schema's own top-level names tell.
        schema = self.session.fetched(
            f"SELECT name, num_children FROM parquet_schema({literal(readable)})", path.name
        )
        check_names(_top_level(schema), path.name)
        return {row[0]: cell_type(row[1]) for row in described}

    def digest(self, source: Source, counted: Counted) -> str:
        table = self.open(source)
        if isinstance(table, StoredTable):
            try:
                return file_digest(table.file.path)
            except OSError as error:
                raise EngineError(f"cannot read {table.about}: {error.strerror}") from None
        return table.digest(counted.decisive)

    def staging(self, target: Path | str, inputs: Mapping[str, Path]) -> Staged:
        path = Path(target)
        check_target(path, inputs)
        return Staging(path)

    def apply(
        self, source: Source, counted: Counted, application: Application, place: Path | None = None
    ) -> Any:
        table = self.open(source)
        recoding = plan(self.session, counted, application)
        if isinstance(table, StoredTable):
            if place is None:
                raise InternalError("a release of a file needs a file")
            write_file(self.session, table, recoding, place)
            table.file.check_unchanged()
            return None
        released = write_frame(self.session, table, recoding)
        if place is not None:
            store_frame(self.session, released, place)
        return released


def _top_level(schema: Sequence[tuple[str, int | None]]) -> list[str]:
    """Names of the columns of a Parquet schema, which lists the nodes of a tree in preorder."""

    def skip(position: int) -> int:
        children = schema[position][1] or 0
        position += 1
        for _ in range(children):
            position = skip(position)
        return position

    names = []
    position = 1  # the root
    for _ in range(schema[0][1] or 0):
        names.append(schema[position][0])
        position = skip(position)
    return names


def frequency_table(
    source: Source, attributes: Sequence[Attribute], evidence: Evidence | None = None
) -> FrequencyTable:
    """Count a source once: the table that a search sees."""
    with DuckDB() as engine:
        return engine.count(source, attributes, evidence).frequencies
