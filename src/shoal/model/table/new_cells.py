"""The new cells of a column that was treated."""

from __future__ import annotations

from dataclasses import dataclass, replace
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
    rows
        Per row the row whose cell it gets, if cells only change places.
    """

    texts: tuple[str | None, ...]
    choices: NDArray[np.int64]
    kind: CellKind = "text"
    rows: NDArray[np.int64] | None = None

    @property
    def used(self) -> NewCells:
        """The same cells, with those texts alone that a row has."""
        numbers, choices = np.unique(self.choices, return_inverse=True)
        texts = tuple(self.texts[number] for number in numbers.tolist())
        return replace(self, texts=texts, choices=choices.reshape(-1).astype(np.int64))
