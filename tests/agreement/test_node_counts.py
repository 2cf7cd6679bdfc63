"""Node counts on Adult: the deterministic gate on how well the exact search prunes."""

from __future__ import annotations

import pytest

from shoal.algorithms import ALGORITHMS
from shoal.cost import METRICS
from shoal.datasets import adult_attributes, adult_path
from shoal.engines.duckdb import frequency_table
from shoal.model.budget import Budget
from shoal.model.problem import Problem
from shoal.model.result import Status


@pytest.mark.parametrize(
    ("age_bin", "metric", "k", "cost", "nodes"),
    [
        (None, "discernibility", 1000, 42_319_146, 148),
        (None, "classification", 1000, 5_429, 106),
        (5, "discernibility", 250, 22_695_302, 723),
        (5, "classification", 250, 5_331, 417),
    ],
)
def test_adult_is_proved_with_no_more_nodes_than_before(
    age_bin: int | None, metric: str, k: int, cost: int, nodes: int
) -> None:
    """The known optimum, from no more nodes than recorded; with two threads as with one."""
    table = frequency_table(adult_path(), adult_attributes(age_bin=age_bin))
    problem = Problem(table=table, k=k, cost=METRICS[metric]())
    result = ALGORITHMS["exact"]().solve(problem, Budget(), threads=2)
    assert (result.status, result.cost) == (Status.OPTIMAL, cost)
    assert result.nodes <= nodes
