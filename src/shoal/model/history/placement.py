"""How histories are released: which rows of which persons are released alike."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

SUPPRESSED_ROW = -1
"""In place of a place: the row is not released."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Placement:
    """The place of each row of each history.

    Rows with the same place are released with the same values: the least that cover all of them, or, with
    `levels`, those of the levels.

    Parameters
    ----------
    place_of
        For each row of a history its place, numbered from 0, or `SUPPRESSED_ROW`. Rows of one place are rows
        of one table.
    levels
        For each table the level of each quasi-identifier, if equal values are released alike everywhere.
    """

    place_of: NDArray[np.int64]
    levels: tuple[tuple[int, ...], ...] | None = None
