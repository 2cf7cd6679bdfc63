"""What a privacy model may read: the rows of one group, and those of the whole table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Protocol

from shoal.errors import InternalError
from shoal.model.hierarchy.coded_tree import Tree

PARTS_OF_A_PERSON = 1_000_000
"""Population counts are whole numbers of millionths, because survey weights are not integers."""


@dataclass(frozen=True, kw_only=True)
class SensitiveColumn:
    """A column whose values are counted in each group.

    Parameters
    ----------
    name
        The column.
    counts
        Rows of the whole table per value, in the order of the values' codes.
    values
        The values as text; empty for a column that identifies persons, whose values nobody needs to know.
    tree
        The hierarchy of the values, if they have one.
    """

    name: str
    counts: tuple[int, ...]
    values: tuple[str, ...] = ()
    tree: Tree | None = None

    @cached_property
    def rows(self) -> int:
        """Rows of the whole table."""
        return sum(self.counts)

    def share(self, value: int) -> float:
        """How frequent a value is in the whole table, 0 to 1."""
        return self.shares[value]

    @cached_property
    def shares(self) -> tuple[float, ...]:
        """How frequent each value is in the whole table."""
        return tuple(count / self.rows for count in self.counts)


@dataclass(frozen=True, kw_only=True)
class People:
    """The whole table, as far as privacy models read it.

    Parameters
    ----------
    columns
        The columns whose values are counted.
    population
        Whether the number of people of the population that each group represents is known.
    """

    columns: tuple[SensitiveColumn, ...] = ()
    population: bool = False

    def position(self, name: str) -> int:
        """The number of a column."""
        for position, column in enumerate(self.columns):
            if column.name == name:
                return position
        raise InternalError(f"the values of column {name!r} were not counted")

    def column(self, name: str) -> SensitiveColumn:
        """A column by its name."""
        return self.columns[self.position(name)]


@dataclass(frozen=True, kw_only=True)
class Group:
    """Rows with equal released quasi-identifiers.

    Parameters
    ----------
    rows
        Their number.
    facts
        Rows per combination of the codes of all counted columns, in the order of `People.columns`.
    population
        How many people of the population have the same quasi-identifiers, counted or estimated.
    """

    rows: int
    facts: Mapping[tuple[int, ...], int]
    population: Fraction = Fraction(0)

    def histogram(self, column: int) -> dict[int, int]:
        """Rows per value of a column, for the values that occur."""
        return self.histograms(column)[()] if self.facts else {}

    def histograms(self, column: int, given: Sequence[int] = ()) -> dict[tuple[int, ...], dict[int, int]]:
        """Rows per value of a column, for each combination of the values of the `given` columns."""
        result: dict[tuple[int, ...], dict[int, int]] = {}
        if not given and self.facts:
            whole = result[()] = {}
            for codes, rows in self.facts.items():
                whole[codes[column]] = whole.get(codes[column], 0) + rows
            return result
        for codes, rows in self.facts.items():
            counted = result.setdefault(tuple(codes[each] for each in given), {})
            counted[codes[column]] = counted.get(codes[column], 0) + rows
        return result


class Demand(Protocol):
    """What a group must satisfy to be released: the part of a privacy model that this package needs."""

    def admits(self, group: Group, people: People) -> bool:
        """Whether the group may be released."""
        ...
