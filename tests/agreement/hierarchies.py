"""Tables with hierarchies as the core takes them, and their recodings by plain enumeration."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal import _core

Levels = list[list[int]]
"""Per level and code the number of the code's part."""
Part = tuple[int, int]
"""First and last code."""

UNITS = 720


@dataclass(frozen=True)
class HierarchyTable:
    """Coded rows with a class label each, and one hierarchy per attribute."""

    levels: list[Levels]
    rows: list[tuple[int, ...]]
    labels: list[int]

    @property
    def sizes(self) -> list[int]:
        return [len(levels[0]) for levels in self.levels]


@dataclass(frozen=True)
class Demand:
    """What is asked of a table."""

    metric: str
    k: int
    limit: int


def arguments(table: HierarchyTable, demand: Demand) -> dict[str, Any]:
    """What every search of the core takes; one climb, so that the tree has to find the optimum."""
    distinct = sorted(set(table.rows))
    counted = Counter(zip(table.rows, table.labels, strict=True))
    counts = np.array([[counted[row, label] for label in range(3)] for row in distinct], np.int64)
    return {
        "metric": demand.metric,
        "k": demand.k,
        "limit": demand.limit,
        "sizes": table.sizes,
        "codes": np.array(distinct, np.int32),
        "counts": counts if demand.metric == "classification" else counts.sum(axis=1, keepdims=True),
        "losses": [
            np.array([[loss((f, t), size) for t in range(size)] for f in range(size)], np.int64)
            for size in table.sizes
        ],
        "row_units": UNITS * len(table.sizes),
        "privacy": None,
        "seconds": None,
        "nodes": None,
        "gap": None,
        "threads": 1,
        "seed": 7,
        "climbs": 1,
        "callback": None,
    }


def solve(table: HierarchyTable, demand: Demand, **options: int) -> _core.Answer:
    """The core's answer. Only parts have a loss here: other intervals must not matter."""
    losses = [part_losses(levels) for levels in table.levels]
    return _core.subtree(**{**arguments(table, demand), "losses": losses, "levels": table.levels, **options})


def loss(part: Part, size: int) -> int:
    """Units that a cell loses."""
    return UNITS * max(part[1] - part[0], 0) // max(size - 1, 1)


def part_losses(levels: Levels) -> NDArray[np.int64]:
    """Losses in the core's form; intervals that are no part get one that would spoil every cost."""
    size = len(levels[0])
    losses = np.full((size, size), 10**6, np.int64)
    for level in levels:
        for part in parts_of(level):
            losses[part] = loss(part, size)
    return losses


def parts_of(level: list[int]) -> list[Part]:
    """The parts of one level."""
    codes = [[code for code, part in enumerate(level) if part == number] for number in range(level[-1] + 1)]
    return [(each[0], each[-1]) for each in codes]


def every_choice(levels: Levels) -> list[tuple[Part, ...]]:
    """Every set of parts that holds each code once."""

    def below(part: Part, level: int) -> Iterator[tuple[Part, ...]]:
        yield (part,)
        if level == 0:
            return
        inner = [p for p in parts_of(levels[level - 1]) if part[0] <= p[0] and p[1] <= part[1]]
        for chosen in itertools.product(*(below(p, level - 1) for p in inner)):
            yield tuple(itertools.chain(*chosen))

    return sorted(set(below((0, len(levels[0]) - 1), len(levels) - 1)))


def cost_of(table: HierarchyTable, demand: Demand, choice: tuple[tuple[Part, ...], ...]) -> tuple[int, int]:
    """Cost and suppressed rows of one recoding, from the definitions."""
    groups: dict[tuple[Part, ...], Counter[int]] = {}
    for row, label in zip(table.rows, table.labels, strict=True):
        released = tuple(
            next(part for part in parts if part[0] <= code <= part[1])
            for parts, code in zip(choice, row, strict=True)
        )
        groups.setdefault(released, Counter())[label] += 1
    cost = suppressed = 0
    for released, counted in groups.items():
        size = counted.total()
        if size < demand.k:
            suppressed += size
        cell_loss = sum(loss(part, values) for part, values in zip(released, table.sizes, strict=True))
        cost += {
            "discernibility": size * size if size >= demand.k else size * len(table.rows),
            "classification": size - max(counted.values()) if size >= demand.k else size,
            "general-loss": size * cell_loss if size >= demand.k else size * UNITS * len(table.sizes),
        }[demand.metric]
    return cost, suppressed


def optimum(table: HierarchyTable, demand: Demand) -> int | None:
    """The least cost of all recodings within the limit; none if there is no such recoding."""
    priced = (
        cost_of(table, demand, choice) for choice in itertools.product(*map(every_choice, table.levels))
    )
    return min((cost for cost, suppressed in priced if suppressed <= demand.limit), default=None)


def chosen_parts(table: HierarchyTable, cuts: list[list[int]]) -> tuple[tuple[Part, ...], ...]:
    """The intervals between cuts."""
    ends = [[0, *own, size] for own, size in zip(cuts, table.sizes, strict=True)]
    return tuple(tuple((first, last - 1) for first, last in itertools.pairwise(each)) for each in ends)
