"""What privacy models look at besides the quasi-identifiers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from shoal.model.policy.attribute import Attribute


@dataclass(frozen=True, kw_only=True)
class Evidence:
    """The columns to count, and how many people a row stands for.

    Parameters
    ----------
    sensitive
        The sensitive columns, as the policy shapes them.
    entities
        The columns that tell persons apart.
    survey_weight
        The column of survey weights, if a model asks for the population and rows say it.
    population
        The table of the population, if it is one: a path or a data frame.
    """

    sensitive: tuple[Attribute, ...] = ()
    entities: tuple[str, ...] = ()
    survey_weight: str | None = None
    population: Any = None

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns whose values are counted, in the order of `People.columns`."""
        return tuple(dict.fromkeys((*(each.name for each in self.sensitive), *self.entities)))

    @property
    def read(self) -> tuple[str, ...]:
        """All columns that are read."""
        weight = () if self.survey_weight is None else (self.survey_weight,)
        return tuple(dict.fromkeys((*self.columns, *weight)))

    def shape(self, column: str) -> Attribute | None:
        """What the policy says of a sensitive column; `None` for one that only tells persons apart."""
        return next((each for each in self.sensitive if each.name == column), None)
