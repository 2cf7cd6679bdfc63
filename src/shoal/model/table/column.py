"""A column as its hierarchy generalizes it: the values with their counts, and the labels of each level."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import NamedTuple

from shoal.errors import PolicyError
from shoal.model.cells.respelled import respelled
from shoal.model.hierarchy.hierarchy import Hierarchy
from shoal.model.hierarchy.recipe import Recipe
from shoal.model.table.domain import Domain, Kind


class LabelCount(NamedTuple):
    """A label of a level, the number of distinct values it covers, and the number of rows that have them."""

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
        The labels above the values, given or built.
    domain
        The values as they were read.
    ordered
        Whether an order was stated for them.
    """

    name: str
    kind: Kind
    values: tuple[str, ...] = field(repr=False)
    counts: tuple[int, ...] = field(repr=False)
    missing: int
    hierarchy: Hierarchy = field(repr=False)
    domain: Domain = field(repr=False)
    ordered: bool = False

    def level(self, level: int) -> tuple[LabelCount, ...]:
        """The labels of a level that values of the table have, in their order."""
        above = self.hierarchy.level(level)
        labels: dict[str, LabelCount] = {}
        for value, count in zip(self.values, self.counts, strict=True):
            place = self.hierarchy.find(value)
            # The engine refuses a hierarchy that lacks a value.
            assert place is not None
            label = above[place]
            counted = labels.get(label, LabelCount(label, 0, 0))
            labels[label] = LabelCount(label, counted.values + 1, counted.rows + count)
        return tuple(labels.values())

    def under(self, hierarchy: Hierarchy | Recipe) -> Column:
        """The same values under another hierarchy, without reading the table again.

        Parameters
        ----------
        hierarchy
            A hierarchy in which every value has a place, or how to build one.
        """
        if isinstance(hierarchy, Recipe):
            counts = [*self.counts, self.missing] if self.domain.has_missing else list(self.counts)
            return replace(self, hierarchy=hierarchy.build(self.domain, counts, ordered=self.ordered))
        if self.domain.reading is not None:
            hierarchy = respelled(hierarchy, self.domain.reading.form)
        absent = set(hierarchy.missing_from(self.values))
        if absent:
            rows = sum(
                count for value, count in zip(self.values, self.counts, strict=True) if value in absent
            )
            raise PolicyError(
                f"column {self.name!r} has {len(absent):,} value(s) in {rows:,} row(s) that the hierarchy "
                "lacks; add a line for each of them"
            )
        return replace(self, hierarchy=hierarchy)
