"""The genetic search and annealing release what is admissible, and find the optimum of small tables."""

from __future__ import annotations

import signal
import threading
import time
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from shoal.algorithms import ALGORITHMS
from shoal.algorithms.cuts.genetic import Genetic
from shoal.cost import METRICS
from shoal.errors import PolicyError
from shoal.model.policy.budget import Budget, Progress
from shoal.model.result.problem import Problem
from shoal.model.result.result import Status
from tests.agreement.thoroughness import examples

from .cut_problems import check_is_what_it_says, cut_problems, optimum, seeded_problem
from .private_problems import made_private
from .problems import table_of

LENIENT: dict[str, Any] = {"deadline": None, "suppress_health_check": list(HealthCheck)}
NAMES = ["genetic", "anneal"]


@pytest.mark.parametrize("name", NAMES)
@settings(max_examples=examples(80), **LENIENT)
@given(problem=cut_problems(max_cuts=6), seed=st.integers(0, 2**32))
def test_release_is_admissible_and_not_below_the_optimum(name: str, problem: Problem, seed: int) -> None:
    """Any metric, k and limit, columns with and without hierarchy: the cost is that of the definition."""
    result = ALGORITHMS[name]().solve(problem, Budget(nodes=150), seed=seed)
    assert result.status is Status.FEASIBLE  # without models everything joined is admissible
    check_is_what_it_says(problem, result)
    assert result.cost >= optimum(problem)


@pytest.mark.parametrize("name", NAMES)
@settings(max_examples=examples(80), **LENIENT)
@given(problem=cut_problems(max_cuts=5).flatmap(made_private))
def test_every_privacy_model_is_respected(name: str, problem: Problem) -> None:
    """What is found is admitted by all models; where nothing is admissible nothing is found."""
    result = ALGORITHMS[name]().solve(problem, Budget(nodes=200))
    expected = optimum(problem)
    if result.recoding is None:
        assert result.status is Status.UNKNOWN
    else:
        check_is_what_it_says(problem, result)
        assert expected is not None
        assert result.cost >= expected


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("seed", range(12))
def test_small_tables_are_solved(name: str, seed: int) -> None:
    """With 5,000 looks the optimum of 12 fixed problems is found."""
    problem = seeded_problem(seed)
    result = ALGORITHMS[name]().solve(problem, Budget(nodes=5_000), seed=seed)
    check_is_what_it_says(problem, result)
    assert result.cost == optimum(problem)


@pytest.mark.parametrize("name", NAMES)
@settings(max_examples=examples(60), **LENIENT)
@given(problem=cut_problems(), nodes=st.integers(0, 300), seed=st.integers(0, 9))
def test_answer_depends_on_seed_and_nodes_alone(name: str, problem: Problem, nodes: int, seed: int) -> None:
    """Threads do not matter, the budget of nodes is kept to the node, and more nodes never cost more."""
    algorithm = ALGORITHMS[name]()
    one, four = (algorithm.solve(problem, Budget(nodes=nodes), threads=n, seed=seed) for n in (1, 4))
    assert (one.recoding, one.cost, one.nodes) == (four.recoding, four.cost, four.nodes)
    single = all(len(domain) == 1 for domain in problem.table.domains)  # then there is one recoding
    assert one.nodes == (min(nodes, 1) if single else nodes)
    longer = algorithm.solve(problem, Budget(nodes=nodes + 50), seed=seed)
    assert one.cost is None or longer.cost <= one.cost


@pytest.mark.parametrize("name", NAMES)
@settings(max_examples=examples(60), **LENIENT)
@given(problem=cut_problems())
def test_a_search_costs_no_more_than_its_start(name: str, problem: Problem) -> None:
    """A recoding to begin with is one of the first that it looks at."""
    algorithm = ALGORITHMS[name]()
    found = algorithm.solve(problem, Budget(nodes=100), seed=1)
    again = algorithm.solve(problem, Budget(nodes=2), seed=2, start=found.recoding)
    assert again.cost <= found.cost


def test_no_nodes_find_nothing() -> None:
    """A budget of nothing is an answer, not an error."""
    for name in NAMES:
        result = ALGORITHMS[name]().solve(seeded_problem(0), Budget(nodes=0))
        assert (result.status, result.recoding, result.nodes) == (Status.UNKNOWN, None, 0)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    ("sizes", "rows", "k"),
    [
        ([1, 1], [(0, 0)] * 5, 3),
        ([6], [(code,) for code in range(6)], 1),
        ([6], [(code,) for code in range(6)], 6),
        ([4, 4], [(i, j) for i in range(4) for j in range(4)], 16),
        ([4, 4], [(i, j) for i in range(4) for j in range(4)], 2),
    ],
    ids=["all equal", "one column", "k is n, one column", "k is n", "all different"],
)
def test_degenerate_tables(name: str, sizes: list[int], rows: list[tuple[int, ...]], k: int) -> None:
    """All rows equal, all different, one column, k of all rows: the optimum."""
    for metric in ("discernibility", "classification", "general-loss"):
        table = table_of(sizes, rows, [row[0] % 3 for row in rows])
        problem = Problem(table=table, k=k, cost=METRICS[metric](), limit=0)
        result = ALGORITHMS[name]().solve(problem, Budget(nodes=2_000))
        assert result.cost == optimum(problem)
        check_is_what_it_says(problem, result)


@pytest.mark.parametrize("name", NAMES)
def test_ctrl_c_and_seconds_end_with_the_best_so_far(name: str) -> None:
    """Both give a release, and progress was told on the way."""
    told: list[Progress] = []
    problem = seeded_problem(3)
    threading.Timer(0.3, lambda: signal.raise_signal(signal.SIGINT)).start()
    stopped = ALGORITHMS[name]().solve(problem, Budget(seconds=60), on_progress=told.append)
    assert stopped.interrupted
    assert stopped.seconds < 20
    assert told
    check_is_what_it_says(problem, stopped)
    began = time.monotonic()
    check_is_what_it_says(problem, ALGORITHMS[name]().solve(problem, Budget(seconds=0.2)))
    assert time.monotonic() - began < 10


@pytest.mark.parametrize("members", [1, 0, -3, 2.5, True, "many", 10**9])
def test_a_population_is_a_number_of_members(members: object) -> None:
    """Two at least, since a child has two parents."""
    with pytest.raises(PolicyError, match="members must be a whole number from 2"):
        Genetic.with_options({"members": members})
