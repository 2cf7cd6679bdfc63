"""Full-domain recodings: every value of an attribute on the same level of its hierarchy."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from shoal.model.recoding.recoding import DomainRecoding
from shoal.model.table.domain import Domain


@dataclass(frozen=True, order=True)
class LevelRecoding(DomainRecoding):
    """One level per attribute: a node of the lattice.

    Parameters
    ----------
    levels
        For each attribute the level; 0 keeps the values.
    also_suppressed
        Groups that are suppressed although they are large enough, each given by its parts: for an average
        risk, or by Datafly's complementary suppression.
    """

    levels: tuple[int, ...]
    also_suppressed: tuple[tuple[int, ...], ...] = ()

    @property
    def height(self) -> int:
        """All generalization steps."""
        return sum(self.levels)

    def parts(self, attribute: int, domain: Domain) -> NDArray[np.int32]:
        return np.array(domain.hierarchy.parts[self.levels[attribute]], np.int32)

    def labels(
        self, attribute: int, domain: Domain, released: Collection[int] | None = None
    ) -> tuple[str | None, ...]:
        return domain.level_labels(self.levels[attribute], released)

    def losses(self, attribute: int, domain: Domain) -> Sequence[Fraction]:
        return domain.part_losses(self.levels[attribute])

    def shares(self, attribute: int, domain: Domain) -> Sequence[Fraction]:
        return domain.part_shares(self.levels[attribute])

    def steps(self, attribute: int, domain: Domain) -> Sequence[Fraction]:
        return domain.part_steps(self.levels[attribute])

    def describe(
        self,
        domains: Sequence[Domain],
        released: Sequence[Collection[int]] | None = None,  # noqa: ARG002
    ) -> dict[str, object]:
        """Attribute -> its level; the hierarchy defines the rest."""
        return {domain.name: {"level": level} for level, domain in zip(self.levels, domains, strict=True)}
