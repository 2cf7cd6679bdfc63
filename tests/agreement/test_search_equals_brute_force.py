"""Every exact search finds the cost that plain enumeration finds."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from shoal.algorithms import ALGORITHMS, Algorithm, costs_of_cuts
from shoal.algorithms.cuts.exhaustive import Exhaustive, suppressed_rows
from shoal.cost import METRICS
from shoal.model.policy.budget import Budget
from shoal.model.result.problem import Problem
from shoal.model.result.result import Status
from tests.agreement.thoroughness import examples

from .problems import problems, table_of

THOROUGH = settings(max_examples=examples(1500), deadline=None, suppress_health_check=list(HealthCheck))


def check_result_is_what_it_says(problem: Problem, result) -> None:
    assert result.recoding is not None
    assert problem.cost.of(problem.table, result.recoding, problem.k) == result.cost
    assert suppressed_rows(problem, result.recoding) == result.suppressed
    assert problem.limit is None or result.suppressed <= problem.limit


def unseeded(name: str) -> Algorithm:
    """The algorithm with a single climb, from the recoding that joins everything."""
    chosen = ALGORITHMS[name]
    return type("Unseeded", (chosen,), {"climbs": lambda self, problem, budget: 1})()


@pytest.mark.parametrize("name", ["exact", "k-optimize"])
@THOROUGH
@given(problem=problems())
def test_exact_search_cost_equals_exhaustive_optimum(name: str, problem: Problem) -> None:
    """Pruning never loses the optimum: any metric, any k, any limit."""
    optimum = Exhaustive().solve(problem, Budget())
    result = ALGORITHMS[name]().solve(problem, Budget())
    assert result.status is Status.OPTIMAL
    assert result.cost == optimum.cost
    assert result.bound == optimum.cost
    check_result_is_what_it_says(problem, result)


@THOROUGH
@given(problem=problems(max_rows=30))
def test_search_without_a_good_seed_is_still_right(problem: Problem) -> None:
    """The tree itself finds the optimum: the first incumbent is the most general recoding."""
    result = unseeded("exact").solve(problem, Budget())
    assert result.cost == Exhaustive().solve(problem, Budget()).cost


@settings(max_examples=examples(300), deadline=None)
@given(problem=problems(max_rows=30), nodes=st.integers(0, 4))
def test_answer_does_not_depend_on_threads(problem: Problem, nodes: int) -> None:
    """One thread and four give the same recoding, bound and node count, finished or not."""
    for budget in (Budget(), Budget(nodes=nodes)):
        one = ALGORITHMS["exact"]().solve(problem, budget, threads=1)
        four = ALGORITHMS["exact"]().solve(problem, budget, threads=4)
        assert (one.status, one.recoding, one.bound, one.nodes) == (
            four.status,
            four.recoding,
            four.bound,
            four.nodes,
        )


@pytest.mark.parametrize("name", ["exact", "k-optimize"])
@settings(max_examples=examples(400), deadline=None)
@given(problem=problems(), nodes=st.integers(0, 6))
def test_interrupted_search_has_a_true_bound(name: str, problem: Problem, nodes: int) -> None:
    """A search that ran out of nodes gives an admissible recoding and never claims too high a bound."""
    optimum = Exhaustive().solve(problem, Budget()).cost
    result = ALGORITHMS[name]().solve(problem, Budget(nodes=nodes))
    check_result_is_what_it_says(problem, result)
    assert result.bound <= optimum <= result.cost
    assert (result.status is Status.OPTIMAL) == (result.bound == result.cost)


@settings(max_examples=examples(400), deadline=None)
@given(problem=problems())
def test_hill_climb_reports_the_cost_of_its_recoding(problem: Problem) -> None:
    """Incremental prices add up to the definition; with three threads as with one."""
    result = ALGORITHMS["hill-climb"]().solve(problem, Budget(nodes=50))
    others = ALGORITHMS["hill-climb"]().solve(problem, Budget(nodes=50), threads=3)
    assert (others.cost, others.nodes, others.recoding) == (result.cost, result.nodes, result.recoding)
    assert result.status is Status.FEASIBLE
    check_result_is_what_it_says(problem, result)


@settings(max_examples=examples(250), deadline=None)
@given(
    seed=st.integers(0, 2**32 - 1),
    metric=st.sampled_from(sorted(costs_of_cuts())),
    limit=st.sampled_from([None, 0, 5, 40]),
)
def test_exact_equals_k_optimize_beyond_toys(seed: int, metric: str, limit: int | None) -> None:
    """On tables too large to enumerate the two exact searches agree, each without a good first incumbent."""
    random = np.random.default_rng(seed)
    sizes = [int(size) for size in random.integers(2, 8, random.integers(2, 5))]
    count = int(random.integers(20, 200))
    rows = [
        tuple(int(c) for c in np.clip(random.normal(np.divide(sizes, 2), 2), 0, np.subtract(sizes, 1)))
        for _ in range(count)
    ]
    labels = [int((sum(row) + random.integers(0, 4)) % 3) for row in rows]
    k = int(random.integers(2, 12))
    problem = Problem(
        table=table_of(sizes, rows, labels),
        k=k,
        cost=METRICS[metric](),
        limit=None if limit is None else min(limit, count),
    )
    one, other = (unseeded(name).solve(problem, Budget(nodes=5000)) for name in ("exact", "k-optimize"))
    check_result_is_what_it_says(problem, one)
    assert one.bound <= other.cost
    assert other.bound <= one.cost
    if one.status is other.status is Status.OPTIMAL:
        assert one.cost == other.cost
