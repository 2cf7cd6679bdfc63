"""Levels for people with several rows agree with a look at every choice of levels and of suppressed rows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.algorithms.histories import HISTORY_ALGORITHMS
from shoal.algorithms.histories.person_levels import PersonLevels
from shoal.cost import CellMetric, Entropy, GeneralLoss, Ncp, Precision, SuppressedCells
from shoal.model.hierarchy.coded_tree import tree_of
from shoal.model.history.histories import Histories
from shoal.model.history.placement import SUPPRESSED_ROW
from shoal.model.history.problem import HistoryProblem
from shoal.model.history.promise import Promise
from shoal.model.policy.budget import Budget
from shoal.model.recoding.groups import Groups
from shoal.model.recoding.level_recoding import LevelRecoding
from shoal.model.result.result import Status
from shoal.model.table.domain import Domain
from shoal.model.table.frequency_table import Facts, FrequencyTable
from shoal.model.table.people import SensitiveColumn
from shoal.privacy import DistinctLDiversity, GroupModel
from tests.histories import plain_levels as plain

AGE = (("20", "20s", "*"), ("25", "20s", "*"), ("30", "30s", "*"), ("35", "30s", "*"))
SEX = (("f", "*"), ("m", "*"))
WARD = (("icu", "any"), ("er", "any"))
"""A top that is no star: a row that reveals nothing but that there is one."""

Drawn = list[tuple[tuple[plain.Row, ...], int]]


def domain(name: str, rows: tuple[tuple[str, ...], ...]) -> Domain:
    values = tuple(row[0] for row in rows)
    tree = tree_of(rows, range(len(rows)), values, missing=False)
    return Domain(name=name, kind="category", values=values, tree=tree)


def table(domains: tuple[Domain, ...], rows: list[int]) -> FrequencyTable:
    """All combinations of codes; the counts are those of the given rows."""
    codes = np.array(list(np.ndindex(*(len(each) for each in domains))), np.int32)
    return FrequencyTable(
        domains=domains, codes=codes, counts=np.bincount(rows, minlength=len(codes)).astype(np.int64)
    )


def posed(
    domains: list[tuple[Domain, ...]],
    drawn: Drawn,
    *,
    k: int,
    promise: Promise,
    limit: int | None,
    models: tuple[GroupModel, ...] = (),
) -> HistoryProblem:
    """A problem whose histories are those drawn, each with its persons."""
    everybody = [row for rows, count in drawn for row in rows for _ in range(count)]
    tables = [
        table(own, [row.row for row in everybody if row.table == number])
        for number, own in enumerate(domains)
    ]
    if models:
        counted = np.bincount([row.value for row in everybody], minlength=3)
        columns = (SensitiveColumn(name="ill", counts=tuple(counted.tolist()), values=("a", "b", "c")),)
        facts = Facts(
            columns=columns,
            combinations=np.zeros((1, 1), np.int32),
            first=np.zeros(len(tables[0].counts) + 1, np.int64),
            of_entry=np.zeros(0, np.int32),
            counts=np.zeros(0, np.int64),
        )
        tables[0] = FrequencyTable(
            domains=tables[0].domains, codes=tables[0].codes, counts=tables[0].counts, facts=facts
        )
    rows = [row for own, _ in drawn for row in own]
    histories = Histories(
        tables=tuple(tables),
        first=np.cumsum([0, *(len(own) for own, _ in drawn)]).astype(np.int64),
        table_of=np.array([row.table for row in rows], np.int32),
        row_of=np.array([row.row for row in rows], np.int32),
        parent=np.array([row.parent for row in rows], np.int32),
        counts=np.array([count for _, count in drawn], np.int64),
        values=np.array([[row.value] for row in rows], np.int32) if models else None,
        ordered=promise.ordered,
    )
    costs = tuple(Ncp() for _ in tables)
    return HistoryProblem(histories=histories, promise=promise, k=k, costs=costs, limit=limit, models=models)


@st.composite
def problems(
    draw: Callable[[Any], Any],
    *,
    persons: int = 6,
    rows: int = 3,
    in_all: int = 18,
    household: bool = False,
    events: bool = True,
    models: bool = False,
) -> HistoryProblem:
    """Persons with up to so many rows of one table, each and about so many in all."""
    domains = draw(
        st.sampled_from(
            [(domain("age", AGE),), (domain("age", AGE), domain("sex", SEX)), (domain("w", WARD),)]
        )
    )
    codes = int(np.prod([len(each) for each in domains]))
    row = st.builds(plain.Row, st.just(0), st.integers(0, codes - 1), st.just(-1), st.integers(0, 2))
    drawn: Drawn = []
    left = draw(st.integers(2, persons))
    while left:
        count = draw(st.integers(1, left))
        own = draw(st.lists(row, min_size=1, max_size=max(1, min(rows, in_all // count))))
        drawn.append((tuple(own), count))
        left, in_all = left - count, in_all - len(own) * count
    everybody = sum(count for _, count in drawn)
    total = sum(len(own) * count for own, count in drawn)
    known = draw(st.sampled_from([None, 1, 2, 3])) if events else None
    promise = Promise(
        column="id",
        unit="household" if household else "person",
        known_events=known,
        ordered=draw(st.booleans()),
    )
    return posed(
        [domains],
        drawn,
        k=draw(st.integers(1, min(3, everybody))),
        promise=promise,
        limit=draw(st.one_of(st.none(), st.integers(0, total))),
        models=(DistinctLDiversity(attribute="ill", l=2),) if models else (),
    )


@st.composite
def trees(draw: Callable[[Any], Any]) -> HistoryProblem:
    """Patients with stays, and what was done during them."""
    domains = [(domain("age", AGE),), (domain("sex", SEX), domain("w", WARD))]
    drawn: Drawn = []
    for _ in range(draw(st.integers(2, 4))):
        stays = [
            plain.Row(1, draw(st.integers(0, 3)), draw(st.integers(0, place)))
            for place in range(draw(st.integers(0, 2)))
        ]
        patient = plain.Row(0, draw(st.integers(0, 3)))
        drawn.append(((patient, *stays), draw(st.integers(1, 2))))
    promise = Promise(column="id", ordered=draw(st.booleans()))
    limit = draw(st.one_of(st.none(), st.integers(0, 8)))
    return posed(domains, drawn, k=2, promise=promise, limit=limit)


def check_released(problem: HistoryProblem, result: Any) -> None:
    """The placement keeps what is promised, costs what it claims, and places are released rows."""
    assert result.placement is not None
    place_of, levels = result.placement.place_of, result.placement.levels
    histories, persons, kept = problem.histories, [], []
    for number, count in enumerate(histories.counts.tolist()):
        own = place_of[histories.first[number] : histories.first[number + 1]] != SUPPRESSED_ROW
        kept += [tuple(own.tolist())] * count
    persons = plain.persons_of(problem)
    assert plain.holds(problem, levels, persons, kept)
    assert result.cost == plain.cost_of(problem, levels, persons, kept)
    assert sum(not stays for own in kept for stays in own) <= problem.most_suppressed
    rows = [row for own in _distinct(problem) for row in own]
    places: dict[int, set[object]] = {}
    for row, place in zip(rows, place_of.tolist(), strict=True):
        if place != SUPPRESSED_ROW:
            places.setdefault(place, set()).add((row.table, plain.label_of(problem, levels, row)))
    assert all(len(each) == 1 for each in places.values())
    assert len(set.union(set(), *places.values())) == len(places)
    assert sorted(places) == list(range(len(places)))


def _distinct(problem: HistoryProblem) -> list[tuple[plain.Row, ...]]:
    histories = problem.histories
    return [
        tuple(
            plain.Row(int(histories.table_of[i]), int(histories.row_of[i]), int(histories.parent[i]))
            for i in range(int(histories.first[number]), int(histories.first[number + 1]))
        )
        for number in range(len(histories.counts))
    ]


def check_whole_persons(problem: HistoryProblem, least: Fraction | None) -> None:
    """Where persons go whole, the answer is the optimum, or there is none."""
    algorithm = PersonLevels(single_rows=False)
    assert algorithm.supports(problem) is None
    result = algorithm.solve(problem, Budget())
    if least is None:
        assert result.status is Status.INFEASIBLE
        return
    assert result.status is Status.OPTIMAL
    assert result.cost == result.bound == least
    check_released(problem, result)


@settings(max_examples=50, deadline=None)
@given(problems())
def test_whole_persons_equal_brute_force(problem: HistoryProblem) -> None:
    """Without single rows the optimum is proved, for each promise, in order and out of it."""
    check_whole_persons(problem, plain.best(problem, single_rows=False))


@settings(max_examples=30, deadline=None)
@given(problems(household=True, events=False))
def test_households_equal_brute_force(problem: HistoryProblem) -> None:
    """A household goes whole, also where only one of its members would be all stars."""
    check_whole_persons(problem, plain.best(problem, single_rows=False))
    assert PersonLevels().solve(problem, Budget()).cost == plain.best(problem, single_rows=False)


@settings(max_examples=40, deadline=None)
@given(trees())
def test_trees_equal_brute_force(problem: HistoryProblem) -> None:
    """Rows of several tables are compared with all that belongs to them."""
    check_whole_persons(problem, plain.best(problem, single_rows=False))


@settings(max_examples=40, deadline=None)
@given(problems(events=False, models=True, persons=5))
def test_models_equal_brute_force(problem: HistoryProblem) -> None:
    """Persons with the same history must differ in their sensitive values, row by row and in all rows."""
    check_whole_persons(problem, plain.best_of_groups(problem))


@settings(max_examples=50, deadline=None)
@given(problems(persons=5, in_all=7))
def test_single_rows_lie_between_bound_and_whole_persons(problem: HistoryProblem) -> None:
    """Leaving out single rows costs no more and keeps the promise; no choice costs less than the bound."""
    result = PersonLevels().solve(problem, Budget())
    whole, least = plain.best(problem, single_rows=False), plain.best(problem, single_rows=True)
    if result.status is Status.INFEASIBLE:
        assert least is None
    elif result.status is Status.UNKNOWN:
        assert whole is None
    else:
        assert least is not None
        assert result.cost is not None
        assert result.bound is not None
        assert result.bound <= least <= result.cost
        assert whole is None or result.cost <= whole
        assert (result.status is Status.OPTIMAL) == (result.bound == result.cost)
        check_released(problem, result)


def of_persons(histories: list[list[int]], *, k: int = 2, **promised: Any) -> HistoryProblem:
    """One person per list of ages, by their codes."""
    drawn: Drawn = [(tuple(plain.Row(0, row) for row in own), 1) for own in histories]
    return posed([(domain("age", AGE),)], drawn, k=k, promise=Promise(column="id", **promised), limit=None)


def test_long_history_loses_a_row_and_stays() -> None:
    """Of a person with one row more than the others only that row goes."""
    problem = of_persons([[0, 2], [0, 2], [0, 2, 3]])
    whole, single = (PersonLevels(single_rows=each).solve(problem, Budget()) for each in (False, True))
    assert whole.cost is not None
    assert single.cost is not None
    assert single.cost < whole.cost
    assert single.placement is not None
    assert single.placement.place_of.tolist() == [0, 1, 0, 1, 0, 1, -1]


def test_row_in_rare_combinations_goes() -> None:
    """Where two rows may be known, the row that makes a pair rare goes, and the person stays."""
    problem = of_persons([[0, 2], [0, 2], [1, 3], [1, 3], [0, 2, 3]], known_events=2)
    result = PersonLevels().solve(problem, Budget())
    assert result.placement is not None
    assert result.placement.levels == ((0,),)
    assert int((result.placement.place_of == SUPPRESSED_ROW).sum()) == 1


@pytest.mark.parametrize("metric", [Ncp(), GeneralLoss(), Precision(), Entropy(), SuppressedCells()])
def test_cost_is_the_metric_of_the_divided_table(metric: CellMetric) -> None:
    """Rows that are equal, some of them suppressed, are priced by the metric's own definition."""
    generator = np.random.default_rng(3)
    persons = [generator.integers(0, 4, generator.integers(1, 4)).tolist() for _ in range(40)]
    problem = replace(of_persons(persons, k=3), costs=(metric,))
    result = PersonLevels(single_rows=False).solve(problem, Budget())
    assert result.status is Status.OPTIMAL
    assert result.placement is not None
    assert result.placement.levels is not None
    recoding, histories = LevelRecoding(result.placement.levels[0]), problem.histories
    released = result.placement.place_of != SUPPRESSED_ROW
    assert not released.all()
    parts = recoding.parts(0, histories.tables[0].domains[0])
    made = Groups(
        values=parts[histories.tables[0].codes[histories.row_of]],
        sizes=np.repeat(histories.counts, histories.lengths),
        of_row=np.arange(len(histories.row_of)),
        kept=released,
    )
    assert result.cost == metric.of_groups(histories.tables[0], recoding, made)


def test_answer_depends_on_no_thread() -> None:
    """Rounds are of a fixed size, so that two threads find what one finds."""
    generator = np.random.default_rng(7)
    persons = [generator.integers(0, 4, generator.integers(1, 5)).tolist() for _ in range(200)]
    for known in (None, 2):
        problem = of_persons(persons, k=3, known_events=known)
        one, two = (PersonLevels().solve(problem, Budget(), threads=each) for each in (1, 2))
        assert (one.cost, one.bound, one.nodes) == (two.cost, two.bound, two.nodes)
        assert one.placement is not None
        assert two.placement is not None
        assert one.placement.place_of.tolist() == two.placement.place_of.tolist()


def test_budget_of_no_nodes_finds_nothing() -> None:
    """Running out of budget is an answer."""
    problem = of_persons([[0], [1], [2]])
    assert PersonLevels().solve(problem, Budget(nodes=0)).status is Status.UNKNOWN
    some = PersonLevels().solve(problem, Budget(nodes=2))
    assert some.nodes <= 2
    assert some.status is Status.FEASIBLE


def test_too_many_combinations_are_refused() -> None:
    """They are counted before any of them is looked at."""
    problem = of_persons([[0, 1, 2, 3] * 100] * 2, known_events=8)
    reason = PersonLevels().supports(problem)
    assert reason is not None
    assert "choose known_events = 3" in reason


def test_models_are_refused_where_some_rows_are_known() -> None:
    """No rule says what a model means for combinations of rows."""
    drawn: Drawn = [((plain.Row(0, 0),), 1), ((plain.Row(0, 1, -1, 1),), 1)]
    problem = posed(
        [(domain("age", AGE),)],
        drawn,
        k=2,
        promise=Promise(column="id", known_events=1),
        limit=None,
        models=(DistinctLDiversity(attribute="ill", l=2),),
    )
    assert "known_events" in (PersonLevels().supports(problem) or "")


@pytest.mark.parametrize("option", ["single_rows"])
def test_algorithm_is_registered(option: str) -> None:
    """A policy finds it by its name, with its option."""
    assert HISTORY_ALGORITHMS["person-levels"].with_options({option: False}) == PersonLevels(
        single_rows=False
    )
