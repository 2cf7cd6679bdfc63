"""PostgreSQL as an engine: rows are counted, recoded, written and audited at the server.

Only the texts of distinct cells, codes and counts leave it. Only temporary tables and one new table reach it,
in one transaction.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, Self

import numpy as np
from sqlglot import exp, parse_one

from shoal.engines._base import Application, Counted, Source
from shoal.engines.duckdb.engine import DuckDB
from shoal.engines.postgres import catalog
from shoal.engines.postgres import file as postgres_file
from shoal.engines.postgres.session import PostgresSession
from shoal.engines.postgres.staging import PostgresStaging
from shoal.engines.sql.cell_type import CellType
from shoal.engines.sql.engine import SqlEngine
from shoal.engines.sql.fetched_counting import FetchedCounting
from shoal.engines.sql.table import Cells, DatabaseTable, FrameTable
from shoal.engines.staging import Staged, file_staging
from shoal.errors import PolicyError
from shoal.model.table.table_source import TableSource


class PostgresTable(DatabaseTable):
    """A table whose texts are compared by their bytes, whatever the collation of a column.

    Casting to text is not enough: the text would keep the column's collation.

    Parameters
    ----------
    sampled
        Whether the server can draw rows of it: it is no view.
    """

    def __init__(
        self,
        session: PostgresSession,
        relation: exp.Expr,
        types: Mapping[str, CellType],
        about: str,
        *,
        sampled: bool,
    ) -> None:
        super().__init__(session, relation, types, about)
        self._sampled = sampled

    def _bytewise(self, column: str, cell: exp.Expr) -> exp.Expr:
        type_ = self.types[column]
        if type_.plain or type_.floating:
            return cell
        return exp.Paren(this=exp.Collate(this=cell, expression=exp.to_identifier("C", quoted=True)))

    def all_cells(self, columns: Sequence[str], counted: exp.Table, letter: str) -> list[Cells]:
        if not columns:
            return []
        session = self.session
        assert isinstance(session, PostgresSession)
        distinct = [
            session.rendered(exp.select(f"{letter}{at}", "sum(n)").from_(counted).group_by(f"{letter}{at}"))
            for at in range(len(columns))
        ]
        found = []
        for name, (dictionary, cells) in zip(
            columns, session.dictionaries(distinct, self.about), strict=True
        ):
            counts = [rows for _, rows in cells]
            missing = len(cells) > dictionary.size
            typed = [self._typed(name, text) for text, _ in cells if text is not None]
            found.append(
                Cells(typed, missing, dictionary, np.array([*counts, 0][: len(typed) + 1], np.int64))
            )
        return found

    def thinned(self, relation: exp.Expr, share: float) -> exp.Expr | None:
        if not self._sampled or relation is not self.relation:
            return None
        drawn = f"{self.session.rendered(relation)} TABLESAMPLE BERNOULLI ({100 * share:.6f}) REPEATABLE (0)"
        return parse_one(f"SELECT * FROM {drawn}", dialect=self.session.dialect)


class Postgres(SqlEngine):
    """A PostgreSQL server. Use it in a `with` statement.

    Parameters
    ----------
    connection
        An address, `postgres://user@host:port/database`, or an open connection of ADBC, psycopg or psycopg2.
        libpq reads what an address leaves out, like the password, from the environment (PGPASSWORD) or the
        user's password file.
    """

    name = "postgres"
    counting = FetchedCounting

    def __init__(self, connection: object) -> None:
        self._session = PostgresSession(connection)
        self._connection = connection
        self._source: exp.Expr | None = None

    @classmethod
    def for_source(
        cls,
        source: Source,
        *,
        memory: str | None,  # noqa: ARG003  the server has limits of its own
        threads: int | None,  # noqa: ARG003
        temp_directory: Path | None,  # noqa: ARG003
    ) -> Self:
        return cls(source.connection)

    @property
    def session(self) -> PostgresSession:
        return self._session

    def close(self) -> None:
        if "_files" in self.__dict__:
            self._files.close()
        self._session.close()

    def open(self, source: Source) -> DatabaseTable:
        if isinstance(source, DatabaseTable):
            return source
        if isinstance(source, exp.Table):  # what was staged
            return self._table(self._session.rendered(source))
        if not isinstance(source, TableSource) or source.table is None:
            raise PolicyError(
                f"PostgreSQL can only read tables of the same database; this is a {type(source).__name__}"
            )
        if source.connection is not self._connection and source.connection != self._connection:
            raise PolicyError(
                f"{source.name} uses a different connection than this engine; use one connection"
            )
        table = self._table(source.table)
        self._source = table.relation
        return table

    def _table(self, name: str) -> PostgresTable:
        entry = catalog.readable_table(self._session, name)
        return PostgresTable(
            self._session,
            entry.name,
            catalog.types(self._session, entry),
            f"{entry.name.db}.{entry.name.name}",
            sampled=entry.kind in catalog.STORED,
        )

    def written(self, source: Source) -> DatabaseTable | FrameTable:
        return self._files.open(source) if isinstance(source, Path) else self.open(source)

    @cached_property
    def _files(self) -> DuckDB:
        """Writes and reads the files that tables are released to."""
        return DuckDB()

    def staging(self, target: Path | str, inputs: Mapping[str, Path], *, replace: bool = False) -> Staged:
        if isinstance(target, Path):
            return file_staging(target, inputs, replace=replace)
        return PostgresStaging(self._session, target, self._source)

    def apply(self, source: Source, counted: Counted, application: Application, place: Any = None) -> None:
        if isinstance(place, Path):
            postgres_file.write(self._session, self._files, self.open(source), counted, application, place)
            return
        super().apply(source, counted, application, place)
        # The planner has no statistics of a new table: without them the audit sorted a million rows, in 21 s.
        self._session.run(f"ANALYZE {self._session.rendered(place)}", "the release")
