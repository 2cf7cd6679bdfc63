"""What a slot carries: 31 bytes, a number below the order.

| bytes | |
|---|---|
| 4 | checksum of the rest: begins SHA-256 of it |
| 1 | the receiver's group |
| 4 | which message: random |
| 1 | which piece of it; the highest bit marks the last |
| 21 | a part of the message, encrypted |

A slot that two members used holds the sum of both, and the checksum fails except with probability 2^-32. An
encrypted message is longer than one slot (48 bytes more than the text), so it travels in several pieces,
one in a round; the last is filled up, and the length of the text stands in the encrypted part.
"""

from __future__ import annotations

import hashlib
import secrets
from dataclasses import dataclass

WIDTH = 31
"""Bytes of a slot."""

PART = 21
"""Bytes of a message in one slot."""

MOST_PIECES = 128
_LAST = 0x80
_CHECKED = 4
_ID = 4


@dataclass(frozen=True)
class Piece:
    """One part of an encrypted message.

    Parameters
    ----------
    group
        The receiver's group.
    message
        Which message it belongs to: four random bytes.
    place
        Its place in the message, from 0.
    is_last
        Whether the message ends here.
    part
        Its bytes.
    """

    group: int
    message: bytes
    place: int
    is_last: bool
    part: bytes

    def number(self) -> int:
        """The piece as the number that is shared."""
        place = self.place | (_LAST if self.is_last else 0)
        rest = bytes([self.group]) + self.message + bytes([place]) + self.part
        return int.from_bytes(_checksum(rest) + rest)


def piece_of(number: int) -> Piece | None:
    """The piece in an opened slot; None if it is a collision."""
    if number >> (8 * WIDTH):
        return None
    content = number.to_bytes(WIDTH)
    checksum, rest = content[:_CHECKED], content[_CHECKED:]
    if checksum != _checksum(rest):
        return None
    place = rest[1 + _ID]
    return Piece(rest[0], rest[1 : 1 + _ID], place & ~_LAST, bool(place & _LAST), rest[2 + _ID :])


def pieces(group: int, content: bytes) -> list[Piece]:
    """An encrypted message, whose length is a multiple of `PART`, cut into pieces."""
    message = secrets.token_bytes(_ID)
    parts = [content[at : at + PART] for at in range(0, len(content), PART)]
    if not 1 <= len(parts) <= MOST_PIECES or len(parts[-1]) != PART:
        raise ValueError("a message that does not fill its pieces")
    return [Piece(group, message, place, place == len(parts) - 1, part) for place, part in enumerate(parts)]


def _checksum(rest: bytes) -> bytes:
    return hashlib.sha256(b"shoal.channel: slot" + rest).digest()[:_CHECKED]
