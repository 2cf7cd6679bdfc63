"""The table of an instance as files and frames, and releases read back as plain rows."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas
import polars
import pyarrow
import pyarrow.parquet

from tests.fuzz.cells import text_of
from tests.fuzz.instance import Column

ARROW = {
    "text": pyarrow.string(), "int": pyarrow.int64(), "float": pyarrow.float64(),
    "decimal": pyarrow.decimal128(20, 2), "date": pyarrow.date32(), "timestamp": pyarrow.timestamp("us"),
    "bool": pyarrow.bool_(), "category": pyarrow.string(),
}  # fmt: skip
POLARS: dict[str, Any] = {
    "text": polars.String, "int": polars.Int64, "float": polars.Float64, "decimal": polars.Decimal(20, 2),
    "date": polars.Date, "timestamp": polars.Datetime("us"), "bool": polars.Boolean,
    "category": polars.String,
}  # fmt: skip
Rows = list[tuple[Any, ...]]


def arrow_table(columns: Sequence[Column]) -> pyarrow.Table:
    """The table in Arrow's types; categories as a dictionary."""
    arrays = []
    for column in columns:
        array = pyarrow.array(list(column.cells), ARROW[column.kind])
        arrays.append(array.dictionary_encode() if column.kind == "category" else array)
    return pyarrow.table(arrays, names=[column.name for column in columns])


def pandas_frame(columns: Sequence[Column]) -> pandas.DataFrame:
    """The table as pandas users have it: nullable types only where a cell is missing."""
    return pandas.DataFrame({column.name: _pandas(column) for column in columns})


def _pandas(column: Column) -> Any:
    cells, missing = list(column.cells), None in column.cells
    if column.kind == "int":
        return pandas.array(cells, dtype="Int64") if missing else pandas.Series(cells, dtype="int64")
    if column.kind == "bool":
        return pandas.array(cells, dtype="boolean") if missing else pandas.Series(cells, dtype="bool")
    if column.kind == "float":
        return pandas.Series(cells, dtype="float64")
    if column.kind == "timestamp":
        return pandas.Series(cells, dtype="datetime64[us]")
    if column.kind == "category":
        return pandas.Categorical(cells, categories=sorted({cell for cell in cells if cell is not None}))
    return pandas.Series(cells, dtype="object")


def polars_frame(columns: Sequence[Column]) -> polars.DataFrame:
    """The table in polars; categories as an Enum."""
    made = []
    for column in columns:
        kind = POLARS[column.kind]
        if column.kind == "category":
            kind = polars.Enum(sorted({cell for cell in column.cells if cell is not None}))
        made.append(polars.Series(column.name, list(column.cells), dtype=kind))
    return polars.DataFrame(made)


def csv_bytes(columns: Sequence[Column], form: Mapping[str, Any]) -> bytes:
    """The table as a file of text; a missing cell is empty, an empty text is quoted."""
    quote = form.get("quote", '"')
    lines = [[_field(column.name, quote) for column in columns]]
    lines += [
        ["" if cell is None else _field(text_of(cell), quote) for cell in row]
        for row in zip(*(c.cells for c in columns), strict=True)
    ]
    before = "".join(f"Export of the register, part {line}\n" for line in range(form.get("skip", 0)))
    text = before + "".join(form.get("delimiter", ",").join(line) + "\n" for line in lines)
    return text.encode(form.get("encoding", "utf-8"))


def _field(text: str, quote: str) -> str:
    plain = text != "" and text.strip() == text and not any(sign in text for sign in f',;|\t"{quote}\n\r')
    return text if plain else quote + text.replace(quote, quote * 2) + quote


def read_csv(path: Path, delimiter: str = ",") -> tuple[list[str], Rows]:
    """The header and the rows of a file of text; an empty field is missing."""
    with io.StringIO(path.read_bytes().decode("utf-8"), newline="") as file:
        first, *rest = csv.reader(file, delimiter=delimiter)
    return first, [tuple(None if cell == "" else cell for cell in row) for row in rest]


def read_arrow(table: pyarrow.Table) -> tuple[list[str], Rows]:
    """The names and the rows of an Arrow table."""
    cells = [column.to_pylist() for column in table.columns]
    return table.column_names, [tuple(map(_plain, row)) for row in zip(*cells, strict=True)]


def read_frame(frame: Any) -> tuple[list[str], Rows]:
    """The names and the rows of a data frame of any kind."""
    if isinstance(frame, pyarrow.Table):
        return read_arrow(frame)
    if isinstance(frame, polars.DataFrame):
        return frame.columns, [tuple(map(_plain, row)) for row in frame.rows()]
    cells = [[_plain(cell) for cell in frame[name].tolist()] for name in frame.columns]
    return list(frame.columns), list(zip(*cells, strict=True))


def told_besides(frame: Any) -> str:
    """What a frame tells beside its cells: the categories of its columns."""
    if isinstance(frame, polars.DataFrame):
        typed = [each for each in frame if each.dtype in (polars.Enum, polars.Categorical)]
        return " ".join(str(name) for each in typed for name in _categories(each))
    if isinstance(frame, pyarrow.Table):
        typed = [each for each in frame.columns if pyarrow.types.is_dictionary(each.type)]
        return " ".join(
            str(name) for each in typed for chunk in each.chunks for name in chunk.dictionary.to_pylist()
        )
    if isinstance(frame, pandas.DataFrame):
        typed = [frame[name] for name in frame if isinstance(frame[name].dtype, pandas.CategoricalDtype)]
        return " ".join(str(name) for each in typed for name in each.cat.categories)
    return ""


def _plain(cell: Any) -> Any:
    if cell is None or cell is pandas.NA or cell is pandas.NaT or (isinstance(cell, float) and cell != cell):
        return None
    if isinstance(cell, pandas.Timestamp):
        return cell.isoformat(sep=" ") if cell.nanosecond else cell.to_pydatetime()
    return cell


def _categories(series: polars.Series) -> list[str]:
    fixed = getattr(series.dtype, "categories", None)
    return (
        list(fixed)
        if isinstance(series.dtype, polars.Enum) and fixed is not None
        else series.unique().drop_nulls().to_list()
    )
