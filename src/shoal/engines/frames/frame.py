"""Data frames as tables: each library factorizes its own columns, and builds the release from them.

DuckDB gets the codes of the distinct cells, never the cells: no type of a frame has to survive a round trip,
and the columns that the release keeps are the original ones, with their types and index.
"""

from __future__ import annotations

import datetime
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from shoal.engines.duckdb.file import check_names
from shoal.errors import PolicyError
from shoal.model.table.companion import Element
from shoal.model.table.half_character import has_half_character

# The three libraries share no types that mypy could check without them, and all three are optional.
Native = Any


@dataclass(frozen=True, eq=False)
class Factorized:
    """A column as codes of its distinct cells; -1 is the missing one."""

    codes: NDArray[np.int32]
    cells: list[object]


@dataclass(frozen=True, eq=False)
class Replacement:
    """A new column: `cells[choices[row]]`, `None` for a missing cell.

    Without an element it is one of text, or of numbers.
    """

    cells: Sequence[Any]
    choices: NDArray[np.int64]
    stated: Element | None = None

    @property
    def element(self) -> Element | Literal["text"]:
        if self.stated is not None:
            return self.stated
        return "text" if any(isinstance(cell, str) for cell in self.cells) else "decimal"


class Frame(ABC):
    """A data frame of one library."""

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
        """The frame with one zero and one missing value in a column that could have several."""

    @abstractmethod
    def replaced(self, columns: Mapping[str, Replacement]) -> Frame:
        """The frame with new columns in the places of old ones."""

    @abstractmethod
    def arranged(self, columns: Sequence[str]) -> Frame:
        """The frame with its columns in another order."""

    @abstractmethod
    def filtered(self, kept: NDArray[np.bool_]) -> Frame:
        """The kept rows, in their order; no list of categories reveals values that only other rows had."""

    @abstractmethod
    def blanked(self, kept: NDArray[np.bool_], columns: Sequence[str]) -> Frame:
        """The frame without the cells of these columns, and their categories, in rows that are not kept."""

    def factorize(self, column: str, *, as_seen: bool = False) -> Factorized:
        """The column's distinct cells and codes; `as_seen` separates all cells that the library does."""
        try:
            column_codes = (self if as_seen else self.canonical(column))._factorize(column)
        except MemoryError:
            raise
        except Exception:  # each library has its own errors, and they can quote cells
            raise PolicyError(
                f"column {column!r} (type {self.type_name(column)}) has cells that cannot be compared; "
                "turn it into numbers, dates or text first"
            ) from None
        if any(isinstance(cell, str) and has_half_character(cell) for cell in column_codes.cells):
            raise PolicyError(f"column {column!r} has text with half a character, which UTF-8 lacks; fix it")
        return Factorized(column_codes.codes, [_plain(cell) for cell in column_codes.cells])


def _plain(cell: object) -> object:
    """A cell as one of Python's own types."""
    if isinstance(cell, np.floating) and np.isfinite(cell):
        # The shortest text of a number is the intended one, whatever its precision: 0.1, not 0.10000000149.
        text = np.format_float_scientific(cell, trim="-")
        return Decimal(text) if isinstance(cell, np.longdouble) else float(text)
    if isinstance(cell, np.datetime64 | np.timedelta64):
        return str(cell)  # beyond microseconds NumPy would turn it into a whole number
    if isinstance(cell, np.generic):
        return cell.item()
    if isinstance(cell, datetime.datetime) and type(cell) is not datetime.datetime:
        # A pandas Timestamp. Python's own moments end at microseconds and in the year 9999.
        within = cell.year <= datetime.MAXYEAR and not cell.nanosecond  # type: ignore[attr-defined]
        return cell.to_pydatetime() if within else str(cell)  # type: ignore[attr-defined]
    return cell
