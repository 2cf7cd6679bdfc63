"""The two things that DuckDB selects from here, seen alike: a file, and the factorized columns of a frame."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from shoal.engines import sql
from shoal.engines.arrow_frame import ArrowFrame
from shoal.engines.duckdb_session import DuckSession
from shoal.engines.file import FileTable
from shoal.engines.frame import Factorized, Frame
from shoal.engines.pandas_frame import PandasFrame
from shoal.engines.polars_frame import PolarsFrame
from shoal.engines.values import UnreadableError, number
from shoal.errors import PolicyError
from shoal.model.domain import SUPPRESSED, Kind
from shoal.model.people import PARTS_OF_A_PERSON

MOST_WEIGHT = 10**10
"""More people than there are: a weight that is greater is no weight."""


@dataclass(frozen=True, eq=False)
class Cells:
    """The distinct cells of a column.

    Parameters
    ----------
    cells
        The cells; `None` for one that means "missing".
    missing
        Whether there are missing cells besides.
    index
        From SQL for a cell to SQL for its index in `cells`; NULL for a missing one.
    """

    cells: list[object]
    missing: bool
    index: Callable[[str], str]


class Table(Protocol):
    """Something to select from."""

    @property
    def about(self) -> str:
        """What to call the table in messages."""

    @property
    def columns(self) -> tuple[str, ...]:
        """Names in order."""

    def selected(self, columns: Sequence[str]) -> AbstractContextManager[str]:
        """What to write after FROM when these columns are needed, and for how long."""

    def weighed(self, columns: Sequence[str], weight: str | None) -> AbstractContextManager[str]:
        """As `selected`, when also the weights of a column are needed."""

    def millionths(self, column: str) -> str:
        """SQL for a weight in millionths; NULL for a cell that is no number, or a negative one."""

    def cell(self, column: str) -> str:
        """SQL for a cell, such that cells with the same meaning are equal."""

    def seen(self, column: str) -> str:
        """SQL for a cell, such that cells that a reader could tell apart are different."""

    def is_star(self, column: str) -> str:
        """SQL for whether a cell reads `*`."""

    def kind(self, column: str) -> Kind | None:
        """The kind that the column's type implies."""

    def cells(self, column: str, counted: str, alias: str) -> Cells:
        """The distinct cells, of which the table `counted` has a column `alias`."""


class StoredTable:
    """A file."""

    def __init__(self, session: DuckSession, file: FileTable) -> None:
        self._session = session
        self.file = file
        self.columns = file.columns
        self.about = file.path.name

    @contextmanager
    def selected(self, columns: Sequence[str]) -> Iterator[str]:  # noqa: ARG002  DuckDB reads what it needs
        yield self.file.relation

    def weighed(self, columns: Sequence[str], weight: str | None) -> AbstractContextManager[str]:  # noqa: ARG002
        return self.selected(columns)

    def millionths(self, column: str) -> str:
        # Rounded row by row: a sum of whole numbers is the same whatever the threads.
        # Of text a function first: DuckDB lets the CSV reader do a bare cast, and that one does not try.
        quoted = sql.name(column)
        text = f"trim({quoted})" if self.file.types[column] == "VARCHAR" else quoted
        number = f"TRY_CAST({text} AS DOUBLE)"
        fits = f"isfinite({number}) AND {number} >= 0 AND {number} <= {MOST_WEIGHT}"
        return f"CASE WHEN {fits} THEN CAST(round({number} * {PARTS_OF_A_PERSON}) AS BIGINT) END"

    def cell(self, column: str) -> str:
        return self.file.cell(column)

    def seen(self, column: str) -> str:
        return self.file.seen(column)

    def is_star(self, column: str) -> str:
        return f"coalesce(CAST({sql.name(column)} AS VARCHAR) = {sql.literal(SUPPRESSED)}, false)"

    def kind(self, column: str) -> Kind | None:
        return self.file.kind(column)

    def cells(self, column: str, counted: str, alias: str) -> Cells:
        text = f"CAST({alias} AS VARCHAR)"
        about = f"{self.about}, column {column!r}"
        (missing,) = self._session.row(f"SELECT count(*) > count({alias}) FROM {counted}", about)
        found = self._session.rows(
            f"SELECT DISTINCT {text} AS t FROM {counted} WHERE {alias} IS NOT NULL ORDER BY t", about
        )
        if not found:
            return Cells([], missing, lambda _: "NULL::INTEGER")
        type_ = self._session.fresh("cells")
        self._session.execute(
            f"CREATE TYPE {type_} AS ENUM "
            f"(SELECT DISTINCT {text} AS t FROM {counted} WHERE {alias} IS NOT NULL ORDER BY t)",
            about,
        )
        cells = [None if cell == "" and self.file.is_text else self._typed(column, cell) for (cell,) in found]
        return Cells(
            cells, missing, lambda cell: f"enum_code(CAST(CAST({cell} AS VARCHAR) AS {type_}))::INTEGER"
        )

    def _typed(self, column: str, cell: str) -> object:
        return cell == "true" if self.file.types[column] == "BOOLEAN" else cell


class FrameTable:
    """The codes of a frame's columns, factorized when first needed.

    Parameters
    ----------
    session
        Where the codes are made a table.
    frame
        The frame.
    as_seen
        Whether cells that a reader could tell apart stay different, for an audit, or those with the same
        meaning are made equal, for counting.
    """

    def __init__(self, session: DuckSession, frame: Frame, *, as_seen: bool = False) -> None:
        self._session = session
        self.frame = frame
        self.columns = frame.columns
        self.about = "the data frame"
        self._as_seen = as_seen
        self._factorized: dict[str, Factorized] = {}

    def factorized(self, column: str) -> Factorized:
        if column not in self._factorized:
            self._factorized[column] = self.frame.factorize(column, as_seen=self._as_seen)
        return self._factorized[column]

    @contextmanager
    def selected(self, columns: Sequence[str]) -> Iterator[str]:
        with self._registered(columns, {}) as name:
            yield name

    @contextmanager
    def weighed(
        self, columns: Sequence[str], weight: str | None, others: Mapping[str, NDArray[Any]] | None = None
    ) -> Iterator[str]:
        weights = {} if weight is None else {self._weight(weight): self._millionths(weight)}
        with self._registered(columns, {**weights, **(others or {})}) as name:
            yield name

    @contextmanager
    def _registered(self, columns: Sequence[str], others: Mapping[str, NDArray[Any]]) -> Iterator[str]:
        codes = {self.cell(column): self.factorized(column).codes for column in columns}
        name = self._session.register("frame", {**codes, **others})
        try:
            yield name
        finally:
            self._session.unregister(name)

    def millionths(self, column: str) -> str:
        return f"nullif({self._weight(column)}, -1)"

    def _weight(self, column: str) -> str:
        return f"m{self.columns.index(column)}"

    def _millionths(self, column: str) -> NDArray[np.int64]:
        found = self.factorized(column)
        return np.array([*map(_parts, found.cells), -1], np.int64)[found.codes]

    def cell(self, column: str) -> str:
        return f"c{self.columns.index(column)}"

    def seen(self, column: str) -> str:
        return self.cell(column)

    def is_star(self, column: str) -> str:
        cells = self.factorized(column).cells
        stars = [
            str(index) for index, cell in enumerate(cells) if isinstance(cell, str) and cell == SUPPRESSED
        ]
        return f"{self.cell(column)} = {stars[0]}" if stars else "false"

    def kind(self, column: str) -> Kind | None:  # noqa: ARG002  the cells of a frame say it themselves
        return None

    def cells(self, column: str, counted: str, alias: str) -> Cells:  # noqa: ARG002
        found = self.factorized(column)
        missing = bool((found.codes < 0).any())
        return Cells(found.cells, missing, lambda cell: f"nullif({cell}, -1)")

    def digest(self, columns: Sequence[str]) -> str:
        """SHA-256 of the names and types of all columns, and of the cells of some in row order.

        Only the quasi-identifiers and the class are hashed cell by cell: they alone decide the recoding, and
        hashing every cell of a frame would cost more than the rest of the run.
        """
        names = [(name, self.frame.type_name(name)) for name in self.columns]
        sha = hashlib.sha256(repr(names).encode())
        for column in columns:
            found = self.factorized(column)
            texts = [repr(cell) for cell in found.cells]
            order = sorted(range(len(texts)), key=texts.__getitem__)
            rank = np.full(len(order) + 1, -1, np.int32)
            rank[order] = np.arange(len(order), dtype=np.int32)
            sha.update(repr((column, sorted(texts))).encode())
            sha.update(rank[found.codes].tobytes())
        return sha.hexdigest()


def _parts(cell: object) -> int:
    """A weight in millionths; -1 for a cell that is none."""
    try:
        weight = number(cell)
    except UnreadableError:
        return -1
    if weight is None or isinstance(cell, bool) or not 0 <= weight <= MOST_WEIGHT:
        return -1
    return round(weight * PARTS_OF_A_PERSON)


def frame_table(session: DuckSession, source: object, *, as_seen: bool = False) -> FrameTable:
    """A data frame as a table; `PolicyError` for anything else."""
    frame = _frame_of(source)
    if frame is None:
        raise PolicyError(
            f"a source is a path or a pandas, polars or pyarrow table; this is a {type(source).__name__}. "
            "Collect a lazy frame first"
        )
    return FrameTable(session, frame, as_seen=as_seen)


def _frame_of(source: object) -> Frame | None:
    """The source as a frame, or `None` if it is not one of a library that Shoal knows."""
    # Imported here: a run from file to file needs no data frame library at all.
    from narwhals import dependencies

    if dependencies.is_pandas_dataframe(source):
        return PandasFrame(source)
    if dependencies.is_polars_dataframe(source):
        return PolarsFrame(source)
    if dependencies.is_pyarrow_table(source):
        return ArrowFrame(source)
    return None


def is_path(source: object) -> bool:
    """Whether a source names a file."""
    return isinstance(source, str | Path)
