"""The visible rows of a tree: only opened groups, and of each no more than requested.

However many values a column has, the page gets some dozens of rows. No page code.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from shoal import Column
from shoal.formatting.numbers import counted
from shoal.studio.steps.protect.hierarchies.state import CUT, View
from shoal.studio.tree import Tree
from shoal.studio.tree_shape import TOP

NONE = -1
"""The number of the row above the values that are in no group."""

MORE = -1_000_000
"""From here down: the rows that show more of a group, one per group."""

LABEL_CUT = 300


@dataclass(frozen=True)
class Counts:
    """Of each node: the values under it, and their rows in the table."""

    values: Mapping[int, int]
    rows: Mapping[int, int]

    @classmethod
    def of(cls, tree: Tree, column: Column) -> Counts:
        """Count once for a tree."""
        leaves = {tree[each].label: each for each in tree.nodes if not tree[each].is_group}
        hierarchy = tree.hierarchy()
        values, rows = dict.fromkeys(tree.nodes, 0), dict.fromkeys(tree.nodes, 0)
        for value, count in zip(column.values, column.counts, strict=True):
            place = hierarchy.find(value)
            if place is not None:
                rows[leaves[hierarchy.leaves[place]]] = count
        for number in reversed([*tree.walk()]):
            node = tree[number]
            values[number] += not node.is_group
            if node.parent is not None:
                values[node.parent] += values[number]
                rows[node.parent] += rows[number]
        return cls(values, rows)


def real(number: int) -> int:
    """The node of a row, as a place to put something."""
    return TOP if number == NONE else number


def seen_rows(tree: Tree, view: View, counts: Counts, untrue: set[str]) -> list[dict[str, Any]]:
    """The rows to show.

    Parameters
    ----------
    tree
        The tree.
    view
        What is opened, how much of it is shown, and what is searched for.
    counts
        Of the tree.
    untrue
        Labels that do not hold one of their values.
    """
    if view.wanted:
        return [*_found(tree, view, counts, untrue)]
    return [*_under(TOP, 1, tree, view, counts, untrue)]


def _under(
    number: int, level: int, tree: Tree, view: View, counts: Counts, untrue: set[str]
) -> Iterator[dict[str, Any]]:
    loose = tree.ungrouped() if number == TOP else []
    children = [each for each in tree.under(number) if tree[each].is_group] if loose else tree.under(number)
    shown = children[: view.parts.get(number, CUT)]
    size = len(children) + bool(loose)
    if loose:
        yield from _loose(loose, size, tree, view, counts)
    for place, child in enumerate(shown, 1 + bool(loose)):
        yield _row(child, level, place, size, tree, view, counts, untrue)
        if tree[child].is_group and child in view.expanded:
            yield from _under(child, level + 1, tree, view, counts, untrue)
    if len(children) > len(shown):
        yield _more(number, level, len(children), len(shown))


def _loose(loose: list[int], size: int, tree: Tree, view: View, counts: Counts) -> Iterator[dict[str, Any]]:
    rows = sum(counts.rows[value] for value in loose)
    yield {
        "n": NONE,
        "label": "Not in any group",
        "level": 1,
        "place": 1,
        "size": size,
        "group": True,
        "none": True,
        "open": NONE in view.expanded,
        "count": _counted(len(loose), rows),
    }
    if NONE in view.expanded:
        shown = loose[: view.parts.get(NONE, CUT)]
        for place, item in enumerate(shown, 1):
            yield _row(item, 2, place, len(loose), tree, view, counts, set())
        if len(loose) > len(shown):
            yield _more(NONE, 2, len(loose), len(shown))


def _found(tree: Tree, view: View, counts: Counts, untrue: set[str]) -> Iterator[dict[str, Any]]:
    """What is searched for, each under the groups that it is in."""
    matching = set(tree.find(view.wanted, CUT))
    around = {above for number in matching for above in tree.above(number)}
    for number in tree.walk():
        if number != TOP and (number in matching or number in around):
            siblings = [
                sibling for sibling in tree.under(tree[number].parent or TOP) if sibling in matching | around
            ]
            place = siblings.index(number) + 1
            row = _row(number, tree.depth(number), place, len(siblings), tree, view, counts, untrue)
            yield {**row, "open": number in around} if row["group"] else row


def _row(
    number: int,
    level: int,
    place: int,
    size: int,
    tree: Tree,
    view: View,
    counts: Counts,
    untrue: set[str],
) -> dict[str, Any]:
    node = tree[number]
    if node.is_group:
        count = _counted(counts.values[number], counts.rows[number])
    else:
        count = f"{counts.rows[number]:,} rows" if counts.rows[number] else "no row"
    return {
        "n": number,
        "label": node.label[:LABEL_CUT] or "(missing)",
        "level": level,
        "place": place,
        "size": size,
        "group": node.is_group,
        "open": number in view.expanded,
        "count": count,
        "warn": "not true of a value" if node.is_group and node.label in untrue else "",
    }


def _more(number: int, level: int, total: int, shown: int) -> dict[str, Any]:
    words = f"Show {min(CUT, total - shown):,} more of {total - shown:,}"
    return {"n": MORE - number, "label": words, "level": level, "more": True, "group": False, "count": ""}


def more_of(number: int) -> int:
    """The group of a row for more."""
    return MORE - number


def _counted(values: int, rows: int) -> str:
    return f"{counted(values, 'value')}, {counted(rows, 'row')}"
