"""Groups so small that all randomness can be enumerated: the q-th residues modulo a prime."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator
from math import prod
from typing import TypeVar


class SmallCurve:
    """The subgroup of prime order in the numbers modulo a prime, with two generators.

    Parameters
    ----------
    order
        7 (modulo 29), 11 (modulo 23), 5 (modulo 11) or 3 (modulo 7).
    """

    width = 1

    def __init__(self, order: int) -> None:
        self.order = order
        self.modulus = {3: 7, 5: 11, 7: 29, 11: 23}[order]
        elements = sorted(
            {pow(each, (self.modulus - 1) // order, self.modulus) for each in range(1, self.modulus)}
        )
        self.elements = set(elements)
        self.first, self.second = elements[1], elements[2]

    def commit(self, value: int, blind: int) -> bytes:
        """value·G + blind·H, written multiplicatively."""
        return self.blinded(bytes([pow(self.first, value, self.modulus)]), blind)

    def blinded(self, point: bytes, blind: int) -> bytes:
        """point + blind·H."""
        return bytes([point[0] * pow(self.second, blind, self.modulus) % self.modulus])

    def of_zero(self, blind: int) -> bytes:
        """blind·H."""
        return self.blinded(bytes([1]), blind)

    def total(self, points: Iterable[bytes]) -> bytes:
        """The sum of points."""
        return bytes([prod(each[0] for each in points) % self.modulus])

    def is_point(self, point: bytes) -> bool:
        """Whether it is an element."""
        return len(point) == 1 and point[0] in self.elements


T = TypeVar("T")


def all_runs(work: Callable[[Callable[[int], int]], T]) -> Iterator[T]:
    """What a function gives for each outcome of all of its random draws, each equally likely.

    The number of draws and their bounds must not depend on what was drawn.
    """
    bounds: list[int] = []

    def discover(below: int) -> int:
        bounds.append(below)
        return 0

    work(discover)
    for outcome in itertools.product(*map(range, bounds)):
        drawn = iter(outcome)
        yield work(lambda _below, drawn=drawn: next(drawn))  # type: ignore[misc]
