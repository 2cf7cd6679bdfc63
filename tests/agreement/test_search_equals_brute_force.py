"""Every exact search finds the cost that plain enumeration finds."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from shoal.algorithms import ALGORITHMS
from shoal.algorithms.exhaustive import Exhaustive, suppressed_rows
from shoal.model.budget import Budget
from shoal.model.problem import Problem
from shoal.model.result import Status

from .problems import problems

THOROUGH = settings(max_examples=1500, deadline=None, suppress_health_check=list(HealthCheck))


def check_result_is_what_it_says(problem: Problem, result) -> None:
    assert result.recoding is not None
    assert problem.cost.of(problem.table, result.recoding, problem.k) == result.cost
    assert suppressed_rows(problem, result.recoding) == result.suppressed
    assert problem.limit is None or result.suppressed <= problem.limit


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

    class Unseeded(ALGORITHMS["exact"]):  # type: ignore[misc]
        def climbs(self, budget: Budget) -> int:
            return 1

    result = Unseeded().solve(problem, Budget())
    assert result.cost == Exhaustive().solve(problem, Budget()).cost


@settings(max_examples=300, deadline=None)
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
@settings(max_examples=400, deadline=None)
@given(problem=problems(), nodes=st.integers(0, 6))
def test_interrupted_search_has_a_true_bound(name: str, problem: Problem, nodes: int) -> None:
    """A search that ran out of nodes gives an admissible recoding and never claims too high a bound."""
    optimum = Exhaustive().solve(problem, Budget()).cost
    result = ALGORITHMS[name]().solve(problem, Budget(nodes=nodes))
    check_result_is_what_it_says(problem, result)
    assert result.bound <= optimum <= result.cost
    assert (result.status is Status.OPTIMAL) == (result.bound == result.cost)


@settings(max_examples=400, deadline=None)
@given(problem=problems())
def test_hill_climb_reports_the_cost_of_its_recoding(problem: Problem) -> None:
    """Incremental prices add up to the definition."""
    result = ALGORITHMS["hill-climb"]().solve(problem, Budget(nodes=50))
    assert result.status is Status.FEASIBLE
    check_result_is_what_it_says(problem, result)
