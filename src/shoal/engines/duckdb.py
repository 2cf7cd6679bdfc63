"""The embedded engine: files and data frames, counted, recoded and measured by DuckDB.

Counting is one GROUP BY over the raw columns; domains are derived from the distinct combinations it leaves.
Recoding is a projection without a join: an ENUM type per column maps a cell to its index by a hash lookup,
lists map the index to an interval and its label, and one more ENUM holds the groups that are kept, or the
distinct rows where a recoding looks at whole rows. DuckDB keeps the row order of projections and not that of
joins; a join would need a sort, or a row number.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import Any

from shoal.engines import sql
from shoal.engines._base import Application, Counted, Engine, Known, Source
from shoal.engines.beside import kept_beside
from shoal.engines.counting import Counting
from shoal.engines.duckdb_session import DuckSession
from shoal.engines.file import (
    FileFormat,
    FileTable,
    check_names,
    csv_relation,
    file_digest,
    file_stamp,
    parquet_relation,
)
from shoal.engines.inspecting import ColumnFacts, Uniqueness, column_facts, uniqueness
from shoal.engines.measuring import measured
from shoal.engines.measuring_people import people_measured
from shoal.engines.measuring_wildcards import wildcards_measured
from shoal.engines.printed import printed_people
from shoal.engines.reading import words_read
from shoal.engines.recoding import plan
from shoal.engines.table import FrameTable, StoredTable, Table, frame_table, is_path
from shoal.engines.writing import store_frame, write_file, write_frame
from shoal.errors import EngineError, InternalError
from shoal.model.attribute import Attribute, Role
from shoal.model.domain import Domain
from shoal.model.evidence import Evidence
from shoal.model.frequency import FrequencyTable
from shoal.model.measured_groups import MeasuredGroups
from shoal.model.measurement import Measurement, WildcardMeasurement
from shoal.model.words import Words

DEFAULT_MEMORY = "1GB"


class DuckDB(Engine):
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

    def __enter__(self) -> DuckDB:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._session.close()

    def open(self, source: Source) -> Table:
        """The source as a table; the verbs take it as well, and then read a frame's columns only once."""
        if isinstance(source, StoredTable | FrameTable):
            return source
        return self._stored(Path(source)) if is_path(source) else frame_table(self._session, source)

    def _stored(self, path: Path) -> StoredTable:
        stored = FileFormat.of(path)
        if not path.exists():
            raise EngineError(f"there is no file {path}")
        stamp = file_stamp(path)
        readable = self._session.readable(path)
        try:
            if stored.format == "csv":
                stored, relation, types = csv_relation(path, readable)
            else:
                relation = parquet_relation(readable)
                types = self._parquet_types(path, relation, readable)
        except OSError as error:
            raise EngineError(f"cannot read {path}: {error.strerror}") from None
        file = FileTable(path=path, stored=stored, relation=relation, types=types, stamp=stamp)
        return StoredTable(self._session, file)

    def _parquet_types(self, path: Path, relation: str, readable: str) -> dict[str, str]:
        described = self._session.rows(f"DESCRIBE SELECT * FROM {relation}", path.name)
        # DESCRIBE renames columns that are named alike; the schema's own top-level names tell.
        schema = self._session.rows(
            f"SELECT name, num_children FROM parquet_schema({sql.literal(readable)})", path.name
        )
        check_names(_top_level(schema), path.name)
        return {row[0]: row[1] for row in described}

    def columns(self, source: Source) -> tuple[str, ...]:
        return self.open(source).columns

    def digest(self, source: Source, attributes: Sequence[Attribute], also: Sequence[str] = ()) -> str:
        table = self.open(source)
        if isinstance(table, StoredTable):
            try:
                return file_digest(table.file.path)
            except OSError as error:
                raise EngineError(f"cannot read {table.about}: {error.strerror}") from None
        assert isinstance(table, FrameTable)
        decide = [each.name for each in attributes if each.role in (Role.QUASI_IDENTIFIER, Role.CLASS)]
        return table.digest(list(dict.fromkeys((*decide, *also))))

    def count(
        self, source: Source, attributes: Sequence[Attribute], evidence: Evidence | None = None
    ) -> Counted:
        asked = Evidence() if evidence is None else evidence
        population = None if asked.population is None else self.open(asked.population)
        return Counting(self._session, self.open(source), attributes, asked, population).counted()

    def apply(self, source: Source, counted: Counted, application: Application, target: Path | None) -> Any:
        table = self.open(source)
        recoding = plan(self._session, counted, application)
        if isinstance(table, StoredTable):
            if target is None:
                raise InternalError("a release of a file needs a file")
            write_file(self._session, table, recoding, target)
            table.file.check_unchanged()
            return None
        assert isinstance(table, FrameTable)
        released = write_frame(self._session, table, recoding)
        if target is not None:
            store_frame(self._session, released, target)
        return released

    def measure(self, source: Source, quasi_identifiers: Sequence[str], k: int) -> Measurement:
        # A frame is read anew, as its reader sees it; nothing that counting made of it is used again.
        table = self.open(source) if is_path(source) else frame_table(self._session, source, as_seen=True)
        return measured(self._session, table, quasi_identifiers, k)

    def measure_wildcards(
        self, source: Source, quasi_identifiers: Sequence[str], k: int
    ) -> WildcardMeasurement:
        table = self.open(source) if is_path(source) else frame_table(self._session, source, as_seen=True)
        return wildcards_measured(self._session, table, quasi_identifiers, k)

    def know(self, source: Source, counted: Counted, application: Application) -> Known:
        table = self.open(source)
        frequencies = counted.frequencies
        printed = None if counted.evidence.population is None else printed_people(counted, application)
        return Known(
            people=frequencies.people,
            sensitive=counted.sensitive,
            beside=kept_beside(self._session, table, counted, application),
            printed=printed,
        )

    def measure_people(
        self, source: Source, quasi_identifiers: Sequence[str], evidence: Evidence, known: Known | None = None
    ) -> MeasuredGroups:
        table = self.open(source) if is_path(source) else frame_table(self._session, source, as_seen=True)
        return people_measured(self._session, table, quasi_identifiers, evidence, known)

    def words(self, source: Source, domains: Sequence[Domain]) -> list[Words]:
        """What the cells of some columns of a table may stand for, read as values of domains."""
        table = self.open(source) if is_path(source) else frame_table(self._session, source, as_seen=True)
        return words_read(self._session, table, domains)

    def inspect(self, path: Path) -> tuple[int, list[ColumnFacts]]:
        """The rows of a file, and facts about its columns."""
        return column_facts(self._session, self._stored(path))

    def uniqueness(self, path: Path, columns: Sequence[str]) -> Uniqueness:
        """How well columns of a file together tell its rows apart."""
        return uniqueness(self._session, self._stored(path), columns)


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
