"""How a customer's row is written as bytes: the same for everybody, and of the same length for every row.

Values are compared as text, in Unicode's composed form and without white space around it. What others would
see of a length, they would know of a value: rows are padded.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence

from shoal.errors import PolicyError

STAR = "*"
"""A suppressed cell."""

_LENGTH = 4


def canonical(value: str) -> str:
    """The form in which values are compared and released."""
    return unicodedata.normalize("NFC", value.strip())


def joined(values: Sequence[str]) -> bytes:
    """Values one after the other, each with its length: no two lists of values give the same bytes."""
    parts = (each.encode() for each in values)
    return b"".join(len(part).to_bytes(_LENGTH) + part for part in parts)


def divided(text: bytes) -> list[str]:
    """The values that `joined` has joined; ValueError if these bytes are none of its."""
    values, start = [], 0
    while start < len(text):
        end = start + _LENGTH + int.from_bytes(text[start : start + _LENGTH])
        if end > len(text) or start + _LENGTH > len(text):
            raise ValueError("a row that is cut off")
        values.append(text[start + _LENGTH : end].decode())
        start = end
    return values


def padded(values: Sequence[str], size: int) -> bytes:
    """A row as `size` bytes; `PolicyError` if it is longer.

    Parameters
    ----------
    values
        The row.
    size
        The bytes that every row of the collection has.
    """
    text = joined(values)
    room = size - _LENGTH
    if len(text) > room:
        raise PolicyError(
            f"the row takes {len(text) + _LENGTH:,} bytes, and every row of this collection has {size:,} "
            "(row_bytes); shorten its values, or make a collection with more"
        )
    return len(text).to_bytes(_LENGTH) + text + bytes(room - len(text))


def unpadded(content: bytes) -> list[str]:
    """The row that `padded` has padded; ValueError if these bytes are none."""
    length = int.from_bytes(content[:_LENGTH])
    if length > len(content) - _LENGTH or any(content[_LENGTH + length :]):
        raise ValueError("a row that is not padded as agreed")
    return divided(content[_LENGTH : _LENGTH + length])
