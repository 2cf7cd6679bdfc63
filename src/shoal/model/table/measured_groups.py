"""Groups of a table as privacy models see them, in arrays."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from shoal.model.table.coded_cells import CodedCells
from shoal.model.table.distinct_codes import distinct_codes
from shoal.model.table.people import PARTS_OF_A_PERSON, Demand, Group, People


@dataclass(frozen=True, kw_only=True, eq=False)
class MeasuredGroups:
    """The groups of a table as privacy models see them.

    Parameters
    ----------
    people
        The whole table, or the table that it was made from.
    rows
        The rows of each group; 0 for one that only the population has.
    of_entry, codes, counts
        For each entry its group, in increasing order, the codes of the counted columns, and how many rows
        have them.
    population
        For each group the number of people of the population that it represents, in millionths; `None` if no
        model needs it.
    stars
        The group whose quasi-identifiers all read `*`, if its rows reveal anything else.
    labels
        One line per group with the cells of its quasi-identifiers; `None` while a release is being made.
    """

    people: People
    rows: NDArray[np.int64]
    of_entry: NDArray[np.int64]
    codes: NDArray[np.int32]
    counts: NDArray[np.int64]
    population: NDArray[np.int64] | None = None
    stars: int | None = None
    labels: CodedCells | None = None

    @property
    def sizes(self) -> list[int]:
        """The rows of the groups that a reader can find by the quasi-identifiers."""
        rows = self.rows.copy()
        if self.stars is not None:
            rows[self.stars] = 0
        sizes: list[int] = rows[rows > 0].tolist()
        return sizes

    def of(self, columns: Sequence[int]) -> People:
        """The whole table with only these columns."""
        return replace(self.people, columns=tuple(self.people.columns[each] for each in columns))

    def alike(self, columns: Sequence[int]) -> tuple[list[Group], NDArray[np.int64]]:
        """The different groups with only these columns, and for each group which of them it equals.

        Groups with equal counts of equal values need to be judged only once: most of 100,000 small groups
        equal another one.
        """
        if tuple(columns) not in self._alike:
            self._alike[tuple(columns)] = self._different(columns)
        return self._alike[tuple(columns)]

    @cached_property
    def _alike(self) -> dict[tuple[int, ...], tuple[list[Group], NDArray[np.int64]]]:
        """Results by columns: several models read the same ones."""
        return {}

    def _different(self, columns: Sequence[int]) -> tuple[list[Group], NDArray[np.int64]]:
        facts, lines, first, counts = self._entries(columns)
        population = np.zeros(len(self.rows), np.int64) if self.population is None else self.population
        seen: dict[tuple[int, int, bytes, bytes], int] = {}
        groups: list[Group] = []
        of_group = np.empty(len(self.rows), np.int64)
        combinations = [tuple(line) for line in lines.tolist()]
        for group, (rows, people) in enumerate(zip(self.rows.tolist(), population.tolist(), strict=True)):
            own = slice(first[group], first[group + 1])
            key = (rows, people, facts[own].tobytes(), counts[own].tobytes())
            number = of_group[group] = seen.setdefault(key, len(seen))
            if number == len(groups):
                numbers = [combinations[each] for each in facts[own].tolist()]
                groups.append(
                    Group(
                        rows=rows,
                        facts=dict(zip(numbers, counts[own].tolist(), strict=True)),
                        population=Fraction(people, PARTS_OF_A_PERSON),
                    )
                )
        return groups, of_group

    def columns_of(self, model: Demand) -> list[int]:
        """The columns that a model reads; a joint model reads all columns with values."""
        names = getattr(model, "columns", None)
        joint = getattr(model, "joint", False)
        return [
            index
            for index, column in enumerate(self.people.columns)
            if names is None or column.name in names or (joint and column.values)
        ]

    def _entries(
        self, columns: Sequence[int]
    ) -> tuple[NDArray[np.int64], NDArray[np.int32], list[int], NDArray[np.int64]]:
        """Entries with only these columns: their facts, what each fact is, first entries, rows."""
        if not columns:
            nothing = np.zeros(0, np.int64)
            return nothing, np.zeros((0, 0), np.int32), [0] * (len(self.rows) + 1), nothing
        lines, facts = distinct_codes(self.codes[:, list(columns)])
        keys = self.of_entry * len(lines) + facts
        distinct, of_key = np.unique(keys, return_inverse=True)
        counts = np.bincount(of_key.reshape(-1), self.counts, len(distinct)).astype(np.int64)
        first = np.searchsorted(distinct // max(1, len(lines)), np.arange(len(self.rows) + 1))
        return distinct % max(1, len(lines)), lines, first.tolist(), counts
