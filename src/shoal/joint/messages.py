"""What the parties of a joint release say to each other, and how each frame is checked.

A frame that is not as it should be becomes a `PartyError` with the party's name; no value is quoted.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.errors import InfeasibleError, NotProvedError, PartyError, ShoalError
from shoal.joint.tokens import BYTES, Tokens, increasing
from shoal.network.frames import CAP, Frame

HELLO, KEYS, SHARED, SUM, TERM, MEASURE, TOKENS, PRICE, RELEASE, PART, FACTS, DONE, ENDED = range(1, 14)
"""The kinds of frames, in the order in which they first occur."""

SMALL = 1 << 20
"""The most bytes of a frame without rows or tokens."""

CHUNK = 8 << 20
"""Bytes of a release's part in one frame."""

MOST_TOKENS = (CAP - SMALL) // (BYTES + 4)


def whole(party: str, head: Any, name: str, least: int = 0, most: int = 2**53) -> int:
    """A whole number of a frame's head."""
    value = head.get(name)
    if not isinstance(value, int) or isinstance(value, bool) or not least <= value <= most:
        raise PartyError(party, f"sent no proper {name} where the protocol has one")
    return value


def text(party: str, head: Any, name: str, most: int = 4096) -> str:
    """A text of a frame's head."""
    value = head.get(name)
    if not isinstance(value, str) or len(value) > most:
        raise PartyError(party, f"sent no proper {name} where the protocol has one")
    return value


def check_round(party: str, frame: Frame, expected: int) -> None:
    """Raise unless a frame is of this round."""
    if whole(party, frame.head, "round") != expected:
        raise PartyError(party, "sent a frame of another round")


def vector(party: str, frame: Frame, length: int) -> NDArray[np.uint64]:
    """The masked vector of a frame."""
    if len(frame.arrays) != 1 or frame.arrays[0].shape != (length,) or frame.arrays[0].dtype != np.uint64:
        raise PartyError(party, "sent no vector of the right length")
    return frame.arrays[0]


def levels_of(party: str, value: object, heights: tuple[int, ...]) -> tuple[int, ...]:
    """A node of the lattice that a frame names."""
    if isinstance(value, list) and len(value) == len(heights):
        levels = tuple(each for each in value if type(each) is int)
        if len(levels) == len(heights) and all(
            0 <= level <= height for level, height in zip(levels, heights, strict=True)
        ):
            return levels
    raise PartyError(party, "named levels that the hierarchies do not have")


def tokens_and_counts(party: str, frame: Frame, k: int, rows: int) -> tuple[Tokens, NDArray[np.int64]]:
    """A holder's tokens of one node and their counts.

    Parameters
    ----------
    party, frame
        Who sent what.
    k
        Counts are clamped at it.
    rows
        All rows of all holders.
    """
    if len(frame.arrays) != 2:
        raise PartyError(party, "sent no tokens where the protocol has them")
    tokens, sent = frame.arrays
    if tokens.dtype != np.uint8 or tokens.ndim != 2 or tokens.shape[1] != BYTES:
        raise PartyError(party, "sent no tokens where the protocol has them")
    if sent.dtype != counts_type(k) or sent.shape != (len(tokens),):
        raise PartyError(party, "sent tokens without a count for each")
    if not increasing(tokens):
        raise PartyError(party, "sent a token twice, or tokens out of their order")
    counts = sent.astype(np.int64)
    if len(counts) and not (int(counts.min()) >= 1 and int(counts.max()) <= k):
        raise PartyError(party, "sent a count that is not from 1 to k")
    if int(counts.sum()) > rows:
        raise PartyError(party, "sent tokens for more rows than all holders have together")
    return tokens, counts


def counts_type(k: int) -> np.dtype[Any]:
    """The type of clamped counts: a byte where k fits into it."""
    return np.dtype(np.uint8 if k < 256 else np.uint32)


def bits(party: str, packed: NDArray[Any], length: int) -> NDArray[np.bool_]:
    """One bit per group, unpacked."""
    if packed.dtype != np.uint8 or packed.shape != ((length + 7) // 8,):
        raise PartyError(party, "sent no bit for each group")
    return np.unpackbits(packed, count=length).astype(np.bool_)


def ended(party: str, frame: Frame) -> ShoalError:
    """Why the desk ended the run without anybody being at fault."""
    reason = text(party, frame.head, "reason")
    if whole(party, frame.head, "code") == InfeasibleError.exit_code:
        k, limit, rows = (whole(party, frame.head, name) for name in ("k", "limit", "suppressed"))
        return InfeasibleError(reason, k=k, limit=limit, suppressed=rows)
    return NotProvedError(reason)
