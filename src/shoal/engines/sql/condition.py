"""The conditions by which a policy chooses rows: comparisons of a column with values, and their combinations.

A part of SQL that reads the same everywhere: no functions, no subqueries, no arithmetic, nothing with a side
effect. A comparison with a missing cell is neither true nor false, as in SQL, and a row is chosen only if the
whole condition is true.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from sqlglot import exp, parse_one
from sqlglot.errors import SqlglotError

from shoal.errors import PolicyError
from shoal.model.suggestion import suggestion

Operator = Literal["=", "<>", "<", "<=", ">", ">="]
Value = str | bool | Fraction

_COMPARED: dict[type[exp.Expr], Operator] = {
    exp.EQ: "=",
    exp.NEQ: "<>",
    exp.LT: "<",
    exp.LTE: "<=",
    exp.GT: ">",
    exp.GTE: ">=",
}
_TURNED: dict[Operator, Operator] = {"=": "=", "<>": "<>", "<": ">", "<=": ">=", ">": "<", ">=": "<="}
_FORM = "compare columns with values by =, <>, <, <=, >, >=, IN, BETWEEN, IS NULL, and join with AND, OR, NOT"


@dataclass(frozen=True, kw_only=True)
class Comparison:
    """A column, how it is compared, and the value."""

    column: str
    operator: Operator
    value: Value


@dataclass(frozen=True, kw_only=True)
class IsMissing:
    """Whether a cell of a column is missing."""

    column: str


@dataclass(frozen=True, kw_only=True)
class Negation:
    """A condition that must be false."""

    part: Condition


@dataclass(frozen=True, kw_only=True)
class Combination:
    """Conditions of which all must be true, or one."""

    parts: tuple[Condition, ...]
    every: bool


Condition = Comparison | IsMissing | Negation | Combination


def parsed(text: str, columns: Sequence[str]) -> Condition:
    """The condition that a text states about columns; `PolicyError` for anything else.

    Parameters
    ----------
    text
        As in `age >= 18 and country = 'DE'`. A name that is not a plain word is in double quotes.
    columns
        The columns that exist.
    """
    try:
        tree = parse_one(text, dialect="duckdb")
    except (SqlglotError, RecursionError):
        raise PolicyError(
            f"subset is no condition that can be read; {_FORM}: age >= 18 AND country = 'DE'"
        ) from None
    return _Reader(columns).condition(tree)


def columns_of(condition: Condition) -> Iterator[str]:
    """The columns that a condition looks at."""
    if isinstance(condition, Comparison | IsMissing):
        yield condition.column
    elif isinstance(condition, Negation):
        yield from columns_of(condition.part)
    else:
        for part in condition.parts:
            yield from columns_of(part)


class _Reader:
    """Reads the tree that sqlglot makes of a text."""

    def __init__(self, columns: Sequence[str]) -> None:
        self._columns = columns

    def condition(self, tree: exp.Expr) -> Condition:
        if isinstance(tree, exp.Paren):
            return self.condition(tree.this)
        if isinstance(tree, exp.Not):
            return Negation(part=self.condition(tree.this))
        if isinstance(tree, exp.And | exp.Or):
            sides = (self.condition(tree.this), self.condition(tree.expression))
            return Combination(parts=sides, every=isinstance(tree, exp.And))
        if type(tree) in _COMPARED:
            return self._comparison(tree.this, _COMPARED[type(tree)], tree.expression)
        if isinstance(tree, exp.Is) and isinstance(tree.expression, exp.Null):
            return IsMissing(column=self._column(tree.this))
        if isinstance(tree, exp.Between) and not tree.args.get("symmetric"):
            low = self._comparison(tree.this, ">=", tree.args["low"])
            high = self._comparison(tree.this, "<=", tree.args["high"])
            return Combination(parts=(low, high), every=True)
        if isinstance(tree, exp.In) and tree.expressions and not tree.args.get("query"):
            parts = tuple(self._comparison(tree.this, "=", each) for each in tree.expressions)
            return Combination(parts=parts, every=False)
        raise _refused(tree)

    def _comparison(self, left: exp.Expr, operator: Operator, right: exp.Expr) -> Comparison:
        if isinstance(_bare(right), exp.Column) and not isinstance(_bare(left), exp.Column):
            left, operator, right = right, _TURNED[operator], left
        return Comparison(column=self._column(left), operator=operator, value=_value(_bare(right)))

    def _column(self, tree: exp.Expr) -> str:
        tree = _bare(tree)
        if not isinstance(tree, exp.Column) or tree.table:
            raise _refused(tree)
        if tree.name not in self._columns:
            raise PolicyError(
                f"subset names {tree.name!r}, which is no column of the source."
                f"{suggestion(tree.name, self._columns)}"
            )
        return tree.name


def _bare(tree: exp.Expr) -> exp.Expr:
    return _bare(tree.this) if isinstance(tree, exp.Paren) else tree


def _value(tree: exp.Expr) -> Value:
    negative = isinstance(tree, exp.Neg)
    literal = _bare(tree.this) if negative else tree
    if isinstance(literal, exp.Boolean) and not negative:
        return bool(literal.this)
    if isinstance(literal, exp.Literal) and not literal.is_string:
        return -Fraction(literal.this) if negative else Fraction(literal.this)
    if isinstance(literal, exp.Literal) and not negative:
        return str(literal.this)
    raise _refused(literal)


def _refused(tree: exp.Expr) -> PolicyError:
    if isinstance(tree, exp.Null):
        return PolicyError("subset compares a column with NULL, which is never true; write IS NULL")
    what = "a subquery" if isinstance(tree, exp.Query) else f"{tree.key.upper()}"
    more = '; put a name like "marital-status" in double quotes' if isinstance(tree, exp.Sub) else ""
    return PolicyError(f"subset has {what}, which is not allowed there: {_FORM}{more}")
