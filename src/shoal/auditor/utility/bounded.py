"""Means and quantiles of a column whose values are only known to lie between bounds.

A released row has a value between the ends of its label or, where the label says `or missing`, maybe none.
The least mean that fits the release takes every row at its lower end and, of the rows that may have no value,
those that lower the mean. Rows without bounds (`*`, `>= 80`) are left out and counted.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]


@dataclass(frozen=True, kw_only=True, eq=False)
class BoundedRows:
    """Rows with values between bounds.

    Parameters
    ----------
    low, high
        The bounds of each row.
    certain
        Whether the row has a value for sure.
    weight
        What each row counts, more than 0.
    """

    low: Floats
    high: Floats
    certain: Flags
    weight: Floats

    def __len__(self) -> int:
        return len(self.low)

    @property
    def means(self) -> tuple[float, float]:
        """The least and the greatest mean that the rows can have."""
        return self._least_mean(self.low), -self._least_mean(-self.high)

    def _least_mean(self, values: Floats) -> float:
        sure, maybe = self.certain, ~self.certain
        total, weight = float(values[sure] @ self.weight[sure]), float(self.weight[sure].sum())
        order = np.argsort(values[maybe], kind="stable")
        for value, own in zip(values[maybe][order].tolist(), self.weight[maybe][order].tolist(), strict=True):
            if weight and value >= total / weight:
                break
            total, weight = total + value * own, weight + own
        return total / weight

    @property
    def middle_mean(self) -> float:
        """The mean if every row has the middle of its bounds."""
        middles = (self.low + self.high) / 2
        return float(middles @ self.weight / self.weight.sum())

    def quantiles(self, share: float) -> tuple[float, float]:
        """The least and the greatest quantile that the rows can have.

        A quantile is the least value that at least this share of the weight does not exceed.
        """
        return self._least_quantile(share), self._greatest_quantile(share)

    def _least_quantile(self, share: float) -> float:
        """Rows that may be missing count if they are low enough to lower it."""
        order = np.argsort(self.low, kind="stable")
        values, weight, sure = self.low[order], self.weight[order], self.certain[order]
        below = np.cumsum(weight)
        counted = self.weight[self.certain].sum() + np.cumsum(np.where(sure, 0, weight))
        last = np.append(values[1:] != values[:-1], True)  # all rows with the same value together
        reached = last & (below >= share * counted * (1 - _SLACK))
        return float(values[np.argmax(reached)])

    def _greatest_quantile(self, share: float) -> float:
        """Rows that may be missing count if they are high enough to raise it."""
        order = np.argsort(-self.high, kind="stable")
        values, weight, sure = self.high[order], self.weight[order], self.certain[order]
        certain = self.weight[self.certain].sum()
        below = certain - np.cumsum(np.where(sure, weight, 0))  # certain rows that are lower
        counted = certain + np.cumsum(np.where(sure, 0, weight))
        last = np.append(values[1:] != values[:-1], True)
        reached = last & (below < share * counted * (1 - _SLACK))
        return float(values[np.argmax(reached)])


_SLACK = 1e-12
"""Sums of weights that should be equal differ in their last digits."""


def plain_mean(values: Floats, weight: Floats) -> float:
    """The weighted mean of known values."""
    return float(values @ weight / weight.sum())


def plain_quantile(values: Floats, weight: Floats, share: float) -> float:
    """The least value that at least this share of the weight does not exceed."""
    order = np.argsort(values, kind="stable")
    reached = np.cumsum(weight[order]) >= share * weight.sum() * (1 - _SLACK)
    return float(values[order][np.argmax(reached)])
