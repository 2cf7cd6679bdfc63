"""Flash: paths that branch through the lattice, each bisected, then the cheapest node found.

Nodes are taken in an order that does not depend on how the columns are ordered: by their height, by how far
they have climbed on average, and by how many values they leave. That the cheapest node is a minimal one holds
only where generalizing further never costs less; `supports` refuses the rest.

Paper: Kohlmayer, Prasser et al., PASSAT 2012. Deviations: docs/algorithms/flash.md.
"""

from __future__ import annotations

import heapq
from dataclasses import dataclass
from math import lcm

from shoal.algorithms.levels._lattice import Lattice, Levels, NodeSearch, recodings
from shoal.algorithms.levels._tags import Tags, why_not_monotone
from shoal.model.description import Description
from shoal.model.result.problem import Problem
from shoal.model.result.result import Result, Status
from shoal.model.result.searched_kind import LEVELS

Rank = tuple[int, int, int, Levels]


@dataclass(frozen=True, kw_only=True)
class Flash(NodeSearch):
    """Optimal levels among those that end a path."""

    name = "flash"
    description = Description(
        title="Flash",
        short="The best level per column, by paths",
        meaning="Finds the best levels along paths from the values to the top (Kohlmayer and others).",
        when="To compare with ARX.",
    )
    searches = LEVELS
    guarantee = Status.OPTIMAL
    looks_at_nodes = True

    def supports(self, problem: Problem) -> str | None:
        return super().supports(problem) or why_not_monotone(problem)

    def search(self, lattice: Lattice, threads: int) -> Result:  # noqa: ARG002
        paths = Paths(lattice)
        for height in range(sum(lattice.low), sum(lattice.high) + 1):
            for node in sorted(lattice.at_height(height), key=paths.rank):
                paths.follow(node)
        return lattice.result(
            self.name,
            Status.OPTIMAL,
            lattice.incumbent,
            lattice.watch.seconds,
            alternatives=recodings(paths.tags.minimal()),
        )


class Paths:
    """The paths through a lattice, and the tags that they set."""

    def __init__(self, lattice: Lattice) -> None:
        self._lattice = lattice
        self.tags = Tags(lattice)
        self._branches: list[Rank] = []
        trees = [domain.hierarchy for domain in lattice.problem.table.domains]
        # Averages over the attributes, as whole numbers: what they are divided by is the same for all nodes.
        steps = lcm(*(max(1, tree.height) for tree in trees))
        values = lcm(*(len(tree.labels[0]) for tree in trees))
        self._climbed = [
            [level * steps // max(1, tree.height) for level in range(tree.height + 1)] for tree in trees
        ]
        self._left = [
            [len(labels) * values // len(tree.labels[0]) for labels in tree.labels] for tree in trees
        ]

    def rank(self, levels: Levels) -> Rank:
        """The place of a node in the order: less generalized first."""
        climbed = sum(shares[level] for shares, level in zip(self._climbed, levels, strict=True))
        left = sum(shares[level] for shares, level in zip(self._left, levels, strict=True))
        return sum(levels), climbed, -left, levels

    def follow(self, node: Levels) -> None:
        """Check a path from a node, and from all that branch off it, until everything above is tagged."""
        if not self.tags.known(node):
            self.check(self.path(node))
        while self._branches:
            *_, lower = heapq.heappop(self._branches)
            for above in sorted(self._lattice.above(lower), key=self.rank):
                if not self.tags.known(above):
                    self.check(self.path(above))

    def path(self, node: Levels) -> list[Levels]:
        """A path upward over nodes without a tag, always to the least ranked (FindPath)."""
        path = [node]
        while True:
            open_nodes = [above for above in self._lattice.above(path[-1]) if not self.tags.known(above)]
            if not open_nodes:
                return path
            path.append(min(open_nodes, key=self.rank))

    def check(self, path: list[Levels]) -> None:
        """Bisect a path for its lowest admissible node; from those that are not, other paths branch off."""
        low, high = 0, len(path) - 1
        lowest: Levels | None = None
        while low <= high:
            middle = (low + high) // 2
            if self.tags.admits(path[middle]):
                lowest = path[middle]
                high = middle - 1
            else:
                heapq.heappush(self._branches, self.rank(path[middle]))
                low = middle + 1
        if lowest is not None:
            self._lattice.offer(lowest)


__all__ = ["Flash"]
