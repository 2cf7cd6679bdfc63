"""What a customer of the method `rows` sends to the collector: a closed row, and a share of its key.

Everything but the share's place and the nonce follows from the keyed hash of the quasi-identifiers: customers
with equal ones derive the same tag and the same polynomial without talking to each other. The row is
encrypted with AES-256-GCM under a key that only k shares together give.
"""

from __future__ import annotations

import hashlib
import secrets
from dataclasses import dataclass

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from shoal.joint.collect.sharing import PRIME, share

TAG = 16
_NUMBER = 32
_NONCE = 12
_AUTHENTICATION = 16
_HEAD = TAG + 2 * _NUMBER + _NONCE
_SPARE = 64  # bytes per coefficient: the remainder modulo the prime is as good as uniform


@dataclass(frozen=True)
class Polynomial:
    """What all customers with the same quasi-identifiers derive.

    Parameters
    ----------
    tag
        By which the collector groups rows.
    coefficients
        As many as k; the first is the secret.
    """

    tag: bytes
    coefficients: tuple[int, ...]

    @classmethod
    def of(cls, value: bytes, point: bytes, k: int) -> Polynomial:
        """From a value and its keyed hash."""
        seed = hashlib.sha512(len(value).to_bytes(8) + value + point).digest()
        tag = hashlib.shake_256(b"shoal collect tag" + seed).digest(TAG)
        stream = hashlib.shake_256(b"shoal collect coefficients" + seed).digest(_SPARE * k)
        parts = (stream[each * _SPARE : (each + 1) * _SPARE] for each in range(k))
        return cls(tag, tuple(int.from_bytes(part) % PRIME for part in parts))

    @property
    def secret(self) -> int:
        """What k shares together give."""
        return self.coefficients[0]


@dataclass(frozen=True)
class Message:
    """A closed row.

    Parameters
    ----------
    tag
        The same for equal quasi-identifiers.
    u, v
        A share: a place, and the polynomial's value there.
    nonce, content
        The encrypted row.
    """

    tag: bytes
    u: int
    v: int
    nonce: bytes
    content: bytes

    @classmethod
    def closing(cls, row: bytes, polynomial: Polynomial) -> Message:
        """Close a padded row, with a share at a random place."""
        u = 1 + secrets.randbelow(PRIME - 1)
        nonce = secrets.token_bytes(_NONCE)
        content = AESGCM(_key(polynomial.secret)).encrypt(nonce, row, polynomial.tag)
        return cls(polynomial.tag, u, share(polynomial.coefficients, u), nonce, content)

    def opened(self, secret: int) -> bytes | None:
        """The padded row, or `None` if the secret is not its own."""
        try:
            return AESGCM(_key(secret)).decrypt(self.nonce, self.content, self.tag)
        except InvalidTag:
            return None

    def to_bytes(self) -> bytes:
        """As it is sent."""
        return b"".join(
            (self.tag, self.u.to_bytes(_NUMBER), self.v.to_bytes(_NUMBER), self.nonce, self.content)
        )

    @classmethod
    def from_bytes(cls, text: bytes) -> Message:
        """As it was received; ValueError if it is no message."""
        u = int.from_bytes(text[TAG : TAG + _NUMBER])
        v = int.from_bytes(text[TAG + _NUMBER : TAG + 2 * _NUMBER])
        if len(text) <= _HEAD + _AUTHENTICATION or not 0 < u < PRIME or v >= PRIME:
            raise ValueError("a message that no customer makes")
        return cls(text[:TAG], u, v, text[TAG + 2 * _NUMBER : _HEAD], text[_HEAD:])


def message_bytes(row_bytes: int) -> int:
    """The length of a message, for rows of a length."""
    return _HEAD + row_bytes + _AUTHENTICATION


def _key(secret: int) -> bytes:
    return hashlib.sha256(secret.to_bytes(_NUMBER)).digest()
