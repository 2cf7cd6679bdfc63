"""Nodes as the core profiles them agree with the definitions, and fronts with a look at every pair."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from shoal.algorithms._watch import Watch
from shoal.algorithms.levels._profiles import MeasuredNode, Measurer
from shoal.algorithms.levels.front_of_levels import FrontAnswer, front_of_levels
from shoal.algorithms.levels.pbg_ea import PbgEa
from shoal.cost import METRICS
from shoal.model.policy.budget import Budget
from shoal.model.recoding.level_recoding import LevelRecoding
from shoal.model.table.frequency_table import FrequencyTable
from shoal.objectives import (
    Loss,
    ModelValue,
    Objective,
    PropertyObjective,
    Released,
    box_of,
    diversity,
    dominates,
    group_size,
    group_sizes,
    objectives_of,
    value_counts,
)
from shoal.privacy import model_of
from tests.agreement.thoroughness import examples

from .objective_tables import every_node_of, sensitive_tables

MANY = settings(max_examples=examples(60), deadline=None, suppress_health_check=list(HealthCheck))
SOME = settings(max_examples=examples(25), deadline=None, suppress_health_check=list(HealthCheck))

FAST: list[Objective] = [
    group_sizes(),
    group_sizes("spread-k", "sum"),
    diversity("disease"),
    diversity("drug", "l:drug"),
    value_counts("disease"),
    *(Loss(metric()) for metric in METRICS.values() if not metric.of_centroids),
]
OWN = PropertyObjective("smallness", lambda released: 1 / group_size(released), better="lower")
CLOSENESS = ModelValue(model_of({"name": "t-closeness", "attribute": "disease", "t": 0.2}))


def defined(table: FrequencyTable, objective: Objective, levels: tuple[int, ...], limit: int) -> object:
    return objective.of(Released(table, LevelRecoding(levels), limit))


@MANY
@given(table=sensitive_tables(), limit=st.integers(0, 20), threads=st.sampled_from([1, 3]))
def test_profiles_are_what_the_definitions_say(table: FrequencyTable, limit: int, threads: int) -> None:
    """One node at a time and all at once, for every objective that the core knows."""
    measurer = Measurer(table, FAST, limit)
    assert measurer.in_core
    swept = measurer.sweep(measurer.low, measurer.high, threads)
    assert [tuple(levels) for levels in swept.levels.tolist()] == every_node_of(table)
    for index, levels in enumerate(every_node_of(table)):
        released = Released(table, LevelRecoding(levels), limit)
        one = measurer.node(levels)
        assert one == swept.node(index)
        assert (one.k, one.suppressed) == (released.k, released.suppressed)
        assert one.groups == int(released.groups.kept.sum())
        assert one.values == tuple(objective.of(released) for objective in FAST)
        for axis, value, quality in zip(measurer.axes, one.values, one.quality, strict=True):
            if isinstance(axis.objective, Loss):
                assert quality * axis.unit == axis.objective.most(table) - value
                assert quality >= 0


@MANY
@given(table=sensitive_tables(), limit=st.integers(0, 20))
def test_suppression_is_within_the_limit_and_takes_whole_sizes(table: FrequencyTable, limit: int) -> None:
    """k is the least kept size, smaller groups fit into the limit, and those of size k would not."""
    for levels in every_node_of(table)[:12]:
        released = Released(table, LevelRecoding(levels), limit)
        sizes = released.groups.sizes
        assert released.suppressed == int(sizes[sizes < released.k].sum()) <= limit
        assert released.k in sizes
        assert int(sizes[sizes <= released.k].sum()) > limit or released.k == sizes.max()


objectives = st.lists(
    st.sampled_from([*FAST, OWN, CLOSENESS]), min_size=1, max_size=3, unique_by=lambda each: each.name
)


def brute_force(measurer: Measurer) -> list[MeasuredNode]:
    nodes = [measurer.node(levels) for levels in every_node_of(measurer.table)]
    return [node for node in nodes if not any(dominates(other.quality, node.quality) for other in nodes)]


def levels_of(answer: FrontAnswer) -> set[tuple[int, ...]]:
    return {levels for each in answer.nodes for levels in (each.node.levels, *each.alternatives)}


@MANY
@given(table=sensitive_tables(), limit=st.integers(0, 20), asked=objectives, threads=st.sampled_from([1, 2]))
def test_front_is_the_set_of_nodes_that_no_other_dominates(
    table: FrequencyTable, limit: int, asked: list[Objective], threads: int
) -> None:
    """For built-in objectives, a Python function and a privacy model's value alike."""
    measurer = Measurer(table, asked, limit)
    answer = front_of_levels(measurer, Watch(), algorithm="exact", threads=threads)
    expected = brute_force(measurer)
    assert answer.exact
    assert answer.evaluated == answer.lattice == measurer.nodes
    assert levels_of(answer) == {node.levels for node in expected}
    qualities = [each.node.quality for each in answer.nodes]
    assert len(set(qualities)) == len(qualities)


@SOME
@given(
    table=sensitive_tables(),
    limit=st.integers(0, 5),
    asked=objectives,
    lengths=st.lists(st.sampled_from([0.3, 1, 2, 5]), min_size=3, max_size=3),
)
def test_epsilons_leave_one_point_in_each_non_dominated_box(
    table: FrequencyTable, limit: int, asked: list[Objective], lengths: list[float]
) -> None:
    """And every point is a minimal one still."""
    measurer = Measurer(table, asked, limit)
    answer = front_of_levels(measurer, Watch(), algorithm="exact", epsilons=lengths[: len(asked)])
    boxes = {box_of(node.quality, answer.epsilons) for node in brute_force(measurer)}
    marked = {box for box in boxes if not any(dominates(other, box) for other in boxes)}
    found = [box_of(each.node.quality, answer.epsilons) for each in answer.nodes]
    assert len(found) == len(set(found))
    assert set(found) == marked
    assert levels_of(answer) <= {node.levels for node in brute_force(measurer)}


@SOME
@given(
    table=sensitive_tables(),
    asked=objectives,
    seed=st.integers(0, 5),
    fresh=st.booleans(),
    iterations=st.integers(0, 20),
)
def test_pbg_ea_is_reproducible_and_holds_what_nothing_it_saw_dominates(
    table: FrequencyTable, asked: list[Objective], seed: int, fresh: bool, iterations: int
) -> None:
    """The same seed gives the same nodes after as many looks; the top and the bottom are looked at."""
    measurer = Measurer(table, asked, 2)
    search = PbgEa(population=5, iterations=iterations, fresh=fresh)
    watches = [Watch(), Watch()]
    one, two = (
        front_of_levels(measurer, watch, algorithm="pbg-ea", pbg_ea=search, seed=seed) for watch in watches
    )
    assert one.nodes == two.nodes
    assert one.evaluated == two.evaluated == watches[0].nodes <= measurer.nodes
    found = [each.node for each in one.nodes]
    for levels in (measurer.low, measurer.high):
        end = measurer.node(levels)
        assert not any(dominates(end.quality, node.quality) for node in found)
    if one.exact:
        assert {node.quality for node in found} == {node.quality for node in brute_force(measurer)}


def as_fractions(sizes: Any) -> Any:
    return np.array([Fraction(1, int(size)) for size in sizes])


@pytest.mark.parametrize("own", [lambda sizes: 1 / sizes, as_fractions])
def test_pbg_ea_keeps_points_that_differ_by_less_than_one(own: Callable[[Any], Any]) -> None:
    """Without epsilons dominance is plain, also where qualities are floats or fractions."""
    from tests.papers.tables import survey_table

    smallness = PropertyObjective("smallness", lambda released: own(group_size(released)), better="lower")
    measurer = Measurer(survey_table("Race", "Sex", "ZIP"), [smallness, Loss(METRICS["general-loss"]())], 0)
    exact = front_of_levels(measurer, Watch(), algorithm="exact")
    found = front_of_levels(measurer, Watch(), algorithm="pbg-ea")
    assert found.exact
    qualities = {each.node.quality for each in exact.nodes}
    assert len(qualities) > 1
    assert {each.node.quality for each in found.nodes} == qualities


@given(table=sensitive_tables())
@SOME
def test_a_budget_of_nodes_ends_both_searches_with_what_they_have(table: FrequencyTable) -> None:
    """It is an answer, and it is not called exact."""
    measurer = Measurer(table, objectives_of(["k", "general-loss"], []), 0)
    answer = front_of_levels(measurer, Watch(Budget(nodes=1)), algorithm="pbg-ea")
    assert [each.node.levels for each in answer.nodes] == [measurer.low]
    assert answer.exact == (measurer.nodes == 1)
    nothing = front_of_levels(measurer, Watch(Budget(nodes=0)), algorithm="exact")
    assert (nothing.nodes, nothing.exact, nothing.evaluated) == ((), False, 0)


@pytest.mark.parametrize("in_core", [True, False])
def test_auto_leaves_large_lattices_to_pbg_ea(in_core: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """The limit is lower where an objective is a Python function."""
    from shoal.algorithms.levels import front_of_levels as front
    from tests.papers.tables import survey_table

    table = survey_table("Race", "ZIP")
    measurer = Measurer(table, [group_sizes(), *([] if in_core else [OWN])], 0)
    assert front_of_levels(measurer, Watch()).algorithm == "exact"
    monkeypatch.setattr(front, "MOST_NODES" if in_core else "MOST_NODES_IN_PYTHON", 5)
    assert front_of_levels(measurer, Watch()).algorithm == "pbg-ea"
    assert front_of_levels(measurer, Watch(), algorithm="exact").exact


def test_chunks_cover_the_lattice_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """However small they are, the front is the same."""
    from shoal.algorithms.levels import _profiles
    from tests.papers.tables import survey_table

    measurer = Measurer(
        survey_table("Race", "Sex", "ZIP"), [group_sizes(), Loss(METRICS["general-loss"]())], 1
    )
    whole = front_of_levels(measurer, Watch(), algorithm="exact")
    monkeypatch.setattr(_profiles, "CHUNK", 2)
    assert len(list(measurer.chunks())) == 4
    parts = [measurer.sweep(low, high, 1).levels for low, high in measurer.chunks()]
    assert len(np.unique(np.concatenate(parts), axis=0)) == measurer.nodes
    assert front_of_levels(measurer, Watch(), algorithm="exact").nodes == whole.nodes


@pytest.mark.parametrize("algorithm", ["exact", "pbg-ea"])
def test_ctrl_c_ends_a_front_with_what_was_found(algorithm: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is an answer that says so, and is not called exact."""
    from shoal.algorithms.levels import _profiles
    from tests.papers.tables import survey_table

    measurer = Measurer(survey_table("Race", "Sex", "ZIP"), objectives_of(["k", "general-loss"], []), 0)
    monkeypatch.setattr(_profiles, "CHUNK", 2)
    name = "sweep" if algorithm == "exact" else "node"
    look, looks = getattr(measurer, name), iter(range(3))

    def until_interrupted(*where: object) -> object:
        if next(looks, None) is None:
            raise KeyboardInterrupt
        return look(*where)

    monkeypatch.setattr(measurer, name, until_interrupted)
    answer = front_of_levels(measurer, Watch(), algorithm=algorithm)
    assert (answer.interrupted, answer.exact) == (True, False)
    assert 0 < len(answer.nodes) < measurer.nodes
