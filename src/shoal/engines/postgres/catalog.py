"""PostgreSQL's catalog: which tables exist, what the user may do with them, and their columns."""

from __future__ import annotations

from dataclasses import dataclass

from sqlglot import exp

from shoal.engines.postgres.session import PostgresSession, literal
from shoal.engines.sql import cell_type
from shoal.engines.sql import pieces as sql
from shoal.engines.sql.cell_type import CellType
from shoal.errors import EngineError, PolicyError

LONGEST_NAME = 63
"""Bytes; PostgreSQL silently cuts off the rest."""

STORED = ("r", "p", "m")
"""Tables, partitioned ones and materialized views: the server can draw some of their rows."""
_SELECTABLE = (*STORED, "v", "f")  # views and foreign tables, too
_TYPES = {
    "bool": cell_type.BOOLEAN,
    "bpchar": cell_type.FOLDED_TEXT,
    "date": cell_type.DATE,
    "float4": cell_type.FLOAT,
    "float8": cell_type.FLOAT,
    "int2": cell_type.INTEGER,
    "int4": cell_type.INTEGER,
    "int8": cell_type.INTEGER,
    "name": cell_type.FOLDED_TEXT,
    "numeric": cell_type.NUMERIC,
    "text": cell_type.TEXT,
    "timestamp": cell_type.TIMESTAMP,
    "timestamptz": cell_type.TIMESTAMP,
    "uuid": cell_type.OPAQUE,
    "varchar": cell_type.TEXT,
}


@dataclass(frozen=True, kw_only=True)
class CatalogEntry:
    """An existing table.

    Parameters
    ----------
    name
        Its name, with its schema.
    oid
        Its number in the catalog; another table of the same name has another.
    kind
        Its letter in `pg_class.relkind`.
    readable, owned
        Whether the user may read it, and drop it.
    """

    name: exp.Table
    oid: int
    kind: str
    readable: bool
    owned: bool


def find(session: PostgresSession, name: str) -> CatalogEntry | None:
    """The table with a name, if it exists; without a schema, it is searched for on the search path."""
    stated = _in_this_database(session, name)
    where = f"n.nspname = {literal(stated.db)}" if stated.db else "pg_table_is_visible(c.oid)"
    rows = session.fetched(
        "SELECT CAST(n.nspname AS TEXT), CAST(c.oid AS BIGINT), CAST(c.relkind AS TEXT), "
        "has_table_privilege(c.oid, 'SELECT'), pg_has_role(c.relowner, 'USAGE') "
        "FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace "
        f"WHERE c.relname = {literal(stated.name)} AND {where}",
        name,
    )
    if not rows:
        return None
    schema, oid, kind, readable, owned = rows[0]
    return CatalogEntry(name=_named(schema, stated.name), oid=oid, kind=kind, readable=readable, owned=owned)


def readable_table(session: PostgresSession, name: str) -> CatalogEntry:
    """The table with a name; raises if it does not exist or cannot be read."""
    table = find(session, name)
    if table is None:
        raise EngineError(f"the database has no table {name}{_similar(session, name)}")
    if table.kind not in _SELECTABLE:
        raise EngineError(f"{name} is not a table or view; rows cannot be read from it")
    if not table.readable:
        raise EngineError(f"{name}: permission denied; the user needs SELECT on it, or on a view of it")
    return table


def new(session: PostgresSession, name: str) -> exp.Table:
    """The name of a table that can be created, with its schema; raises if it cannot."""
    stated = _in_this_database(session, name)
    schema_name = literal(stated.db) if stated.db else "CAST(current_schema() AS TEXT)"
    ((schema, exists, allowed),) = session.fetched(
        "SELECT name, n.oid IS NOT NULL, coalesce(has_schema_privilege(n.oid, 'CREATE'), FALSE) "
        f"FROM (SELECT {schema_name} AS name) AS s LEFT JOIN pg_namespace AS n ON n.nspname = s.name",
        name,
    )
    if not exists:
        missing = "the search path has no schema" if schema is None else f"the schema {schema} does not exist"
        raise EngineError(f"cannot write {name}: {missing}; create it, or choose another")
    if not allowed:
        raise EngineError(
            f"cannot write {name}: permission denied; the user needs CREATE on the schema {schema}"
        )
    return _named(schema, stated.name)


def has_dependents(session: PostgresSession, table: CatalogEntry) -> bool:
    """Whether views or constraints would have to be dropped with the table."""
    return bool(
        session.fetched(
            "SELECT 1 FROM pg_depend WHERE refclassid = 'pg_class'::regclass AND deptype = 'n' "
            f"AND refobjid = {table.oid} LIMIT 1",
            table.name.name,
        )
    )


def types(session: PostgresSession, table: CatalogEntry) -> dict[str, CellType]:
    """The columns in order, and what their types mean; a domain counts as its base type."""
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


def _type(name: str, builtin: bool, enum: bool, modified: bool, bytewise: bool) -> CellType:
    """What a type means, by its name if it is one of PostgreSQL's own."""
    if enum:
        return cell_type.OPAQUE
    cell_type_found = _TYPES.get(name, cell_type.OTHER) if builtin else cell_type.OTHER
    if cell_type_found is cell_type.NUMERIC and modified:  # NUMERIC(9, 2): a fixed number of digits
        return cell_type.DECIMAL
    if cell_type_found is cell_type.TEXT and not bytewise:  # a collation that treats different texts as equal
        return cell_type.FOLDED_TEXT
    return cell_type_found


def _in_this_database(session: PostgresSession, name: str) -> exp.Table:
    stated = sql.table(name)
    if any(len(part.encode()) > LONGEST_NAME for part in (stated.db, stated.name)):
        # In a comparison with names of the catalog it would also be cut off, and match another table.
        raise PolicyError(f"{name} cannot be a table of PostgreSQL: it has more than {LONGEST_NAME} bytes")
    if stated.catalog and session.fetched("SELECT CAST(current_database() AS TEXT)", name) != [
        (stated.catalog,)
    ]:
        raise PolicyError(f"{name} is in a different database than the connection; write schema.table")
    return stated


def _named(schema: str, table: str) -> exp.Table:
    return exp.table_(table, db=schema, quoted=True)


def _similar(session: PostgresSession, name: str) -> str:
    """A suggestion if a table's name differs only by case or schema."""
    rows = session.fetched(
        "SELECT CAST(n.nspname AS TEXT), CAST(c.relname AS TEXT) FROM pg_class AS c "
        "JOIN pg_namespace AS n ON n.oid = c.relnamespace "
        f"WHERE lower(c.relname) = lower({literal(sql.table(name).name)}) "
        "AND c.relkind IN ('r', 'p', 'v', 'm', 'f') AND has_schema_privilege(n.oid, 'USAGE') "
        "ORDER BY 1, 2 LIMIT 1",
        name,
    )
    return f"; did you mean {session.rendered(_named(*rows[0]))}?" if rows else ""
