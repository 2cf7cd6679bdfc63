"""Frames: what one party sends to another, a small JSON object and arrays of whole numbers.

On the wire: the length of the rest (4 bytes, big-endian), the kind (1 byte), the length of the head
(4 bytes), the head as JSON, then the arrays one after the other, little-endian. The head names their types
and shapes under "arrays". A receiver knows the length before it reads on, and refuses more than `CAP` bytes.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

CAP = 64 * 2**20
"""The most bytes that a frame has after its length."""

ABORT = 0
"""The kind of a frame that ends a run and says why; every protocol numbers its own kinds from 1."""

_TYPES = {"u1": "<u1", "u4": "<u4", "u8": "<u8", "i4": "<i4", "i8": "<i8"}
_ARRAYS = "arrays"
_FIXED = 5  # the kind and the length of the head


@dataclass(frozen=True, eq=False)
class Frame:
    """One message.

    Parameters
    ----------
    kind
        What it is, as the protocol numbers it; 0 is `ABORT`.
    head
        A JSON object.
    arrays
        Arrays of whole numbers: u1, u4, u8, i4 or i8.
    """

    kind: int
    head: Mapping[str, Any] = field(default_factory=dict)
    arrays: tuple[NDArray[Any], ...] = ()


def encoded(frame: Frame) -> bytes:
    """The frame's bytes, its length first; ValueError if it cannot be sent."""
    if not 0 <= frame.kind < 256:
        raise ValueError("a frame's kind is one byte")
    if _ARRAYS in frame.head:
        raise ValueError(f"a frame's head has no key {_ARRAYS!r} of its own")
    plain = [np.ascontiguousarray(each) for each in frame.arrays]
    described = [[_type(each), list(each.shape)] for each in plain]
    head = json.dumps({**frame.head, _ARRAYS: described}, allow_nan=False, separators=(",", ":")).encode()
    body = [each.astype(_TYPES[_type(each)], copy=False).tobytes() for each in plain]
    length = _FIXED + len(head) + sum(map(len, body))
    if length > CAP:
        raise ValueError(f"a frame has at most {CAP:,} bytes")
    return b"".join((length.to_bytes(4), bytes([frame.kind]), len(head).to_bytes(4), head, *body))


def length_of(first: bytes) -> int:
    """The number of bytes that follow the first four; ValueError if no frame is that long."""
    length = int.from_bytes(first)
    if not _FIXED <= length <= CAP:
        raise ValueError("a frame of an impossible length")
    return length


def decoded(rest: bytes) -> Frame:
    """The frame whose bytes, after its length, these are; ValueError if they are no frame."""
    if len(rest) < _FIXED:
        raise ValueError("a frame without a head")
    end = _FIXED + int.from_bytes(rest[1:_FIXED])
    if end > len(rest):
        raise ValueError("a frame whose head is cut off")
    try:
        head = json.loads(rest[_FIXED:end], parse_constant=_no_number)
    except (ValueError, RecursionError):
        raise ValueError("a frame whose head is not JSON") from None
    described = head.pop(_ARRAYS, None) if isinstance(head, dict) else None
    if not isinstance(described, list):
        raise ValueError("a frame whose head does not describe its arrays")
    arrays = []
    for each in described:
        kind, shape = _described(each)
        size = math.prod(shape) * kind.itemsize
        if size > len(rest) - end:
            raise ValueError("a frame whose arrays are cut off")
        arrays.append(np.frombuffer(rest, kind, math.prod(shape), end).reshape(shape))
        end += size
    if end != len(rest):
        raise ValueError("a frame with bytes that nothing describes")
    return Frame(rest[0], head, tuple(arrays))


def _type(array: NDArray[Any]) -> str:
    name = f"{array.dtype.kind}{array.dtype.itemsize}"
    if name not in _TYPES:
        raise ValueError("a frame's arrays are of whole numbers: u1, u4, u8, i4 or i8")
    return name


def _described(each: object) -> tuple[np.dtype[Any], tuple[int, ...]]:
    """The type and shape that a head gives for an array."""
    match each:
        case [str(kind), [*shape]] if kind in _TYPES and 1 <= len(shape) <= 3:
            sides = tuple(side for side in shape if type(side) is int and 0 <= side <= CAP)
            if len(sides) == len(shape):
                return np.dtype(_TYPES[kind]), sides
    raise ValueError("a frame whose head describes an impossible array")


def _no_number(name: str) -> float:
    raise ValueError(f"{name} is not JSON")
