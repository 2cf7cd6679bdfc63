"""A column of moments or times of day, one entry per row."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, kw_only=True, eq=False)
class Moments:
    """Times of rows.

    Parameters
    ----------
    seconds
        Whole seconds since 1970, or since midnight.
    missing
        Whether a row has no time; its seconds mean nothing.
    of_day
        Whether they are times of a day, without a date.
    """

    seconds: NDArray[np.int64]
    missing: NDArray[np.bool_]
    of_day: bool
