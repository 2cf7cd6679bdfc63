"""Pedersen commitments: C = x·G + r·H, which hide x perfectly and bind whoever made them.

`Ristretto` is the group of the protocol: ristretto255 by libsodium (rbcl). G is its base point; H is hashed
to the group from a fixed text, so that nobody knows the logarithm of one to the other. All steps of a round
are written for any `Curve`: the tests run them over groups so small that all randomness can be enumerated.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from typing import Protocol

from shoal.errors import PolicyError

_SECOND = b"shoal.channel: the second generator H of ristretto255"
SCALAR = 32
"""Bytes of a number modulo the order, little-endian."""


class Curve(Protocol):
    """A group of prime order with two generators.

    Attributes
    ----------
    order
        The number of its elements.
    width
        Bytes of a point.
    """

    order: int
    width: int

    def commit(self, value: int, blind: int) -> bytes:
        """value·G + blind·H."""

    def blinded(self, point: bytes, blind: int) -> bytes:
        """point + blind·H."""

    def of_zero(self, blind: int) -> bytes:
        """blind·H, the commitment to 0."""

    def total(self, points: Iterable[bytes]) -> bytes:
        """The sum of points."""

    def is_point(self, point: bytes) -> bool:
        """Whether these bytes are a point."""


class Ristretto:
    """ristretto255; its order is 2^252 + 27742317777372353535851937790883648493."""

    order = 2**252 + 27742317777372353535851937790883648493
    width = 32

    def __init__(self) -> None:
        try:
            import rbcl  # type: ignore[import-untyped]
        except ImportError:
            raise PolicyError("the channel needs rbcl: pip install 'shoal[channel]'") from None
        self._sodium = rbcl
        self._second = rbcl.crypto_core_ristretto255_from_hash(hashlib.sha512(_SECOND).digest())

    def commit(self, value: int, blind: int) -> bytes:
        """value·G + blind·H."""
        first = self._sodium.crypto_scalarmult_ristretto255_base_allow_scalar_zero(scalar(value))
        return self.blinded(first, blind)

    def blinded(self, point: bytes, blind: int) -> bytes:
        """point + blind·H."""
        return bytes(self._sodium.crypto_core_ristretto255_add(point, self.of_zero(blind)))

    def of_zero(self, blind: int) -> bytes:
        """blind·H, the commitment to 0."""
        by = self._sodium.crypto_scalarmult_ristretto255_allow_scalar_zero
        return bytes(by(scalar(blind), self._second))

    def total(self, points: Iterable[bytes]) -> bytes:
        """The sum of points."""
        so_far = bytes(self.width)  # the neutral element
        for point in points:
            so_far = self._sodium.crypto_core_ristretto255_add(so_far, point)
        return bytes(so_far)

    def is_point(self, point: bytes) -> bool:
        """Whether these bytes are a point."""
        return len(point) == self.width and bool(self._sodium.crypto_core_ristretto255_is_valid_point(point))


def scalar(number: int) -> bytes:
    """The bytes of a number modulo the order."""
    return number.to_bytes(SCALAR, "little")


def numbers(content: bytes, order: int) -> list[int]:
    """The numbers modulo the order in these bytes; ValueError if there are others."""
    if len(content) % SCALAR:
        raise ValueError("numbers that are cut off")
    found = [int.from_bytes(content[at : at + SCALAR], "little") for at in range(0, len(content), SCALAR)]
    if any(each >= order for each in found):
        raise ValueError("a number that is not reduced")
    return found
