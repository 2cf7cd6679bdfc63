"""Pieces of statements: names and texts quoted, and templates that keep expressions readable."""

from __future__ import annotations

import re
import secrets
from collections.abc import Sequence
from functools import lru_cache

from sqlglot import exp, parse_one

from shoal.errors import PolicyError

_PART = re.compile(r'"(?:[^"]|"")+"|[^."]+')
_NAME = re.compile(rf"(?:{_PART.pattern})(?:\.(?:{_PART.pattern})){{0,2}}")


def column(name: str, table: str | None = None) -> exp.Column:
    """A column, by its exact name."""
    return exp.column(name, table, quoted=True)


def text(value: str | None) -> exp.Expr:
    """A text, or NULL."""
    return exp.null() if value is None else exp.Literal.string(value)


def number(value: int) -> exp.Expr:
    """A whole number."""
    return exp.convert(int(value))


def as_text(value: exp.Expr) -> exp.Expr:
    """A value cast to text."""
    return exp.cast(value, exp.DataType.Type.TEXT)


def as_integer(value: exp.Expr) -> exp.Expr:
    """A value cast to a whole number of 64 bits."""
    return exp.cast(value, exp.DataType.Type.BIGINT)


def fragment(template: str, **parts: exp.Expr | int | str) -> exp.Expr:
    """A template with `:name` in the places of its parts: expressions, numbers or texts."""

    def filled(node: exp.Expr) -> exp.Expr:
        if not isinstance(node, exp.Placeholder):
            return node
        part = parts[node.name]
        if not isinstance(part, exp.Expr):
            return exp.convert(part)
        # The generator ignores operator precedence.
        return exp.paren(part) if isinstance(part, exp.Binary | exp.Unary) else part.copy()

    return _parsed(template).transform(filled)  # of a copy


@lru_cache(maxsize=256)
def _parsed(template: str) -> exp.Expr:
    parsed = parse_one(template)
    # The positions of names in the template: nobody needs them, and copying them takes longer than the rest.
    for node in parsed.walk():
        node._meta = None
    return parsed


def summed_if(condition: exp.Expr, value: exp.Expr) -> exp.Expr:
    """The sum of a value over the rows with a condition; 0 without any."""
    return fragment(
        "coalesce(sum(CASE WHEN :condition THEN :value ELSE 0 END), 0)", condition=condition, value=value
    )


def bisected(numbers: Sequence[int], position: exp.Expr) -> exp.Expr:
    """The number at a position, counted from 0, by comparisons that halve the list."""

    def between(begin: int, end: int) -> exp.Expr:
        if all(each == numbers[begin] for each in numbers[begin:end]):
            return number(numbers[begin])
        middle = (begin + end) // 2
        return fragment(
            "CASE WHEN :position < :middle THEN :first ELSE :second END",
            position=position,
            middle=middle,
            first=between(begin, middle),
            second=between(middle, end),
        )

    return between(0, len(numbers))


def table(name: str) -> exp.Table:
    """A table by its name, alone or with a schema before a dot; quotes protect a dot in a name."""
    match = _NAME.fullmatch(name)
    if match is None or "\0" in name:
        raise PolicyError(
            f'{name!r} is not the name of a table; write it as table, schema.table or "schema"."table"'
        )
    parts = [each[1:-1].replace('""', '"') if each[0] == '"' else each for each in _PART.findall(name)]
    return exp.table_(*(exp.to_identifier(part, quoted=True) for part in reversed(parts)))


def token() -> str:
    """A mark that no other run has."""
    return secrets.token_hex(8)


def every(conditions: Sequence[exp.Expr]) -> exp.Expr:
    """Whether all conditions hold."""
    return exp.and_(*conditions) if conditions else exp.true()


def counted(
    cells: Sequence[exp.Expr],
    relation: exp.Expr,
    *measures: exp.Expr,
    measured: Sequence[exp.Expr] = (),
) -> exp.Select:
    """Distinct combinations of cells, with aggregates of each.

    Parameters
    ----------
    cells
        What to group by, with aliases. Computed in a subquery: not every engine can group by an alias.
    relation
        The rows.
    measures
        Aggregates, with aliases; by default the number of rows, as `n`.
    measured
        What the aggregates read, with aliases.
    """
    names = [exp.column(cell.alias) for cell in cells]
    rows = exp.select(*cells, *measured).from_(rows_of(relation))
    counts = measures or (exp.alias_(exp.Count(this=exp.Star()), "n"),)
    return exp.select(*names, *counts).from_(rows.subquery("c")).group_by(*names)


def query(
    *columns: exp.Expr | str,
    of: exp.Expr,
    where: exp.Expr | str | None = None,
    by: Sequence[exp.Expr | str] = (),
) -> exp.Select:
    """Columns of rows, selected and grouped.

    sqlglot's builders copy the whole statement in every step; that takes longer than running it on a small
    table. Here nothing is copied: what goes in, except tables, is for this query alone.
    """
    built = exp.select(*columns, copy=False).from_(of, copy=False)
    if where is not None:
        built = built.where(where, copy=False)
    return built.group_by(*by, copy=False) if by else built


def rows_of(rows: exp.Expr, alias: str = "r") -> exp.Expr:
    """Rows to select from: a query becomes a subquery."""
    return (
        rows.subquery(alias) if isinstance(rows, exp.Query) and not isinstance(rows, exp.Subquery) else rows
    )
