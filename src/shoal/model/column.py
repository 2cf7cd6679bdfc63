"""A column as its hierarchy generalizes it: the values with their counts, and the labels of each level."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

from shoal.model.domain import Kind
from shoal.model.hierarchy import Hierarchy


class LabelCount(NamedTuple):
    """A label of a level: how many distinct values it joins, and how many rows have them."""

    label: str
    values: int
    rows: int


@dataclass(frozen=True, kw_only=True)
class Column:
    """The values of a column, and the hierarchy above them. Private, if the table is.

    Parameters
    ----------
    name, kind
        The column, and how its values are read.
    values, counts
        The known values in their order, as a release prints them, and the rows of each.
    missing
        Rows in which the cell is missing.
    hierarchy
        The labels above the values: as it was given, or built.
    """

    name: str
    kind: Kind
    values: tuple[str, ...] = field(repr=False)
    counts: tuple[int, ...] = field(repr=False)
    missing: int
    hierarchy: Hierarchy = field(repr=False)

    def level(self, level: int) -> tuple[LabelCount, ...]:
        """The labels of a level that values of the table have, in their order."""
        above = self.hierarchy.level(level)
        found: dict[str, LabelCount] = {}
        for value, count in zip(self.values, self.counts, strict=True):
            place = self.hierarchy.find(value)
            # The engine refuses a hierarchy that lacks a value.
            assert place is not None
            label = above[place]
            seen = found.get(label, LabelCount(label, 0, 0))
            found[label] = LabelCount(label, seen.values + 1, seen.rows + count)
        return tuple(found.values())
