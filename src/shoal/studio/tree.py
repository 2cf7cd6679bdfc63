"""A hierarchy as a tree that can be edited: groups, and the values under them.

A tree never changes: every operation gives another one, so that undoing is keeping the last. Whatever is
done, every value has exactly one place and `Hierarchy(tree.rows())` is one; what would end otherwise is
refused with a `PolicyError`. Groups that hold nothing any more are gone. A value that stands directly under
the top is in no group.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from shoal import Hierarchy, PolicyError

TOP = 0
"""The number of the node above all others."""

SUPPRESSED = "*"


@dataclass(frozen=True)
class Node:
    """A group with what is under it, or a value, which has no such thing."""

    label: str
    parent: int | None
    children: tuple[int, ...] | None = None

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
        nodes: dict[int, Node] = {TOP: Node(hierarchy.top, None, ())}
        below: dict[int, list[int]] = {TOP: []}
        groups: dict[tuple[int, str], int] = {}
        alone = _alone(hierarchy)
        for row in hierarchy.rows:
            parent = TOP
            for level in range(hierarchy.height - 1, 0, -1):
                if all((each, row[0]) in alone and row[each] == row[0] for each in range(1, level + 1)):
                    break
                if (level, row[level]) not in groups:
                    groups[level, row[level]] = number = len(nodes)
                    nodes[number] = Node(row[level], parent, ())
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
        """A row per value, from the value to the top; a value in few groups is repeated upward."""
        paths: list[list[str]] = []
        waiting: list[tuple[int, list[str]]] = [(TOP, [])]
        while waiting:
            number, labels = waiting.pop()
            node = self.nodes[number]
            if node.children is None:
                paths.append([node.label, *labels])
            else:
                above = [node.label, *labels]
                waiting.extend((child, above) for child in reversed(node.children))
        longest = max(len(path) for path in paths)
        return tuple((path[0],) * (longest - len(path)) + tuple(path) for path in paths)

    def hierarchy(self) -> Hierarchy:
        """The hierarchy that it is."""
        return Hierarchy(self.rows())

    def recipe(self) -> dict[str, Any]:
        """The `groups` of a policy that say the same of the values that a table has.

        A value beside groups is a group of itself there, which is how a hierarchy repeats it upward.
        """
        stated = self._stated(TOP)
        inner = stated if isinstance(stated, dict) else {value: [value] for value in stated}
        if self[TOP].label == SUPPRESSED:
            return {"groups": inner}
        return {"groups": {self[TOP].label: inner}, "suppressed": False}

    def _stated(self, number: int) -> dict[str, Any] | list[str]:
        children = [(each, self[each]) for each in self.under(number)]
        if not any(node.is_group for _, node in children):
            return [node.label for _, node in children]
        return {node.label: self._stated(each) if node.is_group else [node.label] for each, node in children}

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
        nodes = {**self.nodes, new: Node(label, parent, ())}
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
            nodes[new] = Node(label, number, joined)
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
        """Itself, unless two groups of a level, or a group and a value, would be one label there."""
        deepest: dict[str, int] = {}
        seen: set[tuple[int, str]] = set()
        values: list[tuple[int, str]] = []
        waiting = [(TOP, 0)]
        while waiting:
            number, depth = waiting.pop()
            node = self.nodes[number]
            if node.children is None:
                values.append((depth, node.label))
                continue
            if (depth, node.label) in seen:
                raise PolicyError("two groups of one level would have the same label; name one differently")
            seen.add((depth, node.label))
            deepest[node.label] = max(depth, deepest.get(node.label, 0))
            waiting.extend((child, depth + 1) for child in node.children)
        # A value is its own label on all levels below its group.
        if any(deepest.get(label, -1) >= depth for depth, label in values):
            raise PolicyError("a group would have the label of a value beside it; name the group differently")
        return self


def _alone(hierarchy: Hierarchy) -> set[tuple[int, str]]:
    """Level and label, where the label is over one value only."""
    over: dict[tuple[int, str], int] = {}
    for row in hierarchy.rows:
        for level in range(1, hierarchy.height):
            over[level, row[level]] = over.get((level, row[level]), 0) + 1
    return {key for key, values in over.items() if values == 1}


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
