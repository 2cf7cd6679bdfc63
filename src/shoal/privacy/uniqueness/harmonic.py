"""Sums of reciprocals of evenly spaced numbers, also for very many of them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

_PLAIN = 50
"""This many terms are added one by one; the rest is an integral and its corrections."""


def harmonic(first: float, step: float, terms: int) -> float:
    """The sum of 1 / (first + i * step) for i = 0 .. terms - 1, of positive numbers, to about 1e-14.

    The tail is summed by the formula of Euler and Maclaurin up to the third derivative. Numbers in the tail
    are at least fifty steps, so what is left out is below (1/50)^6 / 30,240 of the first of them.
    """
    plain = min(terms, _PLAIN)
    total = float((1 / (first + step * np.arange(plain))).sum())
    if terms <= _PLAIN:
        return total
    begin, end, count = first + step * _PLAIN, first + step * (terms - 1), terms - 1 - _PLAIN
    # log1p keeps the digits when the step is tiny, where the difference of two logarithms would lose them.
    rise = count * step / begin
    integral = count / begin if rise < 1e-16 else float(np.log1p(rise)) / step
    slopes = step * (1 / begin**2 - 1 / end**2)
    thirds = 6 * step**3 * (1 / begin**4 - 1 / end**4)
    return total + integral + (1 / begin + 1 / end) / 2 + slopes / 12 - thirds / 720


def harmonics(first: float, terms: NDArray[np.int64]) -> NDArray[np.float64]:
    """As `harmonic` with step 1, for several numbers of terms."""
    return np.array([harmonic(first, 1.0, int(each)) if each > 0 else 0.0 for each in terms])
