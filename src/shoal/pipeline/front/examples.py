"""What the release of a point would look like: some of its groups, and what becomes of each column."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np

from shoal.model.recoding.groups import Groups
from shoal.model.recoding.recoding import Recoding
from shoal.model.table.domain import MISSING
from shoal.model.table.frequency_table import FrequencyTable

EXAMPLES = 6
"""The number of example groups that show what a release would look like."""

LEAST_SHOWN = 5
"""A smaller group is not shown, nor one smaller than the policy's k: it would come close to a private row."""


@dataclass(frozen=True)
class ColumnOfPoint:
    """A column in the release of a point.

    Parameters
    ----------
    labels
        Different values in released rows.
    loss
        Mean loss of a cell, from 0 to 1; a suppressed row's is 1.
    """

    labels: int
    loss: float


def examples_of(
    table: FrequencyTable, recoding: Recoding, made: Groups, codes: Sequence[Collection[int]], least: int
) -> list[tuple[tuple[str, ...], int]]:
    """Some groups, from the largest to the smallest: their printed labels, and their rows.

    Parameters
    ----------
    table, recoding, made
        The table, how its values change, and the groups that this makes.
    codes
        Per attribute the codes that labels may reveal.
    least
        Rows of the smallest group that may be shown.
    """
    labels = [
        recoding.labels(attribute, domain, codes[attribute]) for attribute, domain in enumerate(table.domains)
    ]
    falling = sorted(range(len(made.sizes)), key=lambda group: -int(made.sizes[group]))
    shown = [group for group in falling if made.kept[group] and made.sizes[group] >= least]
    count = min(EXAMPLES, len(shown))
    places = sorted({round(place * (len(shown) - 1) / max(1, count - 1)) for place in range(count)})
    return [
        (
            tuple(
                MISSING if labels[a][part] is None else str(labels[a][part])
                for a, part in enumerate(made.values[shown[place]].tolist())
            ),
            int(made.sizes[shown[place]]),
        )
        for place in places
    ]


def columns_of(table: FrequencyTable, recoding: Recoding, made: Groups) -> list[ColumnOfPoint]:
    """What becomes of each column, if a recoding makes these groups."""
    rows = max(1, int(made.sizes.sum()))
    columns = []
    for attribute, domain in enumerate(table.domains):
        losses = np.array([float(each) for each in recoding.losses(attribute, domain)], np.float64)
        values = made.values[made.kept, attribute]
        lost = float((losses[values] * made.sizes[made.kept]).sum()) + made.suppressed
        columns.append(ColumnOfPoint(len(np.unique(values)), lost / rows))
    return columns
