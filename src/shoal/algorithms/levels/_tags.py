"""Predictive tagging: examining one node decides for all nodes above it, or for all below it."""

from __future__ import annotations

import math

import numpy as np

from shoal.algorithms.levels._lattice import Lattice, Levels
from shoal.model.result.problem import Problem

MOST_NODES = 100_000_000
"""A tag is a byte, and every node has one."""

_ADMITTED, _REFUSED = 1, 2


class Tags:
    """What is known about the nodes of a lattice.

    What is above an admissible node is admissible, and what is below an inadmissible one is not, because the
    problem rises. Both are boxes of the lattice, so a tag is one assignment to an array.

    Parameters
    ----------
    lattice
        Its top is admissible.
    """

    def __init__(self, lattice: Lattice) -> None:
        self._lattice = lattice
        # An array has few dimensions: only columns with a choice of levels get one.
        self._free = [
            a for a, (low, high) in enumerate(zip(lattice.low, lattice.high, strict=True)) if low < high
        ]
        self._tags = np.zeros([lattice.high[a] - lattice.low[a] + 1 for a in self._free], np.uint8)
        self._admitted: list[Levels] = []
        self.admits(lattice.high)

    def known(self, levels: Levels) -> bool:
        """Whether a node is tagged."""
        return bool(self._tags[self._place(levels)])

    def cover(self, bottom: Levels, top: Levels) -> bool:
        """Whether all nodes between two are tagged."""
        ends = zip(self._place(bottom), self._place(top), strict=True)
        return bool(self._tags[tuple(slice(low, high + 1) for low, high in ends)].all())

    def admits(self, levels: Levels) -> bool:
        """Whether a node is admissible; it is examined only if it has no tag."""
        place = self._place(levels)
        if not self._tags[place]:
            if self._lattice.admits(levels):
                self._admitted.append(levels)
                self._tags[tuple(slice(level, None) for level in place)] = _ADMITTED
            else:
                self._tags[tuple(slice(level + 1) for level in place)] = _REFUSED
        return bool(self._tags[place] == _ADMITTED)

    def minimal(self) -> list[Levels]:
        """The minimal nodes, once every node is tagged: those whose tag came from themselves."""
        return [
            levels
            for levels in sorted(self._admitted)
            if not any(self._tags[self._place(below)] == _ADMITTED for below in self._lattice.below(levels))
        ]

    def _place(self, levels: Levels) -> tuple[int, ...]:
        """Where the tag of a node is."""
        return tuple(levels[attribute] - self._lattice.low[attribute] for attribute in self._free)


def why_not_monotone(problem: Problem) -> str | None:
    """Why the cheapest node need not be a minimal one, or why the lattice is too large to be tagged."""
    if problem.most_suppressed > 0 and not problem.cost.monotone:
        return (
            "it considers minimal nodes only, and where rows may be suppressed a node above them can have "
            f"less cost {problem.cost.name!r}; use 'lattice', forbid suppression, or choose cost 'height'"
        )
    ranges = problem.levels or [(0, domain.hierarchy.height) for domain in problem.table.domains]
    nodes = math.prod(most - least + 1 for least, most in ranges)
    if nodes > MOST_NODES:
        return f"it tags every node, at most {MOST_NODES:,}, and there are {nodes:,}; use 'lattice'"
    return None
