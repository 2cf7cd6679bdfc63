"""The point of a front that a steward would take: the least loss that meets a stated risk."""

from __future__ import annotations

from collections.abc import Sequence

from shoal.cost import METRICS
from shoal.formatting.numbers import number, percent
from shoal.model.policy.front_request import least_k
from shoal.objectives import Loss, Objective
from shoal.pipeline.front.point import FrontPoint


def demanded_k(risk: float, k: int) -> int:
    """The least k that meets both a risk and a policy's k."""
    return max(k, least_k(risk))


def suggested_of(
    points: Sequence[FrontPoint], objectives: Sequence[Objective], risk: float, k: int
) -> FrontPoint | None:
    """The point with the least loss whose k meets a risk and a policy's k; `None` if no k is large enough.

    On a front of k and one loss that is the smallest such k. Without a loss it is the smallest k, too.
    """
    enough = [point for point in points if point.k >= demanded_k(risk, k)]
    loss = next((each.name for each in objectives if isinstance(each, Loss)), "k")
    return min(enough, key=lambda point: (point.fact(loss), point.k), default=None)


def described(point: FrontPoint, objectives: Sequence[Objective], rows: int) -> str:
    """A point in the figures that a choice is made by: risk, detail, rows that are left out.

    Parameters
    ----------
    point, objectives
        The point, and what was weighed.
    rows
        Rows of the table.
    """
    parts = [f"k = {point.k:,}: risk at most {percent(point.risk)}"]
    for each in objectives:
        value = point.values[each.name]
        if is_share(each.name):
            parts.append(_kept(each.name, float(value)))
        elif each.name != "k":
            parts.append(f"{each.name} {number(float(value))}")
    if point.suppressed:
        parts.append(f"{percent(point.suppressed / rows)} of the rows are left out")
    return ", ".join(parts)


def is_share(name: str) -> bool:
    """Whether an objective is a loss from 0 to 1, which people read in per cent."""
    return name in METRICS and METRICS[name].is_share


def _kept(name: str, loss: float) -> str:
    """Losses of cells are read as what is left of them."""
    measured = "" if name == "general-loss" else f" by {name}"
    return f"a cell keeps {percent(1 - loss)} of its detail{measured}"
