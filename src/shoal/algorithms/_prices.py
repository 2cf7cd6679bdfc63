"""Cost metrics as the core prices them on a level lattice."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from shoal import _core
from shoal.cost import (
    AverageGroupSize,
    CellMetric,
    Classification,
    CostMetric,
    Discernibility,
    GroupCount,
    Height,
    SuppressedRows,
)
from shoal.errors import InternalError
from shoal.model.frequency import FrequencyTable
from shoal.model.level_recoding import LevelRecoding
from shoal.model.result import Cost


@dataclass(frozen=True)
class Priced:
    """A metric for the core.

    Parameters
    ----------
    price
        What the core needs to price a node in integer units.
    cost
        From units to the metric's reported number; never falls as the units grow.
    labels
        Whether the price looks at class labels.
    """

    price: _core.Price
    cost: Callable[[int], Cost]
    labels: bool = False


def priced(metric: CostMetric, table: FrequencyTable) -> Priced:
    """The metric's prices on a table whose domains all have trees."""
    if isinstance(metric, CellMetric):
        return Priced(_cells(metric, table), _over(metric.scale(table)))
    if isinstance(metric, Height):
        scale = metric.scale(table)
        fixed = [[int(price * scale) for price in prices] for prices in metric.prices(table)]
        return Priced(_core.Price("cells", suppressed_row=0, fixed=fixed, units=[]), _over(scale))
    if isinstance(metric, SuppressedRows):
        fixed = [[0] * (domain.hierarchy.height + 1) for domain in table.domains]
        return Priced(_core.Price("cells", suppressed_row=1, fixed=fixed, units=[]), _over(1))
    if isinstance(metric, Discernibility):
        return Priced(_core.Price("squares", suppressed_row=table.rows, fixed=[], units=[]), _over(1))
    if isinstance(metric, Classification):
        return Priced(_core.Price("minority", suppressed_row=1, fixed=[], units=[]), _over(1), labels=True)
    by_groups = _core.Price("groups", suppressed_row=1, fixed=[], units=[])
    if isinstance(metric, GroupCount):
        return Priced(by_groups, _over(1))
    if isinstance(metric, AverageGroupSize):
        return Priced(by_groups, lambda units: Fraction(table.rows, max(1, table.rows - units)))
    raise InternalError(f"the lattice has no price for {metric.name!r}")


def _over(scale: int) -> Callable[[int], Cost]:
    return lambda units: units if scale == 1 else Fraction(units, scale)


def _cells(metric: CellMetric, table: FrequencyTable) -> _core.Price:
    units: list[list[list[int]]] = []
    fixed: list[list[int]] = []
    for attribute, domain in enumerate(table.domains):
        rows = np.bincount(table.codes[:, attribute], table.counts, len(domain)).astype(np.int64)
        units.append([])
        fixed.append([])
        for level in range(domain.hierarchy.height + 1):
            recoding = LevelRecoding((level,) * len(table.domains))
            of_part = metric.cell_units(table, recoding, attribute)
            per_code = np.array(of_part, np.int64)[recoding.parts(attribute, domain)]
            fixed[-1].append(int(per_code @ rows))
            units[-1].append(of_part)
    offset = metric.offset(table)
    fixed[0] = [price - offset for price in fixed[0]]
    return _core.Price("cells", suppressed_row=metric.row_units(table), fixed=fixed, units=units)
