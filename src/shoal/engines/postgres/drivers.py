"""One interface for the drivers of a PostgreSQL session: ADBC, psycopg and psycopg2.

A run is one transaction. A user's connection is neither closed nor left inside a transaction, and is refused
while it has uncommitted work: publishing would commit that as well.
"""

from __future__ import annotations

import contextlib
import io
import os
import sys
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from types import ModuleType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.engines.postgres.errors import LOST, fault, unreached
from shoal.engines.sql.session import Column
from shoal.errors import EngineError, PolicyError

_BEGIN = "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ"
_HAS_WORK = "SELECT txid_current_if_assigned() IS NOT NULL"
_UNCOMMITTED = (
    "the connection has uncommitted work; commit it or roll it back first. A release is published "
    "by one transaction that contains nothing else"
)
_CHUNK = 50_000


class Driver(ABC):
    """What a session needs of a connection."""

    error: type[Exception]
    """The driver's own errors."""

    _connection: Any

    @abstractmethod
    def begin(self) -> None:
        """Begin a transaction that sees one state of the database to its end."""

    @abstractmethod
    def execute(self, statement: str) -> None:
        """Run a statement to its end."""

    @abstractmethod
    def rows(self, query: str) -> list[tuple[Any, ...]]:
        """All rows of a result, as Python's own types."""

    @abstractmethod
    def arrays(self, query: str) -> dict[str, NDArray[Any]]:
        """A result of whole numbers and booleans, column by column; NULL is masked."""

    def streamed(self, query: str) -> contextlib.AbstractContextManager[Any]:  # noqa: ARG002
        """A result as a stream of Arrow batches."""
        raise PolicyError(
            "a file is written from an Arrow stream, which this library lacks: pass the URL of the "
            "database or a connection of adbc_driver_postgresql, or release to a table"
        )

    @abstractmethod
    def load(self, table: str, columns: Mapping[str, Column]) -> None:
        """Append rows to a temporary table."""

    @abstractmethod
    def cancel(self) -> None:
        """Stop the statement that runs."""

    def _end_reading(self) -> None:
        """End a user's transaction that has only read; `PolicyError` for any other, which is not changed."""
        try:
            ((uncommitted,),) = self.rows(_HAS_WORK)
            if not uncommitted:
                self._connection.commit()
        except self.error as error:
            if fault(error) == LOST:
                raise
            uncommitted = True  # its transaction has failed, or must end elsewhere
        if uncommitted:
            raise PolicyError(_UNCOMMITTED)

    def commit(self) -> None:
        """Publish the transaction's work."""
        self._connection.commit()

    def rollback(self) -> None:
        """Undo the transaction's work; nothing happens if the connection is lost."""
        with contextlib.suppress(self.error):
            self._connection.rollback()

    @abstractmethod
    def close(self) -> None:
        """Restore the user's connection, or close our own. The transaction has already ended."""


class AdbcDriver(Driver):
    """An ADBC connection: answers arrive as Arrow, column by column.

    Parameters
    ----------
    connection
        Of `adbc_driver_postgresql.dbapi`.
    own
        Whether it was opened for this run, and ends with it.
    """

    def __init__(self, connection: Any, *, own: bool) -> None:
        import adbc_driver_manager

        self.error = adbc_driver_manager.Error
        self._connection = connection
        self._own = own
        # The driver offers no public way to read this.
        self._autocommit = bool(getattr(connection, "_autocommit", False))

    @classmethod
    def connect(cls, url: str) -> AdbcDriver:
        """Connect to a server; an `EngineError` gives the reason of a failure, and never the address."""
        try:
            import adbc_driver_manager
            import adbc_driver_postgresql.dbapi  # type: ignore[import-untyped]
            import pyarrow  # type: ignore[import-untyped]  # noqa: F401  the DB-API part needs it
        except ImportError:
            raise PolicyError("PostgreSQL needs its driver: pip install 'shoal[postgres]'") from None
        try:
            return cls(adbc_driver_postgresql.dbapi.connect(_with_defaults(url)), own=True)
        except adbc_driver_manager.Error as error:
            why = unreached(error)
        # Raised here, so that the driver's error, which can quote a password, is not its context.
        raise EngineError(f"cannot connect to PostgreSQL: {why}")

    def begin(self) -> None:
        if self._autocommit:
            self._connection.adbc_connection.set_autocommit(False)
        elif not self._own:
            self._end_reading()
        self.execute(_BEGIN)

    def execute(self, statement: str) -> None:
        with self._connection.cursor() as cursor:
            cursor.execute(statement)

    def rows(self, query: str) -> list[tuple[Any, ...]]:
        with self._connection.cursor() as cursor:
            cursor.execute(query)
            columns = [_plain(column) for column in cursor.fetch_arrow_table().columns]
        return list(zip(*columns, strict=True))

    def arrays(self, query: str) -> dict[str, NDArray[Any]]:
        with self._connection.cursor() as cursor:
            cursor.execute(query)
            table = cursor.fetch_arrow_table()
        return {name: _array(column) for name, column in zip(table.column_names, table.columns, strict=True)}

    @contextlib.contextmanager
    def streamed(self, query: str) -> Iterator[Any]:
        with self._connection.cursor() as cursor:
            cursor.execute(query)
            try:
                yield cursor.fetch_record_batch()
            except EngineError:
                # The reader of the stream only knows that it broke; the connection shows whether it is lost.
                try:
                    self.execute("SELECT 1")
                except self.error as error:
                    if fault(error) == LOST:
                        raise error from None
                raise

    def load(self, table: str, columns: Mapping[str, Column]) -> None:
        import pyarrow

        arrow = pyarrow.table({name: pyarrow.array(column) for name, column in columns.items()})
        with self._connection.cursor() as cursor:
            cursor.adbc_ingest(table, arrow, mode="append", temporary=True)

    def cancel(self) -> None:
        with contextlib.suppress(self.error):
            self._connection.adbc_cancel()

    def close(self) -> None:
        with contextlib.suppress(self.error):
            if self._own:
                self._connection.close()
            elif self._autocommit:
                self._connection.adbc_connection.set_autocommit(True)


class PsycopgDriver(Driver):
    """A user's connection of psycopg or psycopg2.

    Parameters
    ----------
    connection
        The connection.
    library
        Its library.
    """

    def __init__(self, connection: Any, library: ModuleType) -> None:
        self.error: type[Exception] = library.Error
        self._connection = connection
        self._autocommit = bool(connection.autocommit)
        self._old = library.__name__ == "psycopg2"
        # Rows are tuples here, whatever row type the user has set.
        self._rows: dict[str, Any] = (
            {"cursor_factory": library.extensions.cursor}
            if self._old
            else {"row_factory": library.rows.tuple_row}
        )

    def begin(self) -> None:
        status = int(self._connection.info.transaction_status)
        if status != 0:  # it is not idle
            self._end_reading()
        if self._autocommit:
            self._connection.autocommit = False
        self.execute(_BEGIN)

    @contextlib.contextmanager
    def _cursor(self, **more: Any) -> Iterator[Any]:
        with self._connection.cursor(**self._rows, **more) as cursor:
            yield cursor

    def execute(self, statement: str) -> None:
        with self._cursor() as cursor:
            cursor.execute(statement)

    def rows(self, query: str) -> list[tuple[Any, ...]]:
        with self._cursor() as cursor:
            cursor.execute(query)
            return list(cursor.fetchall())

    def arrays(self, query: str) -> dict[str, NDArray[Any]]:
        # A server-side cursor: the whole result never exists as Python numbers.
        chunks: list[list[NDArray[Any]]] = []
        with self._cursor(name="shoal_arrays") as cursor:
            cursor.execute(query)
            rows = cursor.fetchmany(_CHUNK)
            names = [column[0] for column in cursor.description]
            kinds = [np.bool_ if column[1] == 16 else np.int64 for column in cursor.description]
            while rows or not chunks:
                columns = list(zip(*rows, strict=True)) or [()] * len(names)
                chunks.append([_masked(column, kind) for column, kind in zip(columns, kinds, strict=True)])
                rows = cursor.fetchmany(_CHUNK)
        return {name: _joined([each[at] for each in chunks]) for at, name in enumerate(names)}

    def load(self, table: str, columns: Mapping[str, Column]) -> None:
        lists = [list(each) if isinstance(each, Sequence) else each.tolist() for each in columns.values()]
        lines = zip(*lists, strict=True)
        statement = f'COPY "{table}" FROM STDIN'
        with self._cursor() as cursor:
            if self._old:
                cursor.copy_expert(statement, io.StringIO("".join(map(_line, lines))))
                return
            with cursor.copy(statement) as copy:
                for line in lines:
                    copy.write_row(line)

    def cancel(self) -> None:
        with contextlib.suppress(self.error):
            self._connection.cancel()

    def close(self) -> None:
        with contextlib.suppress(self.error):
            if self._autocommit:
                self._connection.autocommit = True


def driver_of(connection: object) -> Driver | None:
    """The driver for a user's connection, or `None` if it is not PostgreSQL or its library is unknown."""
    for kind in type(connection).__mro__:
        library = kind.__module__.partition(".")[0]
        if library == "adbc_driver_manager" and kind.__name__ == "Connection":
            driver = AdbcDriver(connection, own=False)
            # A broken connection reports the reason when it is used.
            with contextlib.suppress(driver.error):
                vendor = connection.adbc_get_info().get("vendor_name")  # type: ignore[attr-defined]
                return driver if vendor == "PostgreSQL" else None
            return driver
        if (library, kind.__name__) in (("psycopg", "Connection"), ("psycopg2", "connection")):
            return PsycopgDriver(connection, sys.modules[library])
    return None


def _with_defaults(url: str) -> str:
    """The address, with a connection timeout and an application name that the administrator sees."""
    settings = "fallback_application_name=shoal"
    if "connect_timeout=" not in url and "PGCONNECT_TIMEOUT" not in os.environ:
        settings += "&connect_timeout=30"
    return f"{url}{'&' if '?' in url else '?'}{settings}"


def _plain(column: Any) -> list[Any]:
    """An Arrow column as Python's own types; the driver returns NUMERIC as marked text."""
    cells: list[Any] = column.to_pylist()
    if getattr(column.type, "type_name", None) == "numeric":
        return [None if cell is None else Decimal(cell) for cell in cells]
    return cells


def _array(column: Any) -> NDArray[Any]:
    """An Arrow column of whole numbers or booleans; with NULLs, NumPy would use floats."""
    import pyarrow

    if getattr(column.type, "type_name", None) == "numeric":
        column = pyarrow.chunked_array(
            [chunk.storage.cast(pyarrow.int64()) for chunk in column.chunks], pyarrow.int64()
        )
    if not column.null_count:
        plain: NDArray[Any] = column.to_numpy()
        return plain
    blank = False if pyarrow.types.is_boolean(column.type) else 0
    filled = column.fill_null(blank).to_numpy()
    return np.ma.masked_array(filled, column.is_null().to_numpy())


def _joined(parts: Sequence[NDArray[Any]]) -> NDArray[Any]:
    joined: NDArray[Any] = np.ma.concatenate(parts)  # type: ignore[no-untyped-call,unused-ignore]
    return joined


def _masked(cells: Sequence[Any], kind: type[np.generic]) -> NDArray[Any]:
    missing = [cell is None for cell in cells]
    return np.ma.masked_array(
        np.array([0 if cell is None else int(cell) for cell in cells], np.int64).astype(kind), missing
    )


def _line(cells: Sequence[Any]) -> str:
    """A row in COPY's text format."""
    return "\t".join(map(_field, cells)) + "\n"


def _field(cell: Any) -> str:
    if cell is None:
        return r"\N"
    return str(cell).replace("\\", r"\\").replace("\t", r"\t").replace("\n", r"\n").replace("\r", r"\r")
