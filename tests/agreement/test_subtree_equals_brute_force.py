"""The search over hierarchies finds the cost that plain enumeration finds."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from .hierarchies import (
    Demand,
    HierarchyTable,
    Levels,
    chosen_parts,
    cost_of,
    every_choice,
    optimum,
    part_losses,
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


@settings(max_examples=1500, deadline=None, suppress_health_check=list(HealthCheck))
@given(data=st.data(), table=tables())
def test_subtree_cost_equals_exhaustive_optimum(data: st.DataObject, table: HierarchyTable) -> None:
    """Pruning never loses the optimum: any metric, any k, any limit, any hierarchies; infeasible is told, too."""
    demand = data.draw(demands(len(table.rows)))
    answer = solve(table, demand)
    assert answer.proved
    expected = optimum(table, demand)
    assert answer.found == (expected is not None)
    if expected is not None:
        assert answer.cost == answer.bound == expected
        check_answer_is_what_it_says(table, demand, answer)


def random_table(seed: int, rows: int) -> HierarchyTable:
    """Clustered rows under hierarchies of a few hundred to a few thousand recodings in all."""
    random = np.random.default_rng(seed)
    levels: list[Levels] = []
    for _ in range(int(random.integers(2, 5))):
        size = int(random.integers(2, 7))
        own = [list(range(size))]
        for _ in range(int(random.integers(1, 3))):
            begins = [int(c > 0 and own[-1][c] != own[-1][c - 1] and random.random() < 0.5) for c in range(size)]
            own.append([int(part) for part in np.cumsum(begins)])
        levels.append([*own, [0] * size])
    sizes = np.array([len(own[0]) for own in levels])
    codes = np.clip(random.normal(sizes / 2, 1.5, (rows, len(sizes))), 0, sizes - 1).astype(int)
    labels = (codes.sum(axis=1) + random.integers(0, 4, rows)) % 3
    return HierarchyTable(levels, [tuple(row) for row in codes.tolist()], labels.tolist())


def enumerated(table: HierarchyTable, demand: Demand) -> int | None:
    """The optimum by pricing every recoding with NumPy."""
    codes, labels, losses = np.array(table.rows), np.array(table.labels), []
    maps: list[list[np.ndarray]] = []  # per attribute and choice, the first code of each code's part
    for levels in table.levels:
        size, of_part = len(levels[0]), part_losses(levels)
        own = [np.concatenate([[first] * (last - first + 1) for first, last in parts]) for parts in every_choice(levels)]
        maps.append(own)
        losses.append(
            [
                np.concatenate([[of_part[first * size + last]] * (last - first + 1) for first, last in parts])
                for parts in every_choice(levels)
            ]
        )
    best: int | None = None
    rows, units = len(codes), 720 * len(table.levels)
    for choice in itertools.product(*(range(len(own)) for own in maps)):
        key = np.zeros(rows, np.int64)
        loss = np.zeros(rows, np.int64)
        for a, c in enumerate(choice):
            key = key * 8 + maps[a][c][codes[:, a]]
            loss += losses[a][c][codes[:, a]]
        _, group = np.unique(key, return_inverse=True)
        sizes = np.bincount(group)
        kept = sizes[group] >= demand.k
        if rows - kept.sum() > demand.limit:
            continue
        if demand.metric == "discernibility":
            cost = int(np.where(kept, sizes[group], rows).sum())
        elif demand.metric == "classification":
            most = np.max([np.bincount(group[labels == label], minlength=len(sizes)) for label in range(3)], axis=0)
            cost = int(np.where(sizes >= demand.k, sizes - most, sizes).sum())
        else:
            cost = int(np.where(kept, loss, units).sum())
        best = cost if best is None else min(best, cost)
    return best


@pytest.mark.parametrize("metric", METRICS)
@settings(max_examples=40, deadline=None)
@given(
    seed=st.integers(0, 2**32 - 1),
    rows=st.integers(20, 200),
    k=st.integers(2, 12),
    limit=st.sampled_from([0, 5, 40, 200]),
)
def test_subtree_equals_enumeration_beyond_toys(metric: str, seed: int, rows: int, k: int, limit: int) -> None:
    """On tables of a hundred rows, where bounds have something to go wrong about, it is still the optimum."""
    table, demand = random_table(seed, rows), Demand(metric, k, min(limit, rows))
    if np.prod([len(every_choice(levels)) for levels in table.levels]) > 3000:
        return
    answer = solve(table, demand)
    assert answer.proved
    assert answer.cost == enumerated(table, demand)
    check_answer_is_what_it_says(table, demand, answer)


@settings(max_examples=300, deadline=None)
@given(data=st.data(), table=tables(), nodes=st.integers(0, 4))
def test_interrupted_subtree_search_has_a_true_bound(
    data: st.DataObject, table: HierarchyTable, nodes: int
) -> None:
    """Out of nodes it gives an admissible recoding, never too high a bound, and the same with more threads."""
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
    wrong = HierarchyTable([levels], table.rows, table.labels)
    with pytest.raises(ValueError, match=hint):
        solve(wrong if len(levels[0]) == 3 else _Shorter([levels], table.rows, table.labels), Demand("discernibility", 1, 0))


class _Shorter(HierarchyTable):
    """Domains of three values, whatever the hierarchies say."""

    @property
    def sizes(self) -> list[int]:
        return [3]
