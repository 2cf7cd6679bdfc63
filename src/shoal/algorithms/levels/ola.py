"""OLA: the minimal nodes by bisection of sublattices, then the cheapest of them.

A node halfway up a sublattice cuts it down to the part below it, if it is admissible, or to the part above.
That the cheapest node is a minimal one holds only where generalizing further never costs less; `supports`
refuses the rest.

Paper: El Emam et al., JAMIA 16(5), 2009. Deviations: docs/algorithms/ola.md.
"""

from __future__ import annotations

from dataclasses import dataclass

from shoal.algorithms.levels._lattice import Lattice, Levels, NodeSearch, nodes_of_height, recodings
from shoal.algorithms.levels._tags import Tags, why_not_monotone
from shoal.model.description import Description
from shoal.model.result.problem import Problem
from shoal.model.result.result import Result, Status
from shoal.model.result.searched_kind import LEVELS


@dataclass(frozen=True, kw_only=True)
class Ola(NodeSearch):
    """Optimal levels among the minimal ones."""

    name = "ola"
    description = Description(
        title="OLA",
        short="The best level per column, by halving",
        meaning="Finds the best levels where coarser always costs more (El Emam and others).",
        when="To compare with tools for health data that use it.",
    )
    searches = LEVELS
    guarantee = Status.OPTIMAL
    looks_at_nodes = True

    def supports(self, problem: Problem) -> str | None:
        return super().supports(problem) or why_not_monotone(problem)

    def search(self, lattice: Lattice, threads: int) -> Result:  # noqa: ARG002
        tags = Tags(lattice)
        k_min(tags, lattice.low, lattice.high)
        minimal = tags.minimal()
        for levels in minimal:
            lattice.offer(levels)
        return lattice.result(
            self.name,
            Status.OPTIMAL,
            lattice.incumbent,
            lattice.watch.seconds,
            alternatives=recodings(minimal),
        )


def k_min(tags: Tags, bottom: Levels, top: Levels) -> None:
    """Tag the sublattice between two nodes; the upper one is admissible (Kmin)."""
    # Many strategies lead into one sublattice, and the paper goes through it each time; on Adult's 17,920
    # nodes that is a million times.
    if tags.cover(bottom, top):
        return
    height = sum(top) - sum(bottom)
    if height <= 1:
        tags.admits(bottom)
        return
    for node in nodes_of_height(bottom, top, sum(bottom) + height // 2):
        if tags.admits(node):
            k_min(tags, bottom, node)
        else:
            k_min(tags, node, top)


__all__ = ["Ola"]
