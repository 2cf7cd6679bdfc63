"""polars data frames as tables."""

from __future__ import annotations

import datetime
import importlib
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from shoal.engines.frames.frame import Factorized, Frame, Native, Replacement


class PolarsFrame(Frame):
    """A polars data frame."""

    @property
    def columns(self) -> tuple[str, ...]:
        return tuple(self.native.columns)

    def __len__(self) -> int:
        return int(self.native.height)

    def type_name(self, column: str) -> str:
        return str(self.native[column].dtype)

    def _factorize(self, column: str) -> Factorized:
        polars = importlib.import_module("polars")
        series = self.native[column].alias("cells")  # a name like ^a.*$ would be read as a pattern
        if isinstance(series.dtype, polars.Categorical | polars.Enum):
            series = series.cast(polars.String)
        if series.dtype.is_temporal() and _beyond_python(series):
            series = series.dt.to_string("iso")
        cells = series.drop_nulls().unique(maintain_order=True)
        if len(cells) == 0:
            return Factorized(np.full(len(series), -1, np.int32), [])
        new = polars.Series(np.arange(len(cells), dtype=np.int32))
        codes = series.replace_strict(cells, new, default=None, return_dtype=polars.Int32).fill_null(-1)
        # As a list, single-precision numbers would be doubles.
        single = isinstance(series.dtype, polars.Float32)
        return Factorized(codes.to_numpy(), list(cells.to_numpy()) if single else cells.to_list())

    def without(self, columns: Sequence[str]) -> Frame:
        # Not drop: it takes patterns.
        return PolarsFrame(self.native.select([each for each in self.native if each.name not in columns]))

    def canonical(self, column: str) -> Frame:
        series = self.native[column]
        if not series.dtype.is_float():
            return self
        polars = importlib.import_module("polars")
        # Adding zero, as with the other libraries, would be optimized away.
        one_zero = polars.when(series == 0).then(polars.lit(0, series.dtype)).otherwise(series)
        return PolarsFrame(self.native.with_columns(one_zero.fill_nan(None).alias(column)))

    def replaced(self, columns: Mapping[str, Replacement]) -> Frame:
        polars = importlib.import_module("polars")
        types = {
            "text": polars.String,
            "decimal": polars.Float64,
            "whole": polars.Int64,
            "date": polars.Date,
            "moment": polars.Datetime("us"),
        }
        new = []
        for name, each in columns.items():
            dtype = types[each.element]
            new.append(polars.Series(values=list(each.cells), dtype=dtype).gather(each.choices).alias(name))
        return PolarsFrame(self.native.with_columns(new))

    def arranged(self, columns: Sequence[str]) -> Frame:
        return PolarsFrame(self.native.select([self.native[name] for name in columns]))

    def filtered(self, kept: NDArray[np.bool_]) -> Frame:
        polars = importlib.import_module("polars")
        return PolarsFrame(self.native.filter(polars.Series(kept)))._without_unused()

    def blanked(self, kept: NDArray[np.bool_], columns: Sequence[str]) -> Frame:
        polars = importlib.import_module("polars")
        keep = polars.Series(kept)
        places = polars.Series(np.cumsum(kept) - 1).set(~keep, None)
        # Built from the kept cells: a cell that is only marked as missing is still in memory and in files.
        new = [self.native[name].filter(keep).gather(places) for name in columns]
        return PolarsFrame(self.native.with_columns(new))._without_unused()

    def _without_unused(self) -> PolarsFrame:
        """With shorter lists of categories: the old ones would reveal values of suppressed rows only."""
        new = [
            each.cast(_as_text(each.dtype)).cast(_used(each)) for each in self.native if _lists(each.dtype)
        ]
        return PolarsFrame(self.native.with_columns(new))


def _lists(dtype: Native) -> bool:
    """Whether a type, or one in it, lists the values that its cells can have."""
    return bool(dtype != _as_text(dtype))


def _as_text(dtype: Native) -> Native:
    """The type with texts where it lists values."""
    polars = importlib.import_module("polars")
    if isinstance(dtype, polars.Enum):
        return polars.String()
    if isinstance(dtype, polars.List):
        return polars.List(_as_text(dtype.inner))
    if isinstance(dtype, polars.Array):
        return polars.Array(_as_text(dtype.inner), dtype.size)
    if isinstance(dtype, polars.Struct):
        return polars.Struct({each.name: _as_text(each.dtype) for each in dtype.fields})
    return dtype


def _used(series: Native) -> Native:
    """The type of a series, listing only the values that it has, in their order."""
    polars = importlib.import_module("polars")
    dtype = series.dtype
    if isinstance(dtype, polars.Enum):
        present = set(series.drop_nulls().cast(polars.String).unique())
        return polars.Enum([each for each in dtype.categories if each in present])
    if isinstance(dtype, polars.List):
        return polars.List(_used(series.explode()))
    if isinstance(dtype, polars.Array):
        return polars.Array(_used(series.explode()), dtype.size)
    if isinstance(dtype, polars.Struct):
        return polars.Struct({each.name: _used(series.struct.field(each.name)) for each in dtype.fields})
    return dtype


def _beyond_python(series: Native) -> bool:
    """Whether Python's own dates and times, which end at microseconds and 9999, lose part of a cell."""
    polars = importlib.import_module("polars")
    if isinstance(series.dtype, polars.Duration):
        return bool((series.dt.total_nanoseconds() % 1000 != 0).any())
    if isinstance(series.dtype, polars.Time):
        return bool((series.dt.nanosecond() % 1000 != 0).any())
    years = series.dt.year()
    if ((years < datetime.MINYEAR) | (years > datetime.MAXYEAR)).any():
        return True
    return isinstance(series.dtype, polars.Datetime) and bool((series.dt.nanosecond() % 1000 != 0).any())
