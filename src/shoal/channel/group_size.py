"""How many members a group needs so that k honest ones are among them.

Members are dealt into groups at random. If each is corrupt with probability `corrupt`, the number of honest
members in a group of M is binomial; the least M is the first at which fewer than k honest ones are no more
likely than `failure`. Exact fractions: a rounded tail could promise too much.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from math import comb

from shoal.errors import PolicyError

FAILURE = Fraction(1, 10**6)
"""How likely a group with fewer than k honest members may be."""

MOST = 127
"""The most members of a group: a round costs time with the square, and bytes with the cube, of it."""


def failure_probability(size: int, k: int, corrupt: Fraction) -> Fraction:
    """The probability that a group of this size has fewer than k honest members."""
    honest = 1 - corrupt
    return sum(
        (comb(size, some) * honest**some * corrupt ** (size - some) for some in range(min(k, size + 1))),
        Fraction(0),
    )


@cache
def least_size(k: int, corrupt: Fraction = Fraction(0), failure: Fraction = FAILURE) -> int:
    """The least number of members of a group.

    Parameters
    ----------
    k
        Honest members among whom a sender hides.
    corrupt
        The share of all members that is corrupt.
    failure
        How likely a group with fewer than k honest members may be.
    """
    if k < 2:
        raise PolicyError("k is 2 or more: alone nobody is hidden")
    if not 0 <= corrupt < 1:
        raise PolicyError("the share of corrupt members is at least 0 and below 1")
    for size in range(k, MOST + 1):
        if failure_probability(size, k, corrupt) <= failure:
            return size
    raise PolicyError(
        f"k = {k} with a corrupt share of {float(corrupt):g} needs more than {MOST} members per group; "
        "choose a smaller k"
    )
