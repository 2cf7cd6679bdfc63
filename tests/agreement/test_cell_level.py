"""MinGen on cells against all partitions of the rows, and on Sweeney's table of Figure 7."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pandas
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.algorithms.cells.mingen_cells import MOST_DISTINCT_ROWS, cell_level, unsupported
from shoal.cost import METRICS
from shoal.cost.precision import Precision
from shoal.engines.duckdb.engine import frequency_table
from shoal.model.hierarchy.coded_tree import tree_of
from shoal.model.policy.budget import Budget
from shoal.model.recoding.groups import groups
from shoal.model.result.problem import Problem
from shoal.model.result.result import Status
from shoal.model.table.domain import Domain
from shoal.model.table.frequency_table import FrequencyTable
from tests.agreement.thoroughness import examples
from tests.papers.sweeney_tables import COLUMNS, GT, HIERARCHIES, PRIVATE, attributes, columns_of

Labels = tuple[str, ...]


def domain_of(name: str, areas: list[int], *, tall: bool) -> Domain:
    """Values in areas; an area of one value repeats it, so that climbing there is no step."""
    rows: list[Labels] = []
    for value, area in enumerate(areas):
        label = f"v{value}" if areas.count(area) == 1 else f"area {area}"
        rows.append((f"v{value}", label, "*") if tall else (f"v{value}", "*"))
    tree = tree_of(rows, range(len(rows)), [row[0] for row in rows], missing=False)
    return Domain(name=name, kind="category", values=tuple(row[0] for row in rows), tree=tree)


@st.composite
def problems(draw: st.DrawFn) -> Problem:
    """Up to six distinct rows of up to three columns, any k and limit, equal rows or not, weights or not."""
    sizes = draw(st.lists(st.integers(1, 5), min_size=1, max_size=3))
    domains = [
        domain_of(
            f"a{number}",
            draw(st.lists(st.integers(0, 2), min_size=size, max_size=size)),
            tall=draw(st.booleans()),
        )
        for number, size in enumerate(sizes)
    ]
    row = st.tuples(*(st.integers(0, size - 1) for size in sizes))
    rows = sorted(draw(st.lists(row, min_size=1, max_size=6, unique=True)))
    count = st.just(1) if draw(st.booleans()) else st.integers(1, 3)
    counts = np.array([draw(count) for _ in rows], np.int64)
    weights = (Fraction(3), Fraction(1), Fraction(2))[: len(sizes)] if draw(st.booleans()) else ()
    return Problem(
        table=FrequencyTable(domains=tuple(domains), codes=np.array(rows, np.int32), counts=counts),
        k=draw(st.integers(1, min(4, int(counts.sum())))),
        cost=Precision(weights=weights),
        limit=draw(st.one_of(st.none(), st.integers(0, 3).map(lambda limit: min(limit, int(counts.sum()))))),
    )


def partitions(rows: list[int]) -> Iterator[list[list[int]]]:
    """All partitions of some rows."""
    if not rows:
        yield []
        return
    for smaller in partitions(rows[1:]):
        for position, block in enumerate(smaller):
            yield [*smaller[:position], [rows[0], *block], *smaller[position + 1 :]]
        yield [[rows[0]], *smaller]


def loss(domain: Domain, codes: set[int]) -> Fraction:
    """Steps from a value to the first label that all of some values have, over the height."""
    tree = domain.hierarchy
    chains = [
        [tree.labels[level][tree.parts[level][code]] for level in range(tree.height + 1)] for code in codes
    ]
    for level, labels in enumerate(zip(*chains, strict=True)):
        if len(set(labels)) == 1:
            return Fraction(chains[0].index(labels[0]) if len(codes) == 1 else level, tree.height)
    raise AssertionError("the top is one label")


def brute_force(problem: Problem) -> Fraction:
    """The least loss of precision over all partitions in which any one block may be suppressed."""
    assert isinstance(problem.cost, Precision)
    table, counts = problem.table, problem.table.counts
    weights = problem.cost.weights or (Fraction(1),) * len(table.domains)
    best = Fraction(1) * table.rows * sum(weights)
    for blocks in partitions(list(range(len(counts)))):
        for suppressed in (None, *range(len(blocks))):
            total = Fraction(0)
            for number, block in enumerate(blocks):
                size = int(counts[block].sum())
                if number == suppressed:
                    total += size * sum(weights) if size <= problem.most_suppressed else 10**6
                elif size < problem.k:
                    total += 10**6
                else:
                    total += size * sum(
                        weight * loss(domain, set(table.codes[block, attribute].tolist()))
                        for attribute, (domain, weight) in enumerate(zip(table.domains, weights, strict=True))
                    )
            best = min(best, total)
    return best / (table.rows * sum(weights))


@settings(max_examples=examples(250), deadline=None)
@given(problem=problems())
def test_the_optimum_on_cells_equals_that_over_all_partitions(problem: Problem) -> None:
    """Neither groups that never split nor the order of the search lose the optimum."""
    result = cell_level(problem, Budget())
    assert result.status is Status.OPTIMAL
    assert result.cost == result.bound == brute_force(problem)
    assert result.recoding is not None
    made = groups(problem.table, result.recoding, problem.k)
    assert made.suppressed == result.suppressed <= problem.most_suppressed


@settings(max_examples=examples(60), deadline=None)
@given(problem=problems(), name=st.sampled_from(["precision", "general-loss", "ncp", "entropy"]))
def test_a_search_without_time_gives_a_recoding_and_a_bound(problem: Problem, name: str) -> None:
    """The bound is not above the optimum, whatever the metric."""
    problem = replace(problem, cost=METRICS[name]())
    best, stopped = cell_level(problem, Budget()), cell_level(problem, Budget(seconds=1e-9))
    assert stopped.status is Status.FEASIBLE
    assert stopped.bound is not None
    assert best.cost is not None
    assert stopped.cost is not None
    assert stopped.bound <= best.cost <= stopped.cost


def test_equal_rows_in_two_groups_would_be_better() -> None:
    """Rows a, a, a, b and k = 2: {a, a} and {a, b} lose half of what the four lose; we do not split."""
    table = FrequencyTable(
        domains=(domain_of("a", [0, 0], tall=False),),
        codes=np.array([[0], [1]], np.int32),
        counts=np.array([3, 1], np.int64),
    )
    assert cell_level(Problem(table=table, k=2, cost=Precision(), limit=0), Budget()).cost == 1


def sweeney(height: int) -> Problem:
    """Figure 7's private table; the hierarchy of birth dates with so many levels of suppression above."""
    births = HIERARCHIES["birth"].rows
    taller = tuple((*row[:-1], *(f"above {step}" for step in range(height)), "*") for row in births)
    named = [
        replace(each, hierarchy=replace(HIERARCHIES["birth"], rows=taller)) if each.name == "birth" else each
        for each in attributes()
    ]
    table = frequency_table(pandas.DataFrame(columns_of(PRIVATE)), named)
    return Problem(table=table, k=2, cost=Precision(), limit=0)


def levels_of(problem: Problem, rows: list[tuple[str, ...]]) -> list[list[int]]:
    """Per released cell the level of its label above the private cell; fails if it is not above it."""
    found = []
    for private, released in zip(PRIVATE, rows, strict=True):
        levels = []
        for domain, before, after in zip(problem.table.domains, private, released, strict=True):
            tree, code = domain.hierarchy, domain.values.index(before)
            chain = [tree.labels[level][tree.parts[level][code]] for level in range(tree.height + 1)]
            levels.append(chain.index(after))
        found.append(levels)
    return found


@pytest.mark.parametrize("height", [0, 1, 4])
def test_gt_of_figure_7_is_a_release_and_not_the_best(height: int) -> None:
    """GT generalizes PT and is 2-anonymous; the optimum is more precise for each of these hierarchies."""
    problem = sweeney(height)
    heights = [domain.hierarchy.height for domain in problem.table.domains]
    assert min(Counter(GT).values()) == 2
    lost = [
        Fraction(level, top)
        for levels in levels_of(problem, GT)
        for level, top in zip(levels, heights, strict=True)
    ]
    result = cell_level(problem, Budget())
    assert result.status is Status.OPTIMAL
    assert result.cost is not None
    assert result.cost < sum(lost) / (len(PRIVATE) * len(COLUMNS))


def test_what_cells_cannot_solve_is_refused_with_the_reason() -> None:
    """Too many rows, and costs that are no mean over cells."""
    problem = sweeney(0)
    assert unsupported(problem) is None
    assert "not 'discernibility'" in str(unsupported(replace(problem, cost=METRICS["discernibility"]())))
    codes = np.arange(MOST_DISTINCT_ROWS + 1, dtype=np.int32)[:, None]
    table = FrequencyTable(
        domains=(domain_of("a", [0] * len(codes), tall=False),),
        codes=codes,
        counts=np.ones(len(codes), np.int64),
    )
    assert "at most 16 distinct rows, and the source has 17" in str(
        unsupported(Problem(table=table, k=2, cost=Precision()))
    )
