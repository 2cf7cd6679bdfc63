"""Chooses the engine for a source: by the URL of its connection, or by the type of the source."""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from shoal.engines._base import Source
from shoal.engines.search_memory import SearchMemory
from shoal.engines.sql.engine import SqlEngine
from shoal.errors import PolicyError
from shoal.model.table.engine_entry import ENGINES, EngineEntry, engine_of_frame, engine_of_library
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
        Limits of an engine inside this process. Servers have their own limits.
    search_memory
        Most memory that a search and its table may take in this process; half of the machine's when absent.
    """
    limit = SearchMemory.of(search_memory)
    entry = _entry(source)
    for name, given in (("memory", memory), ("temp_directory", temp_directory)):
        if given is not None and not entry.embedded:
            raise PolicyError(
                f"{name} is a limit of the embedded engine, and {entry.name} has its own; leave it out"
            )
    engine = _class_of(entry).for_source(
        source, memory=memory, threads=threads, temp_directory=temp_directory
    )
    engine.search_memory = limit
    return engine


@contextmanager
def using(engine: SqlEngine | None, source: Source, *, threads: int | None = None) -> Iterator[SqlEngine]:
    """The caller's engine, which stays open; otherwise one for the source, closed at the end.

    Parameters
    ----------
    engine
        The caller's engine, if any.
    source, threads
        As in `engine_for`.
    """
    if engine is not None:
        yield engine
        return
    with engine_for(source, threads=threads) as own:
        yield own


def _class_of(entry: EngineEntry) -> type[SqlEngine]:
    """The class of an engine, imported only now: without a server, no driver is needed."""
    module, _, name = entry.engine.partition(":")
    engine = getattr(importlib.import_module(module), name)
    if not (isinstance(engine, type) and issubclass(engine, SqlEngine) and engine.name == entry.name):
        raise PolicyError(
            f"the engine {entry.name!r} is {entry.engine!r}, which is not a SqlEngine with that name; "
            "report this to its authors"
        )
    return engine


def _entry(source: Source) -> EngineEntry:
    """The registry entry of a source's engine."""
    if not isinstance(source, TableSource):
        return engine_of_frame(_library(source))
    engine = source.engine or engine_of_library(_library(source.connection))
    if engine is None:
        libraries = [name for each in ENGINES.values() for name in each.libraries if name[0] != "_"]
        kind = type(source.connection)
        raise PolicyError(
            f"a connection is a URL, or an open one of {', '.join(libraries[:-1])} or {libraries[-1]}; this "
            f"is a {kind.__module__}.{kind.__qualname__}"
        )
    return engine


def _library(thing: object) -> str:
    return type(thing).__module__.partition(".")[0]
