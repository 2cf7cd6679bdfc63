"""What is certain about the rows of a group, if no row could have been released in more detail.

A column says which finer labels a released label has, and how many rows of a group must be under each. Labels
are numbers here: a reader of texts, and somebody who still has the recoding, reason in the same way.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.auditor.attacks.divisions import Divisions, Node

Rows = Mapping[Any, int]
"""Rows by value, or by finer label; a value is whatever the table represents it by."""

Alike = Callable[[], Mapping[int, int]]
"""Gives the rows of the groups that differ in one column alone, by their label there."""


@dataclass(frozen=True, kw_only=True)
class Certain:
    """The least rows of a group that are under each of the finer labels of a column.

    Parameters
    ----------
    least
        By finer label the rows, if any; a finer label is whatever the column represents it by.
    exact
        Of these rows, those whose exact value is certain.
    is_minimal
        Whether the group can be one of a minimal release; if not, nothing is certain.
    """

    least: Rows = field(default_factory=dict)
    exact: int = 0
    is_minimal: bool = True

    @property
    def rows(self) -> int:
        """All rows that are certain to be under a finer label."""
        return sum(self.least.values())


NOT_MINIMAL = Certain(is_minimal=False)


class Column(ABC):
    """The released labels of a column, by their numbers, and the finer labels of each."""

    @abstractmethod
    def certain(self, label: int, size: int, k: int, alike: Alike) -> Certain | None:
        """What is certain about a group; `None` if its label has no finer ones.

        Parameters
        ----------
        label, size
            The group's label in this column, and its rows.
        k
            What the release promises.
        alike
            The groups that differ in this column alone.
        """

    @abstractmethod
    def held(self, part: Hashable, values: Rows) -> int:
        """How many rows have a value under a finer label, given the rows of each value."""

    @abstractmethod
    def covered(self, label: int, values: Rows) -> int:
        """How many rows have a value under a released label."""


class DividedColumn(Column):
    """Labels of a hierarchy.

    Parameters
    ----------
    divisions
        How its labels are divided into finer ones.
    nodes
        The values that each label represents, by their place among the leaves.
    place_of
        The place of each value.
    """

    def __init__(
        self, divisions: Divisions, nodes: Callable[[int], Node], place_of: Mapping[Any, int]
    ) -> None:
        self._divisions = divisions
        self._nodes = nodes
        self._place_of = place_of
        self._alone: dict[tuple[int, int, int], Certain] = {}

    def certain(self, label: int, size: int, k: int, alike: Alike) -> Certain | None:
        parts = self._divisions.parts(self._nodes(label))
        if not parts:
            return None
        if size < k:
            return NOT_MINIMAL
        siblings = {self._nodes(other): rows for other, rows in alike().items()}
        if siblings:
            return self._counted(parts, size, k, siblings)
        # Most groups have no siblings, and many of those have the same label and size.
        if (label, size, k) not in self._alone:
            self._alone[label, size, k] = self._counted(parts, size, k, siblings)
        return self._alone[label, size, k]

    def _counted(self, parts: tuple[Node, ...], size: int, k: int, siblings: Mapping[Node, int]) -> Certain:
        """What is certain about a group whose label is divided into these parts."""
        capacity = _Capacity(self._divisions, size, k, siblings)
        most = {part: capacity.of(part) for part in parts}
        if sum(most.values()) < size:
            return NOT_MINIMAL
        least = _least(size, most)
        exact = sum(capacity.exact(part, rows) for part, rows in least.items())
        return Certain(least=least, exact=exact)

    def parts(self, label: int) -> tuple[Node, ...]:
        """The next finer labels of a label."""
        return self._divisions.parts(self._nodes(label))

    def held(self, part: Hashable, values: Rows) -> int:
        assert isinstance(part, frozenset)
        return sum(rows for value, rows in values.items() if self._place_of.get(value, -1) in part)

    def covered(self, label: int, values: Rows) -> int:
        return self.held(self._nodes(label), values)


class Groups:
    """The groups of a release, and what minimality says of each.

    Parameters
    ----------
    codes, counts
        A line per group with the number of its label in each column, and its rows.
    k
        What the release promises.
    """

    def __init__(self, codes: NDArray[np.int32], counts: NDArray[np.int64], k: int) -> None:
        self._lines = [tuple(line) for line in codes.tolist()]
        self.sizes: list[int] = counts.tolist()
        self._k = k
        self._siblings: dict[int, dict[tuple[int, ...], dict[int, int]]] = {}

    def label(self, group: int, place: int) -> int:
        """The number of a group's label in a column."""
        return int(self._lines[group][place])

    def certain(self, group: int, place: int, column: Column) -> Certain | None:
        """What is certain about a group in a column; `None` if its label has no finer ones."""
        line = self._lines[group]
        return column.certain(line[place], self.sizes[group], self._k, lambda: self._alike(line, place))

    def _alike(self, line: tuple[int, ...], place: int) -> dict[int, int]:
        if place not in self._siblings:
            groups = self._siblings[place] = {}
            for each, size in zip(self._lines, self.sizes, strict=True):
                groups.setdefault((*each[:place], *each[place + 1 :]), {})[each[place]] = size
        alike = self._siblings[place][*line[:place], *line[place + 1 :]]
        return {label: size for label, size in alike.items() if label != line[place]}


class _Capacity:
    """How many rows of a minimal group can be under each label that is finer in one column."""

    def __init__(self, divisions: Divisions, size: int, k: int, siblings: Mapping[Node, int]) -> None:
        self._divisions = divisions
        self._size = size
        self._k = k
        self._siblings = siblings
        self._known: dict[Node, int] = {}

    def of(self, node: Node) -> int:
        """The most rows that can be under a label."""
        if node not in self._known:
            need = max(1, self._k - self._siblings.get(node, 0))
            # Rows that make a group there are too many if the others can do without them; all rows are, too.
            most = need - 1 if self._size >= self._k + need else self._size - 1
            parts = self._divisions.parts(node)
            self._known[node] = min(most, sum(map(self.of, parts))) if parts else most
        return self._known[node]

    def exact(self, node: Node, rows: int) -> int:
        """Of the rows that must be under a label, those whose exact value is certain."""
        parts = self._divisions.parts(node)
        if not parts or not rows:
            return rows
        least = _least(rows, {part: self.of(part) for part in parts})
        return sum(self.exact(part, each) for part, each in least.items())


def _least(rows: int, most: Mapping[Node, int]) -> dict[Node, int]:
    """The rows that each label must have: what all others cannot hold."""
    together = sum(most.values())
    return {node: max(0, rows - (together - own)) for node, own in most.items()}
