"""The search for groups of persons, compared with all groups and alignments of small tables."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from shoal.algorithms.histories import HISTORY_ALGORITHMS
from shoal.algorithms.histories._tables import cost_of
from shoal.algorithms.histories.fewest_suppressed import (
    fewest_suppressed,
    fewest_suppressed_for_events,
)
from shoal.algorithms.histories.person_groups import PersonGroups
from shoal.cost.ncp import Ncp
from shoal.model.hierarchy.coded_tree import tree_of
from shoal.model.history.histories import Histories
from shoal.model.history.problem import HistoryProblem, HistoryResult
from shoal.model.history.promise import Promise
from shoal.model.policy.budget import Budget
from shoal.model.recoding.history_recoding import PlacedTable
from shoal.model.result.result import Status
from shoal.model.table.domain import Domain
from shoal.model.table.frequency_table import FrequencyTable
from tests.histories.brute_force import of_cells
from tests.histories.definitions import keeps
from tests.histories.plain_person_groups import Person, best_partition, fewest_rows

BUDGET = Budget(seconds=20.0)


def number(size: int) -> Domain:
    """Numbers, released as intervals."""
    texts = [str(value) for value in range(size)]
    tree = tree_of([(text, "*") for text in texts], range(size), texts, missing=False, given=False)
    return Domain(name="number", kind="number", values=tuple(range(size)), tree=tree)


def category(size: int) -> Domain:
    """Categories, released as sets."""
    texts = [f"c{value}" for value in range(size)]
    tree = tree_of([(text, "*") for text in texts], range(size), texts, missing=False, given=False)
    return Domain(name="category", kind="category", values=tuple(texts), tree=tree)


def labelled(size: int) -> Domain:
    """Categories with a hierarchy: pairs, and `*` above all."""
    texts = [f"l{value}" for value in range(size)]
    rows = [(text, f"pair{value // 2}", "*") for value, text in enumerate(texts)]
    return Domain(
        name="labelled",
        kind="category",
        values=tuple(texts),
        tree=tree_of(rows, range(size), texts, missing=False),
    )


def problem_of(
    domains: list[Domain],
    persons: list[Person],
    k: int,
    *,
    ordered: bool = False,
    household: bool = False,
    limit: int | None = None,
) -> HistoryProblem:
    """The problem of some persons in one table."""
    own = [person if ordered else tuple(sorted(person)) for person in persons]
    counted = Counter(own)
    rows = Counter(row for person in own for row in person)
    numbers = {row: place for place, row in enumerate(sorted(rows))}
    table = FrequencyTable(
        domains=tuple(domains),
        codes=np.array(sorted(rows), np.int32).reshape(len(rows), len(domains)),
        counts=np.array([rows[row] for row in sorted(rows)], np.int64),
    )
    histories = Histories.of_one_table(
        table,
        np.cumsum([0, *(len(person) for person in counted)]).astype(np.int64),
        np.array([numbers[row] for person in counted for row in person], np.int32),
        np.array(list(counted.values()), np.int64),
        ordered=ordered,
    )
    promise = Promise(column="id", unit="household" if household else "person", ordered=ordered)
    return HistoryProblem(histories=histories, promise=promise, k=k, costs=(Ncp(),), limit=limit)


def people_of(problem: HistoryProblem) -> list[tuple[Person, int]]:
    """The distinct histories, with the number of persons."""
    histories = problem.histories
    codes = [tuple(row) for row in histories.tables[0].codes.tolist()]
    return [
        (tuple(codes[row] for row in histories.row_of[first:last]), int(count))
        for first, last, count in zip(
            histories.first[:-1], histories.first[1:], histories.counts, strict=True
        )
    ]


def released(problem: HistoryProblem, result: HistoryResult) -> dict[tuple[int, ...], int]:
    """Per released history the number of persons who have it."""
    assert result.placement is not None
    found: Counter[tuple[int, ...]] = Counter()
    histories = problem.histories
    for h, count in enumerate(histories.counts.tolist()):
        places = result.placement.place_of[histories.first[h] : histories.first[h + 1]].tolist()
        kept = tuple(place for place in places if place >= 0)
        assert len(set(kept)) == len(kept)
        if problem.promise.whole_units:
            assert len(kept) in (0, len(places))
        if kept:
            found[kept if histories.ordered else tuple(sorted(kept))] += count
    return dict(found)


def suppressed(problem: HistoryProblem, result: HistoryResult) -> int:
    """The rows that are not released."""
    assert result.placement is not None
    gone = result.placement.place_of < 0
    return int(problem.histories.counts[problem.histories.history_of[gone]].sum())


@st.composite
def problems(draw: st.DrawFn) -> HistoryProblem:
    """Up to six persons with up to three rows of one or two columns."""
    kinds = st.sampled_from([number(4), category(3), labelled(4)])
    domains = draw(st.lists(kinds, min_size=1, max_size=2, unique_by=lambda each: each.name))
    row = st.tuples(*(st.integers(0, len(domain) - 1) for domain in domains))
    persons = draw(st.lists(st.lists(row, min_size=1, max_size=3).map(tuple), min_size=2, max_size=6))
    persons += [persons[0]] * draw(st.sampled_from([0, 0, 0, 2]))
    rows = sum(map(len, persons))
    return problem_of(
        domains,
        persons,
        draw(st.integers(1, min(4, len(persons)))),
        ordered=draw(st.booleans()),
        household=draw(st.booleans()),
        limit=draw(st.one_of(st.none(), st.integers(0, rows))),
    )


@given(problem=problems())
@settings(max_examples=100, deadline=None)
def test_never_better_than_all_groups_and_never_below_the_bound(problem: HistoryProblem) -> None:
    """The promise holds, the cost is the definition's, and the optimum is between bound and cost."""
    histories = problem.histories
    domains = histories.tables[0].domains
    result = PersonGroups().solve(problem, BUDGET)
    stars = all(domain.hierarchy.given for domain in domains)
    best = best_partition(
        domains,
        people_of(problem),
        problem.k,
        ordered=histories.ordered,
        whole=problem.promise.whole_units,
        limit=problem.limit,
        all_stars=stars,
    )
    if result.status is Status.INFEASIBLE:
        assert best is None
        assert "must be suppressed" in result.reason
    elif result.placement is None:
        # Copies of a history stay together, and rows of stars alone are suppressed: more may have to go then.
        assert result.status is Status.UNKNOWN
        assert best is None or stars or histories.counts.max() > 1
    else:
        assert best is not None
        check(problem, result, best)


def check(problem: HistoryProblem, result: HistoryResult, best: Fraction) -> None:
    """That an answer is what it says, and not better than the best."""
    assert result.placement is not None
    assert all(persons >= problem.k for persons in released(problem, result).values())
    assert suppressed(problem, result) <= problem.most_suppressed
    words = PersonGroups().words(problem)
    assert result.cost == cost_of(problem, result.placement, words)
    assert result.bound is not None
    assert result.cost is not None
    histories = problem.histories
    optimum = best / (histories.rows * len(histories.tables[0].domains))
    assert result.bound <= optimum <= result.cost
    if result.status is Status.OPTIMAL:
        assert result.cost == optimum


def test_finds_the_optimum_of_most_small_tables() -> None:
    """Of random tables like those above at least five in six."""
    random = np.random.default_rng(1)
    equal = 0
    for _ in range(60):
        domains = [number(4), category(3)]
        persons: list[Person] = [
            tuple(
                (int(random.integers(4)), int(random.integers(3))) for _ in range(int(random.integers(1, 4)))
            )
            for _ in range(5)
        ]
        problem = problem_of(domains, persons, 2, ordered=bool(random.integers(2)))
        best = best_partition(
            domains, people_of(problem), 2, ordered=problem.histories.ordered, whole=False, limit=None
        )
        assert best is not None
        result = PersonGroups().solve(problem, BUDGET)
        equal += result.cost == best / (problem.histories.rows * 2)
    assert equal >= 50


@given(
    people=st.lists(st.tuples(st.integers(1, 6), st.integers(1, 3)), min_size=1, max_size=4),
    k=st.integers(1, 5),
    whole=st.booleans(),
)
@settings(max_examples=100, deadline=None)
def test_fewest_suppressed_is_the_fewest_of_all_partitions(
    people: list[tuple[int, int]], k: int, whole: bool
) -> None:
    """The program over the numbers of rows agrees with all partitions of the persons."""
    people = people[: 1 + 6 // max(count for _, count in people)]
    persons: list[Person] = [((0,),) * length for length, count in people for _ in range(count)]
    problem = problem_of([number(2)], persons, 1)
    assert fewest_suppressed(problem.histories, k, whole) == fewest_rows(people, k, whole=whole)


def test_a_limit_below_the_fewest_rows_is_infeasible_and_says_how_many() -> None:
    """One person has three rows and two have one: two rows must go."""
    persons: list[Person] = [((0,), (1,), (2,)), ((1,),), ((2,),)]
    problem = problem_of([number(4)], persons, 3, limit=1)
    result = PersonGroups().solve(problem, BUDGET)
    assert result.status is Status.INFEASIBLE
    assert "at least 2 of 5 rows" in result.reason
    allowed = PersonGroups().solve(replace(problem, limit=2), BUDGET)
    assert allowed.placement is not None
    assert suppressed(problem, allowed) == 2


def random_problem(persons: int, k: int, *, seed: int = 0, household: bool = False) -> HistoryProblem:
    """Persons with up to six rows, around some kinds of persons."""
    random = np.random.default_rng(seed)
    made: list[Person] = []
    for _ in range(persons):
        kind = int(random.integers(5))
        rows = [
            (min(19, kind * 3 + int(random.integers(5))), int(random.integers(4)), kind % 4)
            for _ in range(int(random.integers(1, 7)))
        ]
        made.append(tuple(rows))
    return problem_of([number(20), category(4), labelled(4)], made, k, household=household)


@pytest.mark.parametrize("household", [False, True])
def test_threads_do_not_change_what_is_found(household: bool) -> None:
    """Blocks do not depend on each other."""
    problem = random_problem(300, 4, household=household)
    budget = Budget(nodes=3000)
    one, two = (PersonGroups().solve(problem, budget, threads=threads) for threads in (1, 2))
    assert one.placement is not None
    assert two.placement is not None
    assert one.cost == two.cost
    assert (one.placement.place_of == two.placement.place_of).all()
    assert all(persons >= 4 for persons in released(problem, one).values())


@pytest.mark.parametrize("budget", [Budget(seconds=0.0), Budget(nodes=0)])
def test_no_budget_still_gives_an_answer(budget: Budget) -> None:
    """Groups are then taken in order."""
    problem = random_problem(100, 5)
    result = PersonGroups().solve(problem, budget)
    assert all(persons >= 5 for persons in released(problem, result).values())
    better = PersonGroups().solve(problem, Budget(nodes=1000))
    assert result.cost is not None
    assert better.cost is not None
    assert better.cost < result.cost


def test_a_limit_that_must_be_met_exactly_is_met() -> None:
    """The groups that suppress fewest rows are there to begin with."""
    problem = random_problem(60, 6)
    fewest = fewest_suppressed(problem.histories, 6, whole_units=False)
    result = PersonGroups().solve(replace(problem, limit=fewest), BUDGET)
    assert suppressed(problem, result) == fewest
    free = PersonGroups().solve(problem, BUDGET)
    assert free.cost is not None
    assert result.cost is not None
    assert free.cost <= result.cost + Fraction(1, 50)


def forest_problem(persons: int, k: int, seed: int, *, ordered: bool) -> HistoryProblem:
    """Persons with stays, and stays with prescriptions."""
    random = np.random.default_rng(seed)
    rows: list[list[tuple[int, int, tuple[int, ...]]]] = []  # table, parent, codes
    for _ in range(persons):
        own: list[tuple[int, int, tuple[int, ...]]] = []
        for _ in range(int(random.integers(1, 3))):
            stay = len(own)
            own.append((0, -1, (int(random.integers(6)), int(random.integers(3)))))
            own += [(1, stay, (int(random.integers(4)),)) for _ in range(int(random.integers(0, 3)))]
        rows.append(own)
    tables = []
    numbers: list[dict[tuple[int, ...], int]] = []
    for t, domains in enumerate(((number(6), category(3)), (labelled(4),))):
        counted = Counter(codes for own in rows for table, _, codes in own if table == t)
        numbers.append({codes: place for place, codes in enumerate(sorted(counted))})
        tables.append(
            FrequencyTable(
                domains=domains,
                codes=np.array(sorted(counted), np.int32).reshape(len(counted), len(domains)),
                counts=np.array([counted[codes] for codes in sorted(counted)], np.int64),
            )
        )
    flat = [row for own in rows for row in own]
    histories = Histories(
        tables=tuple(tables),
        first=np.cumsum([0, *map(len, rows)]).astype(np.int64),
        table_of=np.array([table for table, _, _ in flat], np.int32),
        row_of=np.array([numbers[table][codes] for table, _, codes in flat], np.int32),
        parent=np.array([parent for _, parent, _ in flat], np.int32),
        counts=np.ones(persons, np.int64),
        ordered=ordered,
    )
    promise = Promise(column="id", ordered=ordered)
    return HistoryProblem(histories=histories, promise=promise, k=k, costs=(Ncp(), Ncp()))


@pytest.mark.parametrize("ordered", [False, True])
def test_rows_below_rows_are_released_below_the_same_ones(ordered: bool) -> None:
    """A prescription is released only with its stay, and places are below the same places everywhere."""
    problem = forest_problem(40, 3, 1, ordered=ordered)
    histories = problem.histories
    result = PersonGroups().solve(problem, BUDGET)
    assert result.placement is not None
    place_of = result.placement.place_of
    above: dict[int, int] = {}
    for h in range(len(histories.counts)):
        first = int(histories.first[h])
        for row in range(first, int(histories.first[h + 1])):
            parent, place = int(histories.parent[row]), int(place_of[row])
            if place >= 0:
                there = -1 if parent < 0 else int(place_of[first + parent])
                assert parent < 0 or there >= 0
                assert above.setdefault(place, there) == there
    assert all(persons >= 3 for persons in released(problem, result).values())
    assert result.cost == cost_of(problem, result.placement, PersonGroups().words(problem))
    assert result.bound is not None
    assert 0 < result.bound <= result.cost < 1


@given(problem=problems(), known=st.integers(1, 3))
@settings(max_examples=100, deadline=None)
def test_k_persons_have_each_combination_of_known_rows(problem: HistoryProblem, known: int) -> None:
    """Of every released person, and columns that do not vary within persons have one label per person."""
    promise = replace(problem.promise, unit="person", known_events=known)
    problem = replace(problem, promise=promise)
    histories = problem.histories
    result = PersonGroups().solve(problem, BUDGET)
    if result.placement is None:
        fewest = fewest_suppressed_for_events(histories, problem.k, known)
        stars = all(domain.hierarchy.given for domain in histories.tables[0].domains)
        assert fewest > problem.most_suppressed or stars
        return
    assert suppressed(problem, result) <= problem.most_suppressed
    assert result.cost == cost_of(problem, result.placement, PersonGroups().words(problem))
    assert result.bound is not None
    assert result.cost is not None
    assert result.bound <= result.cost
    kept = []
    for h, count in enumerate(histories.counts.tolist()):
        places = result.placement.place_of[histories.first[h] : histories.first[h + 1]].tolist()
        own = [place for place in places if place >= 0]
        kept.append((own if histories.ordered else sorted(own), count))
    parts = [
        ({part for size in range(1, known + 1) for part in combinations(own, size)}, count)
        for own, count in kept
    ]
    for own_parts, _ in parts:
        for part in own_parts:
            assert sum(count for others, count in parts if part in others) >= problem.k


@pytest.mark.parametrize("known", [1, 2, 3])
def test_knowing_fewer_rows_loses_no_more(known: int) -> None:
    """The answer for whole histories is one of those for known rows."""
    problem = random_problem(80, 3)
    problem = replace(problem, promise=replace(problem.promise, known_events=known))
    result = PersonGroups().solve(problem, Budget(nodes=2000))
    whole = PersonGroups().solve(
        replace(problem, promise=replace(problem.promise, known_events=None)), Budget(nodes=2000)
    )
    assert result.cost is not None
    assert whole.cost is not None
    assert result.cost <= whole.cost
    one_label_per_person(problem, result)


def one_label_per_person(problem: HistoryProblem, result: HistoryResult) -> None:
    """That columns that do not vary within persons have one label in all released rows of a person."""
    assert result.placement is not None
    histories = problem.histories
    placed = PlacedTable.of(histories, result.placement)
    values = placed.recoding(PersonGroups().words(problem)[0]).values[placed.line_of]
    kept = result.placement.place_of >= 0
    for column in histories.unchanging:
        labels: dict[int, set[int]] = {}
        for h, value in zip(histories.history_of[kept].tolist(), values[kept, column].tolist(), strict=True):
            labels.setdefault(h, set()).add(value)
        assert all(len(each) == 1 for each in labels.values())


@given(problem=problems(), known=st.integers(1, 3))
@settings(max_examples=60, deadline=None)
def test_printed_rows_keep_what_the_places_keep(problem: HistoryProblem, known: int) -> None:
    """By the plain definition: labels cover their values, and k persons have each combination of up to m."""
    promise = replace(problem.promise, unit="person", known_events=known)
    problem = replace(problem, promise=promise)
    histories, result = problem.histories, PersonGroups().solve(problem, BUDGET)
    assume(result.placement is not None)
    assert result.placement is not None
    one_label_per_person(problem, result)
    placed = PlacedTable.of(histories, result.placement)
    recoding = placed.recoding(PersonGroups().words(problem)[0])
    shown = (result.placement.place_of >= 0) & recoding.shown[placed.line_of]
    domains = histories.tables[0].domains
    labels = [recoding.labels(column, domain) for column, domain in enumerate(domains)]
    members = [recoding.members(column, domain) for column, domain in enumerate(domains)]
    codes = histories.tables[0].codes[histories.row_of]
    for row in np.flatnonzero(shown).tolist():
        line = recoding.values[placed.line_of[row]].tolist()
        assert all(codes[row, column] in members[column][value] for column, value in enumerate(line))
    printed = [
        tuple(str(labels[column][value]) for column, value in enumerate(line))
        for line in recoding.values.tolist()
    ]
    persons = [
        [printed[placed.line_of[row]] for row in range(first, last) if shown[row]]
        for first, last, count in zip(
            histories.first[:-1], histories.first[1:], histories.counts.tolist(), strict=True
        )
        for _ in range(count)
    ]
    assert keeps(persons, problem.k, known, ordered=histories.ordered)


@given(
    people=st.sampled_from([(1, 1), (1, 2), (2, 2), (1, 1, 2)]).flatmap(
        lambda lengths: st.tuples(*(st.lists(st.integers(0, 3), min_size=n, max_size=n) for n in lengths))
    ),
    own=st.lists(st.integers(0, 1), min_size=3, max_size=3),
    known=st.integers(1, 2),
    ordered=st.booleans(),
)
@settings(max_examples=15, deadline=None)
def test_known_rows_never_cost_less_than_any_release(
    people: tuple[list[int], ...], own: list[int], known: int, ordered: bool
) -> None:
    """The least cost over every label of every cell is between bound and cost."""
    persons: list[Person] = [
        tuple((value, mark) for value in rows) for rows, mark in zip(people, own, strict=False)
    ]
    problem = problem_of([labelled(4), labelled(2)], persons, 2, ordered=ordered)
    problem = replace(problem, promise=replace(problem.promise, known_events=known))
    result = PersonGroups(values="hierarchy").solve(problem, BUDGET)
    coded = [
        [int(row) for row in problem.histories.row_of[first:last]]
        for first, last, count in zip(
            problem.histories.first[:-1], problem.histories.first[1:], problem.histories.counts, strict=True
        )
        for _ in range(int(count))
    ]
    least = of_cells(problem.histories.tables[0], coded, 2, known, ordered=ordered, once=True)
    assert least is not None
    assert result.cost is not None
    assert result.bound is not None
    assert result.bound <= least <= result.cost


def test_it_is_registered() -> None:
    """By the name that a policy has for it."""
    assert HISTORY_ALGORITHMS["person-groups"] is PersonGroups
