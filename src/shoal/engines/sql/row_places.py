"""Where rows are, for messages that must not quote cells."""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot import exp

from shoal.engines.sql import pieces as sql
from shoal.engines.sql.table import Table

ROWS_NAMED = 3
"""Rows that a message names."""


def first_row(table: Table, relation: exp.Expr, condition: exp.Expr, template: str) -> str:
    """A description of the first row with a condition, if rows have an order."""
    if not table.session.keeps_order:
        return ""
    first = exp.select("min(r)").from_(_numbered(relation, condition)).where("c")
    return template.format(int(table.session.row(first, table.about)[0]))


def first_rows(table: Table, relation: exp.Expr, condition: exp.Expr) -> str:
    """A description of the first rows with a condition, if rows have an order."""
    if not table.session.keeps_order:
        return ""
    first = exp.select("r").from_(_numbered(relation, condition)).where("c").order_by("r").limit(ROWS_NAMED)
    return rows_named([int(row) for (row,) in table.session.rows(first, table.about)])


def rows_named(rows: Sequence[int]) -> str:
    """The first rows, counted from 1, in words."""
    found = [f"{row:,}" for row in rows[:ROWS_NAMED]]
    if len(found) < 2:
        return "".join(f", the first is row {row}" for row in found)
    return f", the first are rows {', '.join(found[:-1])} and {found[-1]}"


def _numbered(relation: exp.Expr, condition: exp.Expr) -> exp.Subquery:
    number = sql.fragment("row_number() OVER () AS r")
    return exp.select(exp.alias_(condition, "c"), number).from_(relation).subquery("n")
