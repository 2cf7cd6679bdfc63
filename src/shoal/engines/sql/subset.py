"""The rows of a table that a condition chooses, as a table of their own."""

from __future__ import annotations

import copy
import datetime
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from operator import eq, ge, gt, le, lt, ne
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sqlglot import exp

from shoal.engines.duckdb.session import DuckSession
from shoal.engines.sql import pieces as sql
from shoal.engines.sql.condition import (
    Comparison,
    Condition,
    IsMissing,
    Negation,
    Operator,
    Value,
    columns_of,
    parsed,
)
from shoal.engines.sql.table import DatabaseTable, FrameTable
from shoal.errors import PolicyError
from shoal.model.table.number_text import exact, number_of

_COMPARE: dict[Operator, Callable[[Any, Any], bool]] = {
    "=": eq,
    "<>": ne,
    "<": lt,
    "<=": le,
    ">": gt,
    ">=": ge,
}

Flags = NDArray[np.bool_]


def subset_of(table: DatabaseTable | FrameTable, text: str) -> DatabaseTable | FrameTable:
    """The rows for which a condition is true, in their order; `PolicyError` if there are none.

    Parameters
    ----------
    table
        The whole table.
    text
        The condition.
    """
    condition = parsed(text, table.columns)
    if isinstance(table, FrameTable):
        true, _ = _Truth(table).of(condition)
        if not true.any():
            raise _EMPTY
        return FrameTable(table.session, table.frame.filtered(true), as_seen=table.as_seen, lazy=table.lazy)
    if not isinstance(table.session, DuckSession):
        raise PolicyError(
            "subset is for files, data frames and DuckDB; in another database, make a view of these rows "
            "and release that"
        )
    for name in dict.fromkeys(columns_of(condition)):
        _check_cells(table, condition, name)
    chosen = exp.select("*").from_(table.relation).where(_sql(table, condition))
    view = table.session.view("subset", chosen.sql("duckdb"), table.about)
    counted = exp.select(exp.alias_(sql.fragment("count(*)"), "n")).from_(view)
    (rows,) = table.session.row(counted, table.about)
    if rows == 0:
        raise _EMPTY
    made = copy.copy(table)
    made.relation = view
    return made


_EMPTY = PolicyError("no row of the source meets the condition of subset; there is nothing to release")


def _comparisons(condition: Condition, column: str) -> list[Comparison]:
    if isinstance(condition, Comparison):
        return [condition] if condition.column == column else []
    if isinstance(condition, IsMissing):
        return []
    parts = (condition.part,) if isinstance(condition, Negation) else condition.parts
    return [each for part in parts for each in _comparisons(part, column)]


def _unlike(column: str, value: Value, holds: str) -> PolicyError:
    """The error for a comparison of unlike kinds."""
    said = {Fraction: "a number", bool: "true or false", str: "text"}[type(value)]
    ways = {
        "numbers": "write the number without quotes",
        "text": "put the value in quotes",
        "truth values": "write true or false",
        "dates": "write the date in quotes, as in '2024-01-31'",
    }
    return PolicyError(
        f"subset compares column {column!r} with {said}, and the column has cells that are {holds}; "
        f"{ways[holds]}"
    )


# ---- tables of DuckDB -------------------------------------------------------------------------------------


def _cell(table: DatabaseTable, column: str) -> exp.Expr:
    """A cell, NULL where it is missing."""
    cell = sql.column(column)
    return sql.fragment("nullif(:cell, '')", cell=cell) if table.is_text else cell


def _number(cell: exp.Expr) -> exp.Expr:
    """A text as a number. Trimmed: DuckDB leaves a bare cast to the CSV reader, which fails."""
    trimmed = sql.fragment("trim(:cell)", cell=cell)
    return exp.TryCast(this=trimmed, to=exp.DataType.build("DECIMAL(38, 12)"))


def _check_cells(table: DatabaseTable, condition: Condition, column: str) -> None:
    """Raise `PolicyError` if a column is compared with values of another kind than its cells have."""
    type_ = table.types[column]
    for each in _comparisons(condition, column):
        value = each.value
        if type_.truth:
            if not isinstance(value, bool):
                raise _unlike(column, value, "truth values")
        elif type_.kind in ("number", "date"):
            wanted = Fraction if type_.kind == "number" else str
            if not isinstance(value, wanted):
                raise _unlike(column, value, f"{type_.kind}s")
            if wanted is str:
                _check_moment(str(value), column)
        elif isinstance(value, bool):
            raise _unlike(column, value, "text")
        elif isinstance(value, Fraction):
            cell = _cell(table, column)
            other = sql.fragment("NOT :cell IS NULL AND :read IS NULL", cell=cell, read=_number(cell))
            found = exp.select(exp.alias_(sql.fragment("count(*)"), "n")).from_(table.relation).where(other)
            if table.session.row(found, table.about)[0]:
                raise _unlike(column, value, "text")


def _check_moment(text: str, column: str) -> None:
    try:
        datetime.datetime.fromisoformat(text)
    except ValueError:
        raise PolicyError(
            f"subset compares column {column!r}, which has dates, with a text that is none; write dates as "
            "in '2024-01-31'"
        ) from None


def _sql(table: DatabaseTable, condition: Condition) -> exp.Expr:
    if isinstance(condition, IsMissing):
        return sql.fragment("(:cell IS NULL)", cell=_cell(table, condition.column))
    if isinstance(condition, Negation):
        return exp.Not(this=exp.paren(_sql(table, condition.part)))
    if isinstance(condition, Comparison):
        cell, value = _cell(table, condition.column), condition.value
        kind = table.types[condition.column].kind
        if isinstance(value, Fraction):
            cell = _number(cell) if kind is None else cell
            literal: exp.Expr = exp.Literal.number(_decimal(value))
        elif isinstance(value, bool):
            literal = exp.Boolean(this=value)
        elif kind == "date":
            cell, literal = exp.cast(cell, "TIMESTAMP"), exp.cast(exp.Literal.string(value), "TIMESTAMP")
        else:
            cell, literal = sql.as_text(cell), exp.Literal.string(value)
        return exp.paren(sql.fragment(f":cell {condition.operator} :value", cell=cell, value=literal))
    parts = [exp.paren(_sql(table, part)) for part in condition.parts]
    return exp.and_(*parts) if condition.every else exp.or_(*parts)


def _decimal(value: Fraction) -> str:
    """A number as SQL writes it; literals are decimal, so this is exact."""
    return format(Decimal(value.numerator) / Decimal(value.denominator), "f")


# ---- data frames ------------------------------------------------------------------------------------------


class _Truth:
    """Which rows of a frame make a condition true, and which make it false; the others have missing cells."""

    def __init__(self, table: FrameTable) -> None:
        self._table = table

    def of(self, condition: Condition) -> tuple[Flags, Flags]:
        if isinstance(condition, Comparison):
            return self._compared(condition)
        if isinstance(condition, IsMissing):
            missing = self._table.factorized(condition.column).codes < 0
            return missing, ~missing
        if isinstance(condition, Negation):
            true, false = self.of(condition.part)
            return false, true
        sides = [self.of(part) for part in condition.parts]
        trues, falses = [side[0] for side in sides], [side[1] for side in sides]
        if condition.every:
            return np.logical_and.reduce(trues), np.logical_or.reduce(falses)
        return np.logical_or.reduce(trues), np.logical_and.reduce(falses)

    def _compared(self, condition: Comparison) -> tuple[Flags, Flags]:
        held = self._table.factorized(condition.column)
        compare = _COMPARE[condition.operator]
        answers = [
            compare(_like(cell, condition.value, condition.column), _plain(cell, condition.value))
            for cell in held.cells
        ]
        # Code -1 is the missing cell, which is the last entry here.
        true = np.array([*answers, False], np.bool_)[held.codes]
        return true, ~true & (held.codes >= 0)


def _like(cell: object, value: Value, column: str) -> Any:
    """A cell as what a value can be compared with; `PolicyError` if it is of another kind."""
    if isinstance(cell, bool):
        if isinstance(value, bool):
            return cell
        raise _unlike(column, value, "truth values")
    if isinstance(cell, int | float | Decimal):
        if isinstance(value, Fraction):
            return exact(cell)
        raise _unlike(column, value, "numbers")
    if isinstance(cell, datetime.date):
        if isinstance(value, str):
            return _moment(cell)
        raise _unlike(column, value, "dates")
    if isinstance(value, Fraction) and isinstance(cell, str):
        read = number_of(cell)
        if read is not None:
            return read
    if isinstance(value, str):
        return str(cell)
    raise _unlike(column, value, "text")


def _plain(cell: object, value: Value) -> Any:
    """The value as it is compared with a cell."""
    if isinstance(cell, datetime.date) and isinstance(value, str):
        try:
            return _moment(datetime.datetime.fromisoformat(value))
        except ValueError:
            raise PolicyError(
                "subset compares dates with a text that is none; write dates as in '2024-01-31'"
            ) from None
    return value


def _moment(cell: datetime.date) -> datetime.datetime:
    if isinstance(cell, datetime.datetime):
        return cell.replace(tzinfo=None)
    return datetime.datetime(cell.year, cell.month, cell.day)
