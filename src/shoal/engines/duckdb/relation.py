"""Relations of DuckDB in Python: read once into the session, and returned as relations."""

from __future__ import annotations

from typing import Any, TypeVar

import duckdb
from sqlglot import exp

from shoal.engines.duckdb.file import cell_type, check_names, check_survives, without_lists
from shoal.engines.duckdb.session import DuckSession, translated
from shoal.engines.sql.table import DatabaseTable

ABOUT = "the relation"
_CHANGED = r"\b(UHUGEINT|BIT|TIME WITH TIME ZONE)\b"
"""Types that Arrow does not have: DuckDB returns 2^128 - 1 as -1, and 10:00+01 as 10:00."""


class RelationTable(DatabaseTable):
    """The rows that a relation had when it was read."""


T = TypeVar("T", bound=RelationTable)


def is_relation(source: object) -> bool:
    """Whether a source is a relation of DuckDB."""
    return isinstance(source, duckdb.DuckDBPyRelation)


def snapshot(session: DuckSession, relation: Any) -> RelationTable:
    """Keep the rows of a relation: a second query could return different ones.

    The rows are streamed from the relation's own connection, and spilled to disk beyond the memory limit.
    """
    check_names(list(relation.columns), ABOUT)
    types = dict(zip(relation.columns, map(str, relation.types), strict=True))
    check_survives(types, _CHANGED, "Arrow")
    with translated(ABOUT):
        reader = relation.to_arrow_reader()
    return kept_rows(session, reader, ABOUT, RelationTable)


def kept_rows(session: DuckSession, reader: Any, about: str, kind: type[T]) -> T:
    """Keep the rows of a stream of Arrow batches.

    Parameters
    ----------
    session
        Where they are kept.
    reader
        The stream.
    about
        What to call the table.
    kind
        What the table is.
    """
    streamed = session.upload_frame("relation", reader, about)
    table = session.keep("source", exp.select("*").from_(streamed), about)
    session.forget(streamed)
    column_types = {row[0]: row[1] for row in session.fetched(f"DESCRIBE {table.name}", about)}
    kinds = {name: cell_type(each) for name, each in column_types.items()}
    return kind(session, table, kinds, about, released_as=without_lists(column_types))


def handed_out(session: DuckSession, query: exp.Expr) -> duckdb.DuckDBPyRelation:
    """The rows of a query as a relation with a database of its own."""
    about = "the release of the relation"
    reader = session.streamed(query, about)
    connection = duckdb.connect()
    with translated(about):
        connection.register("streamed", reader)
        connection.execute("CREATE TABLE released AS SELECT * FROM streamed")
        connection.unregister("streamed")
        return connection.table("released")
