"""Node counts on Adult: the deterministic gate on how well the exact search prunes."""

from __future__ import annotations

from fractions import Fraction

import pytest

from shoal.algorithms import ALGORITHMS
from shoal.cost import METRICS
from shoal.datasets import ADULT_QUASI_IDENTIFIERS, adult_attributes, adult_level_attributes, adult_path
from shoal.engines.duckdb.engine import frequency_table
from shoal.model.policy.budget import Budget
from shoal.model.result.problem import Problem
from shoal.model.result.result import Status


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


FIVE = ("age", "education", "marital-status", "race", "sex")


@pytest.mark.parametrize(
    ("names", "k", "limit", "cost", "nodes"),
    [
        (FIVE, 50, None, Fraction(14597, 102825), 2_431),
        (ADULT_QUASI_IDENTIFIERS, 250, 0, Fraction(2611993, 4182464), 686),
    ],
)
def test_general_loss_of_adult_is_proved_with_no_more_nodes_than_before(
    names: tuple[str, ...], k: int, limit: int | None, cost: Fraction, nodes: int
) -> None:
    """Nested shortest paths prove what ended with gaps above 70 % before; with two threads as with one."""
    table = frequency_table(
        adult_path(), [each for each in adult_attributes(age_bin=5) if each.name in names]
    )
    problem = Problem(table=table, k=k, cost=METRICS["general-loss"](), limit=limit)
    result = ALGORITHMS["exact"]().solve(problem, Budget(), threads=2)
    assert (result.status, result.cost) == (Status.OPTIMAL, cost)
    assert result.nodes <= nodes


@pytest.mark.parametrize(
    ("algorithm", "metric", "k", "cost", "nodes"),
    [
        ("lattice", "discernibility", 5, 9_268_952, 273),
        # Four more than when the first descent looked at the values present, which a desk of several holders
        # does not know; elsewhere the order by prices takes 1 to 5 fewer.
        ("lattice", "general-loss", 50, Fraction(126564139, 448371840), 374),
        ("subtree", "discernibility", 5, 4_079_567, 8),
        ("subtree", "general-loss", 50, Fraction(783925841, 2959254144), 36),
    ],
)
def test_hierarchies_of_adult_are_proved_with_no_more_nodes_than_before(
    algorithm: str, metric: str, k: int, cost: int | Fraction, nodes: int
) -> None:
    """Of 17,920 nodes by levels, and of very many recodings by subtrees."""
    table = frequency_table(adult_path(), adult_level_attributes())
    problem = Problem(table=table, k=k, cost=METRICS[metric]())
    result = ALGORITHMS[algorithm]().solve(problem, Budget(), threads=2)
    assert (result.status, result.cost) == (Status.OPTIMAL, cost)
    assert result.nodes <= nodes
