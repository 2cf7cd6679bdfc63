"""Random orders that nobody can guess."""

from __future__ import annotations

import secrets

import numpy as np
from numpy.typing import NDArray


def secret_order(size: int) -> NDArray[np.int64]:
    """A random order of the numbers below `size`, from the system's secure source."""
    # Sorting by 64 random bits; two equal draws, and with them a trace of the old order, do not occur.
    draws = np.frombuffer(secrets.token_bytes(8 * size), np.uint64)
    return np.argsort(draws, kind="stable").astype(np.int64)
