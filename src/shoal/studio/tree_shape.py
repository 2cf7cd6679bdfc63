"""The shape of a hierarchy: groups, and the values under them, each with the level at which it begins.

Every value has exactly one place, and `Hierarchy(shape.rows())` is a hierarchy. A value directly
under the top is in no group.

A group begins at a level above all that is under it, and is the label of its values up to the level where the
group above it begins. Levels at which nothing begins are left out.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Self

from shoal import Hierarchy, PolicyError

TOP = 0
"""The number of the node above all others."""

SUPPRESSED = "*"


@dataclass(frozen=True)
class Node:
    """A group with what is under it and the level at which it begins, or a value, which has no such thing."""

    label: str
    parent: int | None
    children: tuple[int, ...] | None = None
    level: int = 0

    @property
    def is_group(self) -> bool:
        """Whether something can be under it."""
        return self.children is not None


@dataclass(frozen=True)
class Shape:
    """Values in groups in groups.

    Parameters
    ----------
    nodes
        Number -> node; `TOP` is above all.
    needed
        The values that the table has: they can be put elsewhere, but not left out.
    """

    nodes: Mapping[int, Node] = field(repr=False)
    needed: frozenset[str] = field(default=frozenset(), repr=False)

    @classmethod
    def of(cls, hierarchy: Hierarchy, values: Iterable[str] = ()) -> Self:
        """The tree of a hierarchy; values of a table that it lacks are put into no group.

        A level that repeats a value adds nothing, and is no group.

        Parameters
        ----------
        hierarchy
            Values with their labels.
        values
            Those that the table has.
        """
        values = tuple(values)
        nodes: dict[int, Node] = {TOP: Node(hierarchy.top, None, (), hierarchy.height)}
        below: dict[int, list[int]] = {TOP: []}
        groups: dict[tuple[int, str], int] = {}
        sizes = Counter((level, label) for row in hierarchy.rows for level, label in enumerate(row))
        for row in hierarchy.rows:
            parent = TOP
            for level in range(hierarchy.height - 1, 0, -1):
                label = row[level]
                if row[level - 1] == label and sizes[level - 1, label] == sizes[level, label]:
                    continue  # it begins further down
                if (level, row[level]) not in groups:
                    groups[level, row[level]] = number = len(nodes)
                    nodes[number] = Node(row[level], parent, (), level)
                    below[parent].append(number)
                    below[number] = []
                parent = groups[level, row[level]]
            below[parent].append(len(nodes))
            nodes[len(nodes)] = Node(row[0], parent)
        absent = hierarchy.missing_from(values)
        for value in absent:
            below[TOP].append(len(nodes))
            nodes[len(nodes)] = Node(value, TOP)
        for number, children in below.items():
            nodes[number] = replace(nodes[number], children=tuple(children))
        # A number is found however it is written.
        places = [hierarchy.find(value) for value in values]
        needed = {hierarchy.leaves[place] for place in places if place is not None}
        return cls(nodes, frozenset({*needed, *absent}))._checked()

    @classmethod
    def flat(cls, values: Sequence[str]) -> Self:
        """A tree in which no value is in any group yet."""
        return cls.of(Hierarchy(tuple((value, SUPPRESSED) for value in values)), values)

    # --- what there is

    def __getitem__(self, number: int) -> Node:
        if number not in self.nodes:
            raise PolicyError("that is no longer in the tree; choose again")
        return self.nodes[number]

    def under(self, number: int) -> tuple[int, ...]:
        """The children of a node."""
        return self[number].children or ()

    def above(self, number: int) -> Iterator[int]:
        """The groups above a node, from the nearest to the top."""
        parent = self[number].parent
        while parent is not None:
            yield parent
            parent = self[parent].parent

    def depth(self, number: int) -> int:
        """How many groups are above a node."""
        return sum(1 for _ in self.above(number))

    def values(self, number: int = TOP) -> list[str]:
        """The values under a node, or its own, in their order."""
        return [self[node].label for node in self.walk(number) if not self[node].is_group]

    def walk(self, number: int = TOP) -> Iterator[int]:
        """A node and all under it, in their order."""
        waiting = [number]
        while waiting:
            at = waiting.pop()
            yield at
            waiting.extend(reversed(self.under(at)))

    def groups(self) -> list[int]:
        """The groups, in their order, without the top."""
        return [number for number in self.walk() if number != TOP and self[number].is_group]

    def ungrouped(self) -> list[int]:
        """The values that are in no group."""
        return [number for number in self.under(TOP) if not self[number].is_group]

    def find(self, text: str, most: int = 50) -> list[int]:
        """The groups and values whose label has a text in it, in their order, and only so many."""
        wanted, matching = text.casefold(), []
        for number in self.walk():
            if number != TOP and wanted in self[number].label.casefold():
                matching.append(number)
                if len(matching) == most:
                    break
        return matching

    # --- as Shoal takes it

    def rows(self) -> tuple[tuple[str, ...], ...]:
        """A row per value, from the value to the top: at each level the label that has begun last."""
        rows: list[tuple[str, ...]] = []
        waiting: list[tuple[int, tuple[str, ...]]] = [(TOP, (self[TOP].label,))]
        while waiting:
            number, above = waiting.pop()
            node = self.nodes[number]
            if node.children is None:
                rows.append(above)
                continue
            for child in reversed(node.children):
                below = self.nodes[child]
                waiting.append((child, (below.label,) * (node.level - below.level) + above))
        return tuple(rows)

    def hierarchy(self) -> Hierarchy:
        """The hierarchy that it is."""
        return Hierarchy(self.rows())

    def recipe(self) -> dict[str, Any]:
        """The `groups` of a policy with the same effect on the values of a table.

        What a hierarchy repeats upward is stated as often, but for values: those it repeats by itself.
        """
        stated = _nested(self.rows(), self[TOP].level - 1)
        inner = stated if isinstance(stated, dict) else {value: [value] for value in stated}
        if self[TOP].label == SUPPRESSED:
            return {"groups": inner}
        return {"groups": {self[TOP].label: inner}, "suppressed": False}

    # --- what always holds

    def _checked(self) -> Self:
        """Itself with its levels in order, unless two labels of a level would read alike."""
        tree = self._leveled()
        times = Counter(node.label for node in tree.nodes.values())
        taken: set[tuple[int, str]] = set()
        for number, node in tree.nodes.items():
            if number == TOP or times[node.label] == 1:
                continue
            assert node.parent is not None
            for level in range(node.level, tree.nodes[node.parent].level):
                if (level, node.label) in taken:
                    raise PolicyError(
                        "two labels of one level would read alike; name the group differently first"
                    )
                taken.add((level, node.label))
        return tree

    def _leveled(self) -> Self:
        """The same groups, each beginning above all that is under it, and no level without a beginning."""
        levels: dict[int, int] = {}
        for number in reversed([*self.walk()]):
            node = self.nodes[number]
            if node.children is not None:
                least = 1 + max((levels[child] for child in node.children), default=0)
                # The top is nowhere but above all.
                levels[number] = least if number == TOP else max(node.level, least)
            else:
                levels[number] = 0
        rank = {level: place for place, level in enumerate(sorted({0, *levels.values()}))}
        nodes = dict(self.nodes)
        for number, level in levels.items():
            if nodes[number].level != rank[level]:
                nodes[number] = replace(nodes[number], level=rank[level])
        return replace(self, nodes=nodes)


def _nested(rows: Sequence[tuple[str, ...]], level: int) -> dict[str, Any] | list[str]:
    """Labels from a level down, as a policy nests them; values that are their own labels are a list."""
    if all(row[at] == row[0] for row in rows for at in range(1, level + 1)):
        return [row[0] for row in rows]
    parts: dict[str, list[tuple[str, ...]]] = {}
    for row in rows:
        parts.setdefault(row[level], []).append(row)
    return {label: _nested(part, level - 1) for label, part in parts.items()}
