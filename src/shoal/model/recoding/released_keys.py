"""Released values as keys: one number or a few bytes each, the same on every worker.

A worker that recodes some of the rows does not know how others number their released values. Its key
describes the value, and the driver, which sees every distinct key once, numbers them in the order of
`LocalRecoding`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from shoal.model.recoding.local_recoding import Node, Span, Vocabulary
from shoal.model.table.domain import Domain

Released = Node | Span | None
Key = int | bytes


def keys_are_bytes(domain: Domain, vocabulary: Vocabulary) -> bool:
    """Whether keys list the values of a set; those of intervals and nodes are numbers."""
    return vocabulary == "spans" and domain.kind == "category"


def key_of(value: Released, domain: Domain) -> Key:
    """The key of a released value."""
    size = len(domain)
    if not isinstance(value, Span):
        return -size if value is None else value[0] * size + value[1]
    if domain.kind == "category":
        bits = np.zeros(size, np.uint8)
        bits[list(value.codes)] = 1
        return np.packbits(bits, bitorder="little").tobytes()
    present = size - domain.has_missing
    absent = value.codes[-1] == present
    interval = value.codes[: len(value.codes) - absent]
    low, high = (interval[0], interval[-1]) if interval else (present, -1)
    return (low * (size + 1) + high + 1) * 2 + absent


def value_of(key: Key, domain: Domain, vocabulary: Vocabulary) -> Released:
    """The released value that has a key."""
    size = len(domain)
    if isinstance(key, bytes):
        bits = np.unpackbits(np.frombuffer(key, np.uint8), count=size, bitorder="little")
        return Span(tuple(np.flatnonzero(bits).tolist()))
    if vocabulary == "nodes":
        return None if key < 0 else divmod(key, size)
    ends, absent = divmod(key, 2)
    low, above = divmod(ends, size + 1)
    interval = range(low, above)
    return Span((*interval, size - domain.has_missing) if absent else interval)


def in_order(keys: Iterable[Key]) -> Sequence[Key]:
    """Keys in the order in which `LocalRecoding` numbers their values."""

    def numbers(key: Key) -> tuple[int, ...]:
        if isinstance(key, int):
            return (key,)
        bits = int.from_bytes(key, "little")
        return tuple(bits >> at & (1 << 62) - 1 for at in range(0, max(1, 8 * len(key)), 62))

    return sorted(keys, key=numbers)
