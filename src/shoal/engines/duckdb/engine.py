"""The embedded engine: files and data frames, counted, recoded and measured by DuckDB.

Counting is one GROUP BY over the raw columns; domains are derived from its distinct combinations.
Recoding cell by cell is a projection without a join (see `lookups`), and row by row a join and a sort: either
way the rows of a file keep their order.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sqlglot import exp

from shoal.engines._base import Application, Counted, Source
from shoal.engines.duckdb.chosen_rows import chosen_frame, write_chosen_rows
from shoal.engines.duckdb.database import Database
from shoal.engines.duckdb.file import FileFormat, cell_type, check_names, parquet_relation
from shoal.engines.duckdb.files.opened import open_file
from shoal.engines.duckdb.files.parquet import top_level
from shoal.engines.duckdb.files.read_once import read_once
from shoal.engines.duckdb.files.several import open_several
from shoal.engines.duckdb.folder import FolderStaging, FolderTable, folder_stamp, parquet_files, partitions_of
from shoal.engines.duckdb.ibis import IbisRows, ibis_of, ibis_rows, is_ibis
from shoal.engines.duckdb.measured_columns import degrees_read, moments_read
from shoal.engines.duckdb.nested import fields_of
from shoal.engines.duckdb.relation import RelationTable, handed_out, is_relation, snapshot
from shoal.engines.duckdb.session import DuckSession, literal, quoted
from shoal.engines.duckdb.treating import frame_with_columns, treated_frame, treated_table, why_not_treated
from shoal.engines.duckdb.writing import recoded, store_frame, write_file, write_folder, write_frame
from shoal.engines.search_memory import SearchMemory
from shoal.engines.sql import cell_type as cell_types
from shoal.engines.sql.cell_type import CellType
from shoal.engines.sql.engine import SqlEngine
from shoal.engines.sql.recoding import plan
from shoal.engines.sql.table import DatabaseTable, FrameTable, StoredTable, frame_table, is_path
from shoal.engines.staging import Staged, file_staging
from shoal.errors import EngineError, InternalError, PolicyError
from shoal.files.pattern import is_pattern
from shoal.files.private_folder import STAGED
from shoal.model.policy.attribute import Attribute
from shoal.model.policy.evidence import Evidence
from shoal.model.table.file_options import FileOptions
from shoal.model.table.file_reading import FileReading
from shoal.model.table.file_source import FileSource
from shoal.model.table.frequency_table import FrequencyTable
from shoal.model.table.measured_column import Moments
from shoal.model.table.new_cells import NewCells
from shoal.model.table.table_source import TableSource

DEFAULT_MEMORY = "1GB"


class DuckDB(SqlEngine):
    """DuckDB inside this process. Use it in a `with` statement; it keeps no state between sources.

    Parameters
    ----------
    memory
        Most memory that DuckDB may use before it spills to disk.
    threads
        Threads for counting and writing; DuckDB's own choice when absent.
    temp_directory
        Where to spill; the system's folder for temporary files when absent.
    connection
        An open connection of DuckDB whose tables are released, within its own limits.
    search_memory
        Most memory that a search and its table may use in addition; half of the machine's when absent.
    """

    name = "duckdb"

    def __init__(
        self,
        *,
        memory: str = DEFAULT_MEMORY,
        threads: int | None = None,
        temp_directory: Path | None = None,
        connection: Any = None,
        search_memory: str | None = None,
    ) -> None:
        self.search_memory = SearchMemory.of(search_memory)
        self._session = DuckSession(
            memory=memory, threads=threads, temp_directory=temp_directory, connection=connection
        )
        self._database: Database | None = None
        self._partitions: tuple[str, ...] | None = None
        self._opened: dict[tuple[str, FileOptions], StoredTable] = {}
        self._parsed: dict[Path, tuple[StoredTable, StoredTable]] = {}
        self._written: dict[Path, str] = {}

    @classmethod
    def for_source(
        cls, source: Source, *, memory: str | None, threads: int | None, temp_directory: Path | None
    ) -> Self:
        by_url = not isinstance(source, TableSource) or isinstance(source.connection, str)
        return cls(
            memory=memory or DEFAULT_MEMORY,
            threads=threads,
            temp_directory=temp_directory,
            connection=None if by_url else source.connection,
        )

    @property
    def session(self) -> DuckSession:
        return self._session

    def close(self) -> None:
        self.session.close()

    def open(self, source: Source) -> DatabaseTable | FrameTable:
        if isinstance(source, DatabaseTable | FrameTable):
            return source
        if isinstance(source, TableSource):
            return self._connected(source)
        if isinstance(source, exp.Table):
            assert self._database is not None
            return self._database.described(source)
        if is_relation(source):
            return snapshot(self.session, source)
        if is_ibis(source):
            return ibis_rows(self.session, source)
        return self._stored(FileSource.of(source)) if is_path(source) else frame_table(self.session, source)

    def read_once(self, source: Source) -> DatabaseTable | FrameTable:
        table = self.open(source)
        if not isinstance(table, StoredTable):
            return table
        known, parsed = self._parsed.get(table.file.path, (None, table))
        if known is not table:  # a file that was opened again has changed
            parsed = read_once(self.session, table)
            self._parsed[table.file.path] = table, parsed
        return parsed

    def _has(self, source: Source) -> bool:  # noqa: ARG002  also files and data frames
        return True

    def written(self, source: Source) -> DatabaseTable | FrameTable:
        opened = self.open(source)
        if not isinstance(opened, FrameTable) or opened.as_seen:
            return opened
        return FrameTable(self.session, opened.frame, as_seen=True, lazy=opened.lazy)

    def _connected(self, source: TableSource) -> DatabaseTable:
        assert source.table is not None
        if self._database is None:
            url = source.connection if isinstance(source.connection, str) else None
            if url is None and self.session.is_own:
                raise PolicyError(
                    "this engine has its own database; leave out the engine to read your connection"
                )
            self._database = Database(self.session, url)
        return self._database.table(source.table)

    def _stored(self, source: FileSource) -> StoredTable:
        path, options = Path(source), source.options
        try:
            if path.is_dir():
                return self._folder(path)
            several = is_pattern(path)
        except OSError as error:
            raise EngineError(f"cannot read {path}: {error.strerror}") from None
        if not several:
            return self._file(path, options)
        return open_several(self.session, path, lambda each: self._file(each, options))

    def _file(self, path: Path, options: FileOptions) -> StoredTable:
        """A file, opened once for all verbs: some formats are converted for it."""
        key = str(path), options
        opened = self._opened.get(key)
        if opened is None or not path.exists() or opened.file.current_stamp() != opened.file.stamp:
            opened = open_file(self.session, path, options, delimiter=self._delimiter(path))
            self._opened[key] = opened
        return opened

    def _delimiter(self, path: Path) -> str | None:
        """The delimiter of a release that is staged, by any engine; `None` for other files."""
        if path in self._written or not path.parent.name.startswith(STAGED):
            return self._written.get(path)
        return FileFormat.of(path).delimiter or ","

    def _folder(self, path: Path) -> StoredTable:
        stamp, files = folder_stamp(path), parquet_files(path)
        partitions = partitions_of(path, files)
        # Through a link: names like year=2024 further up are not columns.
        root = Path(self.session.readable(path, link=True))
        readable = [str(root / file.relative_to(path)) for file in files]
        types = self._parquet_types(path, parquet_relation(readable[0]), readable[0])
        listed = "[" + ", ".join(map(literal, readable)) + "]"
        self._check_same_columns(path, listed)
        columns = ", ".join(quoted(name) for name in (*types, *partitions))
        view = self.session.view(
            "folder",
            f"SELECT {columns} FROM read_parquet({listed}, hive_partitioning = {bool(partitions)}, "
            "hive_types_autocast = false)",
            path.name,
        )
        types |= dict.fromkeys(partitions, cell_types.TEXT)
        check_names(list(types), path.name)
        stored = FileFormat("parquet", False, None)
        file = FolderTable(path=path, stored=stored, types=types, stamp=stamp, partitions=partitions)
        self._partitions = partitions
        return StoredTable(self.session, file, view)

    def struct_fields(self, source: Source) -> dict[str, tuple[str, list[tuple[str | None, ...]]]]:
        table = self.open(source)
        if not isinstance(table, StoredTable):
            return {}
        relation = parquet_relation(self.session.readable(table.file.path))
        return {
            name: (kind, self.session.fetched(fields_of(relation, name, kind), table.about))
            for name, kind in table.structs.items()
        }

    def _check_same_columns(self, path: Path, listed: str) -> None:
        """Raise unless all files have the same columns: DuckDB would apply the types of the first."""
        columns = "list((name, duckdb_type, num_children) ORDER BY name, duckdb_type)"
        ((schemas,),) = self.session.fetched(
            f"SELECT count(DISTINCT s) FROM (SELECT {columns} AS s FROM parquet_schema({listed}) "
            "WHERE column_id > 0 GROUP BY file_name) AS f",
            path.name,
        )
        if schemas > 1:
            raise EngineError(
                f"the files in the folder {path} do not have the same columns of the same types; write them "
                "alike, or release them one by one"
            )

    def _parquet_types(self, path: Path, relation: str, readable: str) -> dict[str, CellType]:
        described = self.session.fetched(f"DESCRIBE SELECT * FROM {relation}", path.name)
        # DESCRIBE renames columns with equal names; the schema's own top-level names do not.
        schema = self.session.fetched(
            f"SELECT name, num_children FROM parquet_schema({literal(readable)})", path.name
        )
        check_names(top_level(schema), path.name)
        return {row[0]: cell_type(row[1]) for row in described}

    def reading(self, source: Source) -> FileReading | None:
        table = self.open(source)
        return table.file.reading if isinstance(table, StoredTable) else None

    def digest(self, source: Source, counted: Counted) -> str:
        table = self.open(source)
        if isinstance(table, StoredTable):
            try:
                return table.file.digest()
            except OSError as error:
                raise EngineError(f"cannot read {table.about}: {error.strerror}") from None
        return (
            table.digest(counted.decisive)
            if isinstance(table, FrameTable)
            else super().digest(table, counted)
        )

    def staging(self, target: Path | str, inputs: Mapping[str, Path], *, replace: bool = False) -> Staged:
        if isinstance(target, Path):
            if self._partitions is not None and not target.suffix:
                return FolderStaging(target, inputs)
            return file_staging(target, inputs, replace=replace)
        if self._database is None:
            raise PolicyError(
                f"the release {target!r} is named like a table, but the source is not in a database; name a "
                "file that ends in .csv or .parquet"
            )
        return self._database.staging(target)

    def why_not_treated(self, source: Source) -> str | None:
        return why_not_treated(self.open(source))

    def treated(
        self, source: Source, new: Mapping[str, NewCells], order: NDArray[np.int64]
    ) -> DatabaseTable | FrameTable:
        table = self.open(source)
        if isinstance(table, FrameTable):
            return treated_frame(table, new, order)
        return treated_table(self.session, table, new, order)

    def degrees(self, source: Source, column: str, markers: Sequence[str] | None) -> NDArray[np.float64]:
        return degrees_read(self.session, self.open(source), column, markers)

    def moments(self, source: Source, column: str, markers: Sequence[str] | None) -> Moments:
        return moments_read(self.session, self.open(source), column, markers)

    def with_columns(
        self, source: Source, new: Mapping[str, NewCells], columns: Sequence[str]
    ) -> DatabaseTable | FrameTable:
        table = self.open(source)
        if isinstance(table, FrameTable):
            return frame_with_columns(table, new, columns)
        rows = np.arange(len(next(iter(new.values())).choices), dtype=np.int64)
        return treated_table(self.session, table, new, rows, columns)

    def store(self, source: Source, target: Path) -> None:
        table = self.open(source)
        assert isinstance(table, DatabaseTable)
        cells = [
            f"nullif({quoted(name)}, '') AS {quoted(name)}" if table.is_text else quoted(name)
            for name in table.columns
        ]
        rows = f"SELECT {', '.join(cells)} FROM {self.session.rendered(table.relation)}"
        self.session.run(f"COPY ({rows}) TO {literal(str(target))} (FORMAT parquet)", table.about)

    def write_rows(
        self,
        source: Source,
        new: Mapping[str, NewCells],
        rows: NDArray[np.int64],
        dropped: Sequence[str],
        place: Path | None,
    ) -> Any:
        """Some rows of a file or a frame, in an order of their own and with new cells in some columns.

        Parameters
        ----------
        source
            The table.
        new
            New cells by column, in the order of the table.
        rows
            The rows, in the order in which they are written.
        dropped
            Columns to leave out.
        place
            The file to write; `None` for a frame, which is handed out as one.
        """
        table = self.open(source)
        if isinstance(table, FrameTable):
            return chosen_frame(table, new, rows, dropped)
        assert place is not None
        self._written[place] = write_chosen_rows(self.session, table, new, rows, dropped, place)
        return None

    def apply(self, source: Source, counted: Counted, application: Application, place: Any = None) -> Any:
        table = self.open(source)
        if isinstance(place, exp.Table):
            return super().apply(table, counted, application, place)
        recoding = plan(self.session, counted, application)
        if isinstance(table, FrameTable):
            released = write_frame(self.session, table, recoding)
            if place is not None:
                self._written[place] = store_frame(self.session, released, place, application.companions)
            return released.lazy() if table.lazy else released
        if place is None:
            if not isinstance(table, RelationTable):
                raise InternalError("a release of a file needs a file")
            released = handed_out(self.session, recoded(table, recoding, table.relation, typed=True))
            return ibis_of(released) if isinstance(table, IbisRows) else released
        if isinstance(table, StoredTable) and isinstance(table.file, FolderTable) and not place.suffix:
            write_folder(self.session, table, recoding, place, table.file.partitions)
        else:
            self._written[place] = write_file(self.session, table, recoding, place)
        if isinstance(table, StoredTable):
            table.file.check_unchanged()
        return None


def frequency_table(
    source: Source, attributes: Sequence[Attribute], evidence: Evidence | None = None
) -> FrequencyTable:
    """Count a source once: the table that a search sees."""
    with DuckDB() as engine:
        return engine.count(source, attributes, evidence).frequencies
