"""CSV files of a folder as the tables of a database: shelf:///folder."""

from pathlib import Path

from shoal.engines._base import Source
from shoal.engines.duckdb.engine import DuckDB
from shoal.engines.sql.table import DatabaseTable, FrameTable
from shoal.model.table.table_source import TableSource


class Shelf(DuckDB):
    """DuckDB that finds tables as files of a folder."""

    name = "shelf"

    def open(self, source: Source) -> DatabaseTable | FrameTable:
        if isinstance(source, TableSource):
            source = Path(source.connection.removeprefix("shelf://")) / f"{source.table}.csv"
        return super().open(source)
