"""Limits on rows in small groups: what is given up is cheapest, and every algorithm keeps or refuses them."""

from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from shoal import _core
from shoal.algorithms import ALGORITHMS
from shoal.algorithms._priced_again import solved
from shoal.algorithms.levels.suppress_columns import suppressing
from shoal.model.policy.budget import Budget
from shoal.model.result.problem import Problem
from shoal.model.result.result import Cost, Status
from shoal.privacy import PopulationUniquenessLimit, RowsAtRisk
from tests.agreement.thoroughness import examples

from .level_problems import level_problems
from .private_problems import rows_at_risk
from .test_private_levels import check_is_optimal, cost_of, judged

OVER_LEVELS = ["lattice", "mingen", "incognito", "ola", "flash"]
TESTED = sorted({*ALGORITHMS} - {"exhaustive"})


@settings(max_examples=examples(300), deadline=None)
@given(
    groups=st.lists(st.tuples(st.integers(1, 6), st.integers(0, 9)), min_size=1, max_size=9),
    below=st.integers(1, 6),
    most=st.sampled_from([0.0, 0.1, 0.25, 0.5, 1.0]),
    limit=st.integers(0, 20),
)
def test_the_cheapest_rows_are_given_up(
    groups: list[tuple[int, int]], below: int, most: float, limit: int
) -> None:
    """As by looking at every subset; of equal prices the fewest rows."""
    model = RowsAtRisk(threshold=1 / below, most=most)
    sizes = [size for size, _ in groups]
    choices = [
        (sum(groups[at][1] for at in chosen), sum(sizes[at] for at in chosen))
        for number in range(len(groups) + 1)
        for chosen in itertools.combinations(range(len(groups)), number)
        if model.holds([size for at, size in enumerate(sizes) if at not in chosen])
        and sum(sizes[at] for at in chosen) <= limit
    ]
    found, proved = _core.rows_given_up(
        np.array(sizes, np.int64),
        np.array([price for _, price in groups], np.int64),
        limit=limit,
        at_risk_below=model.at_risk_below,
        most_at_risk=most,
    )
    assert proved
    if not choices:
        assert found is None
        return
    assert found is not None
    assert model.holds([size for at, size in enumerate(sizes) if at not in found])
    assert (sum(groups[at][1] for at in found), sum(sizes[at] for at in found)) == min(choices)


def least_by_columns(problem: Problem) -> Cost | None:
    """The least cost of all releases that leave out columns, and no row."""
    columns = range(len(problem.table.domains))
    recodings = [
        suppressing(problem, frozenset(chosen))
        for number in range(len(columns) + 1)
        for chosen in itertools.combinations(columns, number)
    ]
    costs = [cost_of(problem, each) for each in recodings if judged(problem, each) == (0, True)]
    return min(costs, default=None)


@pytest.mark.parametrize("name", TESTED)
@settings(max_examples=examples(40), deadline=None, suppress_health_check=list(HealthCheck))
@given(problem=level_problems(max_rows=10, max_nodes=18), model=rows_at_risk(), k=st.integers(1, 2))
def test_every_algorithm_keeps_the_demand_or_refuses_it(
    name: str, problem: Problem, model: RowsAtRisk, k: int
) -> None:
    """Searches over levels find the least cost of all nodes and choices; others claim no optimum of it."""
    problem = replace(problem, models=(model,), k=min(k, problem.table.rows), levels=())
    algorithm = ALGORITHMS[name]()
    refusal = algorithm.supports(problem)
    if refusal is not None:
        assert len(refusal.split()) > 3
        return
    result = solved(algorithm, problem, Budget(nodes=2000), seed=1)
    if name in OVER_LEVELS:
        check_is_optimal(problem, result)
    elif name == "suppress-columns":
        assert result.cost == least_by_columns(problem)
    elif result.recoding is not None:
        assert judged(problem, result.recoding)[1]
        decided_by_k = model.at_risk_below <= problem.k
        assert decided_by_k or result.status is not Status.OPTIMAL
        assert decided_by_k or result.bound is None


@settings(max_examples=examples(40), deadline=None)
@given(problem=level_problems(max_rows=12, max_nodes=18), most=st.sampled_from([0.0, 0.05, 0.3]))
def test_population_uniqueness_holds_in_what_datafly_releases(problem: Problem, most: float) -> None:
    """By the estimate of its own definition; the searches of the core refuse it."""
    model = PopulationUniquenessLimit(most=most, people=200)
    problem = replace(problem, models=(model,))
    assert "use 'datafly'" in str(ALGORITHMS["lattice"]().supports(problem))
    result = ALGORITHMS["datafly"]().solve(problem, Budget())
    if result.recoding is not None:
        assert judged(problem, result.recoding)[1]
