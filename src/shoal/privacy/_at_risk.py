"""Rows at risk: those in groups smaller than a size, as a share of the released rows."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field

from shoal.model.parameter import parameter
from shoal.privacy._base import ReleaseModel, between
from shoal.privacy._slack import SLACK


@dataclass(frozen=True, kw_only=True)
class ShareAtRisk(ReleaseModel):
    """A release with at most a share `most` of its rows in groups smaller than `at_risk_below`.

    Joining released groups puts no row at risk, so it holds on the way up where nothing is suppressed. Where
    groups may be suppressed it need not: if groups of 3 are safe, groups of 1, 1 and 6 rows have 1 of 7 rows
    at risk once one of the first two is suppressed; with these two joined, 2 of 8, and suppressing them takes
    two rows.

    Parameters
    ----------
    most
        The greatest share of the released rows, 0 to 1.
    """

    most: float = field(
        metadata=parameter("Share of the rows", "At most, from 0 to 1.", start=0.05, step=0.01)
    )

    lower_is_safer = True
    unit = "share"

    def __post_init__(self) -> None:
        between(self.name, "most", self.most, 0, 1)

    @property
    @abstractmethod
    def at_risk_below(self) -> int:
        """The smallest group whose rows are not at risk."""

    def measure(self, sizes: Sequence[int]) -> float:
        rows, safe = sum(sizes), self.at_risk_below
        return sum(size for size in sizes if size < safe) / rows if rows else 0.0

    def holds(self, sizes: Sequence[int]) -> bool:
        return self.measure(sizes) <= self.most + SLACK


def least_safe_size(risk: float) -> int:
    """The smallest group whose rows, each found with chance 1 / size, are at no more than this risk."""
    size = math.ceil(1 / (risk + SLACK))
    return size if 1 / size <= risk + SLACK else size + 1
