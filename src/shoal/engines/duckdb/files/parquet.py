"""Parquet files, read by DuckDB in place."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from shoal.engines.duckdb.file import parquet_relation
from shoal.engines.duckdb.files.converted import Converted
from shoal.engines.duckdb.files.names import distinct_names
from shoal.engines.duckdb.nested import labels_of, structs_of
from shoal.engines.duckdb.session import DuckSession, literal, quoted
from shoal.engines.sql.table import StoredTable
from shoal.model.table.file_reading import FileReading

_NUMBER = "file_row_number"
"""What DuckDB calls the place of a row in a Parquet file."""


def parquet_table(session: DuckSession, name: str, path: Path) -> Converted:
    """Open a Parquet file."""
    readable = session.readable(path)
    relation = parquet_relation(readable)
    types = {row[0]: row[1] for row in session.fetched(f"DESCRIBE SELECT * FROM {relation}", name)}
    # DESCRIBE renames columns with equal names in its own way; the schema has those of the file.
    schema = session.fetched(f"SELECT name, num_children FROM parquet_schema({literal(readable)})", name)
    found = top_level(schema)
    names, renamed = distinct_names(found, trim=False)
    if renamed:
        cells = [f"{quoted(old)} AS {quoted(new)}" for old, new in zip(types, names, strict=True)]
        relation = f"(SELECT {', '.join(cells)} FROM {relation})"
    nested = any(each.startswith("STRUCT") for each in types.values())
    structs = structs_of(session, readable, name) if nested else {}
    if structs:
        relation = f"({labels_of(relation, structs)})"
    reading = FileReading(format="parquet", renamed=renamed)
    places = None if renamed or structs else with_places(readable, types)
    return Converted(relation=relation, reading=reading, structs=structs, places=places)


def with_places(readable: str, columns: Iterable[str]) -> str | None:
    """What to select from for rows with their places in the file; `None` if a column has one of the names."""
    if {_NUMBER, StoredTable.PLACE} & {name.lower() for name in columns}:
        return None
    numbered = f"read_parquet({literal(readable)}, hive_partitioning = false, {_NUMBER} = true)"
    return f"(SELECT *, {_NUMBER} AS {StoredTable.PLACE} FROM {numbered})"


def top_level(schema: Sequence[tuple[str, int | None]]) -> list[str]:
    """Names of the columns of a Parquet schema, which lists the nodes of a tree in preorder."""

    def skip(position: int) -> int:
        children = schema[position][1] or 0
        position += 1
        for _ in range(children):
            position = skip(position)
        return position

    names = []
    position = 1  # the root
    for _ in range(schema[0][1] or 0):
        names.append(schema[position][0])
        position = skip(position)
    return names
