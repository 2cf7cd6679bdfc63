"""The search over hierarchies finds the cost that plain enumeration finds."""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass, replace

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from shoal import _core
from tests.agreement.thoroughness import examples

from .hierarchies import (
    UNITS,
    Demand,
    HierarchyTable,
    Levels,
    arguments,
    chosen_parts,
    cost_of,
    every_choice,
    loss,
    optimum,
    solve,
)

METRICS = ("discernibility", "classification", "general-loss")


@st.composite
def hierarchies(draw: st.DrawFn, most_values: int = 5) -> Levels:
    """Any hierarchy of up to three levels above its values; levels may repeat parts of the level below."""
    size = draw(st.integers(1, most_values))
    levels = [list(range(size))]
    for _ in range(draw(st.integers(0, 2))):
        joined = draw(st.lists(st.booleans(), min_size=size, max_size=size))
        below = levels[-1]
        begins = [
            int(code > 0 and below[code] != below[code - 1] and not joined[code]) for code in range(size)
        ]
        levels.append(list(itertools.accumulate(begins)))
    return [*levels, [0] * size]


@st.composite
def tables(draw: st.DrawFn, most_rows: int = 12) -> HierarchyTable:
    levels = draw(st.lists(hierarchies(), min_size=1, max_size=3))
    row = st.tuples(*(st.integers(0, len(each[0]) - 1) for each in levels))
    rows = draw(st.lists(row, min_size=1, max_size=most_rows))
    # Copies make the large groups that a few distinct rows never would.
    rows += [rows[0]] * draw(st.sampled_from([0, 0, 3, 9]))
    labels = draw(st.lists(st.integers(0, 2), min_size=len(rows), max_size=len(rows)))
    return HierarchyTable(levels, rows, labels)


@st.composite
def demands(draw: st.DrawFn, rows: int) -> Demand:
    limit = draw(st.one_of(st.just(0), st.just(rows), st.integers(0, rows)))
    return Demand(metric=draw(st.sampled_from(METRICS)), k=draw(st.integers(1, 4)), limit=limit)


def check_answer_is_what_it_says(table: HierarchyTable, demand: Demand, answer) -> None:
    parts = chosen_parts(table, answer.cuts)
    assert all(own in every_choice(levels) for own, levels in zip(parts, table.levels, strict=True))
    assert cost_of(table, demand, parts) == (answer.cost, answer.suppressed)
    assert answer.suppressed <= demand.limit


@settings(max_examples=examples(1000), deadline=None, suppress_health_check=list(HealthCheck))
@given(data=st.data(), table=tables())
def test_subtree_cost_equals_exhaustive_optimum(data: st.DataObject, table: HierarchyTable) -> None:
    """Pruning never loses the optimum: any metric, k, limit and hierarchies; infeasible is told, too."""
    demand = data.draw(demands(len(table.rows)))
    answer = solve(table, demand)
    assert answer.proved
    expected = optimum(table, demand)
    assert answer.found == (expected is not None)
    if expected is not None:
        assert answer.cost == answer.bound == expected
        check_answer_is_what_it_says(table, demand, answer)


def random_rows(random: np.random.Generator, levels: list[Levels], rows: int) -> HierarchyTable:
    """Clustered rows with labels that depend on them."""
    sizes = np.array([len(own[0]) for own in levels])
    codes = np.clip(random.normal(sizes / 2, sizes / 4, (rows, len(sizes))), 0, sizes - 1).astype(int)
    labels = (codes.sum(axis=1) + random.integers(0, 4, rows)) % 3
    return HierarchyTable(levels, [tuple(row) for row in codes.tolist()], labels.tolist())


def random_levels(random: np.random.Generator) -> Levels:
    """A hierarchy of two levels between up to ten values and the root."""
    size = int(random.integers(2, 11))
    levels = [list(range(size))]
    for _ in range(2):
        below = levels[-1]
        begins = [int(c > 0 and below[c] != below[c - 1] and random.random() < 0.6) for c in range(size)]
        levels.append([int(part) for part in np.cumsum(begins)])
    return [*levels, [0] * size]


@dataclass(frozen=True)
class Choices:
    """Every choice of parts of one attribute: per choice and code the part's first code and its loss."""

    firsts: np.ndarray
    losses: np.ndarray

    @classmethod
    def of(cls, levels: Levels) -> Choices:
        size, choices = len(levels[0]), every_choice(levels)
        return cls(
            np.array([[first for first, last in parts for _ in range(first, last + 1)] for parts in choices]),
            np.array(
                [
                    [loss(part, size) for part in parts for _ in range(part[0], part[1] + 1)]
                    for parts in choices
                ]
            ),
        )


def enumerated(table: HierarchyTable, demand: Demand, choices: list[Choices]) -> int | None:
    """The optimum by pricing every recoding with NumPy."""
    codes, labels, rows = np.array(table.rows), np.array(table.labels), len(table.rows)
    found: list[int] = []
    for choice in itertools.product(*(range(len(own.firsts)) for own in choices)):
        key = loss_of_row = np.zeros(rows, np.int64)
        for own, chosen, code in zip(choices, choice, codes.T, strict=True):
            key = key * 16 + own.firsts[chosen][code]
            loss_of_row = loss_of_row + own.losses[chosen][code]
        _, group = np.unique(key, return_inverse=True)
        sizes = np.bincount(group)
        kept = sizes[group] >= demand.k
        if rows - kept.sum() > demand.limit:
            continue
        if demand.metric == "discernibility":
            found.append(int(np.where(kept, sizes[group], rows).sum()))
        elif demand.metric == "classification":
            most = np.max(
                [np.bincount(group[labels == label], minlength=len(sizes)) for label in range(3)], axis=0
            )
            found.append(int(np.where(sizes >= demand.k, sizes - most, sizes).sum()))
        else:
            found.append(int(np.where(kept, loss_of_row, UNITS * len(choices)).sum()))
    return min(found, default=None)


BEYOND_TOYS = given(
    seed=st.integers(0, 2**32 - 1),
    rows=st.integers(30, 300),
    k=st.integers(2, 12),
    limit=st.sampled_from([0, 5, 40, 300]),
)


@pytest.mark.parametrize("metric", METRICS)
@settings(max_examples=examples(20), deadline=None)
@BEYOND_TOYS
def test_subtree_equals_enumeration_beyond_toys(
    metric: str, seed: int, rows: int, k: int, limit: int
) -> None:
    """On hundreds of rows and thousands of recodings, where bounds have something to be wrong about."""
    random, levels, choices = np.random.default_rng(seed), [], []
    while math.prod(len(own.firsts) for own in choices) < 3000:
        levels.append(random_levels(random))
        choices.append(Choices.of(levels[-1]))
    table, demand = random_rows(random, levels[:-1], rows), Demand(metric, k, min(limit, rows))
    answer = solve(table, demand)
    assert answer.proved
    assert answer.cost == enumerated(table, demand, choices[:-1])
    check_answer_is_what_it_says(table, demand, answer)


def binary_hierarchies(first: int, last: int) -> list[list[tuple[int, int]]]:
    """Every way to halve an interval again and again: the parts of each."""
    if first == last:
        return [[(first, last)]]
    return [
        [(first, last), *left, *right]
        for cut in range(first + 1, last + 1)
        for left in binary_hierarchies(first, cut - 1)
        for right in binary_hierarchies(cut, last)
    ]


def levels_of(parts: list[tuple[int, int]]) -> Levels:
    """The levels of a binary hierarchy: one part is opened at a time."""
    size = max(last for _, last in parts) + 1
    begins, levels = {0}, [[0] * size]
    for first, last in sorted(parts, key=lambda part: part[0] - part[1]):
        inner = [begin for begin, end in parts if first < begin and end == last]
        if inner:
            begins.add(min(inner))
            levels.append([sum(begin <= code for begin in begins) - 1 for code in range(size)])
    return levels[::-1]


@pytest.mark.parametrize("metric", METRICS)
@settings(max_examples=examples(40), deadline=None)
@BEYOND_TOYS
def test_best_of_all_binary_hierarchies_is_the_optimum_over_cuts(
    metric: str, seed: int, rows: int, k: int, limit: int
) -> None:
    """Every set of cuts is a choice of parts of some binary hierarchy, so the exact searches must meet."""
    random = np.random.default_rng(seed)
    trees = [
        [levels_of(parts) for parts in binary_hierarchies(0, size - 1)] for size in random.integers(2, 5, 3)
    ]
    table, demand = (
        random_rows(random, [each[0] for each in trees], rows),
        Demand(metric, k, min(limit, rows)),
    )
    costs = [solve(replace(table, levels=list(levels)), demand).cost for levels in itertools.product(*trees)]
    assert min(costs) == _core.exact(**arguments(table, demand)).cost


@settings(max_examples=examples(200), deadline=None)
@given(data=st.data(), table=tables(), nodes=st.integers(0, 4))
def test_interrupted_subtree_search_has_a_true_bound(
    data: st.DataObject, table: HierarchyTable, nodes: int
) -> None:
    """Out of nodes it never claims too high a bound, and says the same with one thread and with four."""
    demand = data.draw(demands(len(table.rows)))
    one, four = (solve(table, demand, nodes=nodes, threads=threads) for threads in (1, 4))
    assert (one.cuts, one.bound, one.nodes) == (four.cuts, four.bound, four.nodes)
    expected = optimum(table, demand)
    if expected is not None:
        assert one.bound <= expected <= one.cost
        assert one.proved == (one.bound == one.cost)


@pytest.mark.parametrize(
    ("levels", "hint"),
    [
        ([[0, 1, 2], [0, 0, 1]], "more than one part"),
        ([[0, 1, 2], [0, 1, 0], [0, 0, 0]], "order of the codes"),
        ([[0, 1, 2], [0, 0, 1], [0, 1, 1], [0, 0, 0]], "splits a part"),
        ([[0, 0, 0]], "joins values"),
        ([[0, 1], [0, 0]], "differ in size"),
    ],
)
def test_core_refuses_what_is_no_hierarchy(levels: Levels, hint: str) -> None:
    """Levels that are not nested intervals, up to a single one, raise before any search."""
    table = HierarchyTable([[[0, 1, 2], [0, 0, 0]]], [(0,), (2,)], [0, 0])
    demand = Demand("discernibility", k=1, limit=0)
    with pytest.raises(ValueError, match=hint):
        _core.subtree(**arguments(table, demand), levels=[levels])
