"""Data frames as tables: each library factorizes its own columns, and builds the release from its own.

DuckDB is given the codes of the distinct cells, never the cells: no type of a frame has to survive a round
trip, and the columns that the release keeps are the very ones that came in, with their types and index.
"""

from __future__ import annotations

import datetime
import importlib
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from shoal.engines.file import check_names
from shoal.errors import PolicyError

# The three libraries share no types that mypy could check without them, and all three are optional.
Native = Any


@dataclass(frozen=True, eq=False)
class Factorized:
    """A column as codes of its distinct cells; -1 is the missing one."""

    codes: NDArray[np.int32]
    cells: list[object]


@dataclass(frozen=True, eq=False)
class Replacement:
    """A new column of text: `texts[choices[row]]`, `None` for a missing cell."""

    texts: Sequence[str | None]
    choices: NDArray[np.int64]


class Frame(ABC):
    """A data frame of one library."""

    kind: ClassVar[str]

    def __init__(self, native: Native) -> None:
        self.native = native
        if not all(isinstance(name, str) for name in self.columns):
            raise PolicyError("the data frame has columns whose names are not text; rename them first")
        check_names(list(self.columns), "the data frame")

    @property
    @abstractmethod
    def columns(self) -> tuple[str, ...]:
        """Names in order."""

    @abstractmethod
    def __len__(self) -> int: ...

    @abstractmethod
    def type_name(self, column: str) -> str:
        """The library's own name for the column's type."""

    @abstractmethod
    def _factorize(self, column: str) -> Factorized: ...

    @abstractmethod
    def without(self, columns: Sequence[str]) -> Frame:
        """The frame without some columns."""

    @abstractmethod
    def canonical(self, column: str) -> Frame:
        """The frame with one zero and one missing value in a column of floats."""

    @abstractmethod
    def replaced(self, columns: Mapping[str, Replacement]) -> Frame:
        """The frame with new columns in the places of old ones."""

    @abstractmethod
    def filtered(self, kept: NDArray[np.bool_]) -> Frame:
        """The kept rows, in their order."""

    @abstractmethod
    def blanked(self, kept: NDArray[np.bool_], columns: Sequence[str]) -> Frame:
        """The frame with the cells of these columns missing in rows that are not kept."""

    def factorize(self, column: str, *, as_seen: bool = False) -> Factorized:
        """The column's distinct cells and their codes; `as_seen` tells apart all that the library does."""
        try:
            found = (self if as_seen else self.canonical(column))._factorize(column)
        except (TypeError, ValueError) as error:
            raise PolicyError(
                f"column {column!r} (type {self.type_name(column)}) has cells that cannot be compared; "
                "turn it into numbers, dates or text first"
            ) from error
        return Factorized(found.codes, [_plain(cell) for cell in found.cells])


class PandasFrame(Frame):
    """A pandas data frame. Rows are taken by position: an index may be unordered or have duplicates."""

    kind = "pandas"

    @property
    def columns(self) -> tuple[str, ...]:
        return tuple(self.native.columns)

    def __len__(self) -> int:
        return len(self.native)

    def type_name(self, column: str) -> str:
        return str(self.native[column].dtype)

    def _factorize(self, column: str) -> Factorized:
        codes, cells = importlib.import_module("pandas").factorize(self.native[column], use_na_sentinel=True)
        return Factorized(codes.astype(np.int32), list(cells))

    def without(self, columns: Sequence[str]) -> Frame:
        return PandasFrame(self.native.drop(columns=list(columns)))

    def canonical(self, column: str) -> Frame:
        series = self.native[column]
        return PandasFrame(self.native.assign(**{column: series + 0.0})) if _is_float(series.dtype) else self

    def replaced(self, columns: Mapping[str, Replacement]) -> Frame:
        pandas = importlib.import_module("pandas")
        # The default text type of pandas 3; before, text was kept as objects.
        dtype = "str" if int(pandas.__version__.split(".")[0]) >= 3 else "object"
        new = {
            name: pandas.Series(list(each.texts), dtype=dtype).take(each.choices).set_axis(self.native.index)
            for name, each in columns.items()
        }
        return PandasFrame(self.native.assign(**new))

    def filtered(self, kept: NDArray[np.bool_]) -> Frame:
        return PandasFrame(self.native.iloc[np.flatnonzero(kept)])

    def blanked(self, kept: NDArray[np.bool_], columns: Sequence[str]) -> Frame:
        new = {}
        for name in columns:
            series = self.native[name]
            # NumPy's whole numbers and truth values have no missing one; floats change large numbers.
            if isinstance(series.dtype, np.dtype) and series.dtype.kind in "iub":
                series = series.astype(_nullable(series.dtype))
            new[name] = series.where(kept)
        return PandasFrame(self.native.assign(**new))


class PolarsFrame(Frame):
    """A polars data frame."""

    kind = "polars"

    @property
    def columns(self) -> tuple[str, ...]:
        return tuple(self.native.columns)

    def __len__(self) -> int:
        return int(self.native.height)

    def type_name(self, column: str) -> str:
        return str(self.native[column].dtype)

    def _factorize(self, column: str) -> Factorized:
        polars = importlib.import_module("polars")
        series = self.native[column]
        if isinstance(series.dtype, polars.Categorical | polars.Enum):
            series = series.cast(polars.String)
        cells = series.drop_nulls().unique(maintain_order=True)
        if len(cells) == 0:
            return Factorized(np.full(len(series), -1, np.int32), [])
        new = polars.Series(np.arange(len(cells), dtype=np.int32))
        codes = series.replace_strict(cells, new, default=None, return_dtype=polars.Int32).fill_null(-1)
        return Factorized(codes.to_numpy(), cells.to_list())

    def without(self, columns: Sequence[str]) -> Frame:
        return PolarsFrame(self.native.drop(columns))

    def canonical(self, column: str) -> Frame:
        series = self.native[column]
        if not series.dtype.is_float():
            return self
        polars = importlib.import_module("polars")
        # Adding zero, as with the other libraries, would be optimized away.
        cell = polars.col(column)
        one_zero = polars.when(cell == 0).then(polars.lit(0, series.dtype)).otherwise(cell).fill_nan(None)
        return PolarsFrame(self.native.with_columns(one_zero.alias(column)))

    def replaced(self, columns: Mapping[str, Replacement]) -> Frame:
        polars = importlib.import_module("polars")
        new = [
            polars.Series(name, list(each.texts), dtype=polars.String).gather(each.choices)
            for name, each in columns.items()
        ]
        return PolarsFrame(self.native.with_columns(new))

    def filtered(self, kept: NDArray[np.bool_]) -> Frame:
        polars = importlib.import_module("polars")
        return PolarsFrame(self.native.filter(polars.Series(kept)))

    def blanked(self, kept: NDArray[np.bool_], columns: Sequence[str]) -> Frame:
        polars = importlib.import_module("polars")
        keep = polars.Series(kept)
        return PolarsFrame(
            self.native.with_columns(polars.when(keep).then(polars.col(name)).alias(name) for name in columns)
        )


class ArrowFrame(Frame):
    """A pyarrow table."""

    kind = "pyarrow"

    @property
    def columns(self) -> tuple[str, ...]:
        return tuple(self.native.column_names)

    def __len__(self) -> int:
        return int(self.native.num_rows)

    def type_name(self, column: str) -> str:
        return str(self.native.schema.field(column).type)

    def _factorize(self, column: str) -> Factorized:
        arrow = importlib.import_module("pyarrow")
        array = self.native[column]
        if arrow.types.is_dictionary(array.type):
            array = array.cast(array.type.value_type)
        if arrow.types.is_timestamp(array.type):  # Python's moments end at microseconds
            array = array.cast(arrow.timestamp("us", array.type.tz), safe=False)
        encoded = array.combine_chunks().dictionary_encode()
        if isinstance(encoded, arrow.ChunkedArray):  # older versions combine to a chunked array
            encoded = encoded.unify_dictionaries().combine_chunks()
        codes = encoded.indices.fill_null(-1).to_numpy(zero_copy_only=False)
        return Factorized(codes.astype(np.int32), encoded.dictionary.to_pylist())

    def without(self, columns: Sequence[str]) -> Frame:
        return ArrowFrame(self.native.drop_columns(list(columns)))

    def canonical(self, column: str) -> Frame:
        arrow = importlib.import_module("pyarrow")
        compute = importlib.import_module("pyarrow.compute")
        array = self.native[column]
        if not arrow.types.is_floating(array.type):
            return self
        zero = arrow.scalar(0.0, array.type)
        array = compute.if_else(
            compute.is_nan(array), arrow.scalar(None, array.type), compute.add(array, zero)
        )
        return self._with(column, array)

    def replaced(self, columns: Mapping[str, Replacement]) -> Frame:
        arrow = importlib.import_module("pyarrow")
        frame = self
        for name, each in columns.items():
            frame = frame._with(
                name, arrow.array(list(each.texts), arrow.string()).take(arrow.array(each.choices))
            )
        return frame

    def filtered(self, kept: NDArray[np.bool_]) -> Frame:
        return ArrowFrame(self.native.filter(importlib.import_module("pyarrow").array(kept)))

    def blanked(self, kept: NDArray[np.bool_], columns: Sequence[str]) -> Frame:
        arrow = importlib.import_module("pyarrow")
        compute = importlib.import_module("pyarrow.compute")
        frame = self
        for name in columns:
            array = self.native[name]
            blank = arrow.scalar(None, array.type)
            frame = frame._with(name, compute.if_else(arrow.array(kept), array, blank))
        return frame

    def _with(self, column: str, array: Native) -> ArrowFrame:
        arrow = importlib.import_module("pyarrow")
        position = self.native.schema.get_field_index(column)
        field = self.native.schema.field(column)
        field = field.with_nullable(True) if field.type == array.type else arrow.field(column, array.type)
        return ArrowFrame(self.native.set_column(position, field, array))


def frame_of(source: object) -> Frame | None:
    """The source as a frame, or `None` if it is not one of a library that Shoal knows."""
    # Imported here: a run from file to file needs no data frame library at all.
    from narwhals import dependencies

    if dependencies.is_pandas_dataframe(source):
        return PandasFrame(source)
    if dependencies.is_polars_dataframe(source):
        return PolarsFrame(source)
    if dependencies.is_pyarrow_table(source):
        return ArrowFrame(source)
    return None


def _nullable(dtype: np.dtype[Any]) -> str:
    """The pandas type that holds NumPy's whole numbers or truth values and missing ones."""
    return "boolean" if dtype.kind == "b" else dtype.name.replace("int", "Int").replace("uI", "UI")


def _is_float(dtype: object) -> bool:
    """Whether a pandas type is one of floats, NumPy's or a nullable one."""
    return str(dtype).lower().startswith(("float", "double"))


def _plain(cell: object) -> object:
    """A cell as one of Python's own types."""
    if isinstance(cell, np.floating):
        # The shortest text of a single-precision number is what was meant: 0.1, not 0.10000000149.
        return float(str(cell.item() if isinstance(cell, np.float64) else np.format_float_positional(cell)))
    if isinstance(cell, np.generic):
        cell = cell.item()
    if isinstance(cell, datetime.datetime) and type(cell) is not datetime.datetime:
        return cell.floor("us").to_pydatetime()  # type: ignore[attr-defined]  # a pandas Timestamp
    return cell
