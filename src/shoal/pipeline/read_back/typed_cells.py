"""A column with types, in no library's own form yet."""

from __future__ import annotations

import datetime
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

Element = Literal["whole", "decimal", "date", "moment", "text", "truth"]
Shape = Literal["plain", "interval", "category", "list"]
Scalar = int | float | str | bool | datetime.date | datetime.datetime


@dataclass(frozen=True)
class Ends:
    """An interval; an end that is `None` is open: nothing is known beyond it."""

    low: Scalar | None
    high: Scalar | None
    has_low: bool = True
    has_high: bool = True


@dataclass(frozen=True, kw_only=True, eq=False)
class TypedCells:
    """A column.

    Parameters
    ----------
    name
        What it is called in the result.
    element
        The type of its values, or of the ends of its intervals, or of the members of its lists.
    shape
        Whether a cell is a value, an interval, one of some categories, or a list.
    cells
        The distinct cells: values, `Ends` or tuples; `None` for a missing one.
    codes
        For each row the position of its cell.
    categories
        The categories, if there are some.
    ordered
        Whether their order is meaningful.
    """

    name: str
    element: Element
    shape: Shape = "plain"
    cells: Sequence[object]
    codes: NDArray[np.int32]
    categories: tuple[str, ...] = ()
    ordered: bool = False
