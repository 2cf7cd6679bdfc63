"""What every engine's session can do: run statements, keep answers, look cells up.

A statement is a sqlglot expression, written once; the session renders it in its own dialect. What dialects do
not share is how a cell is found among the distinct cells of its column: that is a `Dictionary`, and each
session has its own.
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
class Looked:
    """What a lookup found: an expression, and the join that it needs, if it needs one.

    Parameters
    ----------
    value
        SQL for what was looked up.
    join
        To be added to the statement that uses the value; it neither drops nor multiplies rows.
    """

    value: exp.Expr
    join: exp.Join | None = None


class Dictionary(ABC):
    """The distinct cells of a column, none of them missing, and how a cell is found among them.

    Parameters
    ----------
    size
        How many cells there are.
    """

    size: int

    @abstractmethod
    def value(self, cell: exp.Expr, of_cell: NDArray[np.int32] | None = None) -> Looked:
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
    """Rows of numbers that are found by keys."""

    @abstractmethod
    def joined(
        self,
        rows: exp.Query,
        keys: Sequence[exp.Expr],
        names: Sequence[str] = (),
        kept: str | None = None,
    ) -> exp.Select:
        """The rows with what their keys find.

        Parameters
        ----------
        rows
            A query; its rows are neither dropped nor multiplied.
        keys
            SQL for the key, over the columns of `rows`.
        names
            What to call the numbers; NULL where the key finds nothing.
        kept
            What to call whether the key finds something that is kept; none when absent.
        """


class Session(ABC):
    """A connection to an engine, for one run. Errors name what a statement was about, and never a cell."""

    dialect: ClassVar[str]
    """sqlglot's name for the SQL that is spoken here."""

    keeps_order: ClassVar[bool] = False
    """Whether rows of a projection come in the order of what is selected from."""

    estimates: ClassVar[bool] = True
    """Whether it can estimate how many distinct values there are."""

    lists: ClassVar[bool] = False
    """Whether the distinct values of several columns can be had as lists, by one pass over the rows."""

    notices_changes: ClassVar[bool] = False
    """Whether numbers that are not written need no look: a source that changed is found out otherwise."""

    _serial = 0

    def fresh(self, what: str) -> str:
        """A name that this session has not used yet."""
        self._serial += 1
        return f"shoal_{what}_{self._serial}"

    def rendered(self, statement: exp.Expr) -> str:
        """The statement as this engine reads it."""
        return statement.sql(dialect=self.dialect)

    def row(self, query: exp.Expr, about: str) -> tuple[Any, ...]:
        """The one row of an answer."""
        (found,) = self.rows(query, about)
        return found

    @abstractmethod
    def execute(self, statement: exp.Expr, about: str) -> None:
        """Run a statement to its end; Ctrl-C stops it."""

    @abstractmethod
    def rows(self, query: exp.Expr, about: str) -> list[tuple[Any, ...]]:
        """All rows of a small answer, as Python's own types."""

    @abstractmethod
    def arrays(self, query: exp.Expr, about: str) -> dict[str, NDArray[Any]]:
        """A large answer of whole numbers and truth values, streamed column by column; NULL is masked."""

    @abstractmethod
    def keep(self, what: str, query: exp.Expr, about: str) -> exp.Table:
        """Keep an answer as a table that only this session sees, and that is gone with it."""

    @abstractmethod
    def upload(self, what: str, columns: Mapping[str, Column]) -> exp.Table:
        """Make arrays of whole numbers (NumPy, any integer type or bool) or texts a table, as `keep` does."""

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
        """Numbers to be found by keys.

        Parameters
        ----------
        keys
            One row per key, and one or more columns; no key twice.
        numbers
            Per key its numbers, not negative.
        kept
            Whether each key's row is kept; all are when absent.
        """

    def numbered(self, numbers: NDArray[np.integer], position: exp.Expr) -> exp.Expr:
        """SQL for the number at a position of a list, counted from 0."""
        return sql.bisected(numbers.tolist(), position)

    def is_nan(self, cell: exp.Expr) -> exp.Expr:
        """SQL for whether a float is not a number."""
        # Not by equality: DuckDB 2.0 leaves it out where the statistics of a Parquet file know no such value.
        return sql.fragment("isnan(:cell)", cell=cell)

    @abstractmethod
    def hashed(self, cells: Sequence[exp.Expr]) -> exp.Expr:
        """SQL for a hash of cells, a whole number that is not negative; the same in every run."""

    @abstractmethod
    def listed(self, texts: Sequence[str | None], position: exp.Expr) -> exp.Expr:
        """SQL for the text at a position of a list, counted from 0; NULL where the position is NULL."""

    @abstractmethod
    def close(self) -> None:
        """Give back what the session holds."""


class TransactionSession(Session):
    """A session that can take back what it did."""

    @abstractmethod
    def commit(self) -> None:
        """End the transaction, and let others see it."""

    @abstractmethod
    def rollback(self) -> None:
        """End the transaction as if it had never begun."""

    @abstractmethod
    def comment_on(self, table: exp.Table) -> tuple[bool, str | None]:
        """Whether there is something with this name, and the comment on it."""
