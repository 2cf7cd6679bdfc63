"""Columns that were released as they are: numbers, dates, truth values or text, decided by all their cells.

A cell of a CSV file has no type. A column of it becomes numbers only if no digit is lost: 007 and 1e400 stay
text. Where the file or the frame has types, text stays text.
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Callable, Sequence
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from shoal.model.table.number_text import NoNumberError, Number, number
from shoal.pipeline.read_back.typed_cells import Element, TypedCells

T = TypeVar("T")

MOST_WHOLE = 2**63
_DAY = re.compile(r"\d{4}-\d\d-\d\d")
_MOMENT = re.compile(r"\d{4}-\d\d-\d\d[ T]\d\d:\d\d(:\d\d(\.\d{1,6})?)?(Z|[+-]\d\d(:?\d\d)?)?")
_TRUTH = {"true": True, "false": False}


def plain_cells(
    name: str, texts: Sequence[str | None], codes: NDArray[np.int32], *, is_text: bool, whole: bool = True
) -> TypedCells:
    """The column.

    Parameters
    ----------
    name
        Its name.
    texts, codes
        Its distinct cells as text, and the cell of each row.
    is_text
        Whether the release says that its cells are text.
    whole
        Whether numbers without decimals are whole numbers.
    """
    if not is_text:
        for element, read in _READ if whole else _READ[1:]:
            cells = _all(texts, read)
            if cells is not None:
                return TypedCells(name=name, element=element, cells=cells, codes=codes)
    return TypedCells(name=name, element="text", cells=texts, codes=codes)


def _all(texts: Sequence[str | None], read: Callable[[str], object]) -> list[object] | None:
    """All cells read in one way; `None` if one cannot be, or if there is none."""
    cells: list[object] = []
    for text in texts:
        cell = None if text is None else read(text)
        if cell is None and text is not None:
            return None
        cells.append(cell)
    return cells if any(cell is not None for cell in cells) else None


def _whole(text: str) -> int | None:
    value = _number(text)
    return value if isinstance(value, int) and "." not in text and abs(value) < MOST_WHOLE else None


def _decimal(text: str) -> float | None:
    if text.lower() == "nan":
        return float("nan")
    value = _number(text)
    return None if value is None else float(value)


def _number(text: str) -> Number | None:
    try:
        return number(text)
    except NoNumberError:
        return None


def _date(text: str) -> datetime.date | None:
    return _iso(text, _DAY, datetime.date.fromisoformat)


def _moment(text: str) -> datetime.datetime | None:
    return _iso(text, _MOMENT, datetime.datetime.fromisoformat)


def _iso(text: str, shape: re.Pattern[str], read: Callable[[str], T]) -> T | None:
    if not shape.fullmatch(text):
        return None
    try:
        return read(text)
    except ValueError:
        return None


def _truth(text: str) -> bool | None:
    return _TRUTH.get(text)


_READ: tuple[tuple[Element, Callable[[str], object]], ...] = (
    ("whole", _whole),
    ("decimal", _decimal),
    ("date", _date),
    ("moment", _moment),
    ("truth", _truth),
)
