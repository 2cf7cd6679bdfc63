"""Quality indices: one number for a property vector, or for two of them (the paper's Definition 2)."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.objectives.dominance import Number
from shoal.objectives.properties import Vector
from shoal.objectives.released import Released


def worst_case(vector: Vector, released: Released) -> Number:
    """The least value of a released row."""
    return _plain(vector[released.kept].min())


def greatest(vector: Vector, released: Released) -> Number:
    """The greatest value of a released row: the worst one, where less is better."""
    return _plain(vector[released.kept].max())


def spread(vector: Vector, released: Released) -> Number:
    """The sum over the released rows; a suppressed row adds nothing.

    It orders tables as `binary_spread` does: the paper's observation, which a test repeats.
    """
    return _plain((vector * released.rows)[released.kept].sum())


def binary_spread(one: Vector, other: Vector, rows: NDArray[np.int64] | None = None) -> Number:
    """By how much rows of one table are better off than in the other, summed over those that are.

    Parameters
    ----------
    one, other
        The property on two releases of one table; 0 where a row is suppressed.
    rows
        How many rows each entry represents; one each when absent.
    """
    gained = np.maximum(one - other, 0)
    return _plain((gained if rows is None else gained * rows).sum())


def _plain(value: Any) -> Number:
    number: Number = value.item() if hasattr(value, "item") else value
    return number
