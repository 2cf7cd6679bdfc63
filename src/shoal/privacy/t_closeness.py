"""t-closeness: in every group the sensitive values are spread as in the whole table, up to a distance of t.

The distance is the earth mover's: how much of one distribution has to be moved how far to become the other.
Between two values the ground distance is 1 ("equal"), or the steps between them over the greatest number
of steps ("ordered"), or the level on which they meet over the height of their hierarchy ("hierarchical").

Paper: Li, Li and Venkatasubramanian, ICDE 2007.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Literal, get_args

from shoal.errors import PolicyError
from shoal.model.description import Description
from shoal.model.hierarchy.coded_tree import Tree
from shoal.model.parameter import parameter
from shoal.model.table.people import People, SensitiveColumn
from shoal.privacy._base import SensitiveModel, between
from shoal.privacy._core_rule import CoreRule
from shoal.privacy._slack import SLACK
from shoal.privacy._value_shares import ValueShares

Ground = Literal["equal", "ordered", "hierarchical"]


@dataclass(frozen=True, kw_only=True)
class TCloseness(SensitiveModel):
    """Groups at a distance of at most t from the whole table.

    Unions of admitted groups are admitted, because the distance is convex. Supersets are not: in a table of
    half a, half b, {a, b} is at distance 0, and {a, b, b} is not.

    Parameters
    ----------
    t
        Greatest distance, 0 to 1.
    ground
        The distance between two values.
    """

    t: float = field(
        metadata=parameter("t", "Greatest distance from the whole table, 0 to 1.", start=0.4, step=0.05)
    )
    ground: Ground = field(
        default="equal",
        metadata=parameter(
            "How far apart values are",
            "For numbers: ordered. Hierarchical needs a hierarchy.",
            choices={
                "equal": "Equal: any two are equally far apart",
                "ordered": "Ordered: near values are near",
                "hierarchical": "Hierarchical: those under one label are near",
            },
        ),
    )

    name = "t-closeness"
    description = Description(
        title="t-closeness",
        short="A group reveals little beyond the whole table",
        meaning="In each group the values are spread as in the whole table, up to a distance t between 0 "
        "and 1.",
        when="When what a group adds to common knowledge is the danger. For numbers choose the ordered "
        "distance. Begin with 0.3 to 0.5, for ordered 0.1 to 0.2.",
        limits="It bounds all changes together: a rare value may still become much more likely. What the "
        "whole table shows stays visible.",
        example="Half the table has flu, half asthma; t = 0.25: a group of three flu and one asthma is at "
        "0.25 and is released, four flu are at 0.5 and are refused.",
    )
    measures = "how far a group's values are from those of the whole table; 0 is alike, 1 is farthest"
    unit = "t"
    lower_is_safer = True
    compares_with_table = True

    def __post_init__(self) -> None:
        super().__post_init__()
        between(self.name, "t", self.t, 0, 1)
        if self.ground not in get_args(Ground):
            raise PolicyError(
                f"{self.name}: ground is one of {', '.join(get_args(Ground))}; it is {self.ground!r}"
            )

    @property
    def demand(self) -> str:
        return f"{self.attribute!r} in each group spread as in all rows within {self.t:g} ({self.ground})"

    def check(self, people: People) -> None:
        if self.ground == "hierarchical" and people.column(self.attribute).tree is None:
            raise PolicyError(
                f"{self.name}: the hierarchical distance of {self.attribute!r} needs its hierarchy; give the "
                'column one, or choose ground = "equal" or "ordered"'
            )

    def value(self, histogram: Mapping[int, int], column: SensitiveColumn) -> float:
        rows = sum(histogram.values())
        extra = [histogram.get(value, 0) / rows - column.share(value) for value in range(len(column.counts))]
        if self.ground == "equal":
            return equal_distance(extra)
        if self.ground == "ordered":
            return ordered_distance(extra)
        assert column.tree is not None
        return hierarchical_distance(extra, column.tree)

    def accepts(self, value: float) -> bool:
        return value <= self.t + SLACK

    def reaches(self, present: Collection[int], column: SensitiveColumn) -> bool:
        # What lies on values that the group lacks has to be moved, each bit by the least ground distance.
        absent = 1 - math.fsum(column.share(value) for value in present)
        return absent * self.least_distance(column) <= self.t + SLACK

    def least_distance(self, column: SensitiveColumn) -> float:
        """The least ground distance between two values."""
        if self.ground == "ordered":
            return 1 / max(1, len(column.counts) - 1)
        if self.ground == "hierarchical":
            assert column.tree is not None
            return 1 / max(1, column.tree.height)
        return 1.0

    def core_rule(self, column: SensitiveColumn | None) -> CoreRule:
        assert column is not None
        tree = column.tree.parts if self.ground == "hierarchical" and column.tree is not None else ()
        return CoreRule(
            kind=self.ground,
            most=self.t + SLACK,
            distance=self.least_distance(column),
            table=column.shares,
            tree=tree,
        )

    def most_belief(self, value: int, column: SensitiveColumn) -> float:
        return min(1.0, column.share(value) + self.t)

    @classmethod
    def undemanded(cls, values: ValueShares) -> Mapping[str | None, float | None]:
        found: dict[str | None, float | None] = {None: values.greatest(values.equal_distance)}
        if values.ordered:
            found["ordered"] = values.ordered_distance
        if values.has_hierarchy:
            found["hierarchical"] = values.by_definition(
                cls(attribute=values.name, t=1, ground="hierarchical")
            )
        return found


def equal_distance(extra: list[float]) -> float:
    """The distance when every two values are 1 apart, given per value what one distribution has more."""
    return math.fsum(abs(each) for each in extra) / 2


def ordered_distance(extra: list[float]) -> float:
    """The distance when neighbours are equally far apart and the ends are 1 apart."""
    carried, moved = 0.0, []
    for each in extra[:-1]:
        carried += each
        moved.append(abs(carried))
    return math.fsum(moved) / max(1, len(extra) - 1)


def hierarchical_distance(extra: list[float], tree: Tree) -> float:
    """The distance when two values are as far apart as the level on which they meet, over the height."""
    below, moved = extra, []
    for level in range(1, tree.height + 1):
        parts = tree.parts[level]
        inner = {inner: parts[code] for code, inner in enumerate(tree.parts[level - 1])}
        surplus, lack = [0.0] * (max(parts) + 1), [0.0] * (max(parts) + 1)
        for part, each in enumerate(below):
            (surplus if each > 0 else lack)[inner[part]] += abs(each)
        # Within a node its children's surplus and lack are evened out as far as they go; the rest is its own.
        moved += [level / tree.height * min(two) for two in zip(surplus, lack, strict=True)]
        below = [more - less for more, less in zip(surplus, lack, strict=True)]
    return math.fsum(moved)
