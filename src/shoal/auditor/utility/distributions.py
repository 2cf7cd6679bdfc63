"""How the distribution of a column changed."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from shoal.auditor.utility.compared_column import ComparedColumn, Numbers

MOST_LABELS = 60
"""Labels that are listed one by one; the rarest are summed up."""
MISSING, REST, NOT_RELEASED = "(missing)", "(other labels)", "not released"


@dataclass(frozen=True, kw_only=True)
class ColumnUtility:
    """The distribution of one column over the labels of the release.

    Parameters
    ----------
    name, kind
        The column, and what its values are.
    before
        Per label the share of original rows. A value that several labels cover counts towards each of them by
        how many rows the label has per value; what none covers is not released. Where numbers were replaced
        by means, it counts towards the nearest of them.
    after
        Per label the share of released rows.
    distance
        Total variation between the two: half the sum of differences, 0 to 1.
    earth_mover
        For numbers and dates how far the rows must move on the line of the labels' middles, as a share of the
        column's range; `None` for words.
    value_distance
        Total variation between the original's values and the release's, if its rows are spread evenly over
        the values of their labels: what a reader who knows only the release gets wrong.
    """

    name: str
    kind: str
    before: tuple[tuple[str, float], ...]
    after: tuple[tuple[str, float], ...]
    distance: float
    earth_mover: float | None
    value_distance: float

    def to_dict(self) -> dict[str, object]:
        """For programs."""
        return {
            "name": self.name,
            "kind": self.kind,
            "before": [{"label": label, "share": share} for label, share in self.before],
            "after": [{"label": label, "share": share} for label, share in self.after],
            "distance": self.distance,
            "earth_mover": self.earth_mover,
            "value_distance": self.value_distance,
        }


def column_utility(column: ComparedColumn) -> ColumnUtility:
    """Measure one column."""
    cells, points = column.coverage
    density = column.density[cells]
    covered = column.spread > 0
    share = np.divide(density, column.spread[points], out=np.zeros(len(density)), where=covered[points])
    labels = np.bincount(cells, column.before[points] * share, len(column.after))
    near = ~covered & (column.label_of_point >= 0)
    labels += np.bincount(column.label_of_point[near], column.before[near], len(column.after))
    lost = float(column.before[~covered & ~near].sum())
    before = np.append(labels, lost) / max(1.0, float(column.before.sum()))
    after = np.append(column.after, 0.0) / max(1.0, float(column.after.sum()))
    return ColumnUtility(
        name=column.name,
        kind=column.read.kind,
        before=_listed(column, before),
        after=_listed(column, after),
        distance=_variation(before, after),
        earth_mover=None if column.read.positions is None else _moved(column, before[:-1], after[:-1]),
        value_distance=_variation(_shares(column.before), _shares(column.spread)),
    )


def _shares(rows: Numbers) -> Numbers:
    shares: Numbers = rows / max(1.0, float(rows.sum()))
    return shares


def _variation(one: Numbers, other: Numbers) -> float:
    # What only one of them has counts, too: a release without rows is completely wrong.
    return float(max(np.maximum(one - other, 0).sum(), np.maximum(other - one, 0).sum()))


def _moved(column: ComparedColumn, before: Numbers, after: Numbers) -> float | None:
    """Earth mover's distance on a line; `None` if one side has no rows."""
    if before.sum() == 0 or after.sum() == 0:
        return None
    order = np.argsort(column.middles, kind="stable")
    ahead = np.cumsum(before[order] / before.sum() - after[order] / after.sum())
    return float(np.abs(ahead[:-1]) @ np.diff(column.middles[order]))


def _listed(column: ComparedColumn, shares: Numbers) -> tuple[tuple[str, float], ...]:
    """The labels of the release and their shares; both sides list the same labels."""
    used = np.flatnonzero(column.after)
    order = used[np.argsort(-column.after[used], kind="stable")]
    shown = order[:MOST_LABELS]
    if column.read.positions is not None:
        shown = shown[np.argsort(column.middles[shown], kind="stable")]
    listed = [(column.read.cells[cell] or MISSING, float(shares[cell])) for cell in shown.tolist()]
    if len(order) > len(shown):
        listed.append((REST, float(shares[order[len(shown) :]].sum())))
    if shares[-1] > 0:
        listed.append((NOT_RELEASED, float(shares[-1])))
    return tuple(listed)
