"""What PostgreSQL's catalog says of tables: which there are, what may be done with them, their columns."""

from __future__ import annotations

from dataclasses import dataclass

from sqlglot import exp

from shoal.engines.postgres.session import PostgresSession, literal
from shoal.engines.sql import cell_type
from shoal.engines.sql import pieces as sql
from shoal.engines.sql.cell_type import CellType
from shoal.errors import EngineError, PolicyError

LONGEST_NAME = 63
"""Bytes; PostgreSQL cuts off the rest without a word."""

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


@dataclass(frozen=True, kw_only=True)
class CatalogEntry:
    """A table that is there.

    Parameters
    ----------
    name
        Its name, with its schema.
    oid
        Its number in the catalog; another table of the same name has another.
    kind
        The letter that `pg_class.relkind` has for it.
    readable, owned
        Whether the user may read it, and drop it.
    """

    name: exp.Table
    oid: int
    kind: str
    readable: bool
    owned: bool


def find(session: PostgresSession, name: str) -> CatalogEntry | None:
    """The table that has a name, if there is one; without a schema it is looked for on the search path."""
    given = _in_this_database(session, name)
    where = f"n.nspname = {literal(given.db)}" if given.db else "pg_table_is_visible(c.oid)"
    rows = session.fetched(
        "SELECT CAST(n.nspname AS TEXT), CAST(c.oid AS BIGINT), CAST(c.relkind AS TEXT), "
        "has_table_privilege(c.oid, 'SELECT'), pg_has_role(c.relowner, 'USAGE') "
        "FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace "
        f"WHERE c.relname = {literal(given.name)} AND {where}",
        name,
    )
    if not rows:
        return None
    schema, oid, kind, readable, owned = rows[0]
    return CatalogEntry(name=_named(schema, given.name), oid=oid, kind=kind, readable=readable, owned=owned)


def found(session: PostgresSession, name: str) -> CatalogEntry:
    """The table that has a name; raises if there is none that can be read."""
    table = find(session, name)
    if table is None:
        raise EngineError(f"there is no table {name} in the database{_similar(session, name)}")
    if table.kind not in _SELECTABLE:
        raise EngineError(f"{name} is no table or view; rows cannot be read from it")
    if not table.readable:
        raise EngineError(f"{name}: permission denied; the user needs SELECT on it, or on a view of it")
    return table


def new(session: PostgresSession, name: str) -> exp.Table:
    """The name of a table that can be made, with its schema; raises if it cannot."""
    given = _in_this_database(session, name)
    asked = literal(given.db) if given.db else "CAST(current_schema() AS TEXT)"
    ((schema, exists, allowed),) = session.fetched(
        "SELECT name, n.oid IS NOT NULL, coalesce(has_schema_privilege(n.oid, 'CREATE'), FALSE) "
        f"FROM (SELECT {asked} AS name) AS s LEFT JOIN pg_namespace AS n ON n.nspname = s.name",
        name,
    )
    if not exists:
        missing = "the search path has no schema" if schema is None else f"there is no schema {schema}"
        raise EngineError(f"cannot write {name}: {missing}; create it, or choose another")
    if not allowed:
        raise EngineError(
            f"cannot write {name}: permission denied; the user needs CREATE on the schema {schema}"
        )
    return _named(schema, given.name)


def has_dependents(session: PostgresSession, table: CatalogEntry) -> bool:
    """Whether views or constraints would have to go with the table."""
    return bool(
        session.fetched(
            "SELECT 1 FROM pg_depend WHERE refclassid = 'pg_class'::regclass AND deptype = 'n' "
            f"AND refobjid = {table.oid} LIMIT 1",
            table.name.name,
        )
    )


def types(session: PostgresSession, table: CatalogEntry) -> dict[str, CellType]:
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
        table.name.name,
    )
    if not rows:
        raise EngineError(f"{table.name.name} has no columns")
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


def _in_this_database(session: PostgresSession, name: str) -> exp.Table:
    given = sql.table(name)
    if any(len(part.encode()) > LONGEST_NAME for part in (given.db, given.name)):
        # Compared with names of the catalog, it would be cut off, too, and pass for another table.
        raise PolicyError(f"{name} names no table of PostgreSQL: it has more than {LONGEST_NAME} bytes")
    if given.catalog and session.fetched("SELECT CAST(current_database() AS TEXT)", name) != [
        (given.catalog,)
    ]:
        raise PolicyError(f"{name} is in another database than the connection; write schema.table")
    return given


def _named(schema: str, table: str) -> exp.Table:
    return exp.table_(table, db=schema, quoted=True)


def _similar(session: PostgresSession, name: str) -> str:
    """A hint at a table whose name differs by case or schema only."""
    rows = session.fetched(
        "SELECT CAST(n.nspname AS TEXT), CAST(c.relname AS TEXT) FROM pg_class AS c "
        "JOIN pg_namespace AS n ON n.oid = c.relnamespace "
        f"WHERE lower(c.relname) = lower({literal(sql.table(name).name)}) "
        "AND c.relkind IN ('r', 'p', 'v', 'm', 'f') AND has_schema_privilege(n.oid, 'USAGE') "
        "ORDER BY 1, 2 LIMIT 1",
        name,
    )
    return f"; is {session.rendered(_named(*rows[0]))} meant?" if rows else ""
