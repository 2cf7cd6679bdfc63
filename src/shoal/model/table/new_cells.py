"""The new cells of a column that was treated."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

CellKind = Literal["text", "number", "same"]
"""Text; numbers; or of the type that the column had."""


@dataclass(frozen=True, kw_only=True, eq=False)
class NewCells:
    """A column, row by row in the order of the source: `texts[choices[row]]`.

    Parameters
    ----------
    texts
        The texts of the new cells; `None` for a missing one.
    choices
        Per row the position of its text.
    kind
        What the cells are where a table has types.
    """

    texts: tuple[str | None, ...]
    choices: NDArray[np.int64]
    kind: CellKind = "text"
