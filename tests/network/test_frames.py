"""Frames survive the wire, and nothing else does."""

from __future__ import annotations

import contextlib
import json
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.network.frames import CAP, Frame, decoded, encoded, length_of
from tests.agreement.thoroughness import examples

SCALARS = st.none() | st.booleans() | st.integers(-(2**70), 2**70) | st.text(max_size=5)
HEADS = st.dictionaries(
    st.text(max_size=5).filter(lambda key: key != "arrays"),
    SCALARS | st.lists(SCALARS, max_size=3),
    max_size=4,
)
ARRAYS = st.lists(
    st.tuples(st.sampled_from(["u1", "u4", "u8", "i4", "i8"]), st.lists(st.integers(0, 100), max_size=5)).map(
        lambda drawn: np.array(drawn[1], drawn[0])
    ),
    max_size=3,
)


def sent(content: bytes) -> Frame:
    """What a receiver makes of these bytes."""
    assert length_of(content[:4]) == len(content) - 4
    return decoded(content[4:])


def refused_or_read(content: bytes) -> None:
    """Nothing else may happen to bytes from outside."""
    with contextlib.suppress(ValueError):
        decoded(content)


@settings(max_examples=examples(300))
@given(st.integers(0, 255), HEADS, ARRAYS)
def test_a_frame_arrives_as_it_was_sent(kind: int, head: dict[str, Any], arrays: list[Any]) -> None:
    """Kind, head, and arrays with their types and shapes."""
    frame = sent(encoded(Frame(kind, head, tuple(arrays))))
    assert (frame.kind, frame.head) == (kind, head)
    assert len(frame.arrays) == len(arrays)
    for came, went in zip(frame.arrays, arrays, strict=True):
        assert came.dtype == went.dtype
        np.testing.assert_array_equal(came, went)


def test_a_matrix_keeps_its_shape() -> None:
    """Also one that lies in memory the other way round."""
    matrix = np.arange(6, dtype=np.uint8).reshape(2, 3).T
    np.testing.assert_array_equal(sent(encoded(Frame(1, {}, (matrix,)))).arrays[0], matrix)


@settings(max_examples=examples(500))
@given(st.binary(max_size=60))
def test_random_bytes_are_refused__or_read(content: bytes) -> None:
    """A stranger can send anything; only ValueError comes of it."""
    refused_or_read(content)


@settings(max_examples=examples(500))
@given(st.data())
def test_a_damaged_frame_is_read_or_refused(data: st.DataObject) -> None:
    """One byte changed, or the end cut off: never another exception."""
    content = bytearray(encoded(Frame(3, {"levels": [1, 2]}, (np.arange(4, dtype=np.uint64),)))[4:])
    at = data.draw(st.integers(0, len(content) - 1))
    content[at] = data.draw(st.integers(0, 255))
    refused_or_read(bytes(content[: data.draw(st.integers(0, len(content)))]))


@pytest.mark.parametrize(
    ("described", "what"),
    [
        ([["u8", [2**40]]], "impossible array"),
        ([["u8", [2**25, 2**25, 2**25]]], "cut off"),
        ([["u8", [-1]]], "impossible array"),
        ([["u8", [True]]], "impossible array"),
        ([["f8", [0]]], "impossible array"),
        ([["O", [0]]], "impossible array"),
        ({}, "does not describe"),
        ([["u1", [1]]], "cut off"),
    ],
)
def test_what_a_head_claims_is_checked(described: object, what: str) -> None:
    """No array is made that the bytes do not hold, and none of objects."""
    head = json.dumps({"arrays": described}).encode()
    with pytest.raises(ValueError, match=what):
        decoded(bytes([1]) + len(head).to_bytes(4) + head)


def test_lengths_have_a_limit() -> None:
    """A receiver refuses before it reads, a sender before it sends."""
    with pytest.raises(ValueError, match="impossible length"):
        length_of((CAP + 1).to_bytes(4))
    with pytest.raises(ValueError, match="at most"):
        encoded(Frame(1, {}, (np.zeros(CAP, np.uint8),)))


@pytest.mark.parametrize("frame", [Frame(256), Frame(1, {"arrays": 1}), Frame(1, {}, (np.zeros(1),))])
def test_what_is_no_frame_is_not_sent(frame: Frame) -> None:
    """A kind of two bytes, a head with the key of the arrays, fractions."""
    with pytest.raises(ValueError, match="a frame's"):
        encoded(frame)


def test_numbers_that_json_does_not_have_are_refused() -> None:
    """NaN and infinities, which Python would read."""
    head = b'{"arrays": [], "x": NaN}'
    with pytest.raises(ValueError, match="not JSON"):
        decoded(bytes([1]) + len(head).to_bytes(4) + head)
