"""The search at the desk is the search of `lattice`: same nodes, same ties, same proof."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.algorithms.levels.elsewhere import MeasuredElsewhere, NodeGroups, search_elsewhere
from shoal.algorithms.levels.lattice import LatticeSearch
from shoal.cost import METRICS
from shoal.joint.policy import COSTS
from shoal.model.hierarchy.coded_tree import tree_of
from shoal.model.policy.budget import Budget
from shoal.model.result.problem import Problem
from shoal.model.table.domain import Domain
from shoal.model.table.frequency_table import FrequencyTable
from tests.agreement.thoroughness import examples

LEAVES = (
    [(str(each), str(each // 2), str(each // 4), "*") for each in range(12)],
    [(str(each), "low" if each < 3 else "high", "*") for each in range(7)],
    [(str(each), str(each // 3), "any") for each in range(8)],
)


def domains(present: list[list[int]]) -> tuple[Domain, ...]:
    """Columns of which only some leaves occur, as a counted table has them."""
    made = []
    for number, (rows, places) in enumerate(zip(LEAVES, present, strict=True)):
        texts = [rows[place][0] for place in places]
        tree = tree_of(rows, places, texts, missing=False)
        made.append(Domain(name=f"c{number}", kind="category", values=tuple(texts), tree=tree))
    return tuple(made)


@settings(max_examples=examples(200), deadline=None)
@given(
    rows=st.lists(
        st.tuples(st.integers(0, 11), st.integers(0, 6), st.integers(0, 7)), min_size=4, max_size=60
    ),
    k=st.integers(1, 4),
    limit=st.integers(0, 30),
    cost=st.sampled_from(COSTS),
    budget=st.sampled_from([None, 3, 9]),
)
def test_the_desk_searches_as_lattice_does(
    rows: list[tuple[int, int, int]], k: int, limit: int, cost: str, budget: int | None
) -> None:
    """With all leaves of the hierarchies at the desk, and only those that occur in the central run."""
    values = np.array(rows, np.int32)
    distinct, counts = np.unique(values, axis=0, return_counts=True)
    present = [np.unique(distinct[:, column]).tolist() for column in range(3)]
    codes = np.column_stack([np.searchsorted(each, distinct[:, a]) for a, each in enumerate(present)])
    central = FrequencyTable(
        domains=domains(present), codes=codes.astype(np.int32), counts=counts.astype(np.int64)
    )
    problem = Problem(table=central, k=k, cost=METRICS[cost](), limit=min(limit, len(rows)))
    theirs = LatticeSearch().solve(problem, Budget(nodes=budget))

    whole = domains([list(range(len(each))) for each in LEAVES])
    union = FrequencyTable(domains=whole, codes=distinct, counts=counts.astype(np.int64))
    price = METRICS[cost]().level_price(union)
    assert price is not None
    groups = NodeGroups(union)
    asked: list[tuple[int, ...]] = []

    def measure(nodes: list[list[int]]) -> list[MeasuredElsewhere]:
        found = []
        for levels in nodes:
            asked.append(tuple(levels))
            parts, sizes = groups.of(levels)
            small = sizes < k
            below = sum(
                (np.array(units[level])[parts[small, a]] * sizes[small]).sum()
                for a, (units, level) in enumerate(zip(price.units, levels, strict=False))
            )
            due = price.suppressed_row * int(sizes[small].sum()) - int(below)
            fixed = sum(of[level] for of, level in zip(price.fixed, levels, strict=True))
            found.append((int((~small).sum()), int(sizes[small].sum()), fixed + due, due))
        return found

    ranges = [(0, domain.hierarchy.height) for domain in whole]
    ours = search_elsewhere(whole, price, ranges, problem.most_suppressed, Budget(nodes=budget), measure)
    assert (ours.status, ours.recoding) == (theirs.status, theirs.recoding)
    assert (ours.cost, ours.bound, ours.nodes) == (theirs.cost, theirs.bound, theirs.nodes)
    assert ours.suppressed == theirs.suppressed
    assert len(asked) == len(set(asked)) == ours.nodes


def test_what_a_measure_raises_ends_the_search() -> None:
    """The error arrives as it was raised, whatever thread it was in."""
    whole = domains([list(range(len(each))) for each in LEAVES])
    table = FrequencyTable(domains=whole, codes=np.zeros((1, 3), np.int32), counts=np.array([9], np.int64))
    price = METRICS["height"]().level_price(table)
    assert price is not None

    def broken(nodes: list[list[int]]) -> list[MeasuredElsewhere]:
        raise ConnectionError("gone")

    with pytest.raises(ConnectionError, match="gone"):
        search_elsewhere(whole, price, [(0, 1)] * 3, 0, Budget(), broken)
    with pytest.raises(ValueError, match="not every node"):
        search_elsewhere(whole, price, [(0, 1)] * 3, 0, Budget(), lambda nodes: [])
    squares = replace(price, kind="squares")
    with pytest.raises(ValueError, match="only cells"):
        search_elsewhere(whole, squares, [(0, 1)] * 3, 0, Budget(), broken)
