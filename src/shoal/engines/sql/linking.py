"""Counts who has several rows, and whose rows other columns or the order of rows link.

A column links a person if one of its values is on at least two of the person's rows, and on no other
person's: a reader who sees that value twice knows that the rows are of one person. Every number is counted
in the whole table, by one GROUP BY per column.
"""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot import exp

from shoal.engines.sql import pieces as sql
from shoal.engines.sql.table import FrameTable, Table
from shoal.errors import PolicyError
from shoal.model.table.linked_persons import LinkedPersons


def linked_persons(table: Table, person: str, columns: Sequence[str]) -> LinkedPersons:
    """Who has several rows, and what links them.

    Parameters
    ----------
    table
        The table.
    person
        The column that distinguishes persons; rows without a person are left out.
    columns
        The columns that may link rows.
    """
    session, about = table.session, table.about
    columns = [name for name in columns if _comparable(table, name)]
    with table.selected([person, *columns]) as relation:
        rows, persons, several, pairs = session.row(_persons(table, person, relation), about)
        by_column = {
            name: int(session.row(_linked(table, person, name, relation), about)[0])
            for name in (columns if several else ())
        }
        neighbours, adjacent = None, 0
        if session.keeps_order:
            neighbours, adjacent = session.row(_neighbours(table, person, relation), about)
    return LinkedPersons(
        rows=int(rows),
        persons=int(persons),
        several=int(several),
        by_column=by_column,
        neighbours=None if neighbours is None else int(neighbours),
        pairs=int(adjacent),
        pairs_by_chance=float(pairs) / int(rows) if rows else 0.0,
    )


def _comparable(table: Table, name: str) -> bool:
    """Whether the cells of a column can be compared: a kept column of a frame may contain anything."""
    if isinstance(table, FrameTable):
        try:
            table.factorized(name)
        except PolicyError:
            return False
    return True


def _known(table: Table, name: str) -> exp.Expr:
    """SQL for a cell; NULL for one that is missing."""
    cell = table.cell(name)
    if isinstance(table, FrameTable):
        return sql.fragment("nullif(:cell, -1)", cell=cell)
    return sql.fragment("nullif(:cell, '')", cell=cell) if table.is_text else cell


def _persons(table: Table, person: str, relation: exp.Expr) -> exp.Select:
    """Rows, persons, persons with several rows, and ordered pairs of rows of one person."""
    people = sql.counted([exp.alias_(_known(table, person), "p")], relation)
    return (
        exp.select(
            "coalesce(sum(n), 0) AS r",
            "count(*) AS p",
            "coalesce(sum(CASE WHEN n > 1 THEN 1 ELSE 0 END), 0) AS s",
            "coalesce(sum(CAST(n AS DOUBLE) * (n - 1)), 0) AS q",
        )
        .from_(people.subquery("u"))
        .where("NOT p IS NULL")
    )


def _linked(table: Table, person: str, name: str, relation: exp.Expr) -> exp.Select:
    """How many persons a column links."""
    cells = [exp.alias_(_known(table, person), "p"), exp.alias_(_known(table, name), "c")]
    together = exp.select("p", "c", "n").from_(sql.counted(cells, relation).subquery("u"))
    together = together.where("NOT p IS NULL AND NOT c IS NULL")
    own = exp.select("min(p) AS p").from_(together.subquery("v")).group_by("c")
    own = own.having(sql.fragment("count(*) = 1 AND max(n) >= 2"))
    return exp.select("count(DISTINCT p) AS l").from_(own.subquery("w"))


def _neighbours(table: Table, person: str, relation: exp.Expr) -> exp.Select:
    """Persons of whom two rows follow each other, and such pairs of rows."""
    rows = exp.select(exp.alias_(_known(table, person), "p")).from_(sql.rows_of(relation))
    paired = exp.select("p", sql.fragment("lag(p) OVER () AS q")).from_(rows.subquery("r"))
    return exp.select("count(DISTINCT p) AS d", "count(*) AS n").from_(paired.subquery("s")).where("p = q")
