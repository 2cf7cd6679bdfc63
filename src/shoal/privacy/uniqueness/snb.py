"""Population uniqueness by the slide negative binomial model.

A group of the population has 1 + X people, X negative binomial with parameters alpha and beta: K groups have
K beta^alpha people who are alone. K is estimated by the modified estimator of Shlosser, and alpha and beta
such that a sample of the share pi is expected to have the groups of one and of two rows that this one has.
With d = (1 - beta) (1 - pi) and D = 1 - d the generating function of a sampled size gives

    E1 = K pi (beta / D)^alpha (1 + alpha d / D)
    E2 = K alpha (1 - beta) pi^2 beta^alpha (2 - (1 - alpha) d) / (2 D^(alpha + 2))

Papers: Chen and Keller-McNulty, Estimation of identification disclosure risk in microdata, Journal of
Official Statistics 14(1), 1998; Haas and Stokes, Estimating the number of classes in a finite population,
JASA 93, 1998. Deviation: every solution is looked for, beta by beta; where there is none, or several that
disagree, there is no estimate.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from shoal.model.table.group_sizes import GroupSizes
from shoal.privacy.uniqueness.estimate import Estimate, estimated
from shoal.privacy.uniqueness.root import root

_BETAS = 1 / (1 + np.exp(np.linspace(16, -16, 129)))
"""Where the second equation is evaluated to find a change of sign: evenly in the logarithm of the odds."""
_AGREE = 1e-6


def snb(sizes: GroupSizes, population: int) -> Estimate:
    """The estimate; 0 if no row is unique."""
    alone, pairs = sizes.of_size(1), sizes.of_size(2)
    if alone == 0:
        return Estimate(share=0.0)
    if sizes.rows >= population:
        return Estimate(reason="the table is the whole population")
    if pairs == 0:
        return Estimate(reason="no group has two rows, which the model is fitted to")
    share = sizes.rows / population
    groups = population_groups(sizes, share)
    estimates = sorted({groups * beta**alpha for alpha, beta in _solutions(groups, share, alone, pairs)})
    if not estimates:
        return Estimate(reason="no parameters give the groups of one and of two rows that the table has")
    if estimates[-1] - estimates[0] > _AGREE * estimates[-1]:
        return Estimate(reason="several parameters fit the table and disagree")
    return estimated(estimates[-1], population)


def population_groups(sizes: GroupSizes, share: float) -> float:
    """How many groups the population has, by the modified estimator of Shlosser."""
    rows, groups = sizes.sizes.astype(np.float64), sizes.groups.astype(np.float64)
    unseen = float((groups * np.exp(rows * math.log1p(-share))).sum())
    seen_once = float((groups * rows * share * np.exp((rows - 1) * math.log1p(-share))).sum())
    square = math.log1p(-share * share)
    above = float((groups * rows * share * share * np.exp((rows - 1) * square)).sum())
    below = float((groups * (np.exp(rows * square) - np.exp(rows * math.log1p(-share)))).sum())
    return sizes.count + sizes.of_size(1) * above / below * (unseen / seen_once) ** 2


def expected_sizes(groups: float, share: float, alpha: float, beta: float) -> tuple[float, float]:
    """Groups of one and of two rows that the model expects in a sample."""
    left = (1 - beta) * (1 - share)
    sampled = 1 - left
    power = math.exp(alpha * (math.log(beta) - math.log(sampled)))
    ones = groups * share * power * (1 + alpha * left / sampled)
    twos = groups * alpha * (1 - beta) * share**2 * power * (2 - (1 - alpha) * left) / (2 * sampled**2)
    return ones, twos


def _solutions(groups: float, share: float, alone: int, pairs: int) -> Iterator[tuple[float, float]]:
    """Alpha and beta of every solution that is found."""
    for rising in (False, True):

        def alpha_of(beta: float, rising: bool = rising) -> float | None:
            return _alpha(groups, share, alone, beta, rising=rising)

        def excess(beta: float) -> float:
            alpha = alpha_of(beta)
            return math.nan if alpha is None else expected_sizes(groups, share, alpha, beta)[1] - pairs

        values = [excess(float(beta)) for beta in _BETAS]
        for (low, at_low), (high, at_high) in zip(
            zip(_BETAS, values, strict=True), zip(_BETAS[1:], values[1:], strict=True), strict=False
        ):
            if math.isnan(at_low) or math.isnan(at_high) or (at_low > 0) == (at_high > 0):
                continue
            beta = root(excess, float(low), float(high))
            alpha = None if beta is None else alpha_of(beta)
            if beta is not None and alpha is not None:
                yield alpha, beta


def _alpha(groups: float, share: float, alone: int, beta: float, *, rising: bool) -> float | None:
    """The alpha that explains the groups of one row, with this beta.

    As a function of alpha they rise to a peak, or not at all, and then fall to none.
    """
    left = (1 - beta) * (1 - share)
    ratio, fall = left / (1 - left), math.log1p(-left) - math.log(beta)
    if ratio <= 0 or fall <= 0:
        return None
    peak = max(0.0, 1 / fall - 1 / ratio)

    def excess(alpha: float) -> float:
        return expected_sizes(groups, share, alpha, beta)[0] - alone

    if rising:
        return root(excess, 0.0, peak) if peak > 0 else None
    far = 2 * peak + 1
    while excess(far) > 0:
        far *= 2
    return root(excess, peak, far) if excess(peak) > 0 else None
