"""How strongly columns are associated, before and after.

Cramer's V with the correction for bias of Bergsma (Journal of the Korean Statistical Society 42, 2013):
chance alone gives about 0, however many values the columns have.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from shoal.auditor.utility.compared_column import ComparedColumn, Numbers

Codes = NDArray[np.int64]

MOST_PARTS = 20
"""Columns with more values are divided into this many parts; a label within one counts as the part."""


@dataclass(frozen=True, kw_only=True)
class PairUtility:
    """How strongly two columns are associated.

    Parameters
    ----------
    first, second
        The columns.
    before
        In the original, by its own values.
    after
        In the release by the same values, if rows are spread evenly over the values of their labels: what a
        careful reader would estimate.
    labels_before
        In the original, if each value is replaced by the narrowest label of the release that covers it.
    labels_after
        In the release, by its labels as written. Where equal values have different labels, as in local
        recodings, these identify rows of one group by themselves, and are associated for that reason, too.
    """

    first: str
    second: str
    before: float
    after: float
    labels_before: float
    labels_after: float

    def to_dict(self) -> dict[str, object]:
        """For programs."""
        return asdict(self)


def pair_utilities(columns: Sequence[ComparedColumn], released: Codes, originals: Codes) -> list[PairUtility]:
    """Measure all pairs of columns on some rows of each table."""
    raw, before, after, labels, shares = [], [], [], [], []
    for column in columns:
        of_point, parts = column.parts(MOST_PARTS)
        of_label = _coarse(column, of_point, parts)
        points = column.points[originals]
        raw.append(of_point[points])
        before.append(np.append(of_label, -1)[column.label_of_point[points]])
        after.append(of_label[column.released[released]])
        labels.append(column.released[released].astype(np.int64))
        shares.append(column.memberships(of_point, parts))
    return [
        PairUtility(
            first=columns[one].name,
            second=columns[two].name,
            before=cramers_v(raw[one], raw[two]),
            after=_spread_v(labels[one], labels[two], shares[one], shares[two]),
            labels_before=cramers_v(before[one], before[two]),
            labels_after=cramers_v(after[one], after[two]),
        )
        for one, two in combinations(range(len(columns)), 2)
    ]


def _coarse(column: ComparedColumn, of_point: Codes, parts: int) -> Codes:
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
    # Cells without a row need not be visited.
    phi = float((counts.astype(np.float64) ** 2 / expected).sum()) - 1
    return _corrected(phi, len(first), len(second), rows)


def _spread_v(one: Codes, two: Codes, first: Numbers, second: Numbers) -> float:
    """The same for labels whose rows are spread over parts of the domains, given the shares of each label."""
    pairs, counts = np.unique(one * len(second) + two, return_counts=True)
    lines = first[pairs // len(second)] * counts[:, None]
    table = lines.T @ second[pairs % len(second)]
    table = table[table.sum(axis=1) > 0][:, table.sum(axis=0) > 0]
    rows = float(table.sum())
    if rows < 2:
        return 0.0
    expected = np.outer(table.sum(axis=1), table.sum(axis=0))
    return _corrected(float((table**2 / expected).sum()) - 1, len(table), len(table.T), rows)


def _corrected(phi: float, lines: int, columns: int, rows: float) -> float:
    """V of a table with this many lines and columns whose chi squared over rows is `phi`."""
    down, across = lines - 1, columns - 1
    corrected = max(0.0, phi - down * across / (rows - 1))
    most = min(down - down**2 / (rows - 1), across - across**2 / (rows - 1))
    return float(min(1.0, np.sqrt(corrected / most))) if most > 0 else 0.0
