"""How the values of a sensitive column are spread in each group of a table, all groups at once.

What privacy models measure of a group depends on the counts of its values alone. Judged one by one, 77,000
groups of twenty values took 50 s for all models, so each model reads what it measures from these arrays where
nothing is demanded. What is demanded is judged group by group, by the definition.
"""

from __future__ import annotations

import math
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from shoal.model.table.measured_groups import MeasuredGroups
from shoal.privacy._slack import SLACK

if TYPE_CHECKING:
    from shoal.privacy._base import GroupModel

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
MOST_CELLS = 4_000_000
"""Cells of the matrix of groups and values that are held at once."""


class ValueShares:
    """The shares of one column's values: an entry per group and value that occurs there.

    Parameters
    ----------
    found
        The groups, with the column counted.
    name
        The column.
    ordered
        Whether the order of its values has a meaning, as that of numbers.
    """

    def __init__(self, found: MeasuredGroups, name: str, *, ordered: bool = False) -> None:
        self.name, self.ordered, self._found = name, ordered, found
        position = found.people.position(name)
        column = found.people.columns[position]
        self.has_hierarchy = column.tree is not None
        self._values = len(column.counts)
        keys = found.of_entry * self._values + found.codes[:, position]
        distinct, of_key = np.unique(keys, return_inverse=True)
        self._group, self._value = distinct // self._values, distinct % self._values
        self._counts = np.bincount(of_key.reshape(-1), found.counts, len(distinct)).astype(np.int64)
        self._groups = len(found.rows)
        self._rows = np.bincount(self._group, self._counts, self._groups)
        self._all = np.array(column.counts, np.float64) / max(1, column.rows)

    def least(self, measured: Ints | Floats) -> float | None:
        """The least of some numbers; `None` if there is no group."""
        found: float | None = measured.min().item() if len(measured) else None
        return found

    def greatest(self, measured: Ints | Floats) -> float | None:
        """The greatest of some numbers; `None` if there is no group."""
        found: float | None = measured.max().item() if len(measured) else None
        return found

    def by_definition(self, model: GroupModel) -> float | None:
        """The least safe value that a model measures of any group, by its own definition."""
        people = self._found.of(columns := self._found.columns_of(model))
        groups = [each for each in self._found.alike(columns)[0] if each.rows]
        worst = model.worst([model.measure(group, people) for group in groups])
        return (
            None
            if worst is None or not math.isfinite(worst)
            else int(worst)
            if float(worst).is_integer()
            else float(worst)
        )

    @cached_property
    def _share(self) -> Floats:
        """Of each entry in its group."""
        share: Floats = self._counts / self._rows[self._group]
        return share

    @property
    def _expected(self) -> Floats:
        """Of each entry's value in the whole table."""
        expected: Floats = self._all[self._value]
        return expected

    def _summed(self, entries: NDArray[np.float64]) -> Floats:
        return np.bincount(self._group, entries, self._groups).astype(np.float64)

    @property
    def distinct(self) -> Ints:
        """Per group how many values it has."""
        return np.bincount(self._group, minlength=self._groups).astype(np.int64)

    @property
    def entropy_l(self) -> Floats:
        """Per group how many equally frequent values would be as diverse."""
        spread: Floats = np.exp(-self._summed(self._share * np.log(self._share)))
        return spread

    @property
    def shares(self) -> Floats:
        """The shares of all entries."""
        return self._share

    @property
    def gains(self) -> Floats:
        """Per entry how much more frequent its value is than in the whole table, relatively."""
        gains: Floats = (self._share - self._expected) / self._expected
        return gains

    @property
    def gains_are_bounded(self) -> bool:
        """Whether no gain exceeds -ln of the value's share: else no enhanced beta-likeness holds."""
        gains = self.gains
        limit = -np.log(self._expected) * (1 + SLACK)
        return not bool(((gains > SLACK) & (gains > limit)).any())

    @property
    def logarithms(self) -> Floats | None:
        """Per entry |ln| of its share over that of the table; `None` if a group lacks a value."""
        if (self.distinct < self._values).any():
            return None
        logarithms: Floats = np.abs(np.log(self._share / self._expected))
        return logarithms

    @property
    def equal_distance(self) -> Floats:
        """Per group the distance from the table when every two values are 1 apart."""
        absent = 1 - self._summed(self._expected)
        distance: Floats = (self._summed(np.abs(self._share - self._expected)) + absent) / 2
        return distance

    @property
    def ordered_distance(self) -> float | None:
        """The greatest distance from the table when neighbours are equally far apart, the ends 1."""
        if not self._groups:
            return None
        greatest, step = 0.0, max(1, MOST_CELLS // max(1, self._values))
        for begin in range(0, self._groups, step):
            end = min(self._groups, begin + step)
            low, high = np.searchsorted(self._group, [begin, end])
            extra = np.tile(-self._all, (end - begin, 1))
            extra[self._group[low:high] - begin, self._value[low:high]] += self._share[low:high]
            carried = np.abs(np.cumsum(extra[:, :-1], axis=1)).sum(axis=1)
            greatest = max(greatest, float(carried.max(initial=0)) / max(1, self._values - 1))
        return greatest

    def recursive_l(self, c: float) -> Ints:
        """Per group the greatest l for which it is recursively (c, l)-diverse; 1 where only that holds."""
        order = np.lexsort((-self._counts, self._group))
        group, counts = self._group[order], self._counts[order]
        first = np.searchsorted(group, np.arange(self._groups))
        before = np.cumsum(counts) - counts
        rest = self._rows[group] - (before - before[first][group])
        # The rest shrinks with l, so the values of l that are accepted have no gap.
        accepted = counts[first][group] / rest < c - SLACK
        accepted[first] = False  # l = 1, which is counted below
        return 1 + np.bincount(group, accepted, self._groups).astype(np.int64)
