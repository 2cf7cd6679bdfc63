"""Pseudonyms that look like their values: a secret permutation of all texts of one format.

The digits and letters of a text are a number in mixed radix (10 for a digit, 26 for a letter). A Feistel
network with a keyed round function permutes the numbers up to the next product of two halves; a number that
leaves the range is permuted again, until it is back (cycle walking), so that the whole is a permutation of
the range: no two texts of a format get the same pseudonym, whatever else the column has.
"""

from __future__ import annotations

import math
import string

from shoal.errors import PolicyError
from shoal.treatments.secret_key import SecretKey

_ALPHABETS = (string.digits, string.ascii_uppercase, string.ascii_lowercase)
_ROUNDS = 10


def permuted(secret: SecretKey, purpose: str, text: str, column: str) -> str:
    """The pseudonym of a text, with the same length, digits, letters and other signs."""
    alphabets = [next((each for each in _ALPHABETS if sign in each), None) for sign in text]
    if any(sign.isalnum() and own is None for sign, own in zip(text, alphabets, strict=True)):
        raise PolicyError(
            f"treatment 'pseudonym' of column {column!r}: format = \"same\" is for the letters A to Z and "
            'the digits 0 to 9, and the column has others; leave out the format, or choose format = "code"'
        )
    size = math.prod(len(each) for each in alphabets if each is not None)
    if size == 1:
        return text
    value = 0
    for sign, own in zip(text, alphabets, strict=True):
        value = value if own is None else value * len(own) + own.index(sign)
    # Texts of different formats are permuted by different keys.
    shape = "".join(sign if own is None else own[0] for sign, own in zip(text, alphabets, strict=True))
    value = _permuted(secret, f"{purpose}, format {shape}", value, size)
    signs = []
    for sign, own in reversed(list(zip(text, alphabets, strict=True))):
        if own is None:
            signs.append(sign)
        else:
            value, place = divmod(value, len(own))
            signs.append(own[place])
    return "".join(reversed(signs))


def _permuted(secret: SecretKey, purpose: str, value: int, size: int) -> int:
    low = math.isqrt(size - 1) + 1
    high = -(-size // low)
    while True:
        left, right = divmod(value, low)
        for turn in range(_ROUNDS):
            if turn % 2:
                right = (right + _number(secret, purpose, turn, left)) % low
            else:
                left = (left + _number(secret, purpose, turn, right)) % high
        value = left * low + right
        if value < size:
            return value


def _number(secret: SecretKey, purpose: str, turn: int, half: int) -> int:
    return int.from_bytes(secret.mark(purpose, f"{turn} {half}"), "big")
