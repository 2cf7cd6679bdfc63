"""Algorithm 1 of the paper: an archive that holds one vector in each non-dominated box.

Theorem 1 (no offered vector dominates a held one) holds as printed, and more: the boxes of the
archive are exactly the non-dominated boxes of all that was offered. Its proof has a gap: it assumes that a
vector that is not held was removed, but it may never have been admitted. Theorem 2 fails as printed: a
quality that reaches its upper bound lies in a box that the count K / epsilon leaves out. What holds is
`most_held`. Proofs and the counter-example: docs/algorithms/pbg-ea.md.

Paper: Dewri et al., DBSec 2010, section 5.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterator, Sequence
from fractions import Fraction
from typing import Generic, TypeVar

from shoal.objectives.dominance import Box, Epsilon, Number, Quality, box_of, check_epsilons, dominates

T = TypeVar("T", bound=Hashable)


class Archive(Generic[T]):
    """The updator.

    Parameters
    ----------
    epsilons
        The discretization vector: per objective the length of a box, or `None` for plain dominance.
    """

    def __init__(self, epsilons: Sequence[Epsilon]) -> None:
        check_epsilons(epsilons, len(epsilons))
        self.epsilons = tuple(epsilons)
        self._held: dict[Box, tuple[T, Quality]] = {}

    def __len__(self) -> int:
        return len(self._held)

    def __contains__(self, item: object) -> bool:
        return any(held == item for held, _ in self._held.values())

    def __iter__(self) -> Iterator[tuple[T, Quality]]:
        """What is held, in the order in which boxes were first filled."""
        return iter(list(self._held.values()))

    @property
    def boxes(self) -> set[Box]:
        """The boxes that hold something."""
        return set(self._held)

    def offer(self, item: T, quality: Quality) -> bool:
        """Offer a vector; returns whether it is held now. Offering it again changes nothing.

        Of incomparable vectors in one box the first one stays: the paper leaves the choice open.
        """
        box = box_of(quality, self.epsilons)
        present = self._held.get(box)
        if present is not None:
            if present[0] == item or not dominates(quality, present[1]):
                return present[0] == item
            self._held[box] = (item, quality)
            return True
        # No box is held that another one dominates, so either some dominate the new one, or it some of them.
        if any(dominates(held, box) for held in self._held):
            return False
        for held in [held for held in self._held if dominates(box, held)]:
            del self._held[held]
        self._held[box] = (item, quality)
        return True


def most_held(upper: Sequence[Number], epsilons: Sequence[Number]) -> int:
    """Vectors that an archive can hold at most, when qualities lie between 0 and their upper bounds.

    Boxes that differ in one objective alone dominate one another, so there is at most one in each line of
    them; the lines along the objective with most boxes are fewest.
    """
    counts = sorted(
        math.floor(Fraction(bound) / Fraction(epsilon)) + 1
        for bound, epsilon in zip(upper, epsilons, strict=True)
    )
    return math.prod(counts[:-1])
