"""What an attacker gets right without the release: rows that have a value because it is frequent."""

from __future__ import annotations

import math

LIKELY = 0.5
"""What is at least this likely by chance is no news: anybody would rather say so than not."""


def likely(least: int, rows: int, share: float) -> float:
    """The chance that at least so many of some rows have a value.

    Parameters
    ----------
    least
        How many rows, at least 1.
    rows
        The rows, taken to be drawn independently.
    share
        How frequent the value is.
    """
    if least > rows or share <= 0:
        return 0.0
    if share >= 1:
        return 1.0
    if least == 1:  # by far the most frequent question
        return 1.0 - _none(rows, share)
    return min(1.0, max(0.0, 1.0 - math.fsum(_exactly(count, rows, share) for count in range(least))))


def expected(least: int, rows: int, share: float) -> float:
    """How many of `least` rows that are said to have a value do so by chance, on average."""
    if share <= 0:
        return 0.0
    if share >= 1:
        return float(min(least, rows))
    if least == 1:
        return 1.0 - _none(rows, share)
    absent = math.fsum((least - count) * _exactly(count, rows, share) for count in range(least))
    return max(0.0, least - absent)


def _none(rows: int, share: float) -> float:
    """The chance that no row has it."""
    return math.exp(rows * math.log1p(-share))


def _exactly(count: int, rows: int, share: float) -> float:
    """The binomial chance of so many rows."""
    if count > rows:
        return 0.0
    ways = math.lgamma(rows + 1) - math.lgamma(count + 1) - math.lgamma(rows - count + 1)
    return math.exp(ways + count * math.log(share) + (rows - count) * math.log1p(-share))
