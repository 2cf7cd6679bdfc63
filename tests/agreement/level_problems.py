"""Small tables with hierarchies: built by hand for the papers' examples, drawn at random for agreement."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from fractions import Fraction

import numpy as np
from hypothesis import strategies as st

from shoal.cost import METRICS, CellMetric, CostMetric
from shoal.model.hierarchy.coded_tree import Tree, tree_of
from shoal.model.recoding.level_recoding import LevelRecoding
from shoal.model.result.problem import Problem
from shoal.model.result.result import Cost
from shoal.model.table.domain import Domain
from shoal.model.table.frequency_table import FrequencyTable
from tests.agreement.plain_groups import groups_of

Levels = tuple[int, ...]
Rows = Sequence[Sequence[str | None]]
Hierarchy = Sequence[Sequence[str]]

LABELS = ("x", "y", "z")
ON_LEVELS = tuple(name for name, metric in METRICS.items() if not metric.of_centroids)


def domain_of(name: str, hierarchy: Hierarchy, seen: set[str | None], *, built: bool) -> Domain:
    """The domain of the leaves that rows have; a built hierarchy has no others, and they are numbers."""
    present = [row for row in hierarchy if row[0] in seen]
    places = range(len(present)) if built else [list(hierarchy).index(row) for row in present]
    texts = [row[0] for row in present]
    missing = None in seen
    values = [int(text) for text in texts] if built else texts
    if built and not present:
        tree = Tree(parts=((0,), (0,)), labels=((None,), ("*",)), leaves=((1,), (1,)))
    else:
        tree = tree_of(present if built else hierarchy, places, texts, missing=missing, given=not built)
    kind = "number" if built else "category"
    return Domain(name=name, kind=kind, values=(*values, None) if missing else tuple(values), tree=tree)


def levelled_table(
    hierarchies: dict[str, Hierarchy],
    rows: Rows,
    labels: Sequence[int] | None = None,
    built: Sequence[bool] = (),
) -> FrequencyTable:
    """The frequency table of rows of leaves; a missing value is `None`."""
    built = built or [False] * len(hierarchies)
    domains = tuple(
        domain_of(name, hierarchy, {row[column] for row in rows}, built=built[column])
        for column, (name, hierarchy) in enumerate(hierarchies.items())
    )
    texts = [[None if value is None else str(value) for value in domain.values] for domain in domains]
    coded = [tuple(texts[a].index(value) for a, value in enumerate(row)) for row in rows]
    distinct = sorted(set(coded))
    counts = np.zeros((len(distinct), len(LABELS)), np.int64)
    for row, label in zip(coded, labels or [0] * len(rows), strict=True):
        counts[distinct.index(row), label] += 1
    return FrequencyTable(
        domains=domains,
        codes=np.array(distinct, np.int32).reshape(len(distinct), len(domains)),
        counts=counts.sum(axis=1),
        labels=LABELS,
        label_counts=counts,
    )


@st.composite
def hierarchies(draw: st.DrawFn, *, contiguous: bool) -> tuple[tuple[str, ...], ...]:
    """One to six leaves under one to four levels; labels may repeat upward where a level joins nothing.

    One leaf may also stand alone, without any level above it.
    """
    leaves = draw(st.integers(1, 6))
    if leaves == 1 and draw(st.booleans()):
        return (("0",),)
    labels = [str(leaf * leaf) for leaf in range(leaves)]
    rows = [[label] for label in labels]
    part = list(range(leaves))
    for level in range(1, draw(st.integers(1, 4))):
        parts = max(part) + 1
        joined = draw(st.lists(st.integers(0, parts - 1), min_size=parts, max_size=parts))
        numbers = sorted(joined) if contiguous else joined
        order = {number: place for place, number in enumerate(dict.fromkeys(numbers))}
        repeats = draw(st.booleans())
        alone = {number for number in numbers if numbers.count(number) == 1}
        for leaf in range(leaves):
            number = numbers[part[leaf]]
            kept = repeats and number in alone
            rows[leaf].append(rows[leaf][-1] if kept else f"level {level} part {order[number]}")
            part[leaf] = order[number]
    return tuple((*row, "*") for row in rows)


@st.composite
def costs(draw: st.DrawFn, attributes: int, names: Sequence[str] = ON_LEVELS) -> CostMetric:
    """Any metric, weighted if it can be."""
    metric = METRICS[draw(st.sampled_from(sorted(names)))]
    if issubclass(metric, CellMetric) and draw(st.booleans()):
        weights = st.sampled_from([Fraction(1), Fraction(1, 2), Fraction(3)])
        return metric(weights=tuple(draw(st.tuples(*[weights] * attributes))))
    return metric()


@st.composite
def level_problems(
    draw: st.DrawFn, max_rows: int = 12, metrics: Sequence[str] = ON_LEVELS, max_nodes: int = 60
) -> Problem:
    """Any small table with hierarchies, k, suppression limit, level ranges and metric."""
    built: list[bool] = []
    chosen: dict[str, tuple[tuple[str, ...], ...]] = {}
    nodes = 1
    for attribute in range(draw(st.integers(1, 4))):
        number = draw(st.booleans())
        hierarchy = draw(hierarchies(contiguous=number))
        nodes *= len(hierarchy[0])
        if nodes > max_nodes and chosen:
            break
        built.append(number)
        chosen[f"a{attribute}"] = hierarchy
    cells = [
        st.sampled_from(
            [
                *(row[0] for row in hierarchy),
                *([None] if len(hierarchy[0]) > 1 and draw(st.booleans()) else []),
            ]
        )
        for hierarchy in chosen.values()
    ]
    rows = draw(st.lists(st.tuples(*cells), min_size=1, max_size=max_rows))
    rows += [rows[0]] * draw(st.sampled_from([0, 0, 3]))
    labels = draw(st.lists(st.integers(0, 2), min_size=len(rows), max_size=len(rows)))
    table = levelled_table(chosen, rows, labels, built)
    return Problem(
        table=table,
        k=draw(st.integers(1, min(len(rows), 4))),
        cost=draw(costs(len(chosen), metrics)),
        limit=draw(st.one_of(st.none(), st.just(0), st.integers(0, len(rows)))),
        levels=draw(level_ranges(table)),
    )


@st.composite
def level_ranges(draw: st.DrawFn, table: FrequencyTable) -> tuple[tuple[int, int], ...]:
    """Mostly none; else a range of levels per attribute."""
    if draw(st.integers(0, 2)):
        return ()
    pairs = [st.tuples(*[st.integers(0, domain.hierarchy.height)] * 2) for domain in table.domains]
    return tuple((min(pair), max(pair)) for pair in draw(st.tuples(*pairs)))


def every_node(problem: Problem) -> list[Levels]:
    """All nodes of a problem's lattice."""
    ranges = problem.levels or [(0, domain.hierarchy.height) for domain in problem.table.domains]
    return list(itertools.product(*(range(least, greatest + 1) for least, greatest in ranges)))


def suppressed_at(problem: Problem, levels: Levels) -> int:
    """Rows of a node in groups smaller than k, by the definition."""
    made = groups_of(problem.table, LevelRecoding(levels)).values()
    sizes = [int(problem.table.counts[rows].sum()) for rows in made]
    return sum(size for size in sizes if size < problem.k)


def cost_at(problem: Problem, levels: Levels) -> Cost:
    """What a node costs, by the definition."""
    return problem.cost.of(problem.table, LevelRecoding(levels), problem.k)


def admissible_nodes(problem: Problem) -> set[Levels]:
    """All nodes that suppress no more rows than allowed."""
    return {
        levels for levels in every_node(problem) if suppressed_at(problem, levels) <= problem.most_suppressed
    }


def minimal_nodes(problem: Problem) -> set[Levels]:
    """Of the admissible nodes those that are above no other one."""
    nodes = admissible_nodes(problem)

    def above(levels: Levels, lower: Levels) -> bool:
        return levels != lower and all(a >= b for a, b in zip(levels, lower, strict=True))

    return {levels for levels in nodes if not any(above(levels, lower) for lower in nodes)}
