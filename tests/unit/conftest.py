"""Tiny tables, in every form that a source can have."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import pandas
import polars
import pyarrow
import pyarrow.parquet
import pytest

Columns = dict[str, list[Any]]

FILES = ("csv", "tsv", "parquet")
FRAMES = ("pandas", "polars", "pyarrow")

PEOPLE: Columns = {
    "name": ["Ann", "Bob", "Cid", "Dee", "Eve", "Fay"],
    "age": [30, 31, 30, 45, 46, 45],
    "zip": ["02139", "02139", "02138", "10001", "10001", "10001"],
    "pay": ["1.50", "2", "3.0", "4", "5", "6"],
}


def store(kind: str, columns: Columns, folder: Path) -> Any:
    """The table as a source of some kind."""
    if kind == "pandas":
        return pandas.DataFrame(columns)
    if kind == "polars":
        return polars.DataFrame(columns)
    if kind == "pyarrow":
        return pyarrow.table(columns)
    path = folder / f"source.{kind}"
    if kind == "parquet":
        pyarrow.parquet.write_table(pyarrow.table(columns), path)
        return path
    text = io.StringIO()
    writer = csv.writer(text, delimiter="\t" if kind == "tsv" else ",", lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(
        ["" if cell is None else cell for cell in row] for row in zip(*columns.values(), strict=True)
    )
    path.write_text(text.getvalue(), encoding="utf-8")
    return path


def load(table: Any) -> Columns:
    """A released table as plain columns; missing cells are `None`."""
    if isinstance(table, str | Path):
        path = Path(table)
        if path.suffix == ".parquet":
            return dict(pyarrow.parquet.read_table(path).to_pydict())
        with path.open(newline="", encoding="utf-8") as file:
            header, *rows = csv.reader(file, delimiter="\t" if path.suffix == ".tsv" else ",")
        return {name: [row[i] or None for row in rows] for i, name in enumerate(header)}
    if isinstance(table, pandas.DataFrame):
        return {name: [None if pandas.isna(cell) else cell for cell in table[name]] for name in table}
    if isinstance(table, polars.DataFrame):
        return table.to_dict(as_series=False)
    return dict(table.to_pydict())


@pytest.fixture
def people(tmp_path: Path) -> Path:
    """Six people in a CSV file."""
    return store("csv", PEOPLE, tmp_path)


@pytest.fixture
def write(tmp_path: Path) -> Callable[..., Path]:
    """Write text or bytes to a file of the test's folder."""

    def written(content: str | bytes, name: str = "table.csv") -> Path:
        path = tmp_path / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    return written


@pytest.fixture
def sql() -> Callable[[str], list[tuple[Any, ...]]]:
    """Ask DuckDB directly."""
    return lambda query: duckdb.sql(query).fetchall()


@pytest.fixture
def plain(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make the test's own search "plain" known: it takes every model, whatever the others do."""
    from tests.unit.searches import Plain, make_known

    make_known(monkeypatch, "plain", Plain)
