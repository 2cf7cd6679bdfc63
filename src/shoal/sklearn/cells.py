"""The columns of scikit-learn's X: what an engine counts, and the text by which a value is found again.

Decided: the type of an array decides how its values are read, never the look of its texts: numbers are
numbers, dates are dates, all else is a category. A value is found again by the text that a release prints it
with, so that 25, 25.0 and numpy's 25 are one value.
"""

from __future__ import annotations

import datetime
import math
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.errors import PolicyError
from shoal.model.table.domain import Kind, Value, value_text
from shoal.model.table.number_text import NoNumberError, number

LARGEST = 2**53
"""Whole numbers beyond this are not exact as floats: two of them could become one."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Cells:
    """One column.

    Parameters
    ----------
    name, kind
        The column, and how its values are read.
    values
        Its values for an engine: numbers, dates, or texts and `None`.
    texts
        Its distinct values as texts; `None` is the missing value.
    of_row
        The place of each row's value among them.
    order
        The order of its categories, if its type states one.
    """

    name: str
    kind: Kind
    values: Any
    texts: tuple[str | None, ...]
    of_row: NDArray[np.int64]
    order: tuple[str, ...] | None = None


def cells_of(name: str, column: Any, kind: Kind | None = None) -> Cells:
    """A column of a data frame or of an array.

    Parameters
    ----------
    name
        Its name.
    column
        A series, or an array of one dimension.
    kind
        How to read its values; by their type when absent.
    """
    dtype = getattr(column, "dtype", None)
    order = None
    if getattr(dtype, "ordered", False) is True:  # an ordered categorical of pandas
        order = tuple(_text(each) or "" for each in dtype.categories)  # type: ignore[union-attr]
    array = np.asarray(column.to_numpy() if hasattr(column, "to_numpy") else column)
    if array.dtype.kind == "c":
        raise ValueError(f"Complex data not supported: column {name!r}")
    plain = [_plain(each, name) for each in array.tolist()] if array.dtype.kind != "M" else _moments(array)
    kind = kind or ("category" if order else _kind(plain))
    if kind == "number":
        return _numbers(name, plain, array)
    texts = [None if each is None else _text(each) for each in plain]
    distinct, of_row = _distinct(texts)
    values: Any = plain if kind == "date" else texts
    if kind == "date" and array.dtype.kind == "M":
        values = array.astype("datetime64[us]")
    return Cells(name=name, kind=kind, values=values, texts=distinct, of_row=of_row, order=order)


def _numbers(name: str, plain: list[Value], array: NDArray[Any]) -> Cells:
    if array.dtype.kind in "iu":
        values = array
    elif array.dtype.kind == "f":
        # An engine reads a float of 32 bits by another text than Python does.
        values = array.astype(np.float64)
    else:
        values = _converted(name, plain)
    if values.dtype.kind == "f" and np.isinf(values).any():
        raise ValueError(f"Input X contains infinity in column {name!r}; replace it, or let it be missing")
    distinct, of_row = np.unique(values, return_inverse=True)
    try:
        texts = tuple(None if each != each else value_text(number(each)) for each in distinct.tolist())
    except NoNumberError:
        raise PolicyError(
            f"column {name!r} has numbers beyond 10^300, which are not computed exactly; scale the column"
        ) from None
    return Cells(name=name, kind="number", values=values, texts=texts, of_row=of_row.reshape(-1))


def _converted(name: str, plain: list[Value]) -> NDArray[Any]:
    """Numbers from Python's objects or from texts: whole if all are known and whole, otherwise floats."""
    try:
        known = [None if each is None else number(str(each)) for each in plain]
    except NoNumberError:
        raise PolicyError(
            f"column {name!r} has cells that are not numbers; convert them, or leave out the type number"
        ) from None
    whole = [each for each in known if isinstance(each, int)]
    if len(whole) == len(known) and all(abs(each) < 2**63 for each in whole):
        return np.array(whole, np.int64)
    if any(abs(each) > LARGEST for each in whole):
        raise PolicyError(
            f"column {name!r} has whole numbers beyond 2^53, which are not exact as floats; if they identify "
            "people, leave the column out"
        )
    return np.array([math.nan if each is None else float(each) for each in known], np.float64)


def _distinct(texts: list[str | None]) -> tuple[tuple[str | None, ...], NDArray[np.int64]]:
    place: dict[str | None, int] = {}
    of_row = np.array([place.setdefault(each, len(place)) for each in texts], np.int64)
    return tuple(place), of_row


def _moments(array: NDArray[Any]) -> list[Value]:
    moments: list[Value] = array.astype("datetime64[us]").tolist()
    return moments


def _kind(plain: list[Value]) -> Kind:
    known = [each for each in plain if each is not None]
    if known and all(isinstance(each, datetime.date) for each in known):
        return "date"
    if all(isinstance(each, int | float | Decimal) and not isinstance(each, bool) for each in known):
        return "number"
    return "category"


def _plain(value: Any, name: str) -> Value:
    """A value as Python has it; `None` for what pandas or numpy take for missing."""
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return None
    if isinstance(value, float | np.floating) and math.isnan(value):
        return None
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, datetime.datetime):
        if value.tzinfo is not None:
            raise PolicyError(
                f"column {name!r} has moments with a time zone; remove it first, with .dt.tz_localize(None)"
            )
        return datetime.datetime.fromisoformat(value.isoformat()) if hasattr(value, "nanosecond") else value
    if isinstance(value, bool | int | float | str | Decimal | datetime.date):
        return value  # type: ignore[return-value]  # a float is exact as its text
    return str(value)


def _text(value: Any) -> str:
    try:
        return value_text(number(value) if isinstance(value, float | Decimal) else value)
    except NoNumberError:
        return str(value)
