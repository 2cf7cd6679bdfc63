"""What an engine's type of a column means here."""

from __future__ import annotations

from dataclasses import dataclass

from shoal.model.table.domain import Kind


@dataclass(frozen=True, eq=False)
class CellType:
    """A kind of cells. Two kinds with the same facts are two: whole numbers, and decimals.

    Parameters
    ----------
    kind
        The kind of values that the type implies; of text nothing is implied.
    plain
        Whether cells that the engine holds for equal read alike. Others are compared by their text: 0.0 and
        -0.0 are equal, and so are 1.0 and 1.00, or a month and 30 days.
    floating
        Whether there is a negative zero, and a value that is not a number.
    truth
        Whether the cells are truth values.
    """

    kind: Kind | None
    plain: bool = True
    floating: bool = False
    truth: bool = False


TEXT = CellType(None)
WORD = CellType(None, plain=False)
"""Text that the engine compares in a manner of its own, blanks or case aside."""
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
"""No numbers, dates or texts, but equal cells read alike."""
