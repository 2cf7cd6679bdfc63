"""Cost metrics as the core prices them on a level lattice."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import Literal

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
from shoal.model.recoding.level_recoding import LevelRecoding
from shoal.model.result.result import Cost
from shoal.model.table.frequency_table import FrequencyTable

Kind = Literal["squares", "minority", "groups", "cells"]


@dataclass(frozen=True, kw_only=True)
class Priced:
    """A metric in integer units: what the core, or an engine, needs to price a node.

    Parameters
    ----------
    kind
        What a released group costs: the square of its size, its rows without the majority label, one less
        than its size; or whether cells are priced.
    suppressed_row
        What a suppressed row costs.
    fixed
        Cells: per attribute and level what all rows cost, if none is suppressed.
    units
        Cells: per attribute, level and part what one row costs.
    cost
        From units to the metric's reported number; never falls as the units grow.
    """

    kind: Kind
    suppressed_row: int
    fixed: list[list[int]] = field(default_factory=list)
    units: list[list[list[int]]] = field(default_factory=list)
    cost: Callable[[int], Cost]

    @property
    def labels(self) -> bool:
        """Whether the price looks at class labels."""
        return self.kind == "minority"

    @cached_property
    def price(self) -> _core.Price:
        """The price for the core."""
        return _core.Price(self.kind, suppressed_row=self.suppressed_row, fixed=self.fixed, units=self.units)


def priced(metric: CostMetric, table: FrequencyTable) -> Priced:
    """The metric's prices on a table whose domains all have trees."""
    if isinstance(metric, CellMetric):
        return _cells(metric, table)
    if isinstance(metric, Height):
        scale = metric.scale(table)
        fixed = [[int(price * scale) for price in prices] for prices in metric.prices(table)]
        return Priced(kind="cells", suppressed_row=0, fixed=fixed, cost=_over(scale))
    if isinstance(metric, SuppressedRows):
        fixed = [[0] * (domain.hierarchy.height + 1) for domain in table.domains]
        return Priced(kind="cells", suppressed_row=1, fixed=fixed, cost=_over(1))
    if isinstance(metric, Discernibility):
        return Priced(kind="squares", suppressed_row=table.rows, cost=_over(1))
    if isinstance(metric, Classification):
        return Priced(kind="minority", suppressed_row=1, cost=_over(1))
    if isinstance(metric, GroupCount):
        return by_groups(_over(1))
    if isinstance(metric, AverageGroupSize):
        return by_groups(lambda units: Fraction(table.rows, max(1, table.rows - units)))
    raise InternalError(f"the lattice has no price for {metric.name!r}")


def by_groups(cost: Callable[[int], Cost] = int) -> Priced:
    """The price that counts the groups."""
    return Priced(kind="groups", suppressed_row=1, cost=cost)


def _over(scale: Cost) -> Callable[[int], Cost]:
    return lambda units: units if scale == 1 else Fraction(units, scale)


def _cells(metric: CellMetric, table: FrequencyTable) -> Priced:
    units: list[list[list[int]]] = []
    fixed: list[list[int]] = []
    for attribute, domain in enumerate(table.domains):
        rows = table.margin(attribute)
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
    return Priced(
        kind="cells",
        suppressed_row=metric.row_units(table),
        fixed=fixed,
        units=units,
        cost=_over(metric.scale(table)),
    )
