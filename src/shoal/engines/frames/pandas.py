"""pandas data frames as tables."""

from __future__ import annotations

import importlib
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.engines.frames.arrow import factorized, without_unused
from shoal.engines.frames.frame import Factorized, Frame, Native, Replacement


class PandasFrame(Frame):
    """A pandas data frame. Rows are taken by position: an index may be unordered or have duplicates."""

    @property
    def columns(self) -> tuple[str, ...]:
        return tuple(self.native.columns)

    def __len__(self) -> int:
        return len(self.native)

    def type_name(self, column: str) -> str:
        return str(self.native[column].dtype)

    def _factorize(self, column: str) -> Factorized:
        pandas = importlib.import_module("pandas")
        series = self.native[column]
        if isinstance(series.dtype, pandas.ArrowDtype):
            return factorized(series.array.__arrow_array__())
        if isinstance(series.dtype, np.dtype) and series.dtype.itemsize > _WIDEST.get(series.dtype.kind, 64):
            return _factorized(series.to_numpy())
        codes, cells = pandas.factorize(series, use_na_sentinel=True)
        if isinstance(cells.dtype, pandas.CategoricalDtype):
            cells = cells.astype(cells.categories.dtype)
        if str(cells.dtype).lower() in ("float32", "float16"):  # as a list they would be doubles
            cells = cells.to_numpy(str(cells.dtype).lower())
        if series.dtype == object and pandas.api.types.infer_dtype(series, skipna=False) != "string":
            # pandas treats 1, 1.0 and True as equal, and None as NaN; a reader of the frame need not.
            by_type = [None if cell is None else f"{type(cell).__name__} {cell!r}" for cell in series]
            codes, _ = pandas.factorize(np.array(by_type, object), use_na_sentinel=True)
            first = np.unique(codes, return_index=True)[1][int((codes < 0).any()) :]
            cells = [series.iloc[position] for position in first]
        return Factorized(codes.astype(np.int32), list(cells))

    def without(self, columns: Sequence[str]) -> Frame:
        return PandasFrame(_without_index_of(columns, self.native.drop(columns=list(columns))))

    def canonical(self, column: str) -> Frame:
        series = self.native[column]
        if _is_float(series.dtype):
            one_zero = series + 0.0
            return self._with({column: one_zero.astype(series.dtype)})  # Arrow types would become doubles
        missing = series.isna().to_numpy()
        if series.dtype == object and missing.any():
            cells = series.to_numpy(object, copy=True)
            cells[missing] = None
            return self._with({column: type(series)(cells, index=series.index, dtype=object)})
        return self

    def replaced(self, columns: Mapping[str, Replacement]) -> Frame:
        pandas = importlib.import_module("pandas")
        # The default text type of pandas 3; earlier versions store text as objects.
        text = "str" if int(pandas.__version__.split(".")[0]) >= 3 else "object"
        new = {}
        types = {"text": text, "decimal": "float64", "whole": "Int64"}
        for name, each in columns.items():
            dtype = types.get(each.element, "datetime64[us]")
            cells = pandas.Series(list(each.cells), dtype=dtype)
            new[name] = cells.take(each.choices).set_axis(self.native.index)
        return self._replacing(new)

    def arranged(self, columns: Sequence[str]) -> Frame:
        return PandasFrame(self.native[list(columns)])

    def rewritten(self, column: str, cells: Replacement) -> Frame:
        pandas = importlib.import_module("pandas")
        dtype = self.native[column].dtype
        series = pandas.Series(list(cells.cells), dtype="object")
        if None in cells.cells and isinstance(dtype, np.dtype) and dtype.kind in "iu":
            dtype = np.dtype(np.float64)  # as pandas does: its plain whole numbers have no missing one
        series = series.astype(dtype)
        return self._replacing({column: series.take(cells.choices).set_axis(self.native.index)})

    def exchanged(self, column: str, rows: NDArray[np.int64]) -> Frame:
        series = self.native[column]
        return self._replacing({column: series.take(rows).set_axis(series.index)})

    def shuffled(self, order: NDArray[np.int64]) -> Frame:
        return PandasFrame(self.native.iloc[order].reset_index(drop=True))

    def filtered(self, kept: NDArray[np.bool_]) -> Frame:
        return PandasFrame(self.native.iloc[np.flatnonzero(kept)])._without_unused()

    def blanked(self, kept: NDArray[np.bool_], columns: Sequence[str]) -> Frame:
        pandas = importlib.import_module("pandas")
        places = np.where(kept, np.cumsum(kept) - 1, -1)
        new = {}
        for name in columns:
            series = self.native[name]
            # NumPy's whole numbers and booleans have no missing value; floats change large numbers.
            if isinstance(series.dtype, np.dtype) and series.dtype.kind in "iub":
                series = series.astype(_nullable(series.dtype))
            # Built from the kept cells: a cell that is only marked as missing is still in the array. Among
            # objects NaN is a float like any other; only None is missing for every reader.
            cells = pandas.api.extensions.take(series.array[kept], places, allow_fill=True)
            if series.dtype == object:
                cells[places < 0] = None
            new[name] = type(series)(cells, index=series.index, dtype=series.dtype)
        return self._with(new)._without_unused()

    def _without_unused(self) -> PandasFrame:
        """Without unused categories: they would reveal values that only suppressed rows had."""
        pandas = importlib.import_module("pandas")
        new = {}
        for name, dtype in self.native.dtypes.items():
            if isinstance(dtype, pandas.CategoricalDtype):
                new[name] = self.native[name].cat.remove_unused_categories()
            elif isinstance(dtype, pandas.ArrowDtype):
                cells = without_unused(self.native[name].array.__arrow_array__())
                new[name] = type(self.native[name])(dtype.construct_array_type()(cells), self.native.index)
        frame = self._with(new)
        frame.native.index = _index_without_unused(frame.native.index)
        return frame

    def _replacing(self, columns: Mapping[str, Native]) -> PandasFrame:
        return PandasFrame(_without_index_of(columns, self._with(columns).native))

    def _with(self, columns: Mapping[str, Native]) -> PandasFrame:
        native = self.native.copy(deep=False)
        for name, series in columns.items():
            native[name] = series
        return PandasFrame(native)


def _without_index_of(columns: Iterable[str], native: Native) -> Native:
    """The frame; with a new index if the old one repeats a column that is dropped, or has other cells now."""
    repeats = not {*columns}.isdisjoint(native.index.names)
    return native.reset_index(drop=True) if repeats else native


def _index_without_unused(index: Native) -> Native:
    """An index whose lists of values contain only those of its rows."""
    pandas = importlib.import_module("pandas")
    if isinstance(index, pandas.MultiIndex):
        used = index.remove_unused_levels()
        return used.set_levels([_index_without_unused(level) for level in used.levels])
    return index.remove_unused_categories() if isinstance(index, pandas.CategoricalIndex) else index


_WIDEST = {"f": 8, "c": 16}
"""Bytes of the widest floats and complex numbers that pandas distinguishes."""


def _factorized(array: NDArray[Any]) -> Factorized:
    """Floats that are wider than doubles: pandas would treat them as equal if their doubles are."""
    missing = np.isnan(array)
    cells, codes = np.unique(array[~missing], return_inverse=True)
    row_codes = np.full(len(array), -1, np.int32)
    row_codes[~missing] = codes
    return Factorized(row_codes, list(cells))


def _nullable(dtype: np.dtype[Any]) -> str:
    """The pandas type for NumPy's whole numbers or booleans with missing values."""
    return "boolean" if dtype.kind == "b" else dtype.name.replace("int", "Int").replace("uI", "UI")


def _is_float(dtype: object) -> bool:
    """Whether a pandas type is a float type, NumPy's or a nullable one."""
    return str(dtype).lower().startswith(("float", "double"))
