"""How strongly columns go together, before and after.

Cramer's V with the correction for bias of Bergsma (Journal of the Korean Statistical Society 42, 2013):
chance alone gives about 0, however many values the columns have.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from shoal.audit.utility.seen_column import SeenColumn

Codes = NDArray[np.int64]

MOST_PARTS = 20
"""Columns of more values are looked at in so many parts; a label within one of them counts as the part."""


@dataclass(frozen=True, kw_only=True)
class PairUtility:
    """How strongly two columns go together.

    Parameters
    ----------
    first, second
        The columns.
    raw
        In the original, by its own values.
    before
        In the original, if each value is replaced by the narrowest label of the release that covers it.
    after
        In the release.
    """

    first: str
    second: str
    raw: float
    before: float
    after: float

    def to_dict(self) -> dict[str, object]:
        """For programs."""
        return {
            "first": self.first,
            "second": self.second,
            "raw": self.raw,
            "before": self.before,
            "after": self.after,
        }


def pair_utilities(columns: Sequence[SeenColumn], released: Codes, originals: Codes) -> list[PairUtility]:
    """Measure all pairs of columns on some rows of each table."""
    raw, before, after = [], [], []
    for column in columns:
        of_point, parts = column.parts(MOST_PARTS)
        of_label = _coarse(column, of_point, parts)
        points = column.points[originals]
        raw.append(of_point[points])
        before.append(np.append(of_label, -1)[column.label_of_point[points]])
        after.append(of_label[column.released[released]])
    return [
        PairUtility(
            first=columns[one].name,
            second=columns[two].name,
            raw=cramers_v(raw[one], raw[two]),
            before=cramers_v(before[one], before[two]),
            after=cramers_v(after[one], after[two]),
        )
        for one, two in combinations(range(len(columns)), 2)
    ]


def _coarse(column: SeenColumn, of_point: Codes, parts: int) -> Codes:
    """Per label a code: that of the part of the domain in which it lies, or one of its own."""
    own = np.arange(len(column.sizes)) + parts
    within = column.memberships(of_point, parts)
    return np.where(within.max(axis=1, initial=0) > 1 - 1e-9, within.argmax(axis=1), own)


def cramers_v(one: Codes, two: Codes) -> float:
    """Bias-corrected Cramer's V of two columns of codes, 0 to 1; 0 if one of them is constant."""
    rows = len(one)
    if rows < 2:
        return 0.0
    first, one = np.unique(one, return_inverse=True)
    second, two = np.unique(two, return_inverse=True)
    pairs, counts = np.unique(one.reshape(-1) * len(second) + two.reshape(-1), return_counts=True)
    ones, twos = np.bincount(one.reshape(-1)), np.bincount(two.reshape(-1))
    expected = ones[pairs // len(second)].astype(np.float64) * twos[pairs % len(second)]
    # Chi squared over rows; cells without a row need not be visited.
    phi = float((counts.astype(np.float64) ** 2 / expected).sum()) - 1
    lines, columns = len(first) - 1, len(second) - 1
    corrected = max(0.0, phi - lines * columns / (rows - 1))
    most = min(lines - lines**2 / (rows - 1), columns - columns**2 / (rows - 1))
    return float(min(1.0, np.sqrt(corrected / most))) if most > 0 else 0.0
