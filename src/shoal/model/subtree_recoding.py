"""Subtree recodings: every value on some node of its hierarchy, neighbours on different levels."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from shoal.errors import InternalError
from shoal.model.domain import Domain
from shoal.model.recoding import DomainRecoding


@dataclass(frozen=True, order=True)
class SubtreeRecoding(DomainRecoding):
    """A cut through each hierarchy: nodes of which every value is below exactly one.

    Parameters
    ----------
    nodes
        Per attribute the nodes, each as its level and its part of that level.
    """

    nodes: tuple[tuple[tuple[int, int], ...], ...]

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

    def labels(
        self,
        attribute: int,
        domain: Domain,
        released: Collection[int] | None = None,  # noqa: ARG002  a hierarchy's labels tell of its leaves, not of rows
    ) -> tuple[str | None, ...]:
        tree = domain.hierarchy
        return tuple(tree.labels[level][part] for level, part in self.nodes[attribute])

    def losses(self, attribute: int, domain: Domain) -> Sequence[Fraction]:
        return [domain.part_losses(level)[part] for level, part in self.nodes[attribute]]

    def shares(self, attribute: int, domain: Domain) -> Sequence[Fraction]:
        return [domain.part_shares(level)[part] for level, part in self.nodes[attribute]]

    def steps(self, attribute: int, domain: Domain) -> Sequence[Fraction]:
        return [domain.part_steps(level)[part] for level, part in self.nodes[attribute]]
