"""Subtree recodings: every value on some node of its hierarchy, neighbours on different levels."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from shoal.errors import InternalError
from shoal.model.recoding.recoding import DomainRecoding
from shoal.model.table.domain import Domain


@dataclass(frozen=True, order=True)
class SubtreeRecoding(DomainRecoding):
    """A cut through each hierarchy: nodes chosen so that every value is below exactly one.

    Parameters
    ----------
    nodes
        For each attribute the nodes, each as its level and its part of that level.
    also_suppressed
        Groups that are suppressed although they are large enough, each given by its parts.
    """

    nodes: tuple[tuple[tuple[int, int], ...], ...]
    also_suppressed: tuple[tuple[int, ...], ...] = ()

    def parts(self, attribute: int, domain: Domain) -> NDArray[np.int32]:
        tree = domain.hierarchy
        of_code = np.full(len(domain), -1, np.int32)
        for number, (level, part) in enumerate(self.nodes[attribute]):
            below = np.array(tree.parts[level], np.int32) == part
            if (of_code[below] >= 0).any():
                raise InternalError(f"two nodes of column {domain.name!r} are below each other")
            of_code[below] = number
        if (of_code < 0).any():
            raise InternalError(f"a value of column {domain.name!r} is below no node")
        return of_code

    def members(self, attribute: int, domain: Domain) -> Sequence[Sequence[int]]:
        of_level = {level: domain.hierarchy.members(level) for level, _ in self.nodes[attribute]}
        return [of_level[level][part] for level, part in self.nodes[attribute]]

    def labels(
        self, attribute: int, domain: Domain, released: Collection[int] | None = None
    ) -> tuple[str | None, ...]:
        printed = domain.printed
        of_level = {level: printed.of_level(level, released) for level, _ in self.nodes[attribute]}
        return printed.numbered([of_level[level][part] for level, part in self.nodes[attribute]])

    def losses(self, attribute: int, domain: Domain) -> Sequence[Fraction]:
        return self._of_nodes(attribute, domain.part_losses)

    def shares(self, attribute: int, domain: Domain) -> Sequence[Fraction]:
        return self._of_nodes(attribute, domain.part_shares)

    def steps(self, attribute: int, domain: Domain) -> Sequence[Fraction]:
        return self._of_nodes(attribute, domain.part_steps)

    def _of_nodes(self, attribute: int, of_level: Callable[[int], Sequence[Fraction]]) -> Sequence[Fraction]:
        levels = {level: of_level(level) for level, _ in self.nodes[attribute]}
        return [levels[level][part] for level, part in self.nodes[attribute]]


def nodes_of_intervals(domain: Domain) -> dict[tuple[int, int], tuple[int, int]]:
    """The intervals of codes that are nodes of a hierarchy: the lowest level that has each, and its part.

    Higher levels can give the same values another label, which loses more and distinguishes no more.
    """
    nodes: dict[tuple[int, int], tuple[int, int]] = {}
    for level in range(domain.hierarchy.height + 1):
        for part, codes in enumerate(domain.hierarchy.members(level)):
            nodes.setdefault((codes[0], codes[-1]), (level, part))
    return nodes
