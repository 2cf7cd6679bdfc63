"""A hierarchy as a tree that can be edited: groups, and the values under them.

A tree never changes: every operation gives another one, so that undoing is keeping the last. Whatever is
done, every value has exactly one place and `Hierarchy(tree.rows())` is one; what would end otherwise is
refused with a `PolicyError`. Groups that hold nothing any more are gone. A value that stands directly under
the top is in no group.

A group begins at a level above all that is under it, and is the label of its values up to the level where the
group above it begins. Levels at which nothing begins are left out.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

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
class Tree:
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
    def of(cls, hierarchy: Hierarchy, values: Iterable[str] = ()) -> Tree:
        """The tree of a hierarchy; values of a table that it lacks are put into no group.

        A level that repeats a value tells nothing new, and is no group.

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
    def flat(cls, values: Sequence[str]) -> Tree:
        """A tree in which no value is in any group yet."""
        return cls.of(Hierarchy(tuple((value, SUPPRESSED) for value in values)), values)

    # --- what there is

    def __getitem__(self, number: int) -> Node:
        if number not in self.nodes:
            raise PolicyError("that is no longer in the tree; choose again")
        return self.nodes[number]

    def under(self, number: int) -> tuple[int, ...]:
        """What stands directly under a node."""
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
        return [self[each].label for each in self.walk(number) if not self[each].is_group]

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
        wanted, found = text.casefold(), []
        for number in self.walk():
            if number != TOP and wanted in self[number].label.casefold():
                found.append(number)
                if len(found) == most:
                    break
        return found

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
        """The `groups` of a policy that say the same of the values that a table has.

        What a hierarchy repeats upward is stated as often, but for values: those it repeats by itself.
        """
        stated = _nested(self.rows(), self[TOP].level - 1)
        inner = stated if isinstance(stated, dict) else {value: [value] for value in stated}
        if self[TOP].label == SUPPRESSED:
            return {"groups": inner}
        return {"groups": {self[TOP].label: inner}, "suppressed": False}

    # --- what can be done

    def rename(self, number: int, label: str) -> Tree:
        """Give a group another label; values are as the table has them."""
        node = self[number]
        if not node.is_group:
            raise PolicyError("a value is as the table has it; put it into a group and name the group")
        label = _named(label, top=number == TOP)
        return self._with({number: replace(node, label=label)})

    def group(self, chosen: Iterable[int], label: str) -> Tree:
        """Put nodes into a new group, where the first of them stood; the lowest group above all gets it."""
        chosen = self._outermost(chosen)
        if not chosen:
            raise PolicyError("choose the values or groups that shall be one group")
        above = [[*self.above(number)][::-1] for number in chosen]
        parent = TOP
        for together in zip(*above, strict=False):
            if len(set(together)) > 1:
                break
            parent = together[0]
        first = next(each for each in [*above[0], chosen[0]][::-1] if self[each].parent == parent)
        return self._grouped(parent, first, chosen, _named(label))

    def _grouped(self, parent: int, first: int, chosen: Sequence[int], label: str) -> Tree:
        new = max(self.nodes) + 1
        level = 1 + max(self[number].level for number in chosen)
        nodes = {**self.nodes, new: Node(label, parent, (), level)}
        children = self.under(parent)
        at = children.index(first)
        nodes[parent] = replace(self[parent], children=(*children[:at], new, *children[at:]))
        return replace(self, nodes=nodes)._moved(chosen, new)

    def move(self, chosen: Iterable[int], target: int) -> Tree:
        """Put nodes into another group, at its end."""
        if not self[target].is_group:
            raise PolicyError("a value has nothing under it; choose a group")
        chosen = self._outermost(chosen)
        if any(number == target or number in self.above(target) for number in chosen):
            raise PolicyError("a group cannot be put into itself")
        return self._moved(chosen, target)

    def _moved(self, chosen: Sequence[int], target: int) -> Tree:
        nodes = dict(self.nodes)
        leaving: dict[int, set[int]] = {}
        for number in chosen:
            parent = nodes[number].parent
            assert parent is not None
            leaving.setdefault(parent, set()).add(number)
            nodes[number] = replace(nodes[number], parent=target)
        for parent, gone in leaving.items():
            kept = tuple(each for each in nodes[parent].children or () if each not in gone)
            nodes[parent] = replace(nodes[parent], children=kept)
        nodes[target] = replace(nodes[target], children=(*(nodes[target].children or ()), *chosen))
        return replace(self, nodes=nodes)._pruned(leaving)._checked()

    def ungroup(self, number: int) -> Tree:
        """Take a group away; what is under it takes its place."""
        node = self[number]
        if not node.is_group or number == TOP:
            raise PolicyError("choose a group; what is under it will take its place")
        assert node.parent is not None
        above = self[node.parent]
        at = self.under(node.parent).index(number)
        nodes = dict(self.nodes)
        del nodes[number]
        around = self.under(node.parent)
        children = (*around[:at], *self.under(number), *around[at + 1 :])
        nodes[node.parent] = replace(above, children=children)
        for child in self.under(number):
            nodes[child] = replace(nodes[child], parent=node.parent)
        return replace(self, nodes=nodes)._checked()

    def add_level(self, number: int, size: int) -> Tree:
        """Join what is under a group, so many neighbours at a time, to groups that are named after them."""
        if size < 2:
            raise PolicyError(f"at least 2 neighbours make a group; asked for were {size}")
        children = self.under(number)
        if len(children) <= size:
            raise PolicyError(f"there are only {len(children)} under this group; join fewer at a time")
        nodes = dict(self.nodes)
        taken = {node.label for node in self.nodes.values()}
        new = max(self.nodes) + 1
        made: list[int] = []
        for start in range(0, len(children), size):
            joined = children[start : start + size]
            if len(joined) == 1:
                made.append(joined[0])
                continue
            label = _free(f"{self[joined[0]].label} … {self[joined[-1]].label}", taken)
            taken.add(label)
            level = 1 + max(self[each].level for each in joined)
            nodes[new] = Node(label, number, joined, level)
            nodes |= {each: replace(nodes[each], parent=new) for each in joined}
            made.append(new)
            new += 1
        nodes[number] = replace(self[number], children=tuple(made))
        return replace(self, nodes=nodes)._checked()

    def delete(self, chosen: Iterable[int]) -> Tree:
        """Take nodes away. Values that the table has are then in no group; others are gone."""
        chosen = [number for number in self._outermost(chosen) if number != TOP]
        under = [each for number in chosen for each in self.walk(number)]
        kept = [each for each in under if not self[each].is_group and self[each].label in self.needed]
        gone = set(under) - set(kept)
        if not kept and len(gone) == len(self.nodes) - 1:
            raise PolicyError("a hierarchy needs at least one value")
        tree = self._moved([each for each in kept if self[each].parent != TOP], TOP)
        parents = {node.parent for number, node in tree.nodes.items() if number in gone}
        nodes = {number: node for number, node in tree.nodes.items() if number not in gone}
        for parent in parents & set(nodes):
            assert parent is not None
            children = tuple(each for each in nodes[parent].children or () if each not in gone)
            nodes[parent] = replace(nodes[parent], children=children)
        return replace(self, nodes=nodes)._pruned(each for each in parents if each in nodes)._checked()

    # --- what always holds

    def _outermost(self, chosen: Iterable[int]) -> list[int]:
        """The chosen nodes in the order of the tree, without those that are under another of them."""
        wanted = set(chosen)
        if TOP in wanted:
            raise PolicyError("the top holds everything; choose values or groups under it")
        outer = {number for number in wanted if not wanted.intersection(self.above(number))}
        return [number for number in self.walk() if number in outer]

    def _with(self, changed: Mapping[int, Node]) -> Tree:
        return replace(self, nodes={**self.nodes, **changed})._checked()

    def _pruned(self, perhaps_empty: Iterable[int | None]) -> Tree:
        nodes = dict(self.nodes)
        for number in perhaps_empty:
            at = number
            while at is not None and at != TOP and at in nodes and nodes[at].children == ():
                parent = nodes.pop(at).parent
                assert parent is not None
                rest = tuple(each for each in nodes[parent].children or () if each != at)
                nodes[parent] = replace(nodes[parent], children=rest)
                at = parent
        return replace(self, nodes=nodes)

    def _checked(self) -> Tree:
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

    def _leveled(self) -> Tree:
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


def _named(label: str, *, top: bool = False) -> str:
    label = label.strip()
    if not label:
        raise PolicyError("a group needs a label; an empty one would read as a missing value")
    if label == SUPPRESSED and not top:
        raise PolicyError("the label * is that of suppressed cells; choose another for this group")
    return label


def _free(label: str, taken: set[str]) -> str:
    number, name = 1, label
    while name in taken:
        number += 1
        name = f"{label} ({number})"
    return name
