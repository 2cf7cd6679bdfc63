"""How the labels of a hierarchy are divided into finer ones."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np

from shoal.model.hierarchy.hierarchy import Hierarchy
from shoal.model.table.cell_meaning import CellReader

Node = frozenset[int]
"""The values that a label represents, by their place among the leaves of the hierarchy."""


class Divisions:
    """The finer labels of each label of a column.

    Parameters
    ----------
    hierarchy
        The hierarchy of the column.
    reader
        How its labels are read.
    """

    def __init__(self, hierarchy: Hierarchy, reader: CellReader) -> None:
        self._hierarchy = hierarchy
        self._reader = reader
        self._nodes: dict[str | None, Node] = {}
        self._parts: dict[Node, tuple[Node, ...]] = {}

    @cached_property
    def place_of(self) -> dict[str, int]:
        """The place of each value among the leaves."""
        return {row[0]: place for place, row in enumerate(self._hierarchy.rows)}

    def node(self, label: str | None) -> Node:
        """The values that a label represents."""
        if label not in self._nodes:
            covered = self._reader.covering([label], [row[0] for row in self._hierarchy.rows])[0]
            self._nodes[label] = frozenset(np.flatnonzero(covered).tolist())
        return self._nodes[label]

    def parts(self, node: Node) -> tuple[Node, ...]:
        """The next finer labels that distinguish values of a node; none for a single value."""
        if node not in self._parts:
            self._parts[node] = self._divided(node)
        return self._parts[node]

    def _divided(self, node: Node) -> tuple[Node, ...]:
        for level in range(self._hierarchy.height, -1, -1):
            parts: dict[str, set[int]] = {}
            for place in sorted(node):
                parts.setdefault(self._hierarchy.rows[place][level], set()).add(place)
            if len(parts) > 1:
                return tuple(map(frozenset, parts.values()))
        return ()

    def level_of(self, labels: Sequence[str | None]) -> int | None:
        """The level that all labels are on; `None` if no level has them all."""
        for level in range(self._hierarchy.height + 1):
            if {row[level] for row in self._hierarchy.rows}.issuperset(labels):
                return level
        return None
