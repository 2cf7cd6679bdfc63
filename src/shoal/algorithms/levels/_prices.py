"""Cost metrics as the core prices them on a level lattice."""

from __future__ import annotations

from dataclasses import dataclass, fields
from functools import cached_property

from shoal import _core
from shoal.cost import CostMetric, LevelPrice
from shoal.errors import PolicyError
from shoal.model.result.problem import Problem
from shoal.model.table.frequency_table import FrequencyTable


@dataclass(frozen=True, kw_only=True)
class Priced(LevelPrice):
    """A metric's price, also in the form of the core."""

    @property
    def labels(self) -> bool:
        """Whether the price depends on class labels."""
        return self.kind == "minority"

    @cached_property
    def price(self) -> _core.Price:
        """The price for the core."""
        return _core.Price(self.kind, suppressed_row=self.suppressed_row, fixed=self.fixed, units=self.units)


def priced(metric: CostMetric, table: FrequencyTable) -> Priced:
    """The metric's prices on a table whose domains all have trees."""
    stated = metric.level_price(table)
    if stated is None:
        raise PolicyError(f"cost {metric.name!r} has no price on levels; choose another one")
    return Priced(**{each.name: getattr(stated, each.name) for each in fields(LevelPrice)})


def why_no_price(problem: Problem) -> str | None:
    """Why the core cannot price the problem's cost, as the end of a sentence; `None` if it can."""
    if type(problem.cost).level_price is not CostMetric.level_price:
        return None
    return (
        f"the compiled core has no price on levels for the cost {problem.cost.name!r}; use 'datafly', which "
        "prices its answer by the definition"
    )


def by_groups() -> Priced:
    """The price that counts the groups."""
    return Priced(kind="groups", suppressed_row=1)
