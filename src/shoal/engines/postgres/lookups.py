"""Lookups by hash joins with temporary tables.

Extra seconds for a million rows: 0.2 with a table of 12 to 40,000 cells, if the planner knows its size. A
constant jsonb object took 0.2 (12), 0.7 (10,000) and 1.0 (40,000); CASE took 24 (1,000). Keys are compared by
`=`, which hashes; IS NOT DISTINCT FROM does not, and would visit every pair.

Written rows are found by one join, by a hash of their cells, which is one number. A join by the cells
themselves is no way out: for several keys the planner assumes as few values as the best of them has, takes
the hash table for useless, and sorts a million rows (5.0 processor seconds; by the hash 1.9).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from sqlglot import exp

from shoal.engines.sql import pieces as sql
from shoal.engines.sql.session import Column, Dictionary, JoinedValue, Register

if TYPE_CHECKING:
    from shoal.engines.postgres.session import PostgresSession

# Names that no column of a source has, so that the source's columns need no qualification in a join.
COLUMN = "shoal_column_"
CELL = "shoal_cell_"
NUMBER = "shoal_number_"
ROWS = "shoal_rows_"
_POSITION = "shoal_position_"
_KEY = "shoal_key_{}_"
_VALUE = "shoal_value_{}_"
_TEXT = "shoal_text_{}_"
_KEPT = "shoal_kept_"


class PostgresDictionary(Dictionary):
    """The distinct cells of a column as a temporary table.

    Parameters
    ----------
    session
        Where the table is.
    cells
        The table: the number of a column, a cell, and its position among the column's, by code points.
    column
        The number of this column.
    size
        The number of cells.
    """

    def __init__(self, session: PostgresSession, cells: exp.Table, column: int, size: int) -> None:
        self._session = session
        self._cells = cells
        self._column = column
        self.size = size

    def value(self, cell: exp.Expr, of_cell: NDArray[np.int32] | None = None) -> JoinedValue:
        missing = self.size if of_cell is None else int(of_cell[-1])
        if self.size == 0:
            return JoinedValue(exp.cast(_number(missing), "INT"))
        table = None if of_cell is None else self._numbered(of_cell)
        alias = self._session.fresh("lookup")
        number = exp.column(NUMBER, table=alias)
        # The cells of two tables can have two collations, and equality needs one; this one is of bytes.
        text = exp.Collate(this=sql.as_text(cell.copy()), expression=exp.to_identifier("C", quoted=True))
        equal: exp.Expr = exp.EQ(this=exp.column(CELL, table=alias), expression=text)
        if table is None:
            table = self._cells
            equal = exp.and_(equal, sql.fragment(f"{alias}.{COLUMN} = :own", own=self._column))
        join = exp.Join(this=exp.alias_(table.copy(), alias, table=True), side="LEFT", on=equal)
        if missing < 0:
            return JoinedValue(number, join)
        # A cell that is not in the table has no number: it must not count as missing.
        expression = exp.Case().when(exp.Is(this=cell.copy(), expression=exp.null()), _number(missing))
        return JoinedValue(expression.else_(number), join)

    def _numbered(self, of_cell: NDArray[np.int32]) -> exp.Table | None:
        """The cells with other numbers; cells without one are left out, so that the join returns NULL.

        `None` if the numbers are the positions.
        """
        if (of_cell[:-1] == np.arange(self.size)).all():
            return None
        with_number = np.flatnonzero(of_cell[:-1] >= 0)
        numbers = self._session.upload("numbers", {_POSITION: with_number, NUMBER: of_cell[with_number]})
        kept = self._session.keep(
            "numbered",
            exp.select(CELL, f"u.{NUMBER}")
            .from_(exp.alias_(self._cells.copy(), "c", table=True))
            .join(exp.alias_(numbers.copy(), "u", table=True), on=f"{_POSITION} = c.{NUMBER}")
            .where(f"c.{COLUMN} = {self._column}"),
            "a temporary table",
        )
        self._session.forget(numbers)
        return kept


@dataclass(frozen=True)
class PostgresRegister(Register):
    """Keys, their numbers and whether they are kept, as a temporary table.

    Parameters
    ----------
    table
        The table.
    alias
        What a statement calls it.
    texts
        The positions of numbers in place of which it has their texts.
    """

    table: exp.Table
    alias: str
    texts: frozenset[int] = frozenset()

    @classmethod
    def of(
        cls,
        session: PostgresSession,
        keys: NDArray[np.int64],
        numbers: NDArray[np.integer] | None,
        kept: NDArray[np.bool_] | None,
        texts: Mapping[int, Sequence[str | None]] = MappingProxyType({}),
    ) -> PostgresRegister:
        """Register keys and numbers, and the texts of some numbers."""
        if numbers is None and kept is not None:
            keys, kept = keys[kept], kept[kept]
        columns: dict[str, Column] = {_KEY.format(at): column for at, column in enumerate(keys.T)}
        for at, column in enumerate(() if numbers is None else numbers.T):
            if at in texts:
                labels = session.storable([*texts[at], None])  # a value that no released row has has no label
                columns[_TEXT.format(at)] = labels[np.minimum(column, len(labels) - 1)].tolist()
            else:
                columns[_VALUE.format(at)] = column
        columns[_KEPT] = np.ones(len(keys), np.bool_) if kept is None else kept
        return cls(session.upload("register", columns), session.fresh("registered"), frozenset(texts))

    def text(self, at: int) -> exp.Expr | None:
        # The table's own collation is of bytes, and would become that of the release.
        own = exp.to_identifier("default", quoted=True)
        return exp.Collate(this=exp.column(_TEXT.format(at)), expression=own) if at in self.texts else None

    def joined(
        self,
        rows: exp.Query,
        keys: Sequence[exp.Expr],
        names: Sequence[str] = (),
        kept: str | None = None,
    ) -> exp.Select:
        numbers = [
            exp.alias_(
                exp.cast(exp.null(), "INT")
                if at in self.texts
                else exp.column(_VALUE.format(at), self.alias),
                name,
            )
            for at, name in enumerate(names)
        ]
        numbers += [exp.column(_TEXT.format(at), self.alias) for at in sorted(self.texts)]
        if kept is not None:
            is_kept = sql.fragment("coalesce(:kept, FALSE)", kept=exp.column(_KEPT, self.alias))
            numbers.append(exp.alias_(is_kept, kept))
        equal = [
            exp.EQ(this=exp.column(_KEY.format(at), self.alias), expression=key.copy())
            for at, key in enumerate(keys)
        ]
        return (
            exp.select("r.*", *numbers)
            .from_(sql.rows_of(rows, "r"))
            .join(
                exp.alias_(self.table.copy(), self.alias, table=True), on=exp.and_(*equal), join_type="left"
            )
        )


def _number(value: int) -> exp.Expr:
    return exp.null() if value < 0 else sql.number(value)
