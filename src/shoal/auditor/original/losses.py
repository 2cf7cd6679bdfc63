"""What a release loses, measured from its cells alone, by metric and per attribute.

The numbers are those of `shoal.cost`, computed from the other side: there from a recoding, here from what is
written. They agree on releases of Shoal, with one exception: a label that Shoal spells out names only values
of released rows, so that where rows are suppressed its cells can be narrower than the interval that was paid
for, and what is measured here is never more than the cost.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from shoal.auditor.original.column_check import ReadColumn
from shoal.model.policy.attribute import Attribute, Role
from shoal.model.policy.policy import Policy
from shoal.model.table.coded_cells import CodedCells
from shoal.model.table.distinct_codes import distinct_codes

Losses = dict[str, float | None]

CELL_METRICS = ("general-loss", "ncp", "precision", "entropy", "suppressed-cells")
"""The metrics that are also reported per attribute."""


@dataclass(frozen=True, eq=False)
class Measured:
    """A release whose losses are measured.

    Parameters
    ----------
    release
        Its rows or distinct rows; the quasi-identifiers that it has, and the class if there is one.
    columns
        Per quasi-identifier that it has, its cells next to the original's.
    silent
        Per line whether it is suppressed: all its quasi-identifiers read `*`.
    originals
        Rows of the original.
    policy
        Which columns are quasi-identifiers, what they weigh, and which one is the class.
    """

    release: CodedCells
    columns: Mapping[str, ReadColumn]
    silent: NDArray[np.bool_]
    originals: int
    policy: Policy

    @property
    def suppressed(self) -> int:
        """Rows that reveal nothing: left out, or kept as rows of `*`."""
        masked = int(self.release.counts[self.silent].sum())
        return max(0, self.originals - self.release.rows) + masked


def losses(measured: Measured) -> tuple[Losses, dict[str, Losses]]:
    """Losses of the whole release, and of each quasi-identifier.

    Per cell, as a mean over all cells of all original rows, a suppressed row's cells losing everything:
    `general-loss` is the share of the domain that the cell can represent, by width between the least and the
    greatest value for numbers and dates, else by (values - 1) over (domain - 1); `ncp` counts values always;
    with a hierarchy both count its leaves. `precision` is the levels climbed over the height, where every
    quasi-identifier has a hierarchy. `entropy` is the bits between a value and its cell. Weights of the
    policy weigh columns. `suppressed-cells` is how many cells can represent anything, times their weights.

    Per row: `discernibility` is the squared sizes of groups and |D| per suppressed row; `groups` is all rows
    less the groups; `average-group-size` all rows over groups; `classification` the rows without the majority
    class of their group and the suppressed ones; `suppressed-rows` the latter.
    """
    attributes = measured.policy.quasi_identifiers
    per_attribute = {each.name: _of_column(measured, each) for each in attributes}
    weights = [Fraction(str(each.weight)) for each in attributes]
    by_metric: Losses = {}
    for metric in CELL_METRICS:
        parts = [per_attribute[each.name][metric] for each in attributes]
        known = [part for part in parts if part is not None]
        if len(known) < len(parts):
            by_metric[metric] = None
        elif metric == "suppressed-cells":  # counted; all others are means
            cells = sum(int(part) * weight for part, weight in zip(known, weights, strict=True))
            by_metric[metric] = int(cells) if cells.denominator == 1 else float(cells)
        else:
            by_metric[metric] = float(
                np.dot(known, [float(weight) for weight in weights]) / float(sum(weights))
            )
    return {**by_metric, **_of_groups(measured)}, per_attribute


def _of_column(measured: Measured, attribute: Attribute) -> Losses:
    column = measured.columns.get(attribute.name)
    rows = measured.originals
    if column is None:  # the release does not have it: nobody learns anything about it
        return {"general-loss": 1.0, "ncp": 1.0, "precision": 1.0, "entropy": None, "suppressed-cells": rows}
    visible = ~measured.silent
    codes = measured.release.column(attribute.name)[visible]
    counts = np.bincount(codes, measured.release.counts[visible], len(column.cells))
    if bool((column.unreadable & (counts > 0)).any()) or rows == 0:
        return dict.fromkeys(CELL_METRICS)
    suppressed = measured.suppressed

    def mean(lost: NDArray[np.float64], worst: float) -> float:
        return float((np.dot(counts, lost) + worst * suppressed) / rows)

    bits = np.log2(np.maximum(column.covered_rows, 1))
    own = float(np.dot(column.point_rows, np.log2(np.maximum(column.point_rows, 1)))) / rows
    steps = column.steps
    on_levels = steps is not None and not np.isnan(steps[counts > 0]).any()
    return {
        "general-loss": mean(column.losses, 1),
        "ncp": mean(column.shares, 1),
        "precision": mean(np.nan_to_num(steps), 1) if steps is not None and on_levels else None,
        "entropy": max(0.0, mean(bits, float(np.log2(rows))) - own),
        "suppressed-cells": int(counts[column.shares == 1].sum()) + suppressed,
    }


def _of_groups(measured: Measured) -> Losses:
    names = list(measured.columns)
    visible = ~measured.silent
    lines = measured.release.codes[:, [measured.release.position(name) for name in names]][visible]
    counts = measured.release.counts[visible]
    distinct, of_group = distinct_codes(lines) if names else (lines[:1], np.zeros(len(lines), np.int64))
    sizes = np.bincount(of_group, counts, len(distinct)).astype(np.int64)
    rows, suppressed = measured.originals, measured.suppressed
    return {
        "discernibility": int((sizes * sizes).sum()) + suppressed * rows,
        "groups": rows - len(sizes),
        "average-group-size": rows / max(1, len(sizes)),
        "classification": _minority(measured, visible, of_group, counts, len(sizes)),
        "suppressed-rows": suppressed,
    }


def _minority(
    measured: Measured,
    visible: NDArray[np.bool_],
    of_group: NDArray[np.int64],
    counts: NDArray[np.int64],
    groups: int,
) -> int | None:
    """Rows without the majority class of their group, and suppressed ones; `None` without a class."""
    name = next((each.name for each in measured.policy.attributes if each.role is Role.CLASS), None)
    if name is None or name not in measured.release.columns:
        return None
    classes = measured.release.column(name)[visible].astype(np.int64)
    width = len(measured.release.texts(name))
    keys, of_key = np.unique(of_group * width + classes, return_inverse=True)
    rows = np.bincount(of_key.reshape(-1), counts, len(keys)).astype(np.int64)
    majority = np.zeros(groups, np.int64)
    np.maximum.at(majority, keys // width, rows)
    return int(counts.sum() - majority.sum()) + measured.suppressed
