"""Dominance, boxes and box dominance, over vectors of qualities: numbers where more is better.

Paper: Dewri, Ray, Ray and Whitley, DBSec 2010, sections 4.2 and 5.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from shoal.errors import PolicyError

Number = int | float | Fraction
Quality = tuple[Number, ...]
Box = tuple[Number, ...]
Epsilon = Number | None
"""The length of a box; `None` makes every value its own box, which is plain dominance of any numbers."""

CHUNK = 512
"""Vectors that are compared with all of a front at once."""


def dominates(one: Sequence[Number], other: Sequence[Number]) -> bool:
    """Whether a vector is nowhere worse than another, and somewhere better."""
    better = False
    for mine, yours in zip(one, other, strict=True):
        if mine < yours:
            return False
        better = better or mine > yours
    return better


def box_of(quality: Quality, epsilons: Sequence[Epsilon]) -> Box:
    """The box that a vector lies in, when each axis is cut into pieces of length epsilon; exact."""
    return tuple(_piece(value, epsilon) for value, epsilon in zip(quality, epsilons, strict=True))


def _piece(value: Number, epsilon: Epsilon) -> Number:
    if epsilon is None:
        return value
    if isinstance(value, float) or not isinstance(epsilon, int):
        return math.floor(Fraction(value) / Fraction(epsilon))
    return math.floor(value // epsilon)


def box_dominates(one: Quality, other: Quality, epsilons: Sequence[Epsilon]) -> bool:
    """Whether the box of one dominates that of the other; in one box, whether the vector itself does."""
    mine, yours = box_of(one, epsilons), box_of(other, epsilons)
    return dominates(one, other) if mine == yours else dominates(mine, yours)


def check_epsilons(epsilons: Sequence[Epsilon], objectives: int) -> None:
    """Raise `PolicyError` unless there is a positive length for each objective, or `None`."""
    if len(epsilons) != objectives:
        raise PolicyError(
            f"there must be an epsilon for each of the {objectives} objectives; there are {len(epsilons)}"
        )
    for epsilon in epsilons:
        if epsilon is None:
            continue
        if isinstance(epsilon, bool) or not isinstance(epsilon, int | float | Fraction) or not epsilon > 0:
            raise PolicyError(f"an epsilon is a positive number; one is {epsilon!r}")


def non_dominated(columns: Sequence[NDArray[np.int64] | NDArray[np.float64]]) -> NDArray[np.int64]:
    """The numbers of the vectors that no other one dominates, increasing; equal vectors stay together.

    Cost: vectors times those that stay, at worst.

    Parameters
    ----------
    columns
        Per objective the quality of each vector.
    """
    # Only the order within an objective matters, and ranks compare alike whatever the numbers are.
    ranks = np.column_stack([np.unique(column, return_inverse=True)[1].ravel() for column in columns])
    distinct, of_vector = np.unique(ranks, axis=0, return_inverse=True)
    front = np.empty((0, ranks.shape[1]), ranks.dtype)
    stays = np.zeros(len(distinct), np.bool_)
    # From the lexicographically greatest down: a vector can only be dominated by one before it.
    for end in range(len(distinct), 0, -CHUNK):
        begin = max(0, end - CHUNK)
        chunk = distinct[begin:end][::-1]
        alive = np.flatnonzero(~_covered(chunk, front))
        kept: list[int] = []
        for index in alive.tolist():
            if not kept or not (chunk[kept] >= chunk[index]).all(axis=1).any():
                kept.append(index)
        stays[end - 1 - np.array(kept, np.int64)] = True
        front = np.vstack([front, chunk[kept]])
    return np.flatnonzero(stays[of_vector.ravel()])


def _covered(chunk: NDArray[np.int64], front: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Whether some vector of the front is nowhere worse than each of the chunk; all are distinct."""
    covered = np.zeros(len(chunk), np.bool_)
    for begin in range(0, len(front), CHUNK):
        part = front[begin : begin + CHUNK]
        worse = np.ones((len(chunk), len(part)), np.bool_)
        for axis in range(chunk.shape[1]):
            worse &= part[None, :, axis] >= chunk[:, None, axis]
        covered |= worse.any(axis=1)
    return covered
