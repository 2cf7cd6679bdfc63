"""The searches for several k agree with those for each k alone, and with a look at every recoding."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from shoal.algorithms.cells.mingen_cells import cell_level, unsupported
from shoal.algorithms.cuts.exact import Exact
from shoal.algorithms.front_of_ks import KAnswer, front_of_ks
from shoal.algorithms.rows.local import Local
from shoal.model.policy.budget import Budget
from shoal.model.result.problem import Problem
from tests.agreement.thoroughness import examples

from . import test_cell_level
from .cut_problems import problems
from .level_problems import level_problems
from .private_problems import made_private
from .test_local import check_is_what_it_says, over_cells

MANY = settings(max_examples=examples(120), deadline=None, suppress_health_check=list(HealthCheck))
LABELS = Local(values="hierarchy")


def each_k(problem: Problem) -> list[int]:
    """Up to six values of k, the smallest and the largest among them."""
    rows = problem.table.rows
    return sorted({1, 2, 3, rows // 2 or 1, max(1, rows - 1), rows} & set(range(1, rows + 1)))


def answered(search: Local | Exact, problem: Problem, budget: Budget | None = None) -> KAnswer:
    return front_of_ks(search, lambda k: replace(problem, k=k), each_k(problem), budget or Budget())


@MANY
@given(problem=test_cell_level.problems())
def test_each_point_lies_between_the_best_and_the_search_for_its_k_alone(problem: Problem) -> None:
    """No start makes an answer worse, and no bound is above the best of all recodings."""
    assume(LABELS.supports(problem) is None and unsupported(problem) is None)
    for point in answered(LABELS, problem).points:
        here = replace(problem, k=point.k)
        best, alone = cell_level(here, Budget()), LABELS.solve(here, Budget())
        check_is_what_it_says(here, point.result)
        assert point.result.cost is not None
        assert point.result.bound is not None
        assert best.cost is not None
        assert alone.cost is not None
        assert point.result.bound <= best.cost <= point.result.cost <= alone.cost


@MANY
@given(problem=test_cell_level.problems())
def test_the_best_release_for_a_larger_k_never_costs_less(problem: Problem) -> None:
    """It is a release for the smaller k, too: so a bound for a small k holds for every larger one."""
    assume(unsupported(problem) is None and not problem.release_models)
    costs = [cell_level(replace(problem, k=k), Budget()).cost for k in each_k(problem)]
    found = [cost for cost in costs if cost is not None]
    assert found == sorted(found)


@MANY
@given(data=st.data(), name=st.sampled_from(["general-loss", "ncp", "precision"]))
def test_models_are_demanded_of_every_point(data: st.DataObject, name: str) -> None:
    """Whatever the k, and row by row."""
    problem = over_cells(data.draw(level_problems().flatmap(made_private)), name)
    assume(LABELS.supports(problem) is None)
    for point in answered(LABELS, problem).points:
        check_is_what_it_says(replace(problem, k=point.k), point.result)


@MANY
@given(problem=problems())
def test_over_cuts_each_point_is_the_proved_optimum_of_its_k(problem: Problem) -> None:
    """With the neighbour's answer as a start or without it."""
    assume(Exact().supports(problem) is None)
    answer = answered(Exact(), problem)
    assert answer.exact
    for point in answer.points:
        assert point.result.cost == Exact().solve(replace(problem, k=point.k), Budget()).cost


@MANY
@given(problem=level_problems(), seed=st.integers(0, 5), nodes=st.integers(0, 200))
def test_the_answer_depends_on_seed_and_nodes_alone(problem: Problem, seed: int, nodes: int) -> None:
    """Not on the threads, and not on the clock."""
    problem = over_cells(problem, "general-loss")
    assume(LABELS.supports(problem) is None)
    one, two = (
        front_of_ks(
            LABELS,
            lambda k: replace(problem, k=k),
            each_k(problem),
            Budget(nodes=nodes),
            threads=threads,
            seed=seed,
        )
        for threads in (1, 2)
    )
    assert [(point.k, point.result.cost) for point in one.points] == [
        (point.k, point.result.cost) for point in two.points
    ]
    assert not one.by_clock
