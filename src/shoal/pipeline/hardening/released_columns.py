"""The released values of a row-by-row recoding, as the attacker of `shoal attack` reasons about them.

The attack reads texts; here the recoding is at hand, so nothing has to be read. A value is its code, a label
the number of a released value. The attacker knows the hierarchies, also those that Shoal built, and which
leaves occur in the table: a little more than `shoal attack` knows of a file.
"""

from __future__ import annotations

from collections.abc import Hashable
from functools import cached_property

from shoal.auditor.attacks.certain import Alike, Certain, Column, DividedColumn, Rows
from shoal.auditor.attacks.divisions import Divisions, Node
from shoal.auditor.attacks.named_values import certain_names
from shoal.model.hierarchy.coded_tree import Tree
from shoal.model.hierarchy.hierarchy import Hierarchy
from shoal.model.recoding.local_recoding import Node as Label
from shoal.model.recoding.local_recoding import Span
from shoal.model.table.cell_meaning import CellReader
from shoal.model.table.domain import Domain

Released = Label | Span | None
"""A released value: a node of the hierarchy, an interval or a set, or a suppressed cell."""


class ReleasedColumn(Column):
    """The released values of one column.

    Parameters
    ----------
    domain
        The column's values.
    released
        Its released values, by number.
    """

    def __init__(self, domain: Domain, released: tuple[Released, ...]) -> None:
        self._domain = domain
        self._released = released
        self._by_name = any(isinstance(each, Span) for each in released)
        self._leaves = None if self._by_name or domain.tree is None else _Leaves(domain.tree)
        self._named = [named(domain, each) if isinstance(each, Span) else () for each in released]

    @cached_property
    def _divided(self) -> DividedColumn | None:
        if self._leaves is None:
            return None
        leaves = self._leaves
        nodes = [leaves.under(each) for each in self._released if not isinstance(each, Span)]
        places = {code: code for code in range(len(self._domain))}
        return DividedColumn(leaves.divisions, nodes.__getitem__, places)

    def has_finer(self, label: int) -> bool:
        """Whether a released value has finer ones that anything could be said about."""
        if self._by_name:
            return len(self._named[label]) > 1
        return self._divided is not None and bool(self._divided.parts(label))

    def certain(self, label: int, size: int, k: int, alike: Alike) -> Certain | None:
        if self._by_name:
            return certain_names(self._named[label], size, k)
        return None if self._divided is None else self._divided.certain(label, size, k, alike)

    def tight(self, label: int, size: int) -> Certain | None:
        """What is certain if the label is merely the least one over its rows, whether or not it had to be."""
        if self._by_name:
            return certain_names(self._named[label], size, 1)
        parts = () if self._divided is None else self._divided.parts(label)
        # Not all rows are under one of the finer labels: with two of them, some are under each.
        return Certain(least=dict.fromkeys(parts, 1)) if len(parts) == 2 and size > 1 else None

    def held(self, part: Hashable, values: Rows) -> int:
        if self._divided is not None:
            return self._divided.held(part, values)
        return int(values.get(part, 0))

    def covered(self, label: int, values: Rows) -> int:
        if self._divided is not None:
            return self._divided.covered(label, values)
        released = self._released[label]
        if isinstance(released, Span):
            return sum(values.get(code, 0) for code in released.codes)
        return sum(values.values())


def named(domain: Domain, span: Span) -> tuple[int, ...]:
    """The codes that an interval or a set names: its ends, or its members, and the missing value."""
    codes = span.codes
    if domain.kind == "category":
        return tuple(codes)
    has_missing = domain.has_missing and codes[-1] == len(domain) - 1
    last = codes[-2] if has_missing and len(codes) > 1 else codes[-1]
    return tuple(sorted({codes[0], last, codes[-1]}))


class _Leaves:
    """A tree as an attacker divides it: a leaf for each code, and one wherever others were left out.

    A hierarchy can have leaves that no row has. Each label that has such leaves directly below it, under no
    label of a row, gets one leaf for all of them: values that somebody could have had.
    """

    def __init__(self, tree: Tree) -> None:
        self._tree = tree
        rows = [_path(tree, code, 0, "") for code in range(len(tree.parts[0]))]
        for level in range(1, tree.height + 1):
            for part, codes in enumerate(tree.members(level)):
                below = {tree.parts[level - 1][code] for code in codes}
                known = sum(tree.leaves[level - 1][each] for each in below)
                if known < tree.leaves[level][part]:
                    rows.append(_path(tree, codes[0], level, f"unseen {level} {part} "))
        self._rows = rows
        self._under: dict[int, dict[str, Node]] = {}
        self.divisions = Divisions(Hierarchy(tuple(rows)), CellReader())

    def under(self, label: Label | None) -> Node:
        """The leaves under a released value; a suppressed cell is over all."""
        if label is None:
            return frozenset(range(len(self._rows)))
        level, part = label
        if level not in self._under:
            places: dict[str, set[int]] = {}
            for place, row in enumerate(self._rows):
                places.setdefault(row[level], set()).add(place)
            self._under[level] = {label: frozenset(each) for label, each in places.items()}
        return self._under[level][f"{level} {part}"]


def _path(tree: Tree, code: int, first: int, own: str) -> tuple[str, ...]:
    """The labels above a code, by number; below level `first` those of a leaf that no row has."""
    return tuple(
        f"{own}{level}" if level < first else f"{level} {tree.parts[level][code]}"
        for level in range(tree.height + 1)
    )
