"""How well some solutions represent the exact front: the paper's two measures, section 7."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from shoal.objectives.dominance import Epsilon, Quality, box_of, dominates


def convergence_error(exact: Sequence[Quality], solutions: Sequence[Quality]) -> float:
    """Sum over the solutions of the distance to the nearest minimal one; 0 when all are minimal.

    All qualities are divided by the greatest of the exact front.

    Parameters
    ----------
    exact
        The qualities of all minimal generalizations.
    solutions
        Those of the solutions.
    """
    if not solutions:
        return 0.0
    minimal, points = _floats(exact), _floats(solutions)
    most = minimal.max(axis=0)
    most[most == 0] = 1.0
    distances = np.linalg.norm(points[:, None] / most - minimal[None] / most, axis=2)
    return float(distances.min(axis=1).sum())


def representation_ratio(
    exact: Sequence[Quality], solutions: Sequence[Quality], epsilons: Sequence[Epsilon]
) -> float:
    """The share of the exact front's non-dominated boxes that hold a solution.

    Parameters
    ----------
    exact, solutions
        The qualities of all minimal generalizations, and of the solutions.
    epsilons
        The discretization vector.
    """
    boxes = {box_of(quality, epsilons) for quality in exact}
    marked = {box for box in boxes if not any(dominates(other, box) for other in boxes)}
    return len(marked & {box_of(quality, epsilons) for quality in solutions}) / len(marked)


def _floats(qualities: Sequence[Quality]) -> NDArray[np.float64]:
    return np.array([[float(value) for value in quality] for quality in qualities], np.float64)
