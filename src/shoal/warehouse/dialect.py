"""What dialects of SQL do not share: names, literals, how text is compared and what NaN is.

sqlglot renders expressions; this module has what it cannot know. Text is compared sign by sign, also where
the engine would treat 'a' and 'A' as equal: a label that is true of one value is not true of the other.
"""

from __future__ import annotations

import datetime
import re
from dataclasses import dataclass
from decimal import Decimal
from functools import reduce

from sqlglot import exp
from sqlglot.dialects.dialect import Dialect as Grammar
from sqlglot.dialects.dialect import NormalizationStrategy
from sqlglot.errors import SqlglotError

from shoal.errors import PolicyError
from shoal.model.suggestion import suggestion
from shoal.model.table.domain import Value
from shoal.model.table.number_text import Number

DIALECTS = (
    *("athena", "bigquery", "clickhouse", "databricks", "doris", "dremio", "duckdb", "exasol", "fabric"),
    *("hive", "materialize", "mysql", "oracle", "postgres", "presto", "redshift", "risingwave", "snowflake"),
    *("spark", "sqlite", "starrocks", "trino", "tsql"),
)
"""The dialects that have views, CASE and window functions, and whose text sqlglot reads back."""

_BINARY_COLLATION = {"tsql": "Latin1_General_100_BIN2", "fabric": "Latin1_General_100_BIN2_UTF8"}
_BYTEWISE = {"duckdb": "binary", "postgres": "C", "sqlite": "binary"}
_NAN_FUNCTION = {
    *("athena", "bigquery", "clickhouse", "databricks", "duckdb", "hive", "presto", "spark", "trino"),
}
_NAN_TEXT = {"materialize", "postgres", "redshift", "risingwave", "snowflake"}
_NO_ZONES = {
    *("clickhouse", "doris", "dremio", "exasol", "fabric", "sqlite", "starrocks"),
}

_PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_TEMPLATE = re.compile(r"(?<=\{)(?=[{%#])")
_DOUBLE_DIGITS = 15
"""A decimal with no more significant digits is the same double whichever way an engine reads it."""
_DECIMAL_DIGITS = 38
"""Digits of the decimals that all the other dialects have."""
_WHOLE_DIGITS = 18
"""Digits of whole numbers that all dialects have."""
_DOUBLES_ONLY = {"bigquery", "clickhouse", "sqlite"}
"""Dialects that read a literal with a point, or one of more than 64 bits, as a double."""
_LONGEST_LIST = 1000
"""Oracle takes no more values in one IN list."""


@dataclass(frozen=True, kw_only=True)
class Dialect:
    """One dialect, and how names and texts are to be written in it.

    Parameters
    ----------
    name
        sqlglot's name of it.
    exact_names
        Whether names are written exactly as they are spelled. Otherwise a plain word means what it means
        without quotes: AGE in Snowflake, age in PostgreSQL.
    templated
        Whether dbt reads the text before the engine does: then no text may look like a template.
    """

    name: str
    exact_names: bool = False
    templated: bool = False

    def __post_init__(self) -> None:
        if self.name not in DIALECTS:
            raise PolicyError(f"there is no dialect {self.name!r}.{suggestion(self.name, DIALECTS)}")

    @property
    def has_decimals(self) -> bool:
        """Whether a literal with a point is a decimal, and not a double from the start."""
        return self.name not in _DOUBLES_ONLY

    def render(self, statement: exp.Expr) -> str:
        """The statement as text."""
        return statement.sql(dialect=self.name, pretty=True, identify=False, comments=False)

    def identifier(self, name: str) -> exp.Identifier:
        """A name, quoted: no reserved word, pseudo-column or sign in it can mean anything else."""
        if self.templated and _TEMPLATE.search(name):
            raise PolicyError(
                f"the name {name!r} reads like a template of dbt; rename it, or print a view (--as view)"
            )
        if "\0" in name:
            raise PolicyError("a name with a zero byte cannot be written in SQL; rename it")
        if not self.exact_names and _PLAIN.fullmatch(name):
            strategy = Grammar.get_or_raise(self.name).NORMALIZATION_STRATEGY
            if strategy is NormalizationStrategy.UPPERCASE:
                name = name.upper()
            elif strategy is NormalizationStrategy.LOWERCASE:
                name = name.lower()
        return exp.to_identifier(name, quoted=True)

    def quoted(self, name: str) -> str:
        """A name as the user would write it, in quotes if it needs them."""
        return exp.to_identifier(name, quoted=_plain_word(name) is None).sql(dialect=self.name)

    def table(self, name: str) -> exp.Table:
        """A table by the name that the user wrote, with its schema and catalog if there are some."""
        unreadable = PolicyError(
            f"{name!r} is not a name of a table in {self.name}; write it as in schema.table, and quote a "
            "part that is not a plain word in the way of the dialect"
        )
        try:
            read = exp.to_table(name, dialect=self.name)
        except (SqlglotError, ValueError):
            raise unreadable from None
        parts = read.parts if isinstance(read, exp.Table) else []
        others = any(value for key, value in read.args.items() if key not in ("this", "db", "catalog"))
        named = all(isinstance(part, exp.Identifier) and part.name for part in parts)
        if not 1 <= len(parts) <= 3 or others or not named or parts[-1].name == name != _plain_word(name):
            raise unreadable
        names = [
            exp.to_identifier(each.name, quoted=True)
            if each.args.get("quoted")
            else self.identifier(each.name)
            for each in parts
        ]
        return exp.Table(
            **dict(zip(("this", "db", "catalog"), (part.copy() for part in reversed(names)), strict=False))
        )

    def view(self, name: exp.Table, query: exp.Select) -> exp.Create:
        """A view; one that shields its rows, where the dialect has such.

        Elsewhere a reader's own function in a WHERE clause can be run on rows before they are suppressed.
        """
        shield: exp.Expr | None = None
        if self.name == "postgres":
            shield = exp.Property(this=exp.Var(this="security_barrier"), value=exp.true())
        elif self.name == "snowflake":
            shield = exp.SecureProperty()
        properties = None if shield is None else exp.Properties(expressions=[shield])
        return exp.Create(this=name, kind="VIEW", expression=query, properties=properties)

    def text(self, value: str) -> exp.Expr:
        """A text literal."""
        if "\0" in value:
            raise PolicyError("a value has a zero byte, which SQL has no literal for; correct it")
        pieces = _TEMPLATE.split(value) if self.templated else [value]
        literals = [self._text(piece) for piece in pieces]
        # In two pieces: dbt would take {# in a text for the beginning of its own comment.
        return reduce(
            lambda left, right: exp.Concat(expressions=[left, right], safe=False, coalesce=False), literals
        )

    def _text(self, value: str) -> exp.Expr:
        # Without the N a text is of the server's code page, and signs that it lacks become question marks.
        return exp.National(this=value) if self.name in _BINARY_COLLATION else exp.Literal.string(value)

    def literal(self, value: Value | float, *, decimal: bool = False) -> exp.Expr:
        """A value that is not missing, as a literal of its type.

        Where some numbers of a column are no doubles, all of them are `decimal`: compared with a double, a
        column of decimals would be rounded.
        """
        if isinstance(value, bool):
            return exp.true() if value else exp.false()
        if isinstance(value, int | float | Decimal):
            literal = exp.Literal.number(self._number(value, decimal=decimal))
            return exp.Neg(this=literal) if value < 0 else literal
        if isinstance(value, datetime.datetime):
            return self._moment(value)
        if isinstance(value, datetime.date):
            return self._dated(value.isoformat(), "date", "TO_DATE", "YYYY-MM-DD")
        return self.text(str(value))

    def _number(self, value: Number | float, *, decimal: bool) -> str:
        """A number such that the dialect reads it without rounding."""
        written = format(Decimal(repr(value) if isinstance(value, float) else value), "f").removeprefix("-")
        whole, _, places = written.partition(".")
        digits = len(whole.lstrip("0")) + len(places)
        exact = digits <= (_WHOLE_DIGITS if self.name in _DOUBLES_ONLY else _DECIMAL_DIGITS)
        if isinstance(value, int) and exact:
            return written
        double = repr(abs(float(value)))
        if Decimal(double) == Decimal(written) and not (decimal and exact):
            # With a power of ten it is a double from the start; as a decimal it would be rounded twice.
            return double if "e" in double or digits <= _DOUBLE_DIGITS else f"{double}e0"
        if not exact or self.name in _DOUBLES_ONLY:
            raise PolicyError(
                f"a column has numbers of {digits} digits, which {self.name} has no exact literal for; put "
                'them into bins, or set type = "category" and keep them as text'
            )
        return written

    def _moment(self, value: datetime.datetime) -> exp.Expr:
        text = value.isoformat(sep=" ", timespec="microseconds" if value.microsecond else "seconds")
        seconds = "SS.FF" if value.microsecond else "SS"
        form = f"YYYY-MM-DD HH24:MI:{seconds}"
        if value.tzinfo is None:
            return self._dated(text, "timestamp", "TO_TIMESTAMP", form)
        if self.name in _NO_ZONES:
            raise PolicyError(
                f"a column has moments with a time zone, and {self.name} has no type for them; make them "
                "moments in UTC without one"
            )
        return self._dated(text, "timestamptz", "TO_TIMESTAMP_TZ", form + "TZH:TZM")

    def _dated(self, text: str, kind: str, function: str, form: str) -> exp.Expr:
        literal = exp.Literal.string(text)
        if self.name == "oracle":  # a cast would read it as the session's language has it
            return exp.Anonymous(this=function, expressions=[literal, exp.Literal.string(form)])
        return exp.cast(literal, kind)

    def one_of(self, column: exp.Expr, values: list[Value], *, decimal: bool = False) -> exp.Expr:
        """Whether a cell is one of some values of one type, none of them missing."""
        if isinstance(values[0], str):
            # A column of numbers that were counted as codes takes no collation, and needs none.
            column = (
                column if self.name in _BYTEWISE and all(map(is_numeric, values)) else self._exactly(column)
            )
            literals = [self._exact_text(str(value)) for value in values]
        else:
            literals = [self.literal(value, decimal=decimal) for value in values]
        return in_list(column, literals)

    def _exactly(self, text: exp.Expr) -> exp.Expr:
        """A text, such that it is equal only to the same signs."""
        if self.name == "mysql":  # and without its blanks at the end, which collations pad
            return exp.cast(text, "binary")
        if self.name in _BINARY_COLLATION:
            return exp.Collate(this=text, expression=exp.Var(this=_BINARY_COLLATION[self.name]))
        if self.name in _BYTEWISE:  # a column can have a collation of its own
            text = text if self.name == "sqlite" else exp.cast(text, "text")
            return exp.Collate(this=text, expression=exp.to_identifier(_BYTEWISE[self.name], quoted=True))
        return text

    def _exact_text(self, value: str) -> exp.Expr:
        return self._exactly(self.text(value)) if self.name == "mysql" else self.text(value)

    def filled(self, cell: exp.Expr) -> exp.Expr | None:
        """A cell as text, NULL if that is empty; `None` where an empty text is NULL by itself.

        The cast is for columns of numbers that were counted as codes: they are not compared with a text.
        """
        if self.name == "oracle":
            return None
        return exp.Nullif(this=exp.cast(cell, "text"), expression=exp.Literal.string(""))

    def is_nan(self, column: exp.Expr) -> exp.Expr | None:
        """Whether a number is none, for dialects that have such numbers."""
        double = exp.cast(column, "double")
        if self.name in _NAN_FUNCTION:
            return exp.IsNan(this=double)
        if self.name in _NAN_TEXT:
            return exp.EQ(this=double, expression=exp.cast(exp.Literal.string("NaN"), "double"))
        return None


def is_numeric(value: Value) -> bool:
    """Whether a value reads as a number."""
    try:
        float(str(value))
    except ValueError:
        return False
    return True


def _plain_word(name: str) -> str | None:
    """The name, if it needs no quotes. What sqlglot cannot read as a table it takes for a name as a whole."""
    return name if _PLAIN.fullmatch(name) else None


def in_list(column: exp.Expr, literals: list[exp.Expr]) -> exp.Expr:
    """Whether a cell is one of some literals."""
    if len(literals) == 1:
        return exp.EQ(this=column.copy(), expression=literals[0])
    lists = [
        exp.In(this=column.copy(), expressions=literals[start : start + _LONGEST_LIST])
        for start in range(0, len(literals), _LONGEST_LIST)
    ]
    return lists[0] if len(lists) == 1 else exp.or_(*lists)
