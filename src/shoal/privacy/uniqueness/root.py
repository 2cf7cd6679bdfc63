"""Where a function of one number is zero."""

from __future__ import annotations

import math
from collections.abc import Callable

STEPS = 200
"""Bisection alone takes about 60; with the secant it is a few tens at most."""


def root(function: Callable[[float], float], low: float, high: float) -> float | None:
    """A place between two ends at which the function changes its sign; `None` if the ends have the same.

    The secant with the Illinois rule, and a bisection whenever that did not halve the bracket in three steps:
    the answer is always inside a bracket, however crooked the function.
    """
    at_low, at_high = function(low), function(high)
    if at_low == 0:
        return low
    if at_high == 0:
        return high
    if not (math.isfinite(at_low) and math.isfinite(at_high)) or (at_low > 0) == (at_high > 0):
        return None
    width, since = high - low, 0
    for _ in range(STEPS):
        middle = (low + high) / 2
        if since < 3:
            secant = high - at_high * (high - low) / (at_high - at_low)
            middle = secant if low < secant < high else middle
        else:
            width, since = (high - low) / 2, 0
        if middle in (low, high):
            break
        value = function(middle)
        if not math.isfinite(value):
            return None
        if value == 0:
            return middle
        if (value > 0) == (at_low > 0):
            low, at_low, at_high = middle, value, at_high / 2
        else:
            high, at_high, at_low = middle, value, at_low / 2
        if high - low <= 4e-16 * max(abs(low), abs(high)):
            break
        width, since = (high - low, 0) if high - low <= width / 2 else (width, since + 1)
    return (low + high) / 2
