"""What a metric charges for a choice of levels, as plain data. `shoal.algorithms` hands it to the core."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Literal

from shoal.model.result.result import Cost

Kind = Literal["squares", "minority", "groups", "cells"]


@dataclass(frozen=True, kw_only=True)
class LevelPrice:
    """A metric in integer units: what the core, or an engine, needs to price a choice of levels.

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
    cost: Callable[[int], Cost] = int


def over(scale: Cost) -> Callable[[int], Cost]:
    """From units to a cost that is a fraction of them."""
    return lambda units: units if scale == 1 else Fraction(units, scale)
