"""Population uniqueness by Pitman's sampling formula, fitted by maximum likelihood.

Rows are drawn one after the other. With u groups so far among n rows, the next one opens a group with
probability (theta + u alpha) / (theta + n) and joins a group of j with (j - alpha) / (theta + n). Both
parameters are fitted to the sizes of the groups; the expected number of groups of one among N people follows.

Papers: Hoshino, Applying Pitman's sampling formula to microdata disclosure risk assessment, Journal of
Official Statistics 17(4), 2001; Pitman, Exchangeable and partially exchangeable random partitions, 1995.
Deviations: the number of unique people is the expectation itself, not its limit N^alpha Gamma(theta + 1) /
Gamma(theta + alpha); the search is a bisection inside 0 <= alpha < 1, so it does not leave the range where
the formula is one.
"""

from __future__ import annotations

import math

import numpy as np

from shoal.model.table.group_sizes import GroupSizes
from shoal.privacy.uniqueness.estimate import Estimate, estimated
from shoal.privacy.uniqueness.harmonic import harmonic, harmonics
from shoal.privacy.uniqueness.root import root

_NEARLY_ONE = 1 - 1e-9


def pitman(sizes: GroupSizes, population: int) -> Estimate:
    """The estimate; 0 if no row is unique."""
    alone = sizes.of_size(1)
    if alone == 0:
        return Estimate(share=0.0)
    if alone == sizes.rows:
        return Estimate(reason="every row is unique: nothing shows how fast uniqueness falls")
    fitted = fit(sizes)
    if fitted is None:
        return Estimate(reason="the likelihood has no maximum with 0 <= alpha < 1")
    return estimated(expected_unique(*fitted, population), population)


def expected_unique(theta: float, alpha: float, people: int) -> float:
    """Groups of one that the formula expects among so many people."""
    if alpha == 0:
        return people * theta / (theta + people - 1)
    logarithm = math.lgamma(theta + 1) - math.lgamma(theta + alpha)
    # N Gamma(theta + N + alpha - 1) / Gamma(theta + N): of two large numbers that nearly cancel only the
    # ratio is needed, by its series in 1 / (theta + N).
    base = theta + people
    if base > 1e6:
        logarithm += math.log(people) + (alpha - 1) * math.log(base)
        logarithm += (alpha - 1) * (alpha - 2) / (2 * base)
    else:
        logarithm += math.log(people) + math.lgamma(base + alpha - 1) - math.lgamma(base)
    return math.exp(logarithm)


def fit(sizes: GroupSizes) -> tuple[float, float] | None:
    """Theta and alpha of the greatest likelihood; `None` if it has none inside the range."""
    steep = _slope(sizes, 0.0)
    if steep is None:
        return None
    if steep <= 0:
        # At the edge of the range: Ewens' formula, which Pitman's extends.
        theta = _theta(sizes, 0.0)
        return None if theta is None else (theta, 0.0)
    alpha = root(lambda alpha: _known(_slope(sizes, alpha)), 0.0, _NEARLY_ONE)
    theta = None if alpha is None else _theta(sizes, alpha)
    return None if alpha is None or theta is None else (theta, alpha)


def _known(slope: float | None) -> float:
    return math.nan if slope is None else slope


def _theta(sizes: GroupSizes, alpha: float) -> float | None:
    """The best theta for an alpha: above -alpha, where the slope of the likelihood changes its sign."""
    groups, rows = sizes.count, sizes.rows

    def slope(shifted: float) -> float:
        # Theta + alpha is what must be positive, and what is searched for by its logarithm.
        theta = math.exp(shifted) - alpha
        falling = harmonic(theta + 1, 1.0, rows - 1)
        return harmonic(math.exp(shifted), alpha, groups - 1) - falling

    low, high = math.log(1e-12), math.log(1e16)
    logarithm = root(slope, low, high)
    return None if logarithm is None else math.exp(logarithm) - alpha


def _slope(sizes: GroupSizes, alpha: float) -> float | None:
    """How the likelihood rises with alpha, at the best theta."""
    theta = _theta(sizes, alpha)
    if theta is None:
        return None
    groups = sizes.count
    if alpha == 0:
        rising = groups * (groups - 1) / (2 * theta)
    else:
        # The sum of i / (theta + i alpha) for i = 1 .. groups - 1.
        rising = (groups - 1 - theta * harmonic(theta + alpha, alpha, groups - 1)) / alpha
    joined = float(np.dot(sizes.groups, harmonics(1 - alpha, sizes.sizes - 1)))
    return rising - joined
