"""The automatic choice is never worse than the searches of columns, and its bounds hold."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

import shoal
from shoal.algorithms import costs_of_cuts
from shoal.model.recoding.level_recoding import LevelRecoding
from shoal.model.recoding.recoding import CutRecoding
from shoal.model.result.problem import Problem
from shoal.model.table.domain import Domain
from shoal.pipeline.auto_rule import COLUMNS
from tests.agreement.thoroughness import examples

from .level_problems import Levels, cost_at, every_node, level_problems

FEW = settings(max_examples=examples(60), deadline=None, suppress_health_check=list(HealthCheck))
MANY = settings(max_examples=examples(400), deadline=None, suppress_health_check=list(HealthCheck))


@st.composite
def tables(draw: st.DrawFn) -> pandas.DataFrame:
    """A few people with an age and a letter."""
    people = draw(st.lists(st.tuples(st.integers(20, 29), st.sampled_from("abcde")), min_size=4, max_size=14))
    return pandas.DataFrame(people, columns=["age", "zip"])


def loss(table: pandas.DataFrame, **stated: Any) -> tuple[float, shoal.Release]:
    """What a release loses, and the release."""
    release = shoal.anonymize(table, quasi_identifiers=["age", "zip"], **stated)
    assert release.manifest.cost is not None
    return release.manifest.cost, release


@FEW
@given(tables(), st.integers(1, 4), st.sampled_from([0, 1, "20%"]))
def test_one_recoding_per_column_loses_no_more_than_any_of_the_three(
    table: pandas.DataFrame, k: int, suppression: int | str
) -> None:
    """And what it claims is what the search that made it claims alone."""
    asked: dict[str, Any] = {"k": k, "suppression": suppression}
    least, release = loss(table, **asked, consistent=True)
    alone = {name: loss(table, **asked, algorithm=name)[1].manifest for name in COLUMNS}
    assert least == min(each.cost for each in alone.values() if each.cost is not None)
    made = alone[release.manifest.algorithm]
    assert (release.manifest.status, release.manifest.kind) == (made.status, made.kind)


@FEW
@given(tables(), st.integers(1, 4))
def test_a_bound_row_by_row_is_below_every_release_of_columns(table: pandas.DataFrame, k: int) -> None:
    """Every recoding of columns is one of rows, so none costs less than the bound on those."""
    bound = loss(table, k=k)[1].manifest.bound
    by_columns, _ = loss(table, k=k, consistent=True)
    assume(bound is not None)
    assert bound <= by_columns


def cuts_of(levels: Levels, domains: tuple[Domain, ...]) -> CutRecoding | None:
    """The cuts between the parts of a node; `None` if some part's values are not neighbours."""
    cuts = []
    for level, domain in zip(levels, domains, strict=True):
        parts = domain.hierarchy.parts[level]
        places = np.flatnonzero(np.diff(parts)) + 1
        if len(places) != len(set(parts)) - 1:
            return None
        cuts.append(tuple(places.tolist()))
    return CutRecoding(tuple(cuts))


@MANY
@given(level_problems(metrics=costs_of_cuts()))
def test_cuts_cost_no_more_than_levels_with_the_same_groups(problem: Problem) -> None:
    """So a bound on cuts is one on the levels, and subtrees, whose labels join neighbours."""
    table = problem.table
    found = [(levels, cuts_of(levels, table.domains)) for levels in every_node(problem)]
    same = [(levels, cuts) for levels, cuts in found if cuts is not None]
    assume(same)
    for levels, cuts in same:
        assert problem.cost.of(table, cuts, problem.k) <= cost_at(problem, levels)
        for at, domain in enumerate(table.domains):
            pairs = zip(cuts.parts(at, domain), LevelRecoding(levels).parts(at, domain), strict=True)
            assert len(set(pairs)) == len(cuts.cuts[at]) + 1
