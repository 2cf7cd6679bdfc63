"""Every search over levels agrees with a look at every node, by the definitions alone."""

from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from shoal.algorithms import ALGORITHMS, _watch
from shoal.algorithms.levels import samarati
from shoal.algorithms.levels._lattice import Lattice
from shoal.algorithms.levels._preference import PREFERENCES
from shoal.algorithms.levels._prices import priced
from shoal.algorithms.levels.datafly import Datafly
from shoal.algorithms.levels.incognito import anonymous_nodes
from shoal.algorithms.levels.samarati import DistanceMatrix, Samarati
from shoal.cost import METRICS
from shoal.model.policy.budget import Budget, Progress
from shoal.model.recoding.attribute_set import AttributeSet
from shoal.model.recoding.groups import groups
from shoal.model.recoding.level_recoding import LevelRecoding
from shoal.model.recoding.recoding import CutRecoding
from shoal.model.recoding.subtree_recoding import SubtreeRecoding
from shoal.model.result.problem import Problem
from shoal.model.result.result import Cost, Result, Status
from tests.agreement.thoroughness import examples
from tests.papers.tables import survey_problem

from .level_problems import (
    ON_LEVELS,
    admissible_nodes,
    cost_at,
    costs,
    every_node,
    level_problems,
    minimal_nodes,
    suppressed_at,
)

SHAKEN = [HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much]
MANY = settings(max_examples=examples(100), deadline=None, suppress_health_check=SHAKEN)
SOME = settings(max_examples=examples(40), deadline=None, suppress_health_check=SHAKEN)
MONOTONE = [name for name, metric in METRICS.items() if metric.monotone]
LEVEL_SEARCHES = ["lattice", "incognito", "samarati", "mingen", "ola", "flash"]


def solved(name: str, problem: Problem, budget: Budget | None = None, **stated: object) -> Result:
    algorithm = ALGORITHMS[name](**stated)
    assume(algorithm.supports(problem) is None)
    return algorithm.solve(problem, budget or Budget())


def check_is_what_it_says(problem: Problem, result: Result) -> None:
    recoding = result.recoding
    assert isinstance(recoding, LevelRecoding)
    assert recoding.levels in every_node(problem)
    assert result.suppressed == suppressed_at(problem, recoding.levels) <= problem.most_suppressed
    assert result.cost == cost_at(problem, recoding.levels)


def check_is_optimal(problem: Problem, result: Result) -> None:
    nodes = admissible_nodes(problem)
    if not nodes:
        assert (result.status, result.recoding) == (Status.INFEASIBLE, None)
        return
    assert result.status is Status.OPTIMAL
    check_is_what_it_says(problem, result)
    assert result.cost == result.bound == min(cost_at(problem, levels) for levels in nodes)


@pytest.mark.parametrize("name", ["lattice", "incognito"])
@MANY
@given(problem=level_problems())
def test_search_finds_the_least_cost_of_all_nodes(name: str, problem: Problem) -> None:
    """Any metric, monotone or not, any limit and any level range."""
    check_is_optimal(problem, solved(name, problem))


@pytest.mark.parametrize("name", ["ola", "flash"])
@MANY
@given(problem=level_problems(), data=st.data())
def test_tagging_loses_nothing_where_cost_is_monotone(
    name: str, problem: Problem, data: st.DataObject
) -> None:
    """No rows may be suppressed, or the cost is the height: then the best node is a minimal one."""
    if data.draw(st.booleans()):
        problem = replace(problem, limit=0)
    else:
        problem = replace(problem, cost=METRICS[data.draw(st.sampled_from(MONOTONE))]())
    check_is_optimal(problem, solved(name, problem))


@pytest.mark.parametrize("name", ["ola", "flash"])
@SOME
@given(problem=level_problems())
def test_tagging_refuses_costs_that_are_not_monotone(name: str, problem: Problem) -> None:
    """The reason ends with what to use instead."""
    monotone = problem.cost.monotone or problem.most_suppressed == 0
    reason = ALGORITHMS[name]().supports(problem)
    assert (reason is None) == monotone
    assert monotone or "use 'lattice'" in str(reason)


@MANY
@given(
    problem=level_problems(metrics=["precision"]),
    preference=st.sampled_from(["least-cost", "minimum-suppression"]),
)
def test_mingen_finds_all_minimal_distortions(problem: Problem, preference: str) -> None:
    """Exactly the admissible nodes of least cost, unless the table itself is one already."""
    result = solved("mingen", problem, preference=preference)
    check_is_optimal(problem, result)
    nodes = admissible_nodes(problem)
    bottom = min(every_node(problem))
    found = {recoding.levels for recoding in result.alternatives if isinstance(recoding, LevelRecoding)}
    if suppressed_at(problem, bottom) == 0:
        assert found == {bottom}
    else:
        assert found == {levels for levels in nodes if cost_at(problem, levels) == result.cost}


@MANY
@given(problem=level_problems(), by_roll_up=st.booleans())
def test_minimal_sets_agree(problem: Problem, by_roll_up: bool) -> None:
    """Samarati's complete set, Incognito's, OLA's and Flash's are all; Samarati's first are the lowest."""
    nodes = minimal_nodes(problem)
    with pytest.MonkeyPatch.context() as patch:
        if by_roll_up:
            patch.setattr(samarati, "MOST_ENTRIES", -1)
        found = [solved("samarati", problem, all_minimal=True), solved("samarati", problem)]
    heights = {levels: sum(levels) for levels in nodes}
    lowest = {levels for levels in nodes if heights[levels] == min(heights.values())}
    assert {each.levels for each in found[0].alternatives} == nodes
    assert {each.levels for each in found[1].alternatives} == lowest
    assert {each.levels for each in solved("incognito", problem).alternatives} == nodes
    monotone = replace(problem, cost=METRICS["height"]())
    for name in ("ola", "flash"):
        assert {each.levels for each in solved(name, monotone).alternatives} == nodes
    if nodes:
        assert found[0].status is found[1].status is Status.MINIMAL
        check_is_what_it_says(problem, found[1])


@SOME
@given(problem=level_problems())
def test_incognito_finds_all_anonymous_nodes(problem: Problem) -> None:
    """Subset by subset as by looking at each."""
    assert anonymous_nodes(problem) == admissible_nodes(problem)


@SOME
@given(problem=level_problems(), preference=st.sampled_from(sorted(PREFERENCES)))
def test_a_preference_chooses_the_best_of_its_kind(problem: Problem, preference: str) -> None:
    """By the criterion's definition; ties by cost, then lexicographically."""
    nodes = minimal_nodes(problem)
    assume(nodes)

    def criterion(levels: tuple[int, ...]) -> Cost:
        recoding = LevelRecoding(levels)
        if preference == "least-cost":
            return cost_at(problem, levels)
        if preference == "maximum-distribution":
            return -int(groups(problem.table, recoding, problem.k).kept.sum())
        if preference == "minimum-suppression":
            return suppressed_at(problem, levels)
        name = "height" if preference == "minimum-absolute-distance" else "relative-height"
        return METRICS[name]().of(problem.table, recoding, problem.k)

    best = min(nodes, key=lambda levels: (criterion(levels), cost_at(problem, levels), levels))
    assert solved("samarati", problem, preference=preference, all_minimal=True).recoding == LevelRecoding(
        best
    )


@MANY
@given(problem=level_problems(), data=st.data())
def test_datafly_is_always_k_anonymous(problem: Problem, data: st.DataObject) -> None:
    """With any weights, and any sets with their k; what is suppressed and the cost are as the groups say."""
    attributes = range(len(problem.table.domains))
    weights = st.tuples(*[st.sampled_from([0, 0.25, 1])] * len(attributes))
    sets = data.draw(st.lists(st.sets(st.sampled_from(attributes), min_size=1), max_size=3))
    missing = set(attributes) - set().union(*sets)
    stated = tuple(tuple(sorted(each)) for each in sets) + (
        (tuple(sorted(missing)),) if missing and sets else ()
    )
    most = problem.table.rows
    known = tuple(
        AttributeSet(
            attributes=each, k=data.draw(st.integers(min(problem.k, most), min(problem.k + 3, most)))
        )
        for each in stated
    )
    known = () if len(known) < 2 else known  # one set is all columns, whose k is that of the problem
    problem = replace(problem, sets=known)
    algorithm = Datafly(linking=data.draw(weights), tolerance=data.draw(weights))
    assert algorithm.supports(problem) is None
    result = algorithm.solve(problem, Budget())
    if result.recoding is None:
        top = LevelRecoding(max(every_node(problem)))
        assert result.status is Status.INFEASIBLE
        assert groups(problem.table, top, problem.k, known).suppressed > problem.most_suppressed
        return
    made = groups(problem.table, result.recoding, problem.k, known)
    assert result.status is Status.FEASIBLE
    assert result.suppressed == made.suppressed <= problem.most_suppressed
    for each in known or (AttributeSet(attributes=tuple(attributes), k=problem.k),):
        of_set: dict[tuple[int, ...], int] = {}
        for values, size in zip(made.values[made.kept].tolist(), made.sizes[made.kept].tolist(), strict=True):
            key = tuple(values[attribute] for attribute in each.attributes)
            of_set[key] = of_set.get(key, 0) + size
        assert all(size >= each.k for size in of_set.values())
    if len(known) < 2:
        assert result.cost == problem.cost.of(problem.table, result.recoding, problem.k)


@MANY
@given(problem=level_problems())
def test_every_node_has_the_same_numbers_by_any_means(problem: Problem) -> None:
    """Roll-up, the core's prices and the matrix give what the definitions give."""
    lattice, matrix = Lattice(problem), DistanceMatrix(problem.table, problem.k)
    for levels in every_node(problem):
        suppressed = suppressed_at(problem, levels)
        assert lattice.node(levels).suppressed == matrix.required_suppression(levels) == suppressed
        assert (
            lattice.node(levels).groups == groups(problem.table, LevelRecoding(levels), problem.k).kept.sum()
        )
        assert lattice.cost(levels) == cost_at(problem, levels)


@SOME
@given(problem=level_problems(), data=st.data(), threads=st.integers(1, 3))
def test_measuring_all_nodes_equals_measuring_each(
    problem: Problem, data: st.DataObject, threads: int
) -> None:
    """Several k and several prices at once."""
    lattice, table = Lattice(problem), problem.table
    names = [name for name in ON_LEVELS if priced(METRICS[name](), table).labels == lattice.priced.labels]
    metrics = [data.draw(costs(len(table.domains), names)) for _ in range(2)]
    prices = [priced(metric, table).price for metric in metrics]
    ks = sorted(data.draw(st.sets(st.integers(1, 5), min_size=1, max_size=3)))
    every = lattice.core.measure_all(list(lattice.low), list(lattice.high), prices, ks, threads)
    nodes = [tuple(levels) for levels in every.levels.tolist()]
    assert sorted(nodes) == every_node(problem)
    for (k_number, k), (price_number, price) in itertools.product(enumerate(ks), enumerate(prices)):
        each = [lattice.core.measure(list(levels), price, k) for levels in nodes]
        assert every.costs(price_number, k_number).tolist() == [one.cost for one in each]
        assert every.suppressed(k_number).tolist() == [one.suppressed for one in each]
        assert every.groups(k_number).tolist() == [one.groups for one in each]


@MANY
@given(problem=level_problems(), data=st.data())
def test_one_released_table_costs_the_same_however_it_is_written(
    problem: Problem, data: st.DataObject
) -> None:
    """As levels, as subtrees, and as cuts where each part is an interval with all its leaves seen."""
    table, k = problem.table, problem.k
    levels = data.draw(st.sampled_from(every_node(problem)))
    trees = [domain.hierarchy for domain in table.domains]
    nodes = tuple(
        tuple((level, part) for part in range(len(tree.labels[level])))
        for tree, level in zip(trees, levels, strict=True)
    )
    if problem.cost.name not in MONOTONE:  # heights are of levels alone
        assert problem.cost.of(table, SubtreeRecoding(nodes), k) == cost_at(problem, levels)
    parts = [np.array(tree.parts[level]) for tree, level in zip(trees, levels, strict=True)]
    whole = all(
        (np.diff(of_code) >= 0).all() and tree.total == len(of_code)
        for tree, of_code in zip(trees, parts, strict=True)
    )
    if whole and problem.cost.name not in (*MONOTONE, "precision"):
        cuts = CutRecoding(tuple(tuple((np.flatnonzero(np.diff(each)) + 1).tolist()) for each in parts))
        assert problem.cost.of(table, cuts, k) == cost_at(problem, levels)


@pytest.mark.parametrize("name", LEVEL_SEARCHES)
@SOME
@given(problem=level_problems(metrics=["precision"]), nodes=st.integers(0, 6))
def test_search_that_ran_out_of_nodes_has_an_admissible_node_or_none(
    name: str, problem: Problem, nodes: int
) -> None:
    """Running out of budget is an answer, and never a false one."""
    result = solved(name, problem, Budget(nodes=nodes))
    if result.recoding is not None:
        check_is_what_it_says(problem, result)
    if result.status is Status.INFEASIBLE:
        assert not admissible_nodes(problem)
    if result.status is Status.OPTIMAL:
        check_is_optimal(problem, result)


class Interrupting:
    """A progress callback that is interrupted at one of its calls, as by Ctrl-C."""

    def __init__(self, at: int) -> None:
        self.left = at

    def __call__(self, moment: Progress) -> None:
        self.left -= 1
        if self.left == 0:
            raise KeyboardInterrupt


@pytest.mark.parametrize("name", [*LEVEL_SEARCHES[1:], "datafly"])
@pytest.mark.parametrize("at", [1, 2])
def test_ctrl_c_gives_the_best_so_far(name: str, at: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """From the second node on there is one, but for Datafly, which has nothing until it ends."""
    monkeypatch.setattr(_watch, "SECONDS_BETWEEN_REPORTS", 0)
    problem = survey_problem("Race", "Sex", "ZIP", limit=0, cost=METRICS["precision"]())
    result = ALGORITHMS[name]().solve(problem, Budget(), on_progress=Interrupting(at))
    assert result.interrupted
    if at == 1 or name == "datafly":
        assert (result.status, result.recoding) == (Status.UNKNOWN, None)
    else:
        assert result.status is Status.FEASIBLE
        check_is_what_it_says(problem, result)


def test_samarati_counts_by_roll_up_where_the_matrix_is_too_large(monkeypatch: pytest.MonkeyPatch) -> None:
    """The same result, from the same nodes."""
    problem = survey_problem("Race", "Sex", "ZIP", limit=1)
    by_matrix = Samarati(all_minimal=True).solve(problem, Budget())
    monkeypatch.setattr(samarati, "MOST_ENTRIES", -1)
    by_roll_up = Samarati(all_minimal=True).solve(problem, Budget())
    assert replace(by_matrix, seconds=0, nodes=0) == replace(by_roll_up, seconds=0, nodes=0)
