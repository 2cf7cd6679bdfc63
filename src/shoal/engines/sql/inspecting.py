"""Facts about the columns of a table: types, missing cells, distinct values, uniqueness together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sqlglot import exp

from shoal.engines.sql import pieces as sql
from shoal.engines.sql.table import FrameTable, Table
from shoal.engines.sql.values import guess
from shoal.model.table.domain import Kind
from shoal.model.table.inspected import ColumnFacts

EXACT_ROWS = 2_000_000
"""In larger tables distinct values are estimated: counting them would need every value in memory."""
SAMPLED_VALUES = 10_000
COLUMNS_AT_ONCE = 16
"""Columns whose distinct values one pass counts: for 200 at once, DuckDB's tables took over 1 GB."""


@dataclass(frozen=True, kw_only=True)
class Uniqueness:
    """How well some columns together distinguish rows.

    Parameters
    ----------
    groups
        Distinct combinations.
    unique_rows
        Rows that equal no other row.
    """

    groups: int
    unique_rows: int


def column_facts(table: Table) -> tuple[int, list[ColumnFacts]]:
    """The number of rows, and the facts of each column, in a few passes over the rows."""
    if isinstance(table, FrameTable):
        return len(table.frame), [_frame_facts(table, name) for name in table.columns]
    session, about = table.session, table.about
    with table.selected(table.columns) as relation:
        rows = int(session.row(exp.select("count(*)").from_(relation), about)[0])
        exact = rows <= EXACT_ROWS or not session.estimates
        distinct = "count(DISTINCT :cell)" if exact else "approx_distinct(:cell)"
        facts: list[ColumnFacts] = []
        for first in range(0, len(table.columns), COLUMNS_AT_ONCE):
            names = table.columns[first : first + COLUMNS_AT_ONCE]
            facts += _facts(table, relation, names, rows, distinct)
    return rows, facts


def _facts(
    table: Table, relation: exp.Expr, names: Sequence[str], rows: int, distinct: str
) -> list[ColumnFacts]:
    """The facts of some columns, in one pass; a second one finds the kinds of those with few values."""
    counts: list[exp.Expr] = []
    for index, name in enumerate(names):
        cell = table.cell(name)
        counts.append(exp.alias_(sql.fragment("count(:cell)", cell=cell), f"k{index}"))
        counts.append(exp.alias_(sql.fragment(distinct, cell=cell), f"d{index}"))
    numbers = table.session.row(exp.select(*counts).from_(relation), table.about)
    present = dict(zip(names, map(int, numbers[::2]), strict=True))
    values = dict(zip(names, map(int, numbers[1::2]), strict=True))
    untyped = [name for name in names if not table.kind(name) and values[name] <= SAMPLED_VALUES]
    kinds = _guessed_at_once(table, relation, untyped) if table.session.lists else {}
    return [
        ColumnFacts(
            name=name,
            kind=table.kind(name) or kinds.get(name) or _guessed(table, relation, name),
            missing=rows - present[name],
            distinct=min(values[name], present[name]),
        )
        for name in names
    ]


def _frame_facts(table: FrameTable, name: str) -> ColumnFacts:
    column = table.factorized(name)
    return ColumnFacts(
        name=name,
        kind=guess(column.cells),
        missing=int((column.codes < 0).sum()),
        distinct=len(column.cells),
    )


def _guessed_at_once(table: Table, relation: exp.Expr, names: Sequence[str]) -> dict[str, Kind]:
    """As `_guessed` for columns of few values, which would take a pass over all rows each."""
    if not names:
        return {}
    lists = [sql.fragment("array_agg(DISTINCT :cell)", cell=sql.column(name)) for name in names]
    (values,) = table.session.rows(exp.select(*lists).from_(relation), table.about)
    return {
        name: guess([cell for cell in cells or () if cell]) for name, cells in zip(names, values, strict=True)
    }


def _guessed(table: Table, relation: exp.Expr, name: str) -> Kind:
    sample = exp.select(sql.column(name)).distinct().from_(relation).limit(SAMPLED_VALUES)
    return guess([cell for (cell,) in table.session.rows(sample, table.about) if cell])


def uniqueness(table: Table, columns: Sequence[str]) -> Uniqueness:
    """How well the columns together distinguish rows."""
    cells = [exp.alias_(table.cell(name), f"g{index}") for index, name in enumerate(columns)]
    unique = sql.summed_if(sql.fragment("n = 1"), sql.number(1))
    with table.selected(columns) as relation:
        groups = sql.counted(cells, relation).subquery("g")
        counts = table.session.row(exp.select("count(*)", exp.alias_(unique, "u")).from_(groups), table.about)
    return Uniqueness(groups=int(counts[0]), unique_rows=int(counts[1]))
