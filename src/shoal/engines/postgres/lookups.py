"""Lookups by hash joins with temporary tables.

Extra seconds for a million rows: 0.2 with a table of 12 to 40,000 cells, if the planner knows its size. A
constant jsonb object took 0.2 (12), 0.7 (10,000) and 1.0 (40,000); CASE took 24 (1,000). Keys are compared by
`=`, which hashes; IS NOT DISTINCT FROM does not, and would visit every pair.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from sqlglot import exp

from shoal.engines.sql import pieces as sql
from shoal.engines.sql.session import Dictionary, JoinedValue, Register

if TYPE_CHECKING:
    from shoal.engines.postgres.session import PostgresSession

# Names that no column of a source has, so that the source's columns need no qualification in a join.
CELL = "shoal_cell_"
NUMBER = "shoal_number_"
_POSITION = "shoal_position_"
_KEY = "shoal_key_{}_"
_VALUE = "shoal_value_{}_"
_KEPT = "shoal_kept_"


class PostgresDictionary(Dictionary):
    """The distinct cells of a column as a temporary table.

    Parameters
    ----------
    session
        Where the table is.
    cells
        The table: a cell, ordered by code points, and its position.
    size
        The number of cells.
    """

    def __init__(self, session: PostgresSession, cells: exp.Table, size: int) -> None:
        self._session = session
        self._cells = cells
        self.size = size

    def value(self, cell: exp.Expr, of_cell: NDArray[np.int32] | None = None) -> JoinedValue:
        missing = self.size if of_cell is None else int(of_cell[-1])
        if self.size == 0:
            return JoinedValue(exp.cast(_number(missing), "INT"))
        table = self._cells if of_cell is None else self._numbered(of_cell)
        alias = self._session.fresh("lookup")
        number = exp.column(NUMBER, table=alias)
        # The cells of two tables can have two collations, and equality needs one; this one is of bytes.
        text = exp.Collate(this=sql.as_text(cell.copy()), expression=exp.to_identifier("C", quoted=True))
        join = exp.Join(
            this=exp.alias_(table.copy(), alias, table=True),
            side="LEFT",
            on=exp.EQ(this=exp.column(CELL, table=alias), expression=text),
        )
        if missing < 0:
            return JoinedValue(number, join)
        # A cell that is not in the table has no number: it must not count as missing.
        expression = exp.Case().when(exp.Is(this=cell.copy(), expression=exp.null()), _number(missing))
        return JoinedValue(expression.else_(number), join)

    def _numbered(self, of_cell: NDArray[np.int32]) -> exp.Table:
        """The cells with other numbers; cells without one are left out, so that the join returns NULL."""
        if (of_cell[:-1] == np.arange(self.size)).all():
            return self._cells
        with_number = np.flatnonzero(of_cell[:-1] >= 0)
        numbers = self._session.upload("numbers", {_POSITION: with_number, NUMBER: of_cell[with_number]})
        kept = self._session.keep(
            "numbered",
            exp.select(CELL, f"u.{NUMBER}")
            .from_(exp.alias_(self._cells.copy(), "c", table=True))
            .join(exp.alias_(numbers.copy(), "u", table=True), on=f"{_POSITION} = c.{NUMBER}"),
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
    """

    table: exp.Table
    alias: str

    @classmethod
    def of(
        cls,
        session: PostgresSession,
        keys: NDArray[np.int64],
        numbers: NDArray[np.integer] | None,
        kept: NDArray[np.bool_] | None,
    ) -> PostgresRegister:
        """Register keys and numbers."""
        if numbers is None and kept is not None:
            keys, kept = keys[kept], kept[kept]
        columns = {_KEY.format(at): column for at, column in enumerate(keys.T)}
        if numbers is not None:
            columns |= {_VALUE.format(at): column for at, column in enumerate(numbers.T)}
        columns[_KEPT] = np.ones(len(keys), np.bool_) if kept is None else kept
        return cls(session.upload("register", columns), session.fresh("registered"))

    def joined(
        self,
        rows: exp.Query,
        keys: Sequence[exp.Expr],
        names: Sequence[str] = (),
        kept: str | None = None,
    ) -> exp.Select:
        numbers = [
            exp.alias_(exp.column(_VALUE.format(at), self.alias), name) for at, name in enumerate(names)
        ]
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
