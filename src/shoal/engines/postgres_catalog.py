"""What PostgreSQL's catalog says of a table: that it is there, what it is, what its columns are."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass

from sqlglot import exp

from shoal.engines import cell_type
from shoal.engines.cell_type import CellType
from shoal.engines.postgres_session import PostgresSession, literal
from shoal.errors import EngineError, PolicyError

LONGEST_NAME = 63
"""Bytes; PostgreSQL cuts off the rest without a word."""

_PART = re.compile(r'"((?:[^"]|"")+)"|([^".]+)')
_PLAIN = re.compile(r"[^\W\d][\w$]*")
_SELECTABLE = ("r", "p", "v", "m", "f")  # tables, partitioned ones, views, materialized ones, foreign tables
_TYPES = {
    "bool": cell_type.BOOLEAN,
    "bpchar": cell_type.WORD,
    "date": cell_type.DATE,
    "float4": cell_type.FLOAT,
    "float8": cell_type.FLOAT,
    "int2": cell_type.INTEGER,
    "int4": cell_type.INTEGER,
    "int8": cell_type.INTEGER,
    "name": cell_type.WORD,
    "numeric": cell_type.NUMERIC,
    "text": cell_type.TEXT,
    "timestamp": cell_type.TIMESTAMP,
    "timestamptz": cell_type.TIMESTAMP,
    "uuid": cell_type.OPAQUE,
    "varchar": cell_type.TEXT,
}


@dataclass(frozen=True)
class Name:
    """The name of a table, with its schema, both as the catalog has them.

    Parameters
    ----------
    schema, table
        The names, not quoted.
    """

    schema: str
    table: str

    def __str__(self) -> str:
        return f"{self.schema}.{self.table}"

    @property
    def expression(self) -> exp.Table:
        """The name in a statement."""
        return exp.table_(self.table, db=self.schema, quoted=True)

    @property
    def quoted(self) -> str:
        """The name in a statement that is a text."""
        return self.expression.sql(dialect="postgres")


@dataclass(frozen=True, kw_only=True)
class Found:
    """A table that is there.

    Parameters
    ----------
    name
        Its name.
    oid
        Its number in the catalog; another table of the same name has another.
    kind
        The letter that `pg_class.relkind` has for it.
    readable, owned
        Whether the user may read it, and drop it.
    comment
        What is said of it.
    """

    name: Name
    oid: int
    kind: str
    readable: bool
    owned: bool
    comment: str | None

    @property
    def is_release(self) -> bool:
        """Whether it is a release of Shoal: a table whose comment is a manifest."""
        if self.kind != "r" or self.comment is None:
            return False
        try:
            said = json.loads(self.comment)
        except ValueError:
            return False
        return isinstance(said, dict) and {"shoal", "policy_digest", "audit"} <= said.keys()


def split(text: str) -> tuple[str | None, str]:
    """The schema, if there is one, and the table that a text names; as in SQL, what has no quotes is folded.

    A name that SQL would only take in quotes is taken without them as well.
    """
    parts = []
    position = 0
    while found := _PART.match(text, position):
        quoted, bare = found.groups()
        plain = bare is not None and _PLAIN.fullmatch(bare)
        parts.append(quoted.replace('""', '"') if quoted else _folded(bare) if plain else bare)
        position = found.end() + 1
        if found.end() < len(text) and text[found.end()] != ".":
            break
    if position != len(text) + 1 or not 1 <= len(parts) <= 2 or any("\0" in part for part in parts):
        raise PolicyError(
            f"cannot read the table name {text!r}; write table or schema.table, and a name with dots in it "
            'in quotes: "stays.2024"'
        )
    return (None, parts[0]) if len(parts) == 1 else (parts[0], parts[1])


def _folded(name: str) -> str:
    """As PostgreSQL folds it: only the letters of ASCII."""
    return "".join(sign.lower() if sign.isascii() else sign for sign in name)


def find(session: PostgresSession, text: str) -> Found | None:
    """The table that a text names, if there is one."""
    schema, table = split(text)
    where = "pg_table_is_visible(c.oid)" if schema is None else f"n.nspname = {literal(schema)}"
    rows = session.fetched(
        "SELECT CAST(n.nspname AS TEXT), CAST(c.relname AS TEXT), CAST(c.oid AS BIGINT), "
        "CAST(c.relkind AS TEXT), has_table_privilege(c.oid, 'SELECT'), pg_has_role(c.relowner, 'USAGE'), "
        "obj_description(c.oid, 'pg_class') FROM pg_class AS c JOIN pg_namespace AS n "
        f"ON n.oid = c.relnamespace WHERE c.relname = {literal(table)} AND {where}",
        text,
    )
    if not rows:
        return None
    schema, table, oid, kind, readable, owned, comment = rows[0]
    return Found(
        name=Name(schema, table), oid=oid, kind=kind, readable=readable, owned=owned, comment=comment
    )


def found(session: PostgresSession, text: str) -> Found:
    """The table that a text names; raises if there is none that can be read."""
    table = find(session, text)
    if table is None:
        raise EngineError(f"there is no table {text} in the database{_similar(session, text)}")
    if table.kind not in _SELECTABLE:
        raise EngineError(f"{text} is no table or view; rows cannot be read from it")
    if not table.readable:
        raise EngineError(
            f"{text}: permission denied; the user needs SELECT on the table, or on a view of it"
        )
    return table


def _similar(session: PostgresSession, text: str) -> str:
    """A hint at a table whose name differs by case or schema only."""
    rows = session.fetched(
        "SELECT CAST(n.nspname AS TEXT), CAST(c.relname AS TEXT) FROM pg_class AS c "
        "JOIN pg_namespace AS n ON n.oid = c.relnamespace "
        f"WHERE lower(c.relname) = lower({literal(split(text)[1])}) "
        "AND c.relkind IN ('r', 'p', 'v', 'm', 'f') AND has_schema_privilege(n.oid, 'USAGE') "
        "ORDER BY 1, 2 LIMIT 1",
        text,
    )
    return f"; is {Name(*rows[0]).quoted} meant?" if rows else ""


def types(session: PostgresSession, table: Found) -> dict[str, CellType]:
    """The columns in order, and what their types mean; a domain is what it is a domain of."""
    rows = session.fetched(
        "WITH RECURSIVE found(number, name, type, modifier, bytewise) AS ("
        "SELECT a.attnum, a.attname, a.atttypid, a.atttypmod, coalesce(c.collisdeterministic, TRUE) "
        "FROM pg_attribute AS a LEFT JOIN pg_collation AS c ON c.oid = a.attcollation "
        f"WHERE a.attrelid = {table.oid} AND a.attnum > 0 AND NOT a.attisdropped "
        "UNION ALL SELECT f.number, f.name, t.typbasetype, t.typtypmod, f.bytewise "
        "FROM found AS f JOIN pg_type AS t ON t.oid = f.type WHERE t.typtype = 'd') "
        "SELECT CAST(f.name AS TEXT), CAST(t.typname AS TEXT), t.typnamespace = 'pg_catalog'::regnamespace, "
        "t.typtype = 'e', f.modifier >= 0, f.bytewise FROM found AS f JOIN pg_type AS t ON t.oid = f.type "
        "WHERE t.typtype <> 'd' ORDER BY f.number",
        str(table.name),
    )
    if not rows:
        raise EngineError(f"{table.name} has no columns")
    return {name: _type(*facts) for name, *facts in rows}


def _type(name: str, known: bool, enum: bool, modified: bool, bytewise: bool) -> CellType:
    """What a type means, by its name if it is one of PostgreSQL's own."""
    if enum:
        return cell_type.OPAQUE
    found = _TYPES.get(name, cell_type.OTHER) if known else cell_type.OTHER
    if found is cell_type.NUMERIC and modified:  # NUMERIC(9, 2): a fixed number of digits
        return cell_type.DECIMAL
    if found is cell_type.TEXT and not bytewise:  # a collation that takes different texts for equal
        return cell_type.WORD
    return found
