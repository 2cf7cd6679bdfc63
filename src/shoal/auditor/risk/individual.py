"""The risk of each person whose row has a survey weight, as in mu-Argus.

Of the F people who share the quasi-identifiers of f sampled rows only an estimate is known, the sum of the
rows' weights. Given f, F is taken for negative binomial: the draws until f people are sampled, each with p =
f / sum of weights. The risk is the expectation of 1 / F.

With q = 1 - p it is I(f) = p * integral over y from 0 to 1 of y^(f-1) / (p + q y), hence

    I(1) = (p/q) log(1/p),    I(f+1) = (p/q) (1/f - I(f)),
    I(f) = (p/f) times the sum over i of i! q^i / ((f+1) ... (f+i))

The recursion does not magnify errors while p <= 1/2, and the terms of the series are positive and shrink at
least like powers of q, or of i to the power f: each is used where it is good.

Papers: Benedetti and Franconi, Statistical and technological solutions for controlled data dissemination,
1998; Franconi and Polettini, Individual risk estimation in mu-Argus: a review, PSD 2004. sdcMicro's default
takes p / (f - q) for f above 2; this is the expectation itself.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

_BY_RECURSION = 16
_MOST_TERMS = 2_000


def expected_reciprocal(rows: NDArray[np.int64], people: Floats) -> Floats:
    """Per group the expected 1 / F, given its rows and its estimated people.

    Where the people are no more than the rows, it is 1 / rows: the whole group is in the table.
    """
    expected = 1 / rows.astype(np.float64)
    open_ = people > rows
    share = rows[open_] / people[open_]
    few = (rows[open_] < _BY_RECURSION) & (share <= 0.5)
    values = np.empty(len(share))
    values[few] = _recursion(rows[open_][few], share[few])
    values[~few] = _series(rows[open_][~few], share[~few])
    expected[open_] = values
    return expected


def _recursion(rows: NDArray[np.int64], share: Floats) -> Floats:
    odds = share / (1 - share)
    value = -odds * np.log(share)
    result = value.copy()
    for size in range(1, int(rows.max(initial=1))):
        value = odds * (1 / size - value)
        result = np.where(rows == size + 1, value, result)
    return result


def _series(rows: NDArray[np.int64], share: Floats) -> Floats:
    size, left = rows.astype(np.float64), 1 - share
    term = np.ones(len(share))
    total = term.copy()
    for step in range(1, _MOST_TERMS):
        term = term * left * step / (size + step)
        total += term
        if term.max(initial=0.0) < 1e-17:
            break
    return share / size * total
