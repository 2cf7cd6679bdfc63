"""Population uniqueness after Zayatz: what share of the unique rows come from unique people.

The groups of the sample are taken for those of the population. If a sample of n of N people draws exactly one
person of a group of j with probability H(j), a unique row comes from a group of one with probability
n1 H(1) / sum of n_j H(j), where n_j groups of the sample have j rows.

Paper: Zayatz, Estimation of the percent of unique population elements on a microdata file using the sample,
U.S. Bureau of the Census, 1991.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from shoal.model.table.group_sizes import GroupSizes
from shoal.privacy.uniqueness.estimate import Estimate, estimated

MOST_TERMS = 1_000_000
"""Larger groups practically never give a single row: a million people of at most 10^10, drawn with at least
10^-4, have H below 10^-40."""


def zayatz(sizes: GroupSizes, population: int) -> Estimate:
    """The estimate; 0 if no row is unique."""
    alone = sizes.of_size(1)
    if alone == 0:
        return Estimate(share=0.0)
    drawn = single_draws(sizes.sizes, sizes.rows, population)
    from_one = alone * drawn[0] / float((sizes.groups * drawn).sum())
    return estimated(alone * from_one * population / sizes.rows, population)


def single_draws(sizes: NDArray[np.int64], rows: int, population: int) -> NDArray[np.float64]:
    """Per size of a group, in increasing order, the probability that a sample draws exactly one of it.

    That is j (n/N) times the product of 1 - (n - 1) / (N - 1 - i) over i = 0 .. j - 2: hypergeometric.
    """
    length = int(min(sizes[-1] - 1, population - rows, MOST_TERMS))
    left = population - 1 - np.arange(length, dtype=np.float64)
    misses = np.concatenate([[0.0], np.cumsum(np.log1p(-(rows - 1) / left))])
    chances = np.zeros(len(sizes))
    possible = sizes - 1 <= length
    chances[possible] = sizes[possible] * (rows / population) * np.exp(misses[sizes[possible] - 1])
    return chances
