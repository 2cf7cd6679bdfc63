"""Preference criteria: which of several solutions to release, where the algorithm leaves it open.

Paper: Samarati, TKDE 13(6), 2001; the survey, section 2.2; Sweeney's preferred(), Fig. 5.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from fractions import Fraction

from shoal.algorithms.levels._lattice import Lattice, Levels
from shoal.errors import PolicyError
from shoal.model.parameter import parameter
from shoal.model.result.result import Cost
from shoal.model.suggestion import suggestion


def absolute_distance(lattice: Lattice, levels: Levels) -> Cost:  # noqa: ARG001
    """Generalization steps in all."""
    return sum(levels)


def relative_distance(lattice: Lattice, levels: Levels) -> Cost:
    """Generalization steps, each as a share of its hierarchy's height."""
    return sum(
        (Fraction(level, max(1, height)) for level, height in zip(levels, lattice.heights, strict=True)),
        Fraction(0),
    )


def distribution(lattice: Lattice, levels: Levels) -> Cost:
    """Distinct released rows, negated: lower is better."""
    return -lattice.recalled(levels).groups


def suppression(lattice: Lattice, levels: Levels) -> Cost:
    """Suppressed rows."""
    return lattice.recalled(levels).suppressed


def least_cost(lattice: Lattice, levels: Levels) -> Cost:
    """The cost that the problem minimizes."""
    return lattice.cost(levels)


PREFERENCES: dict[str, Callable[[Lattice, Levels], Cost]] = {
    "least-cost": least_cost,
    "minimum-absolute-distance": absolute_distance,
    "minimum-relative-distance": relative_distance,
    "maximum-distribution": distribution,
    "minimum-suppression": suppression,
}

PREFERENCE_WORDS = parameter(
    "Which of several solutions to release",
    choices={
        "least-cost": "the one that loses least",
        "minimum-absolute-distance": "least levels up in all",
        "minimum-relative-distance": "least levels up, as shares of the heights",
        "maximum-distribution": "most distinct rows",
        "minimum-suppression": "fewest rows left out",
    },
)


def check_preference(name: object) -> None:
    """Raise `PolicyError` for a preference that does not exist."""
    if not isinstance(name, str) or name not in PREFERENCES:
        raise PolicyError(f"there is no preference {name!r}.{suggestion(str(name), PREFERENCES)}")


def preferred(lattice: Lattice, nodes: Iterable[Levels], preference: str) -> Levels:
    """The node that a criterion prefers; ties by the problem's cost, then lexicographically."""
    criterion = PREFERENCES[preference]
    return min(nodes, key=lambda levels: (criterion(lattice, levels), lattice.cost(levels), levels))
