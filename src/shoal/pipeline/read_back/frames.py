"""Typed columns as a frame of a library: pandas, polars or Arrow."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal, cast

import numpy as np

from shoal.errors import PolicyError
from shoal.pipeline.read_back.typed_cells import Ends, TypedCells

# The libraries share no types that mypy could check without them, and all three are optional.
Native = Any

Library = Literal["pandas", "polars", "arrow"]


def as_frame(columns: Sequence[TypedCells], library: Library) -> Native:
    """The columns as one frame.

    Parameters
    ----------
    columns
        The columns, each of the same number of rows.
    library
        The library.
    """
    module = {"pandas": "pandas", "polars": "polars", "arrow": "pyarrow"}[library]
    try:
        native = importlib.import_module(module)
    except ImportError:
        extra = ': pip install "shoal[arrow]"' if library == "arrow" else f": pip install {module}"
        raise PolicyError(f"{module} is not installed, which as_={library!r} needs{extra}") from None
    return _FRAMES[library](native, columns)


def _pandas(pandas: Native, columns: Sequence[TypedCells]) -> Native:
    return pandas.DataFrame({column.name: _series(pandas, column) for column in columns})


def _series(pandas: Native, column: TypedCells) -> Native:
    if column.shape == "interval":
        return _intervals(pandas, column)
    if column.shape == "category":
        number = {label: place for place, label in enumerate(column.categories)}
        of_cell = np.array([number.get(cast("str", cell), -1) for cell in column.cells], np.int64)
        kind = pandas.CategoricalDtype(list(column.categories), ordered=column.ordered)
        return pandas.Series(pandas.Categorical.from_codes(of_cell[column.codes], dtype=kind))
    if column.shape == "list":
        lists = [_python(cell) for cell in column.cells]
        return pandas.Series([lists[code] for code in column.codes.tolist()], dtype=object)
    missing = _has_missing(column)
    dtype = {
        "whole": "Int64" if missing else "int64",
        "decimal": "float64",
        "truth": "boolean" if missing else "bool",
        "text": "str" if int(pandas.__version__.split(".")[0]) >= 3 else "object",
        "date": "datetime64[us]",
        "moment": "datetime64[us, UTC]" if _is_zoned(column) else "datetime64[us]",
    }[column.element]
    cells = list(column.cells)
    if not missing and None in cells:  # no row has it, and plain numbers have no place for it
        some = next((cell for cell in cells if cell is not None), None)
        cells = [] if some is None else [some if cell is None else cell for cell in cells]
    return pandas.Series(cells, dtype=dtype).take(column.codes).reset_index(drop=True)


def _intervals(pandas: Native, column: TypedCells) -> Native:
    """One array of intervals if all have ends of one kind; otherwise intervals one by one."""
    used = {code: column.cells[code] for code in np.unique(column.codes).tolist()}
    ends = [cell for cell in used.values() if isinstance(cell, Ends)]
    closings = [name for name, fits in _CLOSED.items() if all(map(fits, ends))]
    if closings:
        cells = [_interval(pandas, column, cell, closings[0]) for cell in column.cells]
        subtype = {"whole": "int64", "decimal": "float64"}.get(column.element, "datetime64[us]")
        if _is_zoned(column):
            subtype = "datetime64[us, UTC]"
        if subtype == "int64" and (_has_missing(column) or any(_is_open(each) for each in ends)):
            subtype = "float64"  # intervals of whole numbers have no missing one, and no infinity
        kind = pandas.IntervalDtype(subtype, closings[0])
        of_rows = [cells[code] for code in column.codes.tolist()]
        return pandas.Series(pandas.arrays.IntervalArray(of_rows, dtype=kind))
    cells = [_interval(pandas, column, cell, None) for cell in column.cells]
    return pandas.Series([cells[code] for code in column.codes.tolist()], dtype=object)


_CLOSED: Mapping[str, Callable[[Ends], bool]] = {
    "both": lambda ends: ends.has_low and ends.has_high,
    "left": lambda ends: ends.has_low and not ends.has_high,
    "right": lambda ends: not ends.has_low and ends.has_high,
    "neither": lambda ends: not ends.has_low and not ends.has_high,
}


def _is_open(ends: Ends) -> bool:
    return ends.low is None or ends.high is None


def _interval(pandas: Native, column: TypedCells, cell: object, closed: str | None) -> Native:
    if not isinstance(cell, Ends):
        return None
    own = closed or next(name for name, fits in _CLOSED.items() if fits(cell))
    if column.element in ("whole", "decimal"):
        low = -np.inf if cell.low is None else cell.low
        high = np.inf if cell.high is None else cell.high
        return pandas.Interval(low, high, closed=own)
    if _is_open(cell):  # dates have no infinity
        return None
    return pandas.Interval(
        pandas.Timestamp(cell.low).as_unit("us"), pandas.Timestamp(cell.high).as_unit("us"), closed=own
    )


def _polars(polars: Native, columns: Sequence[TypedCells]) -> Native:
    plain = {
        "whole": polars.Int64,
        "decimal": polars.Float64,
        "text": polars.String,
        "truth": polars.Boolean,
        "date": polars.Date,
    }

    def series(column: TypedCells) -> Native:
        zone = "UTC" if _is_zoned(column) else None
        kind = plain.get(column.element) or polars.Datetime("us", zone)
        if column.shape == "interval":
            kind = polars.Struct({"low": kind, "high": kind})
        elif column.shape == "list":
            kind = polars.List(polars.String)
        elif column.shape == "category":
            kind = polars.Enum(list(column.categories)) if column.ordered else polars.Categorical
        cells = [_python(cell) for cell in column.cells]
        return polars.Series(column.name, cells, dtype=kind, strict=False).gather(column.codes.tolist())

    return polars.DataFrame([series(column) for column in columns])


def _arrow(arrow: Native, columns: Sequence[TypedCells]) -> Native:
    plain = {
        "whole": arrow.int64(),
        "decimal": arrow.float64(),
        "text": arrow.string(),
        "truth": arrow.bool_(),
        "date": arrow.date32(),
    }

    def array(column: TypedCells) -> Native:
        zone = "UTC" if _is_zoned(column) else None
        kind = plain.get(column.element) or arrow.timestamp("us", zone)
        codes = arrow.array(column.codes)
        if column.shape == "interval":
            kind = arrow.struct([("low", kind), ("high", kind)])
        elif column.shape == "list":
            kind = arrow.list_(arrow.string())
        elif column.shape == "category":
            number = {label: place for place, label in enumerate(column.categories)}
            of_cell = [number.get(cast("str", cell)) for cell in column.cells]
            indices = arrow.array(of_cell, arrow.int32()).take(codes)
            labels = arrow.array(list(column.categories), arrow.string())
            return arrow.DictionaryArray.from_arrays(indices, labels, ordered=column.ordered)
        return arrow.array([_python(cell) for cell in column.cells], kind).take(codes)

    return arrow.table({column.name: array(column) for column in columns})


def _python(cell: object) -> object:
    if isinstance(cell, Ends):
        return {"low": cell.low, "high": cell.high}
    return list(cell) if isinstance(cell, tuple) else cell


def _has_missing(column: TypedCells) -> bool:
    missing = np.array([cell is None for cell in column.cells], np.bool_)
    return bool(missing[column.codes].any())


def _is_zoned(column: TypedCells) -> bool:
    if column.element != "moment":
        return False
    values = (each.low or each.high if isinstance(each, Ends) else each for each in column.cells)
    return any(getattr(value, "tzinfo", None) is not None for value in values)


_FRAMES: Mapping[Library, Callable[[Native, Sequence[TypedCells]], Native]] = {
    "pandas": _pandas,
    "polars": _polars,
    "arrow": _arrow,
}
