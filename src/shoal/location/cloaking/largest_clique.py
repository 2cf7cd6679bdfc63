"""A largest set of vertices that are all neighbours of each other, for graphs of a few dozen vertices."""

from __future__ import annotations

from collections.abc import Sequence


def largest_clique(neighbours: Sequence[int], vertices: int) -> int:
    """A largest clique, as the bits of its vertices; of several the one found first, always the same.

    Parameters
    ----------
    neighbours
        Per vertex the bits of its neighbours.
    vertices
        The bits of the vertices to choose from.
    """
    best = 0

    def grow(clique: int, size: int, left: int) -> None:
        nonlocal best
        if size > best.bit_count():
            best = clique
        while left and size + left.bit_count() > best.bit_count():
            # The vertex with the most neighbours first: a large clique that is found early saves others.
            vertex = max(_bits(left), key=lambda each: ((neighbours[each] & left).bit_count(), -each))
            left &= ~(1 << vertex)
            grow(clique | 1 << vertex, size + 1, left & neighbours[vertex])

    grow(0, 0, vertices)
    return best


def _bits(number: int) -> list[int]:
    return [bit for bit in range(number.bit_length()) if number >> bit & 1]
