"""One interface for what statements select from: a table of a database, a file, the columns of a frame."""

from __future__ import annotations

import hashlib
import math
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from copy import copy
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Protocol, Self

import numpy as np
from numpy.typing import NDArray
from sqlglot import exp

from shoal.engines.duckdb.file import FileTable
from shoal.engines.duckdb.lookups import CodeDictionary
from shoal.engines.duckdb.session import DuckSession
from shoal.engines.frames.arrow import ArrowFrame
from shoal.engines.frames.frame import Factorized, Frame
from shoal.engines.frames.lazy import collected, is_lazy
from shoal.engines.frames.pandas import PandasFrame
from shoal.engines.frames.polars import PolarsFrame
from shoal.engines.sql import pieces as sql
from shoal.engines.sql.cell_type import CellType
from shoal.engines.sql.session import Dictionary, Session
from shoal.engines.sql.values import UnreadableError, number
from shoal.errors import PolicyError
from shoal.model.table.domain import SUPPRESSED, Kind
from shoal.model.table.number_text import exact
from shoal.model.table.people import PARTS_OF_A_PERSON

MOST_WEIGHT = 10**10
"""More than all people on Earth: a greater weight is not valid."""
_FRAMES: tuple[tuple[str, str, type[Frame]], ...] = (
    ("pandas", "DataFrame", PandasFrame),
    ("polars", "DataFrame", PolarsFrame),
    ("pyarrow", "Table", ArrowFrame),
)
_WEIGHT = r"^[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]{1,2})?$"


@dataclass(frozen=True, eq=False)
class Cells:
    """The distinct cells of a column.

    Parameters
    ----------
    cells
        The cells; `None` for one that means "missing".
    missing
        Whether the column also has missing cells.
    dictionary
        How to find a cell among them.
    counts
        The rows of each cell, and of the missing one at the end, if they were counted on the way.
    """

    cells: list[object]
    missing: bool
    dictionary: Dictionary
    counts: NDArray[np.int64] | None = None


class Table(Protocol):
    """Something to select from."""

    @property
    def session(self) -> Session:
        """Where statements about it run."""

    @property
    def about(self) -> str:
        """What to call the table in messages."""

    @property
    def columns(self) -> tuple[str, ...]:
        """Names in order."""

    @property
    def is_text(self) -> bool:
        """Whether cells are text because the format has no other type; an empty cell is then missing."""

    def selected(self, columns: Sequence[str]) -> AbstractContextManager[exp.Expr]:
        """What to select from when these columns are needed, and for how long."""

    def weighed(self, columns: Sequence[str], weight: str | None) -> AbstractContextManager[exp.Expr]:
        """Like `selected`, if the weights of a column are also needed."""

    def with_places(self, relation: exp.Expr) -> tuple[exp.Expr, exp.Expr] | None:
        """The rows of a relation of this table, and SQL for the place of each, if they come with one."""

    def thinned(self, relation: exp.Expr, share: float) -> exp.Expr | None:
        """A share of the rows of a relation, the same ones each time, if the engine can draw them."""

    def millionths(self, column: str) -> exp.Expr:
        """SQL for a weight in millionths; NULL for a cell that is not a number, or negative."""

    def cell(self, column: str) -> exp.Expr:
        """SQL for a cell that makes cells with the same meaning equal."""

    def seen(self, column: str) -> exp.Expr:
        """SQL for a cell that keeps cells different if a reader could distinguish them."""

    def is_star(self, column: str, cell: exp.Expr | None = None) -> exp.Expr:
        """SQL for whether a cell reads `*`; `cell` is where `seen` of the column is kept, if it is."""

    def kind(self, column: str) -> Kind | None:
        """The kind that the column's type implies."""

    def cells(self, column: str, counted: exp.Table, alias: str) -> Cells:
        """The distinct cells in the column `alias` of the table `counted`."""

    def all_cells(self, columns: Sequence[str], counted: exp.Table, letter: str) -> list[Cells]:
        """The distinct cells of columns; in the table `counted` they are a letter and their positions."""


class DatabaseTable:
    """A table of a database, or anything that can be selected from like one.

    Parameters
    ----------
    session
        Where it is.
    relation
        What to select from.
    types
        The columns in order, and what their types mean.
    about
        What to call the table in messages.
    is_text
        Whether cells are text because the format has no other type.
    released_as
        The types for releasing columns whose own type lists the possible values: the list would reveal values
        that only suppressed rows had.
    """

    def __init__(
        self,
        session: Session,
        relation: exp.Expr,
        types: Mapping[str, CellType],
        about: str,
        *,
        is_text: bool = False,
        released_as: Mapping[str, str] | None = None,
    ) -> None:
        self.session = session
        self.relation = relation
        self.types = types
        self.about = about
        self.is_text = is_text
        self._released_as = released_as or {}

    @property
    def columns(self) -> tuple[str, ...]:
        return tuple(self.types)

    def released(self, column: str, cell: exp.Expr) -> exp.Expr:
        """A cell that is released unchanged."""
        if column not in self._released_as:
            return cell
        return exp.cast(cell, exp.DataType.build(self._released_as[column], dialect="duckdb"))

    @contextmanager
    def selected(self, columns: Sequence[str]) -> Iterator[exp.Expr]:  # noqa: ARG002  engines read only what they need
        yield self.relation

    def weighed(self, columns: Sequence[str], weight: str | None) -> AbstractContextManager[exp.Expr]:  # noqa: ARG002
        return self.selected(columns)

    def with_places(self, relation: exp.Expr) -> tuple[exp.Expr, exp.Expr] | None:  # noqa: ARG002
        return None

    def thinned(self, relation: exp.Expr, share: float) -> exp.Expr | None:  # noqa: ARG002
        return None

    def millionths(self, column: str) -> exp.Expr:
        # Rounded row by row: a sum of whole numbers does not depend on threads.
        cell = sql.column(column)
        if self.types[column].kind is None:
            # Trimming also helps DuckDB: it leaves a bare cast to the CSV reader, which fails instead of
            # trying.
            trimmed = sql.fragment("trim(:cell)", cell=cell)
            parsed = exp.TryCast(this=trimmed, to=exp.DataType.build("DOUBLE"))
            weight = sql.fragment(
                "CASE WHEN regexp_like(:text, :shape) THEN :parsed END",
                text=trimmed,
                shape=_WEIGHT,
                parsed=parsed,
            )
        elif self.types[column].kind == "number":
            weight = exp.cast(cell, "DOUBLE")
        else:
            return exp.cast(exp.null(), "BIGINT")
        return sql.fragment(
            "CASE WHEN :w >= 0 AND :w <= :most THEN CAST(floor(:w * :parts + 0.5) AS BIGINT) END",
            w=weight,
            most=MOST_WEIGHT,
            parts=PARTS_OF_A_PERSON,
        )

    def cell(self, column: str) -> exp.Expr:
        cell, type_ = sql.column(column), self.types[column]
        if type_.floating:
            one_zero = sql.fragment("CASE WHEN :cell = 0 THEN abs(:cell) ELSE :cell END", cell=cell)
            nothing = self.session.is_nan(cell)
            return sql.fragment("CASE WHEN NOT :nothing THEN :zero END", nothing=nothing, zero=one_zero)
        return self._bytewise(column, cell if type_.plain else sql.as_text(cell))

    def seen(self, column: str) -> exp.Expr:
        cell = sql.column(column)
        return self._bytewise(column, cell if self.types[column].plain else sql.as_text(cell))

    def is_star(self, column: str, cell: exp.Expr | None = None) -> exp.Expr:
        type_ = self.types[column]
        if type_.kind in ("number", "date") or type_.truth:
            return exp.false()
        text = self._bytewise(column, sql.as_text(sql.column(column) if cell is None else cell))
        return sql.fragment("coalesce(:text = :star, FALSE)", text=text, star=SUPPRESSED)

    def _bytewise(self, column: str, cell: exp.Expr) -> exp.Expr:  # noqa: ARG002
        """SQL for a cell whose text is compared by its bytes, whatever the column's collation."""
        return cell

    def kind(self, column: str) -> Kind | None:
        return self.types[column].kind

    def cells(self, column: str, counted: exp.Table, alias: str) -> Cells:
        about = f"{self.about}, column {column!r}"
        cell = exp.column(alias)
        absent = sql.fragment("count(*) > count(:cell)", cell=cell)
        (missing,) = self.session.row(exp.select(exp.alias_(absent, "missing")).from_(counted), about)
        distinct = exp.select(exp.alias_(sql.as_text(cell), "t")).distinct().from_(counted)
        known_texts = distinct.where(sql.fragment("NOT :cell IS NULL", cell=cell)).order_by("t")
        dictionary, texts = self.session.dictionary(known_texts, about)
        return Cells([self._typed(column, text) for text in texts], bool(missing), dictionary)

    def all_cells(self, columns: Sequence[str], counted: exp.Table, letter: str) -> list[Cells]:
        return [self.cells(name, counted, f"{letter}{at}") for at, name in enumerate(columns)]

    def _typed(self, column: str, text: str) -> object:
        if text == "" and self.is_text:
            return None
        return text == "true" if self.types[column].truth else text


class StoredTable(DatabaseTable):
    """A file; columns that are structs of labels read as these, and `structs` has their kinds.

    `places` is like `relation`, with a column `PLACE` for the place of a row in the file, if that comes with
    the rows: counting them takes a window, which DuckDB computes on one thread.
    """

    PLACE = "shoal_place"

    def __init__(
        self,
        session: DuckSession,
        file: FileTable,
        relation: exp.Table,
        structs: Mapping[str, str] | None = None,
        places: exp.Table | None = None,
    ) -> None:
        super().__init__(session, relation, file.types, file.path.name, is_text=file.is_text)
        self.file = file
        self.structs = structs or {}
        self._in_file = relation
        self._places = places

    def stored_in(self, relation: exp.Table, places: exp.Table | None) -> Self:
        """The same rows, stored elsewhere."""
        made = copy(self)
        made.relation = made._in_file = relation
        made._places = places
        return made

    def with_places(self, relation: exp.Expr) -> tuple[exp.Expr, exp.Expr] | None:
        if self._places is None or relation is not self._in_file:
            return None
        return self._places, exp.column(self.PLACE)


class FrameTable:
    """The codes of a frame's columns, factorized when first needed.

    Parameters
    ----------
    session
        Where the codes become a table.
    frame
        The frame.
    as_seen
        Whether cells that a reader could distinguish stay different, for an audit. Otherwise cells with the
        same meaning become equal, for counting.
    lazy
        Whether the frame was collected from a lazy one, so that its release is lazy, too.
    """

    is_text = False

    def __init__(
        self, session: DuckSession, frame: Frame, *, as_seen: bool = False, lazy: bool = False
    ) -> None:
        self.session = session
        self.frame = frame
        self.columns = frame.columns
        self.about = "the data frame"
        self.as_seen = as_seen
        self.lazy = lazy
        self._factorized: dict[str, Factorized] = {}

    def factorized(self, column: str) -> Factorized:
        if column not in self._factorized:
            self._factorized[column] = self.frame.factorize(column, as_seen=self.as_seen)
        return self._factorized[column]

    @contextmanager
    def selected(self, columns: Sequence[str]) -> Iterator[exp.Expr]:
        with self._registered(columns, {}) as name:
            yield name

    def with_places(self, relation: exp.Expr) -> tuple[exp.Expr, exp.Expr] | None:  # noqa: ARG002
        return None

    @contextmanager
    def weighed(
        self, columns: Sequence[str], weight: str | None, others: Mapping[str, NDArray[Any]] | None = None
    ) -> Iterator[exp.Expr]:
        weights = {} if weight is None else {self._weight(weight): self._millionths(weight)}
        with self._registered(columns, {**weights, **(others or {})}) as name:
            yield name

    @contextmanager
    def _registered(self, columns: Sequence[str], others: Mapping[str, NDArray[Any]]) -> Iterator[exp.Expr]:
        codes = {self._code(column): self.factorized(column).codes for column in columns}
        table = self.session.upload("frame", {**codes, **others})
        try:
            yield table
        finally:
            self.session.forget(table)

    def thinned(self, relation: exp.Expr, share: float) -> exp.Expr | None:  # noqa: ARG002
        return None

    def millionths(self, column: str) -> exp.Expr:
        return sql.fragment("nullif(:weight, -1)", weight=exp.column(self._weight(column)))

    def _weight(self, column: str) -> str:
        return f"m{self.columns.index(column)}"

    def _millionths(self, column: str) -> NDArray[np.int64]:
        column_codes = self.factorized(column)
        return np.array([*map(_parts, column_codes.cells), -1], np.int64)[column_codes.codes]

    def _code(self, column: str) -> str:
        return f"c{self.columns.index(column)}"

    def cell(self, column: str) -> exp.Expr:
        return exp.column(self._code(column))

    def seen(self, column: str) -> exp.Expr:
        return self.cell(column)

    def is_star(self, column: str, cell: exp.Expr | None = None) -> exp.Expr:
        cells = self.factorized(column).cells
        stars = [index for index, each in enumerate(cells) if isinstance(each, str) and each == SUPPRESSED]
        code = self.cell(column) if cell is None else cell
        return sql.fragment(":cell = :star", cell=code, star=stars[0]) if stars else exp.false()

    def kind(self, column: str) -> Kind | None:  # noqa: ARG002  the cells of a frame have their own types
        return None

    def cells(self, column: str, counted: exp.Table, alias: str) -> Cells:  # noqa: ARG002
        column_codes = self.factorized(column)
        missing = bool((column_codes.codes < 0).any())
        return Cells(column_codes.cells, missing, CodeDictionary(self.session, len(column_codes.cells)))

    def all_cells(self, columns: Sequence[str], counted: exp.Table, letter: str) -> list[Cells]:
        return [self.cells(name, counted, f"{letter}{at}") for at, name in enumerate(columns)]

    def digest(self, columns: Sequence[str]) -> str:
        """SHA-256 of the names and types of all columns, and of the cells of some in row order.

        Only the quasi-identifiers and the class are hashed cell by cell: they alone decide the recoding, and
        hashing every cell of a frame would take longer than the rest of the run.
        """
        names = [(name, self.frame.type_name(name)) for name in self.columns]
        sha = hashlib.sha256(repr(names).encode())
        for column in columns:
            cells_of_column = self.factorized(column)
            texts = [repr(cell) for cell in cells_of_column.cells]
            order = sorted(range(len(texts)), key=texts.__getitem__)
            rank = np.full(len(order) + 1, -1, np.int32)
            rank[order] = np.arange(len(order), dtype=np.int32)
            sha.update(repr((column, sorted(texts))).encode())
            sha.update(rank[cells_of_column.codes].tobytes())
        return sha.hexdigest()


def _parts(cell: object) -> int:
    """A weight in millionths; -1 for a cell that is not a weight."""
    try:
        weight = number(cell.strip() if isinstance(cell, str) else cell)  # as SQL does
    except UnreadableError:
        return -1
    if weight is None or isinstance(cell, bool) or not 0 <= weight <= MOST_WEIGHT:
        return -1
    return math.floor(exact(weight) * PARTS_OF_A_PERSON + Fraction(1, 2))


def frame_table(session: DuckSession, source: object, *, as_seen: bool = False) -> FrameTable:
    """A data frame as a table; `PolicyError` for anything else."""
    lazy = is_lazy(source)
    frame = _frame_of(collected(source) if lazy else source)
    if frame is None:
        raise PolicyError(
            "a source is a path, a pandas, polars, pyarrow or Ibis table, or a relation of DuckDB; this is a "
            f"{type(source).__name__}"
        )
    return FrameTable(session, frame, as_seen=as_seen, lazy=lazy)


def _frame_of(source: object) -> Frame | None:
    """The source as a frame, or `None` if Shoal does not know its library."""
    for library, kind, adapter in _FRAMES:
        # Nothing is imported: a frame exists only if its library is loaded. Subclasses count, too.
        if isinstance(source, getattr(sys.modules.get(library), kind, ())):
            return adapter(source)
    return None


def is_path(source: object) -> bool:
    """Whether a source names a file."""
    return isinstance(source, str | os.PathLike)
