"""Sums of which nobody sees the terms: every term is masked, and the masks cancel.

Holder i adds a pseudo-random vector for every later holder j and subtracts one for every earlier holder,
drawn from the secret of the two, modulo 2^64. In the sum over all holders each vector is added once and
subtracted once. A label is never used twice.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

Vector = NDArray[np.uint64]


def masked(
    values: Sequence[int] | NDArray[np.int64],
    own: str,
    holders: Sequence[str],
    secrets: Mapping[str, bytes],
    label: str,
) -> Vector:
    """A holder's term of a sum.

    Parameters
    ----------
    values
        The term.
    own, holders
        Whose it is, and all holders in the policy's order.
    secrets
        What this holder shares with each of the others, for masks alone.
    label
        Of this sum and no other.
    """
    total = np.array(values, np.int64).astype(np.uint64)
    place = holders.index(own)
    for number, other in enumerate(holders):
        if number > place:
            total += _stream(secrets[other], label, len(total))
        elif number < place:
            total -= _stream(secrets[other], label, len(total))
    return total


def summed(terms: Sequence[Vector]) -> list[int]:
    """The sum of all holders' terms; what it adds up to is below 2^63."""
    total = np.zeros_like(terms[0])
    for term in terms:
        total += term
    return [int(each) for each in total.astype(np.int64)]


def _stream(secret: bytes, label: str, length: int) -> Vector:
    """Pseudo-random numbers: SHAKE-256 over the secret, of fixed length, and the label."""
    drawn = hashlib.shake_256(secret + label.encode()).digest(8 * length)
    return np.frombuffer(drawn, "<u8").astype(np.uint64)
