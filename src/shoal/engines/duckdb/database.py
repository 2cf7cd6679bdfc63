"""A DuckDB database whose tables are released: an attached file, or the database of an open connection."""

from __future__ import annotations

from pathlib import Path

from sqlglot import exp

from shoal.engines.duckdb.file import cell_type, check_names, without_lists
from shoal.engines.duckdb.session import DuckSession, literal
from shoal.engines.sql import pieces as sql
from shoal.engines.sql.cell_type import TEXT
from shoal.engines.sql.table import DatabaseTable
from shoal.engines.table_staging import TableStaging
from shoal.errors import EngineError, PolicyError

NAME = "shoal_database"


class DuckTable(DatabaseTable):
    """A table whose texts are compared by their bytes, whatever the collation of a column."""

    def _bytewise(self, column: str, cell: exp.Expr) -> exp.Expr:
        if self.types[column] is not TEXT:
            return cell
        return exp.Paren(this=exp.Collate(this=cell, expression=exp.to_identifier("binary", quoted=True)))


class Database:
    """Tables by name.

    Parameters
    ----------
    session
        A session of its own, or one next to a user's connection.
    url
        The file, as `duckdb:///people.db`; `None` for the database of a user's connection.
    """

    def __init__(self, session: DuckSession, url: str | None) -> None:
        self._session = session
        self._source: exp.Table | None = None
        self._file = None if url is None else Path(url.removeprefix("duckdb:///"))
        if self._file is not None:
            if url == "duckdb:///" or not str(url).startswith("duckdb:///"):
                raise PolicyError("the URL of a DuckDB database names its file, as in duckdb:///people.db")
            if not self._file.is_file():
                raise EngineError(f"the database file {self._file} does not exist")
            self._attach("READ_ONLY")
        else:
            (row,) = session.fetched("SELECT current_database(), current_schema()", "the connection")
            self._catalog, self._schema = row
            session.begin()

    def _attach(self, mode: str) -> None:
        assert self._file is not None
        file = literal(str(self._file.absolute()))
        self._session.run(f"ATTACH {file} AS {NAME} ({mode})", self._file.name)
        self._catalog, self._schema = NAME, "main"

    def _named(self, name: str) -> exp.Table:
        stated = sql.table(name)
        if stated.catalog and stated.catalog.lower() != self._catalog.lower():
            raise PolicyError(f"{name} is in a different database than the connection; write schema.table")
        schema = stated.args.get("db") or exp.to_identifier(self._schema, quoted=True)
        return exp.table_(stated.this, schema, exp.to_identifier(self._catalog, quoted=True))

    def table(self, name: str) -> DatabaseTable:
        """A table or view."""
        named = self._named(name)
        if not self._session.comment_on(named)[0]:
            raise PolicyError(f"the database has no table {name!r}")
        self._source = named
        return self.described(named)

    def described(self, table: exp.Table) -> DatabaseTable:
        """A table by its name in statements."""
        text = self._session.rendered(exp.select("*").from_(table))
        column_types = {row[0]: row[1] for row in self._session.fetched(f"DESCRIBE {text}", table.name)}
        check_names(list(column_types), table.name)
        types = {name: cell_type(each) for name, each in column_types.items()}
        return DuckTable(self._session, table, types, table.name, released_as=without_lists(column_types))

    def staging(self, name: str) -> TableStaging:
        """A new table, in a transaction that begins here."""
        if self._file is not None:
            self._session.run(f"DETACH {NAME}", self._file.name)
            self._attach("READ_WRITE")
            self._session.begin()
        target = self._named(name)
        if self._source is not None and str(target).lower() == str(self._source).lower():
            target = self._source  # names here ignore case
        return TableStaging(self._session, target, self._source)
