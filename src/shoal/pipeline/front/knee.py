"""The knee of a front: where giving up a little of one objective stops buying much of another."""

from __future__ import annotations

import math
from collections.abc import Sequence

from shoal.objectives import Objective
from shoal.pipeline.front.point import FrontPoint

BY_RATIO = ("k", "l", "spread-k", "spread-l")
"""Objectives that are compared by ratios: from 5 to 10 is as far as from 50 to 100."""


def is_by_ratio(name: str) -> bool:
    """Whether an objective is compared by ratios."""
    return name.partition(":")[0] in BY_RATIO


def knee_of(points: Sequence[FrontPoint], objectives: Sequence[Objective]) -> FrontPoint:
    """The knee of at least one point.

    Every objective is scaled to 0 at its worst and 1 at its best on these points; k, l and the spreads by
    their logarithms. For two objectives the knee lies furthest from the line between the two ends, which is
    where the sum of both is greatest. With more of them, the objectives where more is better are averaged,
    and so are those where less is better: k and l together weigh as much as the losses do.
    """
    sums = [0.0] * len(points)
    for better in ("higher", "lower"):
        side = [_scaled(points, each) for each in objectives if each.better == better]
        for place in range(len(points)):
            sums[place] += sum(column[place] for column in side) / max(1, len(side))
    return points[sums.index(max(sums))]


def _scaled(points: Sequence[FrontPoint], objective: Objective) -> list[float]:
    values = [float(point.values[objective.name]) for point in points]
    if is_by_ratio(objective.name):
        values = [math.log(max(value, 1)) for value in values]
    low, high = min(values), max(values)
    shares = [(value - low) / (high - low) if high > low else 1.0 for value in values]
    return shares if objective.better == "higher" else [1 - share for share in shares]
