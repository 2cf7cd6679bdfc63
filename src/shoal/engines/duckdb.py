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

import numpy as np

from shoal.engines import sql
from shoal.engines._base import Application, Counted, Engine, Source
from shoal.engines.coding import Coding, code_cells
from shoal.engines.file import (
    FileFormat,
    FileTable,
    check_names,
    csv_relation,
    file_digest,
    file_stamp,
    parquet_relation,
)
from shoal.engines.frequencies import frequencies
from shoal.engines.inspecting import ColumnFacts, Uniqueness, column_facts, uniqueness
from shoal.engines.measuring import measured
from shoal.engines.recoding import plan
from shoal.engines.session import Session
from shoal.engines.table import Cells, FrameTable, StoredTable, Table, frame_table, is_path
from shoal.engines.values import read, text_of
from shoal.engines.writing import store_frame, write_file, write_frame
from shoal.errors import EngineError, InternalError, PolicyError
from shoal.model.attribute import Attribute, Role
from shoal.model.domain import MISSING
from shoal.model.frequency import FrequencyTable
from shoal.model.measurement import Measurement

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
        self._session = Session(memory=memory, threads=threads, temp_directory=temp_directory)

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

    def digest(self, source: Source, attributes: Sequence[Attribute]) -> str:
        table = self.open(source)
        if isinstance(table, StoredTable):
            try:
                return file_digest(table.file.path)
            except OSError as error:
                raise EngineError(f"cannot read {table.about}: {error.strerror}") from None
        assert isinstance(table, FrameTable)
        return table.digest(
            [each.name for each in attributes if each.role in (Role.QUASI_IDENTIFIER, Role.CLASS)]
        )

    def count(self, source: Source, attributes: Sequence[Attribute]) -> Counted:
        table = self.open(source)
        coded = [each for each in attributes if each.role is Role.QUASI_IDENTIFIER]
        classes = [each.name for each in attributes if each.role is Role.CLASS]
        columns = [each.name for each in coded] + classes
        with table.selected(columns) as relation:
            combinations = self._combinations(table, relation, columns)
            if self._session.row(f"SELECT count(*) FROM {combinations}", table.about) == (0,):
                raise PolicyError(f"{table.about} has no rows; there is nothing to release")
            found = [table.cells(column, combinations, f"x{index}") for index, column in enumerate(columns)]
            quasi = list(zip(coded, found, strict=False))
            codings = [self._coding(table, relation, attribute, cells) for attribute, cells in quasi]
        counted = self._frequencies(table, combinations, codings, found)
        self._session.execute(f"DROP TABLE {combinations}", table.about)
        indices = tuple(cells.index(table.cell(attribute.name)) for attribute, cells in quasi)
        return Counted(frequencies=counted, codings=tuple(codings), indices=indices)

    def _combinations(self, table: Table, relation: str, columns: Sequence[str]) -> str:
        """A temporary table of the distinct combinations of cells; the one pass over the rows."""
        name = self._session.fresh("combinations")
        cells = ", ".join(f"{table.cell(column)} AS x{index}" for index, column in enumerate(columns))
        self._session.execute(
            f"CREATE TEMP TABLE {name} AS SELECT {cells}, count(*) AS n FROM {relation} GROUP BY ALL",
            table.about,
        )
        return name

    def _coding(self, table: Table, relation: str, attribute: Attribute, cells: Cells) -> Coding:
        def locate(indices: Sequence[int]) -> str:
            index = f"coalesce({cells.index(table.cell(attribute.name))}, {len(cells.cells)})"
            rows, first = self._session.row(
                "SELECT count(*), min(r) FROM "
                f"(SELECT {index} AS i, row_number() OVER () AS r FROM {relation}) "
                f"WHERE list_contains({list(indices)}, i)",
                table.about,
            )
            return f"{rows:,} row(s), the first is row {first:,}"

        return code_cells(
            attribute, cells.cells, missing=cells.missing, kind=table.kind(attribute.name), locate=locate
        )

    def _frequencies(
        self, table: Table, combinations: str, codings: Sequence[Coding], found: Sequence[Cells]
    ) -> FrequencyTable:
        """Code the combinations, join those that became equal, and sort: the same whatever the threads."""
        selected = [
            f"{self._lookup('codes', coding.codes, cells, f'x{index}')} AS a{index}"
            for index, (coding, cells) in enumerate(zip(codings, found, strict=False))
        ]
        labels: list[str] = []
        if len(found) > len(codings):
            labels, codes = _label_codes(found[-1])
            selected.append(f"{self._lookup('labels', codes, found[-1], f'x{len(codings)}')} AS label")
        arrays = self._session.arrays(
            f"SELECT {', '.join(selected)}, sum(n)::BIGINT AS n FROM {combinations} "
            "GROUP BY ALL ORDER BY ALL",
            table.about,
        )
        if any(np.ma.is_masked(array) for array in arrays.values()):
            raise InternalError("a cell has no code")
        plain = {name: np.asarray(array) for name, array in arrays.items()}
        codes_of_rows = np.empty((len(plain["n"]), len(codings)), np.int32)
        for index in range(len(codings)):
            codes_of_rows[:, index] = plain[f"a{index}"]
        domains = [coding.domain for coding in codings]
        return frequencies(domains, codes_of_rows, plain["n"].astype(np.int64), labels, plain.get("label"))

    def _lookup(self, what: str, values: np.ndarray[Any, np.dtype[np.int32]], cells: Cells, cell: str) -> str:
        index = f"coalesce({cells.index(cell)}, {len(cells.cells)})"
        return f"list_extract({self._session.set_list(what, values)}, {index} + 1)"

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

    def inspect(self, path: Path) -> tuple[int, list[ColumnFacts]]:
        """The rows of a file, and facts about its columns."""
        return column_facts(self._session, self._stored(path))

    def uniqueness(self, path: Path, columns: Sequence[str]) -> Uniqueness:
        """How well columns of a file together tell its rows apart."""
        return uniqueness(self._session, self._stored(path), columns)


def _label_codes(cells: Cells) -> tuple[list[str], np.ndarray[Any, np.dtype[np.int32]]]:
    """Class labels as text, and the label of each distinct cell; a missing label is a label too, the last."""
    texts = [None if cell is None else text_of(cell) for cell in read(cells.cells, "category")]
    labels = sorted({text for text in texts if text is not None})
    code_of = {label: code for code, label in enumerate(labels)}
    codes = [len(labels) if text is None else code_of[text] for text in texts]
    missing = cells.missing or None in cells.cells
    codes.append(len(labels) if missing else -1)
    return labels + [MISSING] * missing, np.array(codes, np.int32)


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


def frequency_table(source: Source, attributes: Sequence[Attribute]) -> FrequencyTable:
    """Count a source once: the table that a search sees."""
    with DuckDB() as engine:
        return engine.count(source, attributes).frequencies
