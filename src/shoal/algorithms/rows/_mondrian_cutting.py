"""How Mondrian cuts each attribute, and how wide its values are."""

from __future__ import annotations

import datetime
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from shoal import _core
from shoal.algorithms.cells._cells import by_node
from shoal.cost import CellMetric, CostMetric, GeneralLoss
from shoal.model.table.domain import Domain

UNITS = 2**24
"""The width of a domain. Widths are whole numbers, so that sums of them are the same on every machine."""

Values = Literal["given", "hierarchy", "sets", "intervals"]


@dataclass(frozen=True, kw_only=True, eq=False)
class Cutting:
    """How an attribute is cut.

    Parameters
    ----------
    kind
        What a group is released as: an interval of codes, the set of its codes, or the least node over them.
    size
        The number of codes.
    positions
        For intervals, where each code lies; the width is the distance between the ends.
    step
        For sets, the width that each further value adds.
    parts, widths
        For nodes, per level the part of each code, and how wide each part is.
    """

    kind: Literal["interval", "set", "node"]
    size: int
    positions: NDArray[np.float64] | None = None
    step: float = 0.0
    parts: tuple[tuple[int, ...], ...] = ()
    widths: tuple[tuple[float, ...], ...] = ()

    @property
    def core(self) -> _core.MondrianAttribute:
        """The same, as the core has it."""
        if self.kind == "node":
            return _core.MondrianAttribute.node(
                [list(parts) for parts in self.parts], [list(widths) for widths in self.widths]
            )
        if self.positions is None:
            return _core.MondrianAttribute.set(self.size, self.step)
        return _core.MondrianAttribute.interval(self.positions)


def cuttings(domains: Sequence[Domain], metric: CostMetric, values: Values) -> list[Cutting]:
    """How each attribute is cut; widths are shares of the domain times the attribute's weight."""
    weights = [1.0] * len(domains)
    if isinstance(metric, CellMetric) and metric.weights:
        weights = [float(weight) for weight in metric.weights]
    by_value = isinstance(metric, GeneralLoss)
    return [_cutting(domain, weights[a], by_value, values) for a, domain in enumerate(domains)]


def _cutting(domain: Domain, weight: float, by_value: bool, values: Values) -> Cutting:
    units = weight * UNITS
    if by_node(domain, values):
        tree = domain.hierarchy
        shares = [domain.part_shares(level) for level in range(tree.height + 1)]
        return Cutting(
            kind="node",
            size=len(domain),
            parts=tree.parts,
            widths=tuple(tuple(float(round(float(share) * units)) for share in level) for level in shares),
        )
    if domain.kind == "category" and values != "intervals":
        step = round(float(domain.share(0, 1)) * units) if len(domain) > 1 else 0
        return Cutting(kind="set", size=len(domain), step=float(step))
    positions = np.rint(_positions(domain, by_value) * units)
    return Cutting(kind="interval", size=len(domain), positions=positions)


def _positions(domain: Domain, by_value: bool) -> NDArray[np.float64]:
    """Where the values lie between 0 and 1: by their places among the values or leaves, or by themselves.

    Widths only decide where to cut first, so rounding does no harm.
    """
    if domain.tree is not None and domain.tree.given and domain.kind != "category":
        positions = np.array(domain.tree.places, np.float64) / max(1, domain.tree.total - 1)
        # The user's order of values may differ from that of the hierarchy's leaves.
        return np.maximum.accumulate(positions)
    if domain.kind == "category" or not by_value:
        return np.arange(len(domain)) / max(1, len(domain) - 1)
    known = np.array([_number(value) for value in domain.values if value is not None])
    if not (np.diff(known) > 0).all():  # as doubles some of them fall together
        places = domain.places[0]
        known = np.array([float(Fraction(place, max(1, places[-1]))) for place in places])
    if domain.has_missing:  # it widens an interval to the whole domain
        known = np.append(known, known[-1:] if len(known) else 0.0)
    return np.asarray((known - known[0]) / max(known[-1] - known[0], np.finfo(np.float64).tiny))


def _number(value: object) -> float:
    if isinstance(value, datetime.datetime):
        return value.replace(tzinfo=datetime.UTC).timestamp()
    if isinstance(value, datetime.date):
        return float(value.toordinal())
    assert isinstance(value, int | Decimal)
    return float(value)
