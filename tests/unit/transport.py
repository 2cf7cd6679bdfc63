"""The transport problem, exactly: what the earth mover's distance is by its definition."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction


def cheapest_transport(
    have: Sequence[Fraction], want: Sequence[Fraction], cost: Callable[[int, int], Fraction]
) -> Fraction:
    """The least cost of moving one distribution into another, by shortest augmenting paths.

    Knows nothing of the closed forms: it pushes along the cheapest path of the residual graph (Bellman-Ford)
    until nothing is left to move, which is optimal for every cost.
    """
    places = range(len(have))
    left, lack = list(have), list(want)
    moved = {(i, j): Fraction(0) for i in places for j in places}
    while any(left):
        # A node is a place as a source (False, i) or as a target (True, j).
        far = {(False, i): Fraction(0) for i in places if left[i]}
        via: dict[tuple[bool, int], tuple[bool, int]] = {}
        for _ in range(2 * len(have)):
            for (i, j), amount in moved.items():
                _shorten(far, via, (False, i), (True, j), cost(i, j))
                if amount:
                    _shorten(far, via, (True, j), (False, i), -cost(i, j))
        path = [min(((True, j) for j in places if lack[j]), key=lambda node: far[node])]
        while path[-1] in via:
            path.append(via[path[-1]])
        start, end = path[-1][1], path[0][1]
        forward = [(source, target) for (_, target), (_, source) in zip(path[::2], path[1::2], strict=True)]
        back = [(source, target) for (_, source), (_, target) in zip(path[1::2], path[2::2], strict=False)]
        most = min([left[start], lack[end], *(moved[step] for step in back)])
        for step in forward:
            moved[step] += most
        for step in back:
            moved[step] -= most
        left[start] -= most
        lack[end] -= most
    return sum((cost(i, j) * amount for (i, j), amount in moved.items()), Fraction(0))


def _shorten(
    far: dict[tuple[bool, int], Fraction],
    via: dict[tuple[bool, int], tuple[bool, int]],
    start: tuple[bool, int],
    end: tuple[bool, int],
    cost: Fraction,
) -> None:
    if start in far and (end not in far or far[start] + cost < far[end]):
        far[end], via[end] = far[start] + cost, start
