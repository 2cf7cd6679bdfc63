"""Readers that share no code with Shoal's: each returns all rows below the header, as texts and `None`."""

from __future__ import annotations

import csv
import datetime
import importlib
import io
import json
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

import pandas

Rows = list[list[str | None]]


def rows_by(name: str, path: Path, options: Mapping[str, Any]) -> Rows:
    """The rows of a file, read by the named reader."""
    return _READERS[name](path, **options)


def as_text(cell: Any) -> str | None:
    """A cell as Shoal prints its type."""
    if cell is None or cell is pandas.NaT or cell is pandas.NA or (isinstance(cell, float) and cell != cell):
        return None
    if isinstance(cell, bool):
        return "true" if cell else "false"
    if isinstance(cell, datetime.datetime):
        return str(cell.date()) if cell.time() == datetime.time() else cell.isoformat(sep=" ")
    return str(cell)


def _frame(frame: pandas.DataFrame) -> Rows:
    columns = [[as_text(cell) for cell in frame.iloc[:, at]] for at in range(frame.shape[1])]
    return [list(row) for row in zip(*columns, strict=True)]


def _read_csv(path: Path, **options: Any) -> Rows:
    return _frame(pandas.read_csv(path, dtype=str, keep_default_na=False, na_values=[""], **options))


def _csv(
    path: Path,
    *,
    encoding: str = "utf-8",
    strip: str = "",
    cut: int | None = None,
    after: int = 1,
    **options: Any,
) -> Rows:
    text = path.read_bytes().decode(encoding).rstrip(strip or "\n")
    records = [record for record in csv.reader(io.StringIO(text, newline=""), **options) if record]
    return [[cell or None for cell in record[:cut]] for record in records[after:]]


def _openpyxl(path: Path, *, sheet: str | None = None, skip: int = 0) -> Rows:
    book = importlib.import_module("openpyxl").load_workbook(path, data_only=True)
    rows = list((book[sheet] if sheet else book.worksheets[0]).iter_rows(values_only=True))
    return [[as_text(cell) for cell in row] for row in rows[skip + 1 :]]


def _json(path: Path, *, lines: bool) -> Rows:
    text = path.read_text(encoding="utf-8")
    records = [json.loads(line) for line in text.splitlines()] if lines else json.loads(text)
    names = list(dict.fromkeys(name for record in records for name in record))
    return [[as_text(record.get(name)) for name in names] for record in records]


def _polars(function: str) -> Callable[..., Rows]:
    def read(path: Path) -> Rows:
        frame = getattr(importlib.import_module("polars"), function)(path.read_bytes())
        return [[as_text(cell) for cell in row] for row in frame.rows()]

    return read


def _pyreadstat(function: str) -> Callable[..., Rows]:
    def read(path: Path) -> Rows:
        frame, _ = getattr(importlib.import_module("pyreadstat"), function)(str(path))
        return _empty_as_missing(_frame(frame))

    return read


def _parquet(path: Path) -> Rows:
    table = importlib.import_module("pyarrow.parquet").ParquetFile(path).read()
    columns = [[as_text(cell) for cell in column.to_pylist()] for column in table.columns]
    return [list(row) for row in zip(*columns, strict=True)]


def _empty_as_missing(rows: Iterable[list[str | None]]) -> Rows:
    return [[cell or None for cell in row] for row in rows]


_READERS: Mapping[str, Callable[..., Rows]] = {
    "pandas.read_csv": _read_csv,
    "csv.reader": _csv,
    "openpyxl": _openpyxl,
    "json": _json,
    "polars.read_ipc": _polars("read_ipc"),
    "polars.read_ipc_stream": _polars("read_ipc_stream"),
    "pandas.read_orc": lambda path: _frame(pandas.read_orc(path)),
    "pandas.read_stata": lambda path: _empty_as_missing(
        _frame(pandas.read_stata(path, convert_categoricals=False))
    ),
    "pandas.read_sas": lambda path: _empty_as_missing(_frame(pandas.read_sas(path, encoding="ascii"))),
    "pyreadstat.read_sav": _pyreadstat("read_sav"),
    "pyreadstat.read_por": _pyreadstat("read_por"),
    "pyarrow.parquet": _parquet,
}
