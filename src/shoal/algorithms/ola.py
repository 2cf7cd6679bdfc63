"""OLA: the minimal nodes by bisection of sublattices, then the cheapest of them.

A node halfway up a sublattice cuts it down to the part below it, if it is admissible, or to the part above.
That the cheapest node is a minimal one holds only where generalizing further never costs less; `supports`
refuses the rest.

Paper: El Emam et al., JAMIA 16(5), 2009. Deviations: docs/algorithms/ola.md.
"""

from __future__ import annotations

from dataclasses import dataclass

from shoal.algorithms._lattice import Lattice, Levels, NodeSearch, is_above, nodes_of_height, recodings
from shoal.algorithms._tags import Tags, why_not_monotone
from shoal.model.problem import Problem
from shoal.model.result import Result, Status


@dataclass(frozen=True, kw_only=True)
class Ola(NodeSearch):
    """Optimal levels among the minimal ones."""

    name = "ola"
    guarantee = Status.OPTIMAL

    def supports(self, problem: Problem) -> str | None:
        return super().supports(problem) or why_not_monotone(problem)

    def search(self, lattice: Lattice, threads: int) -> Result:  # noqa: ARG002
        found = KMin(lattice)
        found.within(lattice.low, lattice.high)
        for levels in sorted(found.minimal):
            lattice.offer(levels)
        return lattice.result(
            self.name,
            Status.OPTIMAL,
            lattice.incumbent,
            lattice.watch.seconds,
            alternatives=recodings(found.minimal),
        )


class KMin:
    """The paper's recursion Kmin over sublattices, each given by its bottom and its top.

    Invariant: the top of a sublattice is admissible, and its bottom is not unless it is the lattice's own.
    """

    def __init__(self, lattice: Lattice) -> None:
        self.minimal: list[Levels] = []
        self._lattice = lattice
        self._tags = Tags(lattice)
        self._seen: set[tuple[Levels, Levels]] = set()

    def within(self, bottom: Levels, top: Levels) -> None:
        """Collect the minimal nodes of a sublattice."""
        # Many strategies lead into one sublattice; the paper goes through it each time.
        if (bottom, top) in self._seen:
            return
        self._seen.add((bottom, top))
        height = sum(top) - sum(bottom)
        if height <= 1:
            self._collect(bottom if self._tags.admits(bottom) else top)
            return
        for node in nodes_of_height(bottom, top, sum(bottom) + height // 2):
            if self._tags.admits(node):
                self.within(bottom, node)
            else:
                self.within(node, top)

    def _collect(self, levels: Levels) -> None:
        """Keep the lowest node of a strategy unless one below it is kept; drop those above it (CleanUp)."""
        if not any(is_above(levels, lower) for lower in self.minimal):
            self.minimal = [other for other in self.minimal if not is_above(other, levels)]
            self.minimal.append(levels)


__all__ = ["Ola"]
