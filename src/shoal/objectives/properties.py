"""Properties: a number for every row of a released table (the paper's Definition 1).

A suppressed row has the value that its group would have given it; the indices leave it out.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.objectives.released import Released

Vector = NDArray[Any]
Property = Callable[[Released], Vector]


def group_size(released: Released) -> Vector:
    """Rows of the row's group."""
    return released.groups.sizes[released.group]


def distinct_values(released: Released, column: str) -> Vector:
    """Different values of a sensitive column in the row's group."""
    pairs = np.unique(np.column_stack([released.group, released.sensitive(column)]), axis=0)
    return np.bincount(pairs[:, 0], minlength=len(released.groups.sizes))[released.group]


def value_count(released: Released, column: str) -> Vector:
    """Rows of the row's group with its value of a sensitive column."""
    pairs = np.column_stack([released.group, released.sensitive(column)])
    _, of_entry = np.unique(pairs, axis=0, return_inverse=True)
    counted = np.bincount(of_entry.ravel(), released.rows).astype(np.int64)
    return counted[of_entry.ravel()]
