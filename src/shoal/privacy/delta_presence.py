"""delta-presence: of nobody in the population can it be said with confidence that they are in the table.

A group with n rows that stands for N people of the population: each of them is in the table with probability
n / N, which must lie between two bounds. With a lower bound above 0 that is demanded of everybody, also of
people whom no row is like, and of those whose rows are suppressed: they would be at 0.

Paper: Nergiz, Atzori and Clifton, SIGMOD 2007.
"""

from __future__ import annotations

import math
from collections.abc import Collection
from dataclasses import dataclass, field
from typing import Self

from shoal.errors import PolicyError
from shoal.model.description import Description
from shoal.model.parameter import parameter
from shoal.model.table.people import Group, People, SensitiveColumn
from shoal.privacy._base import GroupModel, between
from shoal.privacy._core_rule import CoreRule
from shoal.privacy._slack import SLACK


@dataclass(frozen=True, kw_only=True)
class DeltaPresence(GroupModel):
    """Groups with a share of the population from `least` to `most`; what is measured is that share.

    Unions of admitted groups are admitted: a share in a union lies between the shares in its parts. Supersets
    are not: with most = 1/2, one row among two people is admitted, and with a second row, of a third person,
    it is two among three.

    Parameters
    ----------
    least, most
        The bounds of the probability, 0 to 1.
    """

    most: float = field(
        metadata=parameter(
            "At most", "Greatest share of people who are in the table, 0 to 1.", start=0.5, step=0.05
        )
    )
    least: float = field(
        default=0.0,
        metadata=parameter("At least", "Least share; above 0 no row may be suppressed.", step=0.05),
    )

    name = "delta-presence"
    description = Description(
        title="delta-presence",
        short="Nobody learns who is in the table",
        meaning="Of the people of the population who look like a released group, at most a given share is "
        "in the table.",
        when="When being in the table is the secret, as in a register of a disease. Needs a table of the "
        "population, or a column of survey weights.",
        limits="It says nothing of sensitive columns. A lower bound allows no suppressed rows.",
        example="At most 0.5: three released rows need at least six people in the population who look like "
        "them.",
    )
    measures = "the largest chance that a person of the population is in the table"
    unit = "most"
    lower_is_safer = True
    supersets_are_admitted = False
    needs_population = True

    def __post_init__(self) -> None:
        between(self.name, "most", self.most, 0, 1)
        between(self.name, "least", self.least, 0, 1)
        if self.least > self.most:
            raise PolicyError(f"{self.name}: least {self.least:g} is above most {self.most:g}")

    @property
    def forbids_suppression(self) -> bool:
        return self.least > 0

    @property
    def demand(self) -> str:
        return f"probability that a person is in the table from {self.least:g} to {self.most:g}"

    def worst(self, values: Collection[float]) -> float | None:
        """The value farthest beyond a bound, or nearest to one; a lower bound of 0 bounds nothing."""
        low = self.least if self.least > 0 else -math.inf
        return max(values, key=lambda value: max(value - self.most, low - value), default=None)

    def measure(self, group: Group, people: People) -> float:  # noqa: ARG002
        if group.population == 0:  # rows like nobody: the population is not one that they were taken from
            return math.inf if group.rows else 0.0
        return float(group.rows / group.population)

    def admits(self, group: Group, people: People) -> bool:
        return self.least - SLACK <= self.measure(group, people) <= self.most + SLACK

    def core_rule(self, column: SensitiveColumn | None) -> CoreRule:  # noqa: ARG002
        return CoreRule(kind="presence", least=self.least - SLACK, most=self.most + SLACK)

    @classmethod
    def weakest(cls, *, entity: str | None, population: bool) -> Self | None:  # noqa: ARG003
        return cls(most=1) if population else None
