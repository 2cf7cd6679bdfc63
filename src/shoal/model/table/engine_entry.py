"""The engines for sources, as plain data; none is imported until it is used.

The registry is part of the model because a `TableSource` must know which addresses exist.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from shoal.model.description import Description
from shoal.model.registry import Registry


@dataclass(frozen=True, kw_only=True)
class EngineEntry:
    """An engine: the addresses and libraries that select it, and its class.

    Parameters
    ----------
    name
        What it is called; a class from another package has the same `name`.
    engine
        Its class, as "module:Class".
    addresses
        How addresses of its tables begin, like "postgres://", for messages.
    pattern
        A regular expression that matches the beginning of its addresses.
    libraries
        The modules whose open connections it accepts.
    frames
        The modules whose data frames live in it.
    embedded
        Whether it runs inside this process, within limits of memory and a folder for temporary files.
    writes_paths
        Whether it reads and writes files itself, so that a path can be a table.
    description
        What people should know about it.
    """

    name: str
    engine: str
    addresses: tuple[str, ...]
    pattern: str
    libraries: tuple[str, ...] = ()
    frames: tuple[str, ...] = ()
    embedded: bool = False
    writes_paths: bool = False
    description: Description


ENGINES: Registry[EngineEntry] = Registry(
    "engine",
    "shoal.engines",
    {
        entry.name: entry
        for entry in (
            EngineEntry(
                name="duckdb",
                engine="shoal.engines.duckdb.engine:DuckDB",
                addresses=("duckdb:///",),
                pattern="duckdb://",
                libraries=("duckdb", "_duckdb"),
                embedded=True,
                description=Description(
                    title="DuckDB",
                    short="Files, data frames and DuckDB databases",
                    meaning="Rows are counted, recoded and measured inside this process.",
                    when="For files and data frames; it needs no server.",
                ),
            ),
            EngineEntry(
                name="postgres",
                engine="shoal.engines.postgres.engine:Postgres",
                addresses=("postgres://",),
                pattern="postgres(ql)?://",
                libraries=("adbc_driver_manager", "adbc_driver_postgresql", "psycopg", "psycopg2"),
                description=Description(
                    title="PostgreSQL",
                    short="Tables of a PostgreSQL server",
                    meaning="Rows are counted, recoded and measured at the server, and stay there.",
                    when="When the table is in PostgreSQL and should not leave it.",
                ),
            ),
            EngineEntry(
                name="spark",
                engine="shoal.engines.spark.engine:Spark",
                addresses=("spark://",),
                pattern=r"spark://|local(\[(\d+|\*)\])?\Z",
                libraries=("pyspark",),
                frames=("pyspark",),
                writes_paths=True,
                description=Description(
                    title="Spark",
                    short="Tables and files of a Spark cluster",
                    meaning="Rows are counted, recoded and measured by the workers, and stay there.",
                    when="When the table is too large for one machine.",
                ),
            ),
        )
    },
    base=EngineEntry,
)


def engine_of_address(text: str) -> EngineEntry | None:
    """The engine for an address; `None` if no engine matches."""
    return next((entry for entry in ENGINES.values() if re.match(entry.pattern, text)), None)


def engine_of_library(module: str) -> EngineEntry | None:
    """The engine for open connections of a module; `None` if no engine accepts them."""
    return next((entry for entry in ENGINES.values() if module in entry.libraries), None)


def engine_of_frame(module: str) -> EngineEntry:
    """The engine for data frames of a module: DuckDB, unless another engine registers them."""
    return next((entry for entry in ENGINES.values() if module in entry.frames), ENGINES["duckdb"])
