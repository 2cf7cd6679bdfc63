"""What an engine's column type means to Shoal."""

from __future__ import annotations

from dataclasses import dataclass

from shoal.model.table.domain import Kind


@dataclass(frozen=True, eq=False)
class CellType:
    """A kind of cells. Two kinds with the same facts stay two: whole numbers, and decimals.

    Parameters
    ----------
    kind
        The kind of values that the type implies; text implies nothing.
    plain
        Whether cells that the engine treats as equal read alike. Other types are compared by their text:
        engines treat 0.0 and -0.0 as equal, and also 1.0 and 1.00, or a month and 30 days.
    floating
        Whether the type has a negative zero, and a value that is not a number.
    truth
        Whether the cells are truth values.
    """

    kind: Kind | None
    plain: bool = True
    floating: bool = False
    truth: bool = False


TEXT = CellType(None)
FOLDED_TEXT = CellType(None, plain=False)
"""Text that the engine compares in its own way, for example ignoring blanks or case."""
INTEGER = CellType("number")
FLOAT = CellType("number", plain=False, floating=True)
DECIMAL = CellType("number")
NUMERIC = CellType("number", plain=False)
"""Decimals without a fixed number of digits."""
BOOLEAN = CellType("category", truth=True)
DATE = CellType("date")
TIMESTAMP = CellType("date")
OTHER = CellType("category", plain=False)
OPAQUE = CellType("category")
"""Neither numbers, dates nor texts, but equal cells read alike."""
