"""Distinct lines of codes."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

LARGEST_KEY = 2**62


def distinct_codes(lines: NDArray[np.int32]) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """The distinct lines of an array of codes, sorted, and the number of each line among them."""
    sizes = [int(column.max(initial=0)) + 1 for column in lines.T]
    if math.prod(sizes) >= LARGEST_KEY:
        distinct, numbers = np.unique(lines, axis=0, return_inverse=True)
        return distinct, numbers.reshape(-1).astype(np.int64)
    keys = np.zeros(len(lines), np.int64)
    for column, size in zip(lines.T, sizes, strict=True):
        keys = keys * size + column
    _, first, numbers = np.unique(keys, return_index=True, return_inverse=True)
    return lines[first], numbers.reshape(-1).astype(np.int64)
