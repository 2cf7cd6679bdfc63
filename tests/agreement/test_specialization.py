"""Specializing and generalizing for a class do what a plain reading of the papers does, step by step."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from shoal.algorithms import ALGORITHMS
from shoal.algorithms.cuts._tree_cuts import recoding_by
from shoal.cost import METRICS
from shoal.model.policy.budget import Budget
from shoal.model.result.problem import Problem
from shoal.model.result.result import Result, Status
from tests.agreement.thoroughness import examples

from .cut_problems import (
    check_is_what_it_says,
    cut_problems,
    cuts_of,
    every_recoding,
    intervals_of,
    optimum,
    seeded_problem,
)
from .private_problems import made_private
from .problems import table_of
from .test_private_cuts import price

LENIENT: dict[str, Any] = {"deadline": None, "suppress_health_check": list(HealthCheck)}
NAMES = ["tds", "bug"]

Cuts = tuple[tuple[int, ...], ...]


@dataclass(frozen=True, order=True)
class PlainStep:
    """One value (an attribute's codes, both ends included) and where its parts begin."""

    attribute: int
    first: int
    last: int
    begins: tuple[int, ...]


def limited(problem: Problem) -> Problem:
    """Where nothing is said no row is suppressed, and never all of them."""
    rows = problem.table.rows
    return replace(problem, limit=0 if problem.limit is None else min(problem.limit, rows - 1))


def admissible(problem: Problem, cuts: Cuts) -> bool:
    return price(problem, recoding_by(problem.table, cuts)) is not None


def group_sizes(problem: Problem, cuts: Cuts) -> list[int]:
    """Rows of all groups that have any."""
    table, sizes = problem.table, Counter[tuple[int, ...]]()
    for codes, count in zip(table.codes.tolist(), table.counts.tolist(), strict=True):
        released = tuple(
            max((0, *(c for c in own if c <= code))) for own, code in zip(cuts, codes, strict=True)
        )
        sizes[released] += count
    return [size for size in sizes.values() if size > 0]


def kept_sizes(problem: Problem, cuts: Cuts) -> list[int]:
    """Rows of the groups that are released."""
    table, groups = problem.table, {}
    for row, values in enumerate(recoding_by(table, cuts).released(table).tolist()):
        groups.setdefault(tuple(values), []).append(row)
    made = [table.group(rows) for rows in groups.values()]
    return [
        group.rows
        for group in made
        if group.rows >= problem.k and all(m.admits(group, table.people) for m in problem.group_models)
    ]


def entropy(labels: Counter[int]) -> float:
    rows = labels.total()
    return -sum(n / rows * math.log2(n / rows) for n in labels.values() if n)


def labels_of(problem: Problem, attribute: int, first: int, last: int) -> Counter[int]:
    """Rows per class label with a value in an interval."""
    found = Counter[int]()
    for codes, counts in zip(problem.table.codes.tolist(), problem.table.label_counts.tolist(), strict=True):
        if first <= codes[attribute] <= last:
            found.update(dict(enumerate(counts)))
    return found


def gain(problem: Problem, step: PlainStep) -> int:
    """Information gain in units of 2^-30 bit."""
    whole = labels_of(problem, step.attribute, step.first, step.last)
    if not whole.total():
        return 0
    ends = [begin - 1 for begin in step.begins] + [step.last]
    parts = [
        labels_of(problem, step.attribute, first, last)
        for first, last in zip((step.first, *step.begins), ends, strict=True)
    ]
    rest = sum(part.total() / whole.total() * entropy(part) for part in parts if part.total())
    return round(2**30 * max(0.0, entropy(whole) - rest))


def steps_of(problem: Problem, attribute: int) -> Iterator[PlainStep]:
    """Every step of a column: a node with its largest inner nodes, or an interval with one cut."""
    domain = problem.table.domains[attribute]
    if domain.tree is None:
        for first, last in sorted(intervals_of(domain)):
            yield from (PlainStep(attribute, first, last, (cut,)) for cut in range(first + 1, last + 1))
        return
    nodes = intervals_of(domain)
    for first, last in sorted(nodes, key=lambda node: (node[0], -node[1])):
        inner = [n for n in nodes if first <= n[0] and n[1] <= last and n != (first, last)]
        largest = [n for n in inner if not any(m != n and m[0] <= n[0] and n[1] <= m[1] for m in inner)]
        if largest:
            yield PlainStep(attribute, first, last, tuple(sorted(begin for begin, _ in largest)[1:]))


def changed(cuts: Cuts, step: PlainStep) -> Cuts:
    """The step's cuts made, or taken away."""
    own = tuple(sorted(set(cuts[step.attribute]) ^ set(step.begins)))
    return (*cuts[: step.attribute], own, *cuts[step.attribute + 1 :])


def released_intervals(problem: Problem, cuts: Cuts) -> set[tuple[int, int, int]]:
    return {
        (a, start, end - 1)
        for a, (own, domain) in enumerate(zip(cuts, problem.table.domains, strict=True))
        for start, end in zip((0, *own), (*own, len(domain)), strict=True)
    }


def steps_down(problem: Problem, cuts: Cuts) -> list[PlainStep]:
    """The steps that part a released interval."""
    now = released_intervals(problem, cuts)
    every = [step for a in range(len(cuts)) for step in steps_of(problem, a)]
    return [step for step in every if (step.attribute, step.first, step.last) in now]


def plain_tds(problem: Problem) -> Cuts | None:
    """Fung, Wang and Yu's loop, by definitions alone."""
    cuts: Cuts = ((),) * len(problem.table.domains)
    if not admissible(problem, cuts):
        return None
    while True:
        best_of: dict[tuple[int, int, int], PlainStep] = {}
        for step in steps_down(problem, cuts):
            interval = step.attribute, step.first, step.last
            if admissible(problem, changed(cuts, step)) and (
                interval not in best_of or gain(problem, step) > gain(problem, best_of[interval])
            ):
                best_of[interval] = step
        if not best_of:
            return cuts
        before = min(kept_sizes(problem, cuts))

        def score(step: PlainStep, cuts: Cuts = cuts, before: int = before) -> Fraction:
            after = min(kept_sizes(problem, changed(cuts, step)))
            return Fraction(gain(problem, step), max(1, before - after))

        cuts = changed(cuts, max([best_of[interval] for interval in sorted(best_of)], key=score))


def plain_bug(problem: Problem) -> list[Cuts]:
    """Wang, Yu and Chakraborty's loop, by definitions alone: the recodings on its way."""
    way: list[Cuts] = [tuple(tuple(range(1, len(domain))) for domain in problem.table.domains)]
    while not admissible(problem, way[-1]):
        cuts = way[-1]
        before = min(group_sizes(problem, cuts))
        now = released_intervals(problem, cuts)
        ups = []
        for step in (step for a in range(len(cuts)) for step in steps_of(problem, a)):
            ends = [begin - 1 for begin in step.begins] + [step.last]
            parts = zip((step.first, *step.begins), ends, strict=True)
            if all((step.attribute, *part) in now for part in parts):
                ups.append(step)
        if not ups:
            return []
        gained = {step: min(group_sizes(problem, changed(cuts, step))) - before for step in ups}
        helping = [step for step in ups if gained[step] > 0]
        if helping:
            step = min(helping, key=lambda step: Fraction(gain(problem, step), gained[step]))
        else:
            step = min(ups, key=lambda step: gain(problem, step))
        way.append(changed(cuts, step))
    return way


def solved(name: str, problem: Problem, budget: Budget | None = None) -> Result:
    assert ALGORITHMS[name]().supports(problem) is None
    return ALGORITHMS[name]().solve(problem, budget or Budget())


ANY = cut_problems(max_cuts=6) | cut_problems(max_cuts=5).flatmap(made_private)


@settings(max_examples=examples(150), **LENIENT)
@given(problem=ANY)
def test_tds_is_the_plain_reading_and_ends_where_no_step_is_allowed(problem: Problem) -> None:
    """The same recoding as by definitions; none of the steps from it is admissible."""
    result, asked = solved("tds", problem), limited(problem)
    expected = plain_tds(asked)
    if expected is None:
        assert result.recoding is None
        assert result.status is (
            Status.INFEASIBLE if asked.rises and asked.limit == problem.limit else Status.UNKNOWN
        )
        return
    check_is_what_it_says(problem, result)
    assert cuts_of(problem, result.recoding) == expected
    assert not any(admissible(asked, changed(expected, step)) for step in steps_down(asked, expected))


@settings(max_examples=examples(100), **LENIENT)
@given(problem=cut_problems(max_cuts=5) | cut_problems(max_cuts=5).flatmap(made_private))
def test_minimal_and_infeasible_are_true(problem: Problem) -> None:
    """MINIMAL: no recoding with more cuts is admissible. INFEASIBLE: none is at all."""
    for name in NAMES:
        result = solved(name, problem)
        if result.status is Status.INFEASIBLE:
            assert optimum(problem) is None
        elif result.status is Status.MINIMAL:
            assert result.recoding is not None
            found = cuts_of(problem, result.recoding)
            finer = [
                cuts
                for cuts in every_recoding(problem)
                if cuts != found and all(set(a) <= set(b) for a, b in zip(found, cuts, strict=True))
            ]
            assert not any(admissible(problem, cuts) for cuts in finer)
        elif result.recoding is not None:
            assert result.cost >= optimum(problem)


@settings(max_examples=examples(150), **LENIENT)
@given(problem=ANY)
def test_bug_is_the_plain_reading_and_admissible_only_at_its_last_step(problem: Problem) -> None:
    """The same recoding as by definitions, and the one before it is not admissible."""
    result, asked = solved("bug", problem), limited(problem)
    way = plain_bug(asked)
    if not way:
        assert result.recoding is None
        assert result.status is not Status.FEASIBLE
        return
    assert result.status is Status.FEASIBLE
    check_is_what_it_says(problem, result)
    assert cuts_of(problem, result.recoding) == way[-1]
    assert not any(admissible(asked, cuts) for cuts in way[:-1])


@pytest.mark.parametrize("seed", range(16))
def test_longer_ways_are_the_plain_reading(seed: int) -> None:
    """On 150 rows, where the order of the steps decides what is still allowed at the end."""
    problem = replace(seeded_problem(seed, rows=150), limit=(0, 5)[seed % 2])
    for name, expected in (("tds", plain_tds(problem)), ("bug", plain_bug(problem)[-1])):
        result = solved(name, problem)
        assert result.recoding is not None
        assert cuts_of(problem, result.recoding) == expected


@settings(max_examples=examples(80), **LENIENT)
@given(problem=cut_problems(), nodes=st.integers(0, 12), name=st.sampled_from(NAMES))
def test_an_early_end_is_admissible_or_nothing(problem: Problem, nodes: int, name: str) -> None:
    """Nodes are kept; tds has an admissible recoding from its first one on, bug none before its last."""
    result, whole = solved(name, problem, Budget(nodes=nodes)), solved(name, problem)
    assert result.nodes <= nodes
    if result.recoding is not None:
        check_is_what_it_says(problem, result)
    if result.nodes == whole.nodes < nodes:
        assert (result.status, result.recoding) == (whole.status, whole.recoding)
    elif name == "tds":
        assert (result.recoding is None) == (nodes == 0)
    assert result.status is not Status.INFEASIBLE


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    ("sizes", "rows", "k", "cuts"),
    [
        ([1, 1], [(0, 0)] * 5, 3, ((), ())),
        ([4], [(code,) for code in range(4)], 1, ((1, 2, 3),)),
        ([4], [(code,) for code in range(4)], 4, ((),)),
        ([3, 3], [(i, j) for i in range(3) for j in range(3)], 9, ((), ())),
        ([3, 3], [(i, j) for i in range(3) for j in range(3)], 1, ((1, 2), (1, 2))),
    ],
    ids=["all equal", "k is 1", "k is n, one column", "k is n", "all different, k is 1"],
)
def test_degenerate_tables(
    name: str, sizes: list[int], rows: list[tuple[int, ...]], k: int, cuts: Cuts
) -> None:
    """All rows equal, all different, one column, k of all rows."""
    table = table_of(sizes, rows, [row[0] % 3 for row in rows])
    problem = Problem(table=table, k=k, cost=METRICS["classification"](), limit=0)
    result = solved(name, problem)
    check_is_what_it_says(problem, result)
    assert cuts_of(problem, result.recoding) == cuts


@pytest.mark.parametrize("name", NAMES)
def test_unlimited_suppression_suppresses_nothing(name: str) -> None:
    """With any number of rows to lose every recoding would do; the papers lose none."""
    rows = [(i, j) for i in range(4) for j in range(4)]
    table = table_of([4, 4], rows, [i % 2 for i, _ in rows])
    result = solved(name, Problem(table=table, k=4, cost=METRICS["classification"]()))
    assert (result.status, result.suppressed) == (Status.FEASIBLE, 0)


@pytest.mark.parametrize("name", NAMES)
def test_a_class_is_demanded(name: str) -> None:
    """Without a class attribute there is nothing to measure, and the message says what to do."""
    table = replace(table_of([2], [(0,), (1,)], [0, 1]), labels=())
    problem = Problem(table=table, k=1, cost=METRICS["discernibility"]())
    assert "role 'class' (--class COLUMN)" in str(ALGORITHMS[name]().supports(problem))
