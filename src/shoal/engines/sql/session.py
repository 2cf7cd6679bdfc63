"""What every engine's session can do: run statements, keep results, look up cells.

A statement is a sqlglot expression, written once; the session renders it in its own dialect. Dialects differ
in how they find a cell among the distinct cells of its column: that is a `Dictionary`, and each session has
its own.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sqlglot import exp

from shoal.engines.sql import pieces as sql

Column = NDArray[Any] | Sequence[str | None]


@dataclass(frozen=True)
class JoinedValue:
    """The result of a lookup: an expression, and the join that it needs, if any.

    Parameters
    ----------
    value
        SQL for the value.
    join
        A join to add to the statement that uses the value; it neither drops nor multiplies rows.
    """

    value: exp.Expr
    join: exp.Join | None = None


class Dictionary(ABC):
    """The distinct cells of a column, none of them missing, and how to find a cell among them.

    Parameters
    ----------
    size
        The number of cells.
    """

    size: int

    @abstractmethod
    def value(self, cell: exp.Expr, of_cell: NDArray[np.int32] | None = None) -> JoinedValue:
        """The number that belongs to a cell.

        Parameters
        ----------
        cell
            SQL for a cell, as `Table.cell` or `Table.seen` gives it, or for a column that has it.
        of_cell
            The number of each cell in the dictionary's order, and of the missing cell at the end; a negative
            one becomes NULL. When absent, the cell's own position, and `size` for the missing cell.
        """


class Register(ABC):
    """Rows of numbers, indexed by keys."""

    @abstractmethod
    def joined(
        self,
        rows: exp.Query,
        keys: Sequence[exp.Expr],
        names: Sequence[str] = (),
        kept: str | None = None,
    ) -> exp.Select:
        """The rows with the numbers of their keys, in any order.

        Parameters
        ----------
        rows
            A query; its rows are neither dropped nor multiplied.
        keys
            SQL for the key, over the columns of `rows`.
        names
            What to call the numbers; NULL for an unknown key.
        kept
            What to call the flag for keys that are kept; no flag when absent.
        """

    def text(self, at: int) -> exp.Expr | None:  # noqa: ARG002
        """SQL for the text of the number at a position, over `joined`; `None` if it must be looked up."""
        return None


class Session(ABC):
    """A connection to an engine, for one run. Errors name the subject of a statement, and never a cell."""

    dialect: ClassVar[str]
    """sqlglot's name for the SQL dialect."""

    keeps_order: ClassVar[bool] = False
    """Whether a projection keeps the order of the rows."""

    estimates: ClassVar[bool] = True
    """Whether it can estimate the number of distinct values."""

    lists: ClassVar[bool] = False
    """Whether one pass over the rows can list the distinct values of several columns."""

    finds_by_hash: ClassVar[bool] = False
    """Whether written rows are found by a hash of their cells; counting, then, fetches that of each."""

    notices_changes: ClassVar[bool] = False
    """Whether a changed source is detected without checking numbers that are not written."""

    _serial = 0

    def fresh(self, what: str) -> str:
        """A name that this session has not used yet."""
        self._serial += 1
        return f"shoal_{what}_{self._serial}"

    def rendered(self, statement: exp.Expr) -> str:
        """The statement as this engine reads it."""
        return statement.sql(dialect=self.dialect)

    def row(self, query: exp.Expr, about: str) -> tuple[Any, ...]:
        """The only row of a result."""
        (row,) = self.rows(query, about)
        return row

    @abstractmethod
    def execute(self, statement: exp.Expr, about: str) -> None:
        """Run a statement to its end; Ctrl-C stops it."""

    @abstractmethod
    def rows(self, query: exp.Expr, about: str) -> list[tuple[Any, ...]]:
        """All rows of a small result, as Python's own types."""

    @abstractmethod
    def arrays(self, query: exp.Expr, about: str) -> dict[str, NDArray[Any]]:
        """A large result of whole numbers and booleans, streamed column by column; NULL is masked."""

    @abstractmethod
    def keep(self, what: str, query: exp.Expr, about: str) -> exp.Table:
        """Keep a result as a table that only this session sees, and that ends with it."""

    @abstractmethod
    def upload(self, what: str, columns: Mapping[str, Column]) -> exp.Table:
        """Create a table, like `keep`, from texts or NumPy arrays of any integer type or bool."""

    @abstractmethod
    def forget(self, table: exp.Table) -> None:
        """Drop a table that was kept or uploaded."""

    @abstractmethod
    def dictionary(self, cells: exp.Expr, about: str) -> tuple[Dictionary, list[str]]:
        """A dictionary, and its texts in order.

        Parameters
        ----------
        cells
            A query with one column, of text: every distinct cell once, and no missing one.
        about
            What to call it in messages.
        """

    @abstractmethod
    def register(
        self,
        keys: NDArray[np.int64],
        numbers: NDArray[np.integer] | None = None,
        kept: NDArray[np.bool_] | None = None,
    ) -> Register:
        """Numbers, indexed by keys.

        Parameters
        ----------
        keys
            One row per key, and one or more columns; no key twice.
        numbers
            The numbers of each key, not negative.
        kept
            Whether each key's row is kept; all are when absent.
        """

    def labelled_register(
        self,
        keys: NDArray[np.int64],
        numbers: NDArray[np.integer],
        kept: NDArray[np.bool_],
        texts: Mapping[int, Sequence[str | None]],  # noqa: ARG002
    ) -> Register:
        """Like `register`; it may offer texts itself: position of a number -> what its values stand for.

        If it does, the number may be NULL.
        """
        return self.register(keys, numbers, kept)

    def numbered(self, numbers: NDArray[np.integer], position: exp.Expr) -> exp.Expr:
        """SQL for the number at a position of a list, counted from 0."""
        return sql.bisected(numbers.tolist(), position)

    def is_nan(self, cell: exp.Expr) -> exp.Expr:
        """SQL for whether a float is not a number."""
        # Not by equality: DuckDB 2.0 skips that check if the statistics of a Parquet file lack such a value.
        return sql.fragment("isnan(:cell)", cell=cell)

    @abstractmethod
    def hashed(self, cells: Sequence[exp.Expr]) -> exp.Expr:
        """SQL for a hash of cells, a whole number that is not negative; the same in every run."""

    @abstractmethod
    def listed(self, texts: Sequence[str | None], position: exp.Expr) -> exp.Expr:
        """SQL for the text at a position of a list, counted from 0; NULL where the position is NULL."""

    @abstractmethod
    def close(self) -> None:
        """Release the session's resources."""


class TransactionSession(Session):
    """A session that can undo its work."""

    @abstractmethod
    def commit(self) -> None:
        """End the transaction, and let others see it."""

    @abstractmethod
    def rollback(self) -> None:
        """End the transaction as if it had never begun."""

    @abstractmethod
    def comment_on(self, table: exp.Table) -> tuple[bool, str | None]:
        """Whether a table or view has this name, and the comment on it."""
