"""A hierarchy as a tree that can be edited: groups, and the values under them.

A tree never changes: every operation gives another one, so that undoing is keeping the last. Whatever is
done, every value has exactly one place and `Hierarchy(tree.rows())` is one; what would end otherwise is
refused with a `PolicyError`. Empty groups are removed. A value directly under
the top is in no group.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from shoal import PolicyError
from shoal.studio.tree_shape import SUPPRESSED, TOP, Node, Shape


class Tree(Shape):
    """A shape and what can be done to it."""

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
            raise PolicyError("choose the values or groups to join")
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
            kept = tuple(child for child in nodes[parent].children or () if child not in gone)
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
            raise PolicyError(f"a group needs at least 2 neighbours, not {size}")
        children = self.under(number)
        if len(children) <= size:
            raise PolicyError(f"there are only {len(children)} under this group; join fewer at a time")
        nodes = dict(self.nodes)
        taken = {node.label for node in self.nodes.values()}
        new = max(self.nodes) + 1
        groups: list[int] = []
        for start in range(0, len(children), size):
            joined = children[start : start + size]
            if len(joined) == 1:
                groups.append(joined[0])
                continue
            label = _free(f"{self[joined[0]].label} … {self[joined[-1]].label}", taken)
            taken.add(label)
            level = 1 + max(self[node].level for node in joined)
            nodes[new] = Node(label, number, joined, level)
            nodes |= {node: replace(nodes[node], parent=new) for node in joined}
            groups.append(new)
            new += 1
        nodes[number] = replace(self[number], children=tuple(groups))
        return replace(self, nodes=nodes)._checked()

    def delete(self, chosen: Iterable[int]) -> Tree:
        """Take nodes away. Values that the table has are then in no group; others are gone."""
        chosen = [number for number in self._outermost(chosen) if number != TOP]
        under = [node for number in chosen for node in self.walk(number)]
        kept = [node for node in under if not self[node].is_group and self[node].label in self.needed]
        gone = set(under) - set(kept)
        if not kept and len(gone) == len(self.nodes) - 1:
            raise PolicyError("a hierarchy needs at least one value")
        tree = self._moved([node for node in kept if self[node].parent != TOP], TOP)
        parents = {node.parent for number, node in tree.nodes.items() if number in gone}
        nodes = {number: node for number, node in tree.nodes.items() if number not in gone}
        for parent in parents & set(nodes):
            assert parent is not None
            children = tuple(child for child in nodes[parent].children or () if child not in gone)
            nodes[parent] = replace(nodes[parent], children=children)
        return replace(self, nodes=nodes)._pruned(each for each in parents if each in nodes)._checked()

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
                rest = tuple(child for child in nodes[parent].children or () if child != at)
                nodes[parent] = replace(nodes[parent], children=rest)
                at = parent
        return replace(self, nodes=nodes)


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
