"""The local recoding is admissible, costs what it says, and lies between its bound and nothing better."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from shoal.algorithms.lattice import LatticeSearch
from shoal.algorithms.local import Local
from shoal.algorithms.mingen_cells import cell_level, unsupported
from shoal.cost import METRICS, CellMetric
from shoal.model.budget import Budget
from shoal.model.groups import groups
from shoal.model.problem import Problem
from shoal.model.result import Result, Status
from shoal.privacy import DeltaPresence, KMap

from . import test_cell_level
from .level_problems import level_problems
from .private_problems import made_private

MANY = settings(max_examples=250, deadline=None, suppress_health_check=list(HealthCheck))
MEANS = sorted(name for name, metric in METRICS.items() if issubclass(metric, CellMetric))


def over_cells(problem: Problem, name: str) -> Problem:
    """The problem with a cost that is a mean over cells."""
    return replace(problem, cost=METRICS[name]())


def check_is_what_it_says(problem: Problem, result: Result) -> None:
    """Every group is admitted, cost and suppressed rows are as stated, and the bound is below them."""
    assert result.recoding is not None
    assert result.cost is not None
    made = groups(problem.table, result.recoding, problem.k, (), problem.group_models)
    assert made.suppressed == result.suppressed
    assert problem.admits(made.sizes[made.kept].tolist(), made.suppressed)
    assert (made.sizes[made.kept] >= problem.k).all()
    assert problem.cost.of(problem.table, result.recoding, problem.k, problem.group_models) == result.cost
    assert result.bound is None or result.bound <= result.cost


@MANY
@given(problem=level_problems(), name=st.sampled_from(MEANS))
def test_release_is_admissible_and_its_bound_below_one_level_per_column(problem: Problem, name: str) -> None:
    """Levels for each row include one level for all."""
    problem = over_cells(problem, name)
    if Local().supports(problem) is not None:
        return
    result = Local().solve(problem, Budget())
    if problem.levels:  # then it may be that there is none
        assert result.status is Status.UNKNOWN or result.recoding is not None
    if result.recoding is not None:
        check_is_what_it_says(problem, result)
    if not problem.levels:
        levels = LatticeSearch().solve(problem, Budget())
        assert levels.cost is not None
        assert result.bound is not None
        assert result.bound <= levels.cost


@MANY
@given(problem=test_cell_level.problems())
def test_bound_is_below_the_best_local_recoding(problem: Problem) -> None:
    """The best of all recodings that release equal rows alike lies between the bound and what was found."""
    if Local().supports(problem) is not None or unsupported(problem) is not None:
        return
    best = cell_level(problem, Budget())
    result = Local().solve(problem, Budget())
    assert result.cost is not None
    assert result.bound is not None
    assert best.cost is not None
    assert result.bound <= best.cost <= result.cost
    check_is_what_it_says(problem, result)


@MANY
@given(data=st.data(), name=st.sampled_from(MEANS))
def test_every_privacy_model_is_respected(data: st.DataObject, name: str) -> None:
    """Whatever is found is admitted by all models; whatever is not found is said not to be."""
    problem = over_cells(data.draw(level_problems().flatmap(made_private)), name)
    if Local().supports(problem) is not None:
        return
    result = Local().solve(problem, Budget())
    if result.recoding is not None:
        check_is_what_it_says(problem, result)
    else:
        assert result.status is Status.UNKNOWN
        assert LatticeSearch().solve(problem, Budget()).recoding is None


@settings(max_examples=20, deadline=None, suppress_health_check=list(HealthCheck))
@given(problem=level_problems().flatmap(made_private), asked=st.sampled_from([(0.0, 0.9), (0.2, 1.0)]))
def test_models_of_the_population_are_refused(problem: Problem, asked: tuple[float, float]) -> None:
    """Strangers have no row to be lifted with, so a lower bound on presence would be broken unseen."""
    least, most = asked
    for model in (KMap(k=2), DeltaPresence(least=least, most=most)):
        reason = Local().supports(over_cells(replace(problem, limit=0, models=(model,)), "ncp"))
        assert repr(model.name) in str(reason)
        assert "use 'lattice'" in str(reason)


@settings(max_examples=100, deadline=None, suppress_health_check=list(HealthCheck))
@given(problem=level_problems(), seed=st.integers(0, 5))
def test_answer_depends_on_the_seed_alone(problem: Problem, seed: int) -> None:
    """Threads do not matter, and the same seed gives the same levels."""
    problem = over_cells(problem, "ncp")
    if Local().supports(problem) is not None:
        return
    one = Local().solve(problem, Budget(), threads=1, seed=seed)
    two = Local().solve(problem, Budget(), threads=4, seed=seed)
    assert (one.cost, one.bound, one.nodes) == (two.cost, two.bound, two.nodes)
    if one.recoding is not None and two.recoding is not None:
        assert np.array_equal(one.recoding.released(problem.table), two.recoding.released(problem.table))


@MANY
@given(problem=level_problems(), nodes=st.integers(0, 3))
def test_an_early_end_still_gives_an_admissible_release(problem: Problem, nodes: int) -> None:
    """Out of budget, what is left goes to the top at once."""
    problem = over_cells(replace(problem, levels=()), "ncp")
    if Local().supports(problem) is not None:
        return
    result = Local().solve(problem, Budget(nodes=nodes))
    check_is_what_it_says(problem, result)
