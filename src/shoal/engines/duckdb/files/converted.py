"""Rows that a library reads, kept as private Parquet files that DuckDB then reads like any other table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from numpy.typing import NDArray

from shoal.engines.duckdb.session import DuckSession, literal, quoted
from shoal.engines.sql.session import Column
from shoal.model.table.file_reading import FileReading

_WHOLE = 2**53
"""Beyond it, a double is not a number of units."""


@dataclass(frozen=True, kw_only=True)
class Converted:
    """A file that DuckDB can select from, and how it was read.

    Parameters
    ----------
    relation
        What to select from.
    reading
        How it was read.
    structs
        The columns that are structs of labels in the file, each with its kind; `relation` has the labels.
    places
        Like `relation`, with the place of each row in the file, if that costs nothing.
    """

    relation: str
    reading: FileReading
    structs: Mapping[str, str] = field(default_factory=dict)
    places: str | None = None


class Parts:
    """Private Parquet files, one per batch of rows.

    Parameters
    ----------
    session
        Whose folder has them.
    about
        What to call the file.
    """

    def __init__(self, session: DuckSession, about: str) -> None:
        self._session = session
        self._about = about
        self._files: list[str] = []

    def add(self, columns: Mapping[str, Column | NDArray[Any]], cells: Sequence[str]) -> None:
        """Write a batch.

        Parameters
        ----------
        columns
            Its columns.
        cells
            SQL for each column of the file, with its name.
        """
        batch = self._session.upload("batch", columns)
        self.store(f"SELECT {', '.join(cells)} FROM {batch.name}")
        self._session.forget(batch)

    def store(self, query: str) -> None:
        """Write the rows of a query."""
        target = self._session.folder / f"{self._session.fresh('part')}.parquet"
        self._session.run(f"COPY ({query}) TO {literal(str(target))} (FORMAT parquet)", self._about)
        self._files.append(str(target))

    def relation(self, casts: Mapping[str, str]) -> str:
        """What to select from.

        Parameters
        ----------
        casts
            Per column that is stored as another type, its own; doubles that are all whole become integers.
        """
        listed = "[" + ", ".join(map(literal, self._files)) + "]"
        relation = f"read_parquet({listed}, hive_partitioning = false)"
        described = self._session.fetched(f"DESCRIBE SELECT * FROM {relation}", self._about)
        types = {row[0]: row[1] for row in described}
        whole = self._whole(relation, [name for name, type_ in types.items() if type_ == "DOUBLE"])
        wanted = {**dict.fromkeys(whole, "BIGINT"), **casts}
        cells = [
            f"CAST({quoted(name)} AS {wanted[name]}) AS {quoted(name)}" if name in wanted else quoted(name)
            for name in types
        ]
        return f"(SELECT {', '.join(cells)} FROM {relation})"

    def _whole(self, relation: str, doubles: Sequence[str]) -> list[str]:
        if not doubles:
            return []
        tests = [
            f"bool_and({quoted(each)} = trunc({quoted(each)}) AND abs({quoted(each)}) < {_WHOLE})"
            for each in doubles
        ]
        (found,) = self._session.fetched(f"SELECT {', '.join(tests)} FROM {relation}", self._about)
        return [name for name, all_whole in zip(doubles, found, strict=True) if all_whole]


def needed(name: str, module: str, extra: str) -> str:
    """What to say where a library is not installed."""
    return f'{name} needs {module}: pip install "shoal[{extra}]"'
