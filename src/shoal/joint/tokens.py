"""Tokens: names of a node's groups that are equal for equal groups, and say nothing to who lacks the key.

The node's key is HMAC-SHA-256 of K over the run and the levels; a token is keyed BLAKE2b (16 bytes) of a
group's part numbers under it. Tokens of two nodes have nothing in common, so nobody can follow a group from
one node to another. They are sent in increasing order, which is a random one.
"""

from __future__ import annotations

import hmac
from collections.abc import Sequence
from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray

BYTES = 16

Tokens = NDArray[np.uint8]
"""One line of 16 bytes per group."""


def node_key(key: bytes, run: str, levels: Sequence[int]) -> bytes:
    """The key of one node of one run."""
    text = f"shoal joint node|{run}|{','.join(map(str, levels))}"
    return hmac.digest(key, text.encode(), "sha256")


def tokens_of(parts: NDArray[np.int32], key: bytes) -> Tokens:
    """The tokens of groups given by their part numbers, in their order."""
    content, width = np.ascontiguousarray(parts, "<i4").tobytes(), 4 * parts.shape[1]
    keyed = blake2b(digest_size=BYTES, key=key)
    made = bytearray()
    for begin in range(0, len(content), width):
        # The key's block is hashed once, and copied.
        each = keyed.copy()
        each.update(content[begin : begin + width])
        made += each.digest()
    return np.frombuffer(bytes(made), np.uint8).reshape(-1, BYTES)


def in_order(tokens: Tokens) -> NDArray[np.int64]:
    """The indices that sort tokens."""
    first, second = _halves(tokens)
    order = np.argsort(first, kind="stable")
    ordered = first[order]
    if (ordered[1:] == ordered[:-1]).any():
        return np.lexsort((second, first))
    return order


def increasing(tokens: Tokens) -> bool:
    """Whether tokens are in increasing order and none is there twice."""
    first, second = _halves(tokens)
    below = first[:-1] < first[1:]
    return bool((below | ((first[:-1] == first[1:]) & (second[:-1] < second[1:]))).all())


def numbered(every: Sequence[Tokens]) -> tuple[int, list[NDArray[np.int64]]]:
    """How many different tokens there are in some lists of them, and each token's number."""
    together = np.concatenate(every)
    order = in_order(together)
    ordered = together[order]
    begins = np.ones(len(ordered), np.bool_)
    first, second = _halves(ordered)
    begins[1:] = (first[1:] != first[:-1]) | (second[1:] != second[:-1])
    number = np.empty(len(ordered), np.int64)
    number[order] = np.cumsum(begins) - 1
    ends = np.cumsum([len(each) for each in every])
    return int(begins.sum()), np.split(number, ends[:-1])


def _halves(tokens: Tokens) -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
    """Both halves as numbers that are ordered as the bytes are."""
    words = np.ascontiguousarray(tokens).view(">u8").astype(np.uint64)
    return words[:, 0], words[:, 1]
