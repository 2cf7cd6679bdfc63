"""The frames of a collection: their kinds, and what a receiver checks of them before it looks inside."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.errors import PartyError
from shoal.network.frames import Frame
from shoal.network.peer import Peer

EVALUATE, EVALUATED = 1, 2  # customer and helper: a blinded point, and its multiple
SUBMIT, ACCEPTED = 3, 4  # customer and relay: a sealed message
BATCH, TAKEN = 5, 6  # relay and collector: messages, the last frame says so; and that they were evaluated
CLOSE, CLOSED = 7, 8  # relay and helper: nobody is left
# The method cells:
KEY, KEY_SHARE = 10, 11  # customer and helper: the helper's part of the public key
ROWS = 12  # relay to the first helper: all encrypted rows
DIFFERENCES = 13  # first to second helper: what pairs of rows differ in, column by column, shuffled
DISTANCES = 14  # second helper to collector
PARTS = 15  # collector to second to first helper: per row the number of its part
COMBINATIONS = 16  # first to second helper: per part and column, a random combination of differences
STARS = 17  # second helper to all others, and relay to customer: which columns are not released
ASK, NOT_YET = 18, 19  # customer and relay: the stars of a row; they are not known yet
ANSWER = 20  # customer to relay: a row with stars, sealed

SMALL = 65_536
"""The most bytes of a frame of a customer, or to one."""

EVALUATION = 3600.0
"""Seconds that another party may take to work out an answer."""

BATCHED = 4_096
"""The messages of a batch."""


def as_array(content: bytes) -> NDArray[np.uint8]:
    """Bytes as a frame has them."""
    return np.frombuffer(content, np.uint8)


def as_table(rows: list[bytes]) -> NDArray[np.uint8]:
    """Rows of equal length as a frame has them."""
    return np.frombuffer(b"".join(rows), np.uint8).reshape(len(rows), -1)


def field(peer: Peer, frame: Frame, index: int, size: int) -> bytes:
    """An array of `size` bytes of a frame, or `PartyError`."""
    array = _array(peer, frame, index)
    if array.shape != (size,):
        raise malformed(peer)
    return array.tobytes()


def table(peer: Peer, frame: Frame, index: int, size: int) -> list[bytes]:
    """The rows of a table of a frame, each of `size` bytes, or `PartyError`."""
    array = _array(peer, frame, index)
    if array.ndim != 2 or array.shape[1] != size:
        raise malformed(peer)
    return [row.tobytes() for row in array]


def numbers(peer: Peer, frame: Frame, index: int, size: int) -> NDArray[np.int32]:
    """An array of `size` whole numbers of a frame, or `PartyError`."""
    if index >= len(frame.arrays) or frame.arrays[index].shape != (size,):
        raise malformed(peer)
    if frame.arrays[index].dtype != np.int32:
        raise malformed(peer)
    return frame.arrays[index]


async def all_batches(peer: Peer, kind: int, size: int, most: int, digest: str) -> list[bytes]:
    """All messages that a party passes on, or `PartyError`.

    Parameters
    ----------
    peer, kind
        From whom, and in what frames.
    size
        The bytes of a message.
    most
        How many there can be.
    digest
        Of the collection.
    """
    messages: list[bytes] = []
    while True:
        frame = await peer.receive(kind)
        check_terms(peer, frame, digest)
        last = frame.head.get("last") is True
        if frame.arrays and frame.arrays[0].size:
            messages += table(peer, frame, 0, size)
        elif not last:
            raise malformed(peer)
        if len(messages) > most:
            raise malformed(peer)
        if last:
            return messages


def check_terms(peer: Peer, frame: Frame, digest: str) -> None:
    """Raise `PartyError` unless the sender has the same terms."""
    if frame.head.get("collection") != digest:
        raise PartyError(peer.name, "the terms differ: compare the digests in both files collection.toml")


def malformed(peer: Peer) -> PartyError:
    """The error for a frame that the protocol does not know in this form."""
    return PartyError(peer.name, "sent a frame that is not as the protocol describes it")


def _array(peer: Peer, frame: Frame, index: int) -> NDArray[Any]:
    if index >= len(frame.arrays) or frame.arrays[index].dtype != np.uint8:
        raise malformed(peer)
    return frame.arrays[index]
