"""A recoding's cost, grouped and summed with arrays, is what its definition says row by row."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from shoal.algorithms._definitions import made_by
from shoal.cost import Discernibility, SuppressedCells
from shoal.model.recoding.level_recoding import LevelRecoding
from shoal.model.recoding.local_recoding import LocalRecoding
from shoal.model.recoding.recoding import CutRecoding
from shoal.model.result.problem import Problem
from tests.agreement.thoroughness import examples

from .level_problems import every_node, level_problems
from .plain_groups import plain_cost, sizes_of
from .private_problems import made_private
from .problems import problems, table_of

MANY = settings(max_examples=examples(100), deadline=None, suppress_health_check=list(HealthCheck))


@MANY
@given(
    problem=st.one_of(level_problems(), level_problems(max_rows=8).flatmap(made_private)),
    which=st.integers(0, 1000),
)
def test_a_cost_is_what_its_definition_says_row_by_row(problem: Problem, which: int) -> None:
    """Every metric over levels, weighted or not, with privacy models or without."""
    nodes = every_node(problem)
    recoding = LevelRecoding(nodes[which % len(nodes)])
    table, k, models = problem.table, problem.k, problem.group_models
    assert problem.cost.of(table, recoding, k, models) == plain_cost(problem.cost, table, recoding, k, models)
    made = made_by(problem, recoding)
    sizes = zip(made.sizes.tolist(), made.kept.tolist(), strict=True)
    assert sorted(sizes) == sorted(sizes_of(table, recoding, k, models))


@MANY
@given(problem=problems(max_rows=10, max_cuts=6), data=st.data())
def test_a_local_cost_is_what_its_definition_says_row_by_row(problem: Problem, data: st.DataObject) -> None:
    """Groups of any rows, some of them suppressed."""
    count = len(problem.table.counts)
    groups = data.draw(st.lists(st.integers(-1, 2), min_size=count, max_size=count))
    words = ["spans"] * len(problem.table.domains)
    recoding = LocalRecoding.from_groups(problem.table, np.array(groups), words)  # type: ignore[arg-type]
    found = problem.cost.of(problem.table, recoding, problem.k)
    assert found == plain_cost(problem.cost, problem.table, recoding, problem.k)


@MANY
@given(
    factor=st.sampled_from([Fraction(2), Fraction(1, 2), Fraction(7, 3)]),
    weights=st.tuples(*[st.sampled_from([Fraction(1), Fraction(2), Fraction(3, 2)])] * 2),
)
def test_suppressed_cells_grow_with_their_weights(
    factor: Fraction, weights: tuple[Fraction, Fraction]
) -> None:
    """Twice the weights are twice the cost, whatever whole numbers a search counts in."""
    table = table_of([2, 2], [(0, 0), (1, 1)], [0, 0])
    metric = SuppressedCells(weights=weights)
    top = LocalRecoding.from_groups(table, np.array([0, 0]), ["cells"] * 2)
    assert metric.of(table, top, 2) == 2 * sum(weights)
    heavier = replace(metric, weights=tuple(factor * weight for weight in weights))
    assert heavier.of(table, top, 2) == factor * metric.of(table, top, 2)


def test_squares_of_billions_of_rows_are_exact() -> None:
    """Discernibility leaves 64 bits where the rows leave 32, and is not wrapped around."""
    table = table_of([1], [(0,)], [0])
    table = replace(table, counts=np.array([4_000_000_000]), labels=())
    assert Discernibility().of(table, CutRecoding(((),)), 2) == 16 * 10**18
