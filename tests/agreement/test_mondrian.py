"""Mondrian makes the groups of its definition, cuts them as far as it may, and releases them truly."""

from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

import shoal
from shoal.algorithms.rows.mondrian import Mondrian
from shoal.cost import METRICS
from shoal.errors import PolicyError
from shoal.model.policy.budget import Budget, Progress
from shoal.model.result.problem import Problem
from shoal.model.result.result import Status
from shoal.model.table.domain import Domain
from shoal.model.table.frequency_table import FrequencyTable
from shoal.privacy import DistinctLDiversity, KMap
from tests.agreement.thoroughness import examples

from .level_problems import level_problems
from .plain_mondrian import Group, PlainMondrian
from .private_problems import made_private
from .problems import problems
from .test_local import check_is_what_it_says

MANY = settings(max_examples=examples(250), deadline=None, suppress_health_check=list(HealthCheck))
FEW = settings(max_examples=examples(60), deadline=None, suppress_health_check=list(HealthCheck))

algorithms = st.builds(
    Mondrian,
    partitioning=st.sampled_from(["strict", "relaxed"]),
    choice=st.sampled_from(["width", "information-gain", "cost"]),
    values=st.sampled_from(["given", "hierarchy", "sets", "intervals"]),
)
tables = st.one_of(level_problems(), problems())


def partition(problem: Problem, algorithm: Mondrian, budget: Budget | None = None) -> list[Group] | None:
    """The groups that the core makes."""
    answer = algorithm.partition(problem, budget or Budget())
    if not answer.found:
        return None
    return [tuple(np.flatnonzero(answer.group_of == group).tolist()) for group in range(answer.groups)]


def solvable(problem: Problem, algorithm: Mondrian) -> Problem:
    """The problem without limits on levels; a case that the algorithm does not support then is rejected."""
    problem = replace(problem, levels=())
    assume(algorithm.supports(problem) is None)
    return problem


@MANY
@given(drawn=tables, algorithm=algorithms)
def test_groups_are_those_of_the_definition(drawn: Problem, algorithm: Mondrian) -> None:
    """The core and a few lines of plain Python make the same groups, in every variant."""
    problem = solvable(drawn, algorithm)
    groups, plain = partition(problem, algorithm), PlainMondrian(problem, algorithm).groups()
    assert groups is not None
    assert plain is not None
    assert sorted(groups) == sorted(plain)


@MANY
@given(drawn=level_problems().flatmap(made_private), algorithm=algorithms)
def test_private_groups_are_those_of_the_definition(drawn: Problem, algorithm: Mondrian) -> None:
    """The same with privacy models, which plain Python asks for their own definitions."""
    problem = solvable(drawn, algorithm)
    groups, plain = partition(problem, algorithm), PlainMondrian(problem, algorithm).groups()
    assert (groups is None) == (plain is None)
    if groups is not None and plain is not None:
        assert sorted(groups) == sorted(plain)


@MANY
@given(drawn=st.one_of(tables, level_problems().flatmap(made_private)), algorithm=algorithms)
def test_release_is_admissible_and_true(drawn: Problem, algorithm: Mondrian) -> None:
    """Every group is admitted, the cost is that of the definition, and every cell covers its value."""
    problem = solvable(drawn, algorithm)
    result = algorithm.solve(problem, Budget())
    if result.recoding is None:
        whole = tuple(np.flatnonzero(problem.table.counts).tolist())
        assert not PlainMondrian(problem, algorithm).admitted(whole)
        assert result.status is (Status.INFEASIBLE if problem.most_suppressed == 0 else Status.UNKNOWN)
        return
    assert (result.status, result.suppressed) == (Status.FEASIBLE, 0)
    check_is_what_it_says(problem, result)
    table, released = problem.table, result.recoding.released(problem.table)
    for attribute, domain in enumerate(table.domains):
        members = result.recoding.members(attribute, domain)
        for row in np.flatnonzero(table.counts).tolist():
            assert table.codes[row, attribute] in members[released[row, attribute]]


@MANY
@given(drawn=st.one_of(tables, level_problems().flatmap(made_private)), algorithm=algorithms)
def test_no_allowable_cut_is_left(drawn: Problem, algorithm: Mondrian) -> None:
    """No group can be cut further along any attribute, at the median or elsewhere."""
    problem = solvable(drawn, algorithm)
    plain = PlainMondrian(problem, algorithm)
    for group in partition(problem, algorithm) or []:
        for attribute in plain.attributes(group):
            assert not list(plain.allowable(group, attribute))


@MANY
@given(drawn=st.one_of(tables, level_problems().flatmap(made_private)), algorithm=algorithms)
def test_regions_of_strict_groups_are_disjoint(drawn: Problem, algorithm: Mondrian) -> None:
    """Of two strict groups some attribute's released values have no value in common."""
    algorithm = replace(algorithm, partitioning="strict")
    problem = solvable(drawn, algorithm)
    recoding = algorithm.solve(problem, Budget()).recoding
    assume(recoding is not None)
    domains = problem.table.domains
    members = [[set(m) for m in recoding.members(a, domain)] for a, domain in enumerate(domains)]
    present = problem.table.counts > 0
    released = {tuple(values) for values in recoding.released(problem.table)[present].tolist()}
    for one, other in itertools.combinations(released, 2):
        assert any(not of[x] & of[y] for of, x, y in zip(members, one, other, strict=True))


@FEW
@given(
    drawn=st.one_of(tables, level_problems().flatmap(made_private)),
    algorithm=algorithms,
    nodes=st.integers(0, 4),
)
def test_an_early_end_still_gives_an_admissible_release(
    drawn: Problem, algorithm: Mondrian, nodes: int
) -> None:
    """Out of budget, groups stay as large as they are."""
    problem = solvable(drawn, algorithm)
    result = algorithm.solve(problem, Budget(nodes=nodes))
    assert result.nodes <= nodes
    if result.recoding is not None:
        check_is_what_it_says(problem, result)
    assert (result.recoding is None) == (algorithm.solve(problem, Budget()).recoding is None)


def table_of(codes: NDArray[np.int32], labels: NDArray[np.int64] | None = None) -> FrequencyTable:
    """Numbers in even columns, categories in odd ones; the largest code of column 0 is the missing value."""
    rows, counts = np.unique(codes, axis=0, return_counts=True)
    domains = []
    for attribute, size in enumerate((codes.max(axis=0) + 1).tolist()):
        if attribute % 2:
            domains.append(
                Domain(name=f"c{attribute}", kind="category", values=tuple(f"v{v}" for v in range(size)))
            )
        else:
            values = (*range(size - 1), None) if attribute == 0 else tuple(range(size))
            domains.append(Domain(name=f"n{attribute}", kind="number", values=values))
    given_labels = {} if labels is None else {"labels": ("x", "y"), "label_counts": labels}
    return FrequencyTable(
        domains=tuple(domains), codes=rows.astype(np.int32), counts=counts.astype(np.int64), **given_labels
    )


def many_rows() -> FrequencyTable:
    """Forty thousand rows with long tails: enough for threads to share the work."""
    chance = np.random.default_rng(5)
    tail = np.minimum(chance.geometric(0.01, (40_000, 2)) - 1, 499)
    return table_of(np.column_stack([tail[:, 0], chance.integers(0, 9, 40_000), tail[:, 1]]).astype(np.int32))


@pytest.mark.parametrize("choice", ["width", "cost"])
@pytest.mark.parametrize("partitioning", ["strict", "relaxed"])
def test_answer_does_not_depend_on_threads(choice: str, partitioning: str) -> None:
    """Groups never meet again once they are cut, so it does not matter who cuts them."""
    problem = Problem(table=many_rows(), k=5, cost=METRICS["ncp"]())
    algorithm = Mondrian.with_options({"choice": choice, "partitioning": partitioning})
    for budget in (Budget(), Budget(nodes=700)):
        answers = [algorithm.partition(problem, budget, threads=threads) for threads in (1, 2, 4)]
        assert len({(answer.groups, answer.nodes) for answer in answers}) == 1
        assert all(np.array_equal(answers[0].group_of, answer.group_of) for answer in answers)


def test_time_ends_the_search() -> None:
    """With no time at all the rows stay one group."""
    problem = Problem(table=many_rows(), k=5, cost=METRICS["ncp"]())
    assert Mondrian().partition(problem, Budget(seconds=0)).groups == 1


def test_an_interrupted_search_gives_an_admissible_release() -> None:
    """Ctrl-C, here raised where progress is told, ends it with the groups as they are."""
    problem = Problem(table=many_rows(), k=2, cost=METRICS["ncp"]())
    heard: list[Progress] = []

    def interrupted(moment: Progress) -> None:
        heard.append(moment)
        raise KeyboardInterrupt

    result = Mondrian(choice="cost", partitioning="relaxed").solve(problem, Budget(), on_progress=interrupted)
    assert result.interrupted
    assert [(moment.cost, moment.bound) for moment in heard] == [(None, None)]
    check_is_what_it_says(problem, result)


@pytest.mark.parametrize(
    ("codes", "k", "groups"),
    [
        ([[0, 0, 0]] * 9, 3, 1),  # all equal
        ([[i, i % 3, i] for i in range(12)], 3, 4),  # all different
        ([[i] for i in range(8)], 2, 4),  # one attribute
        ([[i] for i in range(3)], 2, 1),  # fewer than two groups
        ([[0, 0]] * 50 + [[i, 1] for i in range(1, 4)], 3, 2),  # a long tail
    ],
)
def test_degenerate_tables(codes: list[list[int]], k: int, groups: int) -> None:
    """Tables at the ends of what there can be are cut as far as they can be, by both partitionings."""
    problem = Problem(table=table_of(np.array(codes, np.int32)), k=k, cost=METRICS["ncp"]())
    for partitioning in ("strict", "relaxed"):
        algorithm = Mondrian.with_options({"partitioning": partitioning})
        assert algorithm.partition(problem, Budget()).groups == groups
        check_is_what_it_says(problem, algorithm.solve(problem, Budget()))


def test_a_median_that_is_not_allowable_is_passed_over() -> None:
    """The cut next to the median that leaves k rows on both sides is taken."""
    problem = Problem(
        table=table_of(np.array([[0]] * 3 + [[1]] * 9 + [[2]] * 2 + [[3]], np.int32)),
        k=3,
        cost=METRICS["ncp"](),
    )
    assert partition(problem, Mondrian()) == [(0,), (1,), (2, 3)]


def test_relaxed_halves_go_through_a_value() -> None:
    """Rows with the median value are on both sides, so the sides are as large as they can be."""
    codes = np.array([[0, 1]] + [[1, 0]] * 2 + [[1, 1]] * 3, np.int32)
    problem = Problem(table=table_of(codes), k=3, cost=METRICS["ncp"]())
    assert partition(problem, Mondrian(partitioning="relaxed")) == [(0, 1), (2,)]
    assert partition(problem, Mondrian(partitioning="strict")) == [(0, 1, 2)]


def test_information_gain_cuts_where_the_class_changes() -> None:
    """The narrow attribute that tells the class is cut before the wide one that does not."""
    codes = np.array([[0, i, j] for i in range(2) for j in range(8)], np.int32)
    labels = np.array([[1, 0] if i == 0 else [0, 1] for i in range(2) for j in range(8)], np.int64)
    problem = Problem(table=table_of(codes, labels), k=8, cost=METRICS["classification"]())
    result = Mondrian(choice="information-gain").solve(problem, Budget())
    assert result.cost == 0


@pytest.mark.parametrize(
    "options", [{"partitioning": "loose"}, {"choice": "median"}, {"values": "nodes"}, {"values": 3}]
)
def test_unknown_words_are_refused(options: dict[str, object]) -> None:
    """A word that an option does not know is refused with those that it does."""
    with pytest.raises(PolicyError, match=r"is one of .*; it is "):
        Mondrian.with_options(options)


def test_what_cannot_be_kept_is_refused() -> None:
    """Levels, a class that is not named, costs of levels and the population are refused with a way out."""
    table = table_of(np.array([[0, 0], [0, 1]], np.int32))
    problem = Problem(table=table, k=1, cost=METRICS["ncp"]())
    assert Mondrian().supports(problem) is None
    assert "class attribute" in str(Mondrian(choice="information-gain").supports(problem))
    assert "use 'lattice'" in str(Mondrian().supports(replace(problem, cost=METRICS["height"]())))
    people = replace(table, population=np.array([1, 1], np.int64) * 10**6)
    mapped = replace(problem, table=people, models=(KMap(k=2),))
    assert "use 'lattice'" in str(Mondrian().supports(mapped))


ROWS = {
    "age": [20, 21, 35, 36, 50, 51, None, None],
    "visit": [f"2024-0{month}-01" for month in (1, 1, 2, 3, 5, 5, 6, 7)],
    "city": ["Oslo", "Bergen", "Oslo", "Bergen", "Rome", "Milan", "Rome", "Milan"],
    "disease": ["flu", "cold", "cold", "flu", "flu", "cold", "flu", "cold"],
}

CITIES = {"Oslo": ["Norway", "*"], "Bergen": ["Norway", "*"], "Rome": ["Italy", "*"], "Milan": ["Italy", "*"]}


@pytest.mark.parametrize("values", ["hierarchy", "sets", "intervals"])
@pytest.mark.parametrize("partitioning", ["strict", "relaxed"])
@pytest.mark.parametrize("choice", ["width", "information-gain", "cost"])
def test_release_from_the_front_door_is_audited(values: str, partitioning: str, choice: str) -> None:
    """Numbers, dates, categories, missing values and a hierarchy are released under models, and audited."""
    release = shoal.anonymize(
        pd.DataFrame(ROWS),
        quasi_identifiers=["age", "visit", "city"],
        types={"visit": "date"},
        hierarchies={"city": CITIES},
        **(
            {"class_attribute": "disease"}
            if choice == "information-gain"
            else {"models": [DistinctLDiversity(l=2, attribute="disease")], "sensitive": ["disease"]}
        ),
        k=2,
        recoding_model="CG_",
        algorithm="mondrian",
        options={"values": values, "partitioning": partitioning, "choice": choice},
    )
    assert release.manifest.algorithm == "mondrian"
    assert release.verdict.holds
