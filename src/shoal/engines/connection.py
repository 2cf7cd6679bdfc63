"""The engine that a source lives in: by the URL of its connection, or by what the source is."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from shoal.engines._base import Source
from shoal.engines.duckdb.engine import DEFAULT_MEMORY, DuckDB
from shoal.engines.search_memory import SearchMemory
from shoal.engines.sql.engine import SqlEngine
from shoal.errors import PolicyError
from shoal.model.table.table_source import TableSource


def engine_for(
    source: Source,
    *,
    memory: str | None = None,
    threads: int | None = None,
    temp_directory: Path | None = None,
    search_memory: str | None = None,
) -> SqlEngine:
    """An engine for a source; use it in a `with` statement.

    Parameters
    ----------
    source
        A path, a data frame, a `TableSource`, a relation of DuckDB or a data frame of Spark.
    memory, threads, temp_directory
        Limits of the embedded engine. Servers have limits of their own.
    search_memory
        Most memory that a search and its table may take in this process; half of the machine's when absent.
    """
    limit = SearchMemory.of(search_memory)
    engine = _engine(source, memory, threads, temp_directory)
    engine.search_memory = limit
    return engine


def _engine(
    source: Source, memory: str | None, threads: int | None, temp_directory: Path | None
) -> SqlEngine:
    kind = _kind(source)
    if kind == "duckdb":
        own = not isinstance(source, TableSource) or isinstance(source.connection, str)
        return DuckDB(
            memory=memory or DEFAULT_MEMORY,
            threads=threads,
            temp_directory=temp_directory,
            connection=None if own else source.connection,
        )
    for name, given in (("memory", memory), ("temp_directory", temp_directory)):
        if given is not None:
            raise PolicyError(
                f"{name} is a limit of the embedded engine, and {kind} has its own; leave it out"
            )
    # Imported here: who has no server needs no driver.
    if kind == "postgres":
        from shoal.engines.postgres.engine import Postgres

        return Postgres(source.connection)
    from shoal.engines.spark.engine import Spark

    return Spark(source.connection if isinstance(source, TableSource) else source.sparkSession)


def _kind(source: Source) -> str:
    """The name of the engine that a source lives in."""
    if isinstance(source, TableSource):
        scheme = source.scheme
        if scheme is not None:
            return {"duckdb": "duckdb", "postgres": "postgres"}.get(scheme, "spark")
        return _kind_of_connection(source.connection)
    return "spark" if _library(source) == "pyspark" else "duckdb"


def _kind_of_connection(connection: Any) -> str:
    known = {
        "duckdb": "duckdb",
        "_duckdb": "duckdb",
        "pyspark": "spark",
        "adbc_driver_manager": "postgres",
        "adbc_driver_postgresql": "postgres",
        "psycopg": "postgres",
        "psycopg2": "postgres",
    }
    found = known.get(_library(connection))
    if found is None:
        raise PolicyError(
            "a connection is a URL, or an open one of duckdb, adbc_driver_postgresql, psycopg or pyspark; "
            f"this is a {type(connection).__module__}.{type(connection).__qualname__}"
        )
    return found


def _library(thing: object) -> str:
    return type(thing).__module__.partition(".")[0]
