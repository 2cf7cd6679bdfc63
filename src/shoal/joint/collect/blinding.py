"""A keyed hash of a value by helpers who do not see the value: an oblivious pseudorandom function.

A customer sends r P, where P is a point of ristretto255 that the value hashes to and r is random; helper j
answers z_j r P; the customer adds the answers and removes r. The result, z P with z the sum of all helpers'
scalars, is the same for equal values, and nobody can compute it without every helper. All group operations
are libsodium's (package rbcl).
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

import rbcl  # type: ignore[import-untyped]

POINT = 32
"""Bytes of a point, and of a scalar."""

IDENTITY = bytes(POINT)


def new_scalar() -> bytes:
    """A random scalar, not 0."""
    return bytes(rbcl.crypto_core_ristretto255_scalar_random())


def point_of(text: bytes) -> bytes:
    """The point that some bytes hash to."""
    return bytes(rbcl.crypto_core_ristretto255_from_hash(hashlib.sha512(text).digest()))


def times(scalar: bytes, point: bytes) -> bytes:
    """A multiple of a point; the identity stays what it is."""
    return bytes(rbcl.crypto_scalarmult_ristretto255_allow_scalar_zero(scalar, point))


def plus(one: bytes, other: bytes) -> bytes:
    """The sum of two points."""
    return bytes(rbcl.crypto_core_ristretto255_add(one, other))


def minus(one: bytes, other: bytes) -> bytes:
    """The difference of two points."""
    return bytes(rbcl.crypto_core_ristretto255_sub(one, other))


def is_point(point: bytes) -> bool:
    """Whether these bytes encode a point other than the identity."""
    return (
        len(point) == POINT
        and point != IDENTITY
        and bool(rbcl.crypto_core_ristretto255_is_valid_point(point))
    )


def blinded(value: bytes, blind: bytes) -> bytes:
    """What a customer sends to every helper."""
    return times(blind, point_of(value))


def evaluated(scalar: bytes, request: bytes) -> bytes:
    """What a helper answers; ValueError if the request is not a point."""
    if not is_point(request):
        raise ValueError("a request that is not a point")
    return times(scalar, request)


def unblinded(answers: Sequence[bytes], blind: bytes) -> bytes:
    """The keyed hash, as a point; ValueError if an answer is not a point, or the answers cancel out."""
    if not answers or not all(map(is_point, answers)):
        raise ValueError("an answer that is not a point")
    total = answers[0]
    for each in answers[1:]:
        total = plus(total, each)
    if total == IDENTITY:
        raise ValueError("answers that cancel out")
    return times(bytes(rbcl.crypto_core_ristretto255_scalar_invert(blind)), total)
