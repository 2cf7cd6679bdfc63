"""The levels of a hierarchy, as a table and as a tree."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from shoal.model.hierarchy.hierarchy import Hierarchy

SAMPLE = 3


@dataclass(frozen=True)
class LevelFacts:
    """How many labels a level has, how many values the smallest and largest join, and the first of them."""

    level: int
    labels: int
    smallest: int
    largest: int
    sample: tuple[str, ...]


def level_facts(hierarchy: Hierarchy) -> list[LevelFacts]:
    """Facts about each level, from the values to the top."""
    levels = []
    for level in range(hierarchy.height + 1):
        sizes = Counter(hierarchy.level(level))
        sample = hierarchy.labels(level)[:SAMPLE]
        levels.append(LevelFacts(level, len(sizes), min(sizes.values()), max(sizes.values()), sample))
    return levels


def show_levels(hierarchy: Hierarchy) -> None:
    """Print a line per level."""
    from rich.table import Table

    shown = Table(box=None, pad_edge=False)
    for heading in ("level", "labels", "values per label"):
        shown.add_column(heading, justify="right", no_wrap=True, min_width=len(heading))
    shown.add_column("such as", no_wrap=True, overflow="ellipsis")
    for facts in level_facts(hierarchy):
        sizes = (
            f"{facts.smallest:,}"
            if facts.smallest == facts.largest
            else f"{facts.smallest:,} to {facts.largest:,}"
        )
        shown.add_row(str(facts.level), f"{facts.labels:,}", sizes, "   ".join(facts.sample))
    _print(shown)


def draw_tree(hierarchy: Hierarchy) -> None:
    """Print the tree from its top; a label that only repeats the one above is drawn once."""
    from rich.tree import Tree

    root = Tree(hierarchy.top)
    branches: dict[tuple[str, ...], Tree] = {(hierarchy.top,): root}
    for row in hierarchy.rows:
        path = tuple(reversed(row))
        for depth in range(1, len(path)):
            above, here = branches[path[:depth]], path[: depth + 1]
            if here not in branches:
                branches[here] = above if here[-1] == here[-2] else above.add(here[-1])
    _print(root)


def _print(shown: object) -> None:
    from rich.console import Console

    Console(stderr=True, markup=False, highlight=False).print(shown)
