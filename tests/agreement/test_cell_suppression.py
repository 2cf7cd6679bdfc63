"""Cell suppression: the exact search equals brute force, and each approximation keeps its proved ratio."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from shoal.algorithms import ALGORITHMS
from shoal.algorithms.cells._cells import node_units
from shoal.algorithms.cells.cells import Cells
from shoal.algorithms.rows._partition import PartitionAlgorithm
from shoal.algorithms.rows.forest import Forest
from shoal.algorithms.rows.matching import Matching
from shoal.algorithms.rows.meyerson_williams import MeyersonWilliams
from shoal.cost import METRICS, Discernibility, Ncp, SuppressedCells
from shoal.errors import PolicyError
from shoal.model.policy.budget import Budget
from shoal.model.recoding.groups import groups
from shoal.model.recoding.recoding import CutRecoding
from shoal.model.result.problem import Problem
from shoal.model.result.result import Result, Status
from tests.agreement.thoroughness import examples

from .cell_tables import Row, cell_problems, cells_of, optimum
from .level_problems import level_problems
from .private_problems import made_private
from .problems import table_of

MANY = settings(max_examples=examples(80), deadline=None, suppress_health_check=list(HealthCheck))
SOME = settings(max_examples=examples(25), deadline=None, suppress_health_check=list(HealthCheck))
ALL: list[PartitionAlgorithm] = [
    Cells(),
    Forest(),
    MeyersonWilliams(cover="subsets"),
    MeyersonWilliams(cover="balls"),
    Matching(),
]


def ks_of(algorithm: PartitionAlgorithm) -> tuple[int, int]:
    """The least and the most k that are tried; a matching makes groups of two or three."""
    return (2, 3) if isinstance(algorithm, Matching) else (1, 4)


def problem_of(rows: list[Row], k: int, limit: int = 0) -> Problem:
    """The problem of some rows."""
    sizes = [max(row[a] for row in rows) + 1 for a in range(len(rows[0]))]
    return Problem(table=table_of(sizes, rows, [0] * len(rows)), k=k, cost=SuppressedCells(), limit=limit)


def check_release(problem: Problem, result: Result) -> None:
    """Every row is in a group of k, every released cell is its own value or suppressed, as the cost says."""
    assert result.recoding is not None
    refined = result.recoding.refined(problem.table)
    made = groups(problem.table, result.recoding, problem.k)
    assert refined.rows == problem.table.rows
    assert made.suppressed == result.suppressed <= problem.most_suppressed
    assert (made.sizes[made.kept] >= problem.k).all()
    values, cells = result.recoding.released(refined), 0
    for attribute, domain in enumerate(problem.table.domains):
        members, tells = (
            result.recoding.members(attribute, domain),
            result.recoding.informative(attribute, domain),
        )
        for piece, number in enumerate(values[:, attribute].tolist()):
            assert refined.codes[piece, attribute] in members[number]
            assert not tells[number] or len(members[number]) == 1
            cells += int(refined.counts[piece]) * (not tells[number])
    assert result.cost == cells


def harmonic(n: int) -> Fraction:
    """1 + 1/2 + ... + 1/n."""
    return sum((Fraction(1, i) for i in range(1, n + 1)), Fraction(0))


def ratio(algorithm: PartitionAlgorithm, k: int, *, two_values: bool) -> Fraction:
    """What the algorithm's page proves."""
    if isinstance(algorithm, Cells):
        return Fraction(1)
    if isinstance(algorithm, Forest):
        return Fraction(max(2 * k - 1, 3 * k - 5))
    if isinstance(algorithm, Matching):
        return Fraction({2: 3, 3: 4}[k] if two_values else {2: 4, 3: 6}[k], 2)
    width = 2 * k - 2 if algorithm == MeyersonWilliams(cover="subsets") else 2 * k - 1
    return Fraction((2 * k - 1) * width, k) * harmonic(2 * k - 1)


@pytest.mark.parametrize("algorithm", ALL, ids=str)
@pytest.mark.parametrize("values", [2, 4])
@MANY
@given(data=st.data())
def test_costs_are_within_the_proved_ratio(
    algorithm: PartitionAlgorithm, values: int, data: st.DataObject
) -> None:
    """Of the optimum by brute force, between the bound and the cost."""
    rows, problem = data.draw(cell_problems(max_values=values, ks=ks_of(algorithm)))
    assume(algorithm.supports(problem) is None)
    result = algorithm.solve(problem, Budget())
    check_release(problem, result)
    best = optimum(rows, problem.k)
    assert result.cost is not None
    assert result.bound is not None
    assert result.bound <= best <= result.cost <= ratio(algorithm, problem.k, two_values=values == 2) * best
    assert result.status is (Status.OPTIMAL if result.bound == result.cost else Status.FEASIBLE)


@st.composite
def twelve_rows(draw: st.DrawFn) -> list[Row]:
    """Twelve rows, some of which may be copies of the first."""
    row = st.tuples(*[st.integers(0, draw(st.integers(0, 2)))] * draw(st.integers(1, 5)))
    copies = draw(st.sampled_from([0, 0, 0, 2, 3]))
    rows = draw(st.lists(row, min_size=12 - copies, max_size=12 - copies))
    return [*rows, *[rows[0]] * copies]


@SOME
@given(rows=twelve_rows(), k=st.integers(1, 4))
def test_twelve_rows_by_brute_force(rows: list[Row], k: int) -> None:
    """The exact search on somewhat larger tables."""
    result = Cells().solve(problem_of(rows, k), Budget())
    assert (result.cost, result.status) == (optimum(rows, k), Status.OPTIMAL)


@MANY
@given(drawn=cell_problems(max_rows=8), spare=st.integers(1, 4))
def test_rows_may_also_be_suppressed_whole(drawn: tuple[list[Row], Problem], spare: int) -> None:
    """A suppressed row costs all its cells; the optimum uses the limit where that is worth it."""
    rows, problem = drawn
    problem = replace(problem, limit=min(spare, len(rows)))
    result = Cells().solve(problem, Budget())
    best = optimum(rows, problem.k, spare=problem.most_suppressed)
    assert (result.cost, result.status) == (best, Status.OPTIMAL)
    check_release(problem, result)


@SOME
@given(
    drawn=cell_problems(), weights=st.lists(st.sampled_from(["1", "2", "4", "0.5"]), min_size=5, max_size=5)
)
def test_weights_count(drawn: tuple[list[Row], Problem], weights: list[str]) -> None:
    """A column's cells count as often as its weight says, in the optimum and in every bound."""
    rows, problem = drawn
    used = [Fraction(each) for each in weights[: len(rows[0])]]
    problem = replace(problem, cost=SuppressedCells(weights=tuple(used)))

    def price(group: list[Row]) -> Fraction:
        differ = [len(set(column)) > 1 for column in zip(*group, strict=True)]
        weights = (weight for weight, each in zip(used, differ, strict=True) if each)
        return len(group) * sum(weights, Fraction(0))

    best = optimum(rows, problem.k, price)  # type: ignore[arg-type]
    assert Cells().solve(problem, Budget()).cost == best
    for algorithm in ALL:
        if algorithm.supports(problem) is None:
            result = algorithm.solve(problem, Budget())
            assert result.cost is not None
            assert result.bound is not None
            assert result.bound <= best <= result.cost


@SOME
@given(drawn=cell_problems())
def test_mean_losses_agree_with_counted_cells(drawn: tuple[list[Row], Problem]) -> None:
    """A suppressed cell loses 1 by NCP, any other nothing: the same optimum over all cells."""
    _, problem = drawn
    cells = Cells().solve(problem, Budget())
    share = Cells().solve(replace(problem, cost=Ncp()), Budget())
    assert cells.cost is not None
    assert share.cost == Fraction(cells.cost) / (problem.table.rows * len(problem.table.domains))
    assert share.status is Status.OPTIMAL


@MANY
@given(problem=level_problems(max_rows=8, metrics=("ncp", "precision", "general-loss", "suppressed-cells")))
def test_generalized_cells_are_within_the_ratio(problem: Problem) -> None:
    """The forest over hierarchies, against the best of all partitions with least labels."""
    problem = replace(problem, levels=(), limit=0)
    algorithm = Forest(values="hierarchy")
    assume(algorithm.supports(problem) is None)
    result = algorithm.solve(problem, Budget())
    rows = [tuple(row) for row in np.repeat(problem.table.codes, problem.table.counts, axis=0).tolist()]

    def price(group: list[Row]) -> Fraction:
        return Fraction(_lost(problem, group), problem.cost.scale(problem.table))

    best = optimum(rows, problem.k, price)  # type: ignore[arg-type]
    assert result.cost is not None
    assert result.bound is not None
    most = max(2 * problem.k - 1, 3 * problem.k - 5)
    assert result.bound <= best <= result.cost <= most * best
    made = groups(problem.table, result.recoding, problem.k)  # type: ignore[arg-type]
    assert made.all_kept


def _lost(problem: Problem, group: list[Row]) -> int:
    """Units that a group loses under the least nodes over it, one attribute after the other."""
    units, total = node_units(problem.cost, problem.table), 0  # type: ignore[arg-type]
    for attribute, domain in enumerate(problem.table.domains):
        codes = {row[attribute] for row in group}
        for parts, lost in zip(domain.hierarchy.parts, units[attribute], strict=True):
            if len({parts[code] for code in codes}) == 1:
                total += lost[parts[min(codes)]]
                break
    return total * len(group)


@pytest.mark.parametrize("algorithm", ALL, ids=str)
@SOME
@given(data=st.data())
def test_answers_depend_on_nothing_but_the_table(algorithm: PartitionAlgorithm, data: st.DataObject) -> None:
    """Neither on threads nor on the run."""
    _, problem = data.draw(cell_problems(ks=ks_of(algorithm)))
    assume(algorithm.supports(problem) is None)
    one = algorithm.solve(problem, Budget(), threads=1)
    two = algorithm.solve(problem, Budget(), threads=3)
    assert one.recoding is not None
    assert two.recoding is not None
    refined = one.recoding.refined(problem.table)
    assert np.array_equal(refined.counts, two.recoding.refined(problem.table).counts)
    assert np.array_equal(one.recoding.released(refined), two.recoding.released(refined))


@pytest.mark.parametrize(
    ("algorithm", "k"),
    [
        (algorithm, k)
        for algorithm in ALL
        for k in (1, 2, 3, 5)
        if k in (2, 3) or not isinstance(algorithm, Matching)
    ],
    ids=str,
)
@pytest.mark.parametrize(
    ("rows", "cells"),
    [
        ([(0, 0)] * 7, {1: 0, 2: 0, 3: 0, 5: 0}),
        ([(i, i) for i in range(7)], {1: 0, 2: 14, 3: 14, 5: 14}),
        ([(i,) for i in range(5)], {1: 0, 2: 5, 3: 5, 5: 5}),
        ([(0, 0)] * 300 + [(1, 0)], {1: 0, 2: 2, 3: 3, 5: 5}),
    ],
    ids=["all equal", "all different", "one attribute", "heavy duplicates"],
)
def test_degenerate_tables(
    algorithm: PartitionAlgorithm, k: int, rows: list[Row], cells: dict[int, int]
) -> None:
    """What can be told by thinking is found by all of them; copies are divided where few must lose detail."""
    problem = problem_of(rows, k)
    assert algorithm.supports(problem) is None
    result = algorithm.solve(problem, Budget())
    check_release(problem, result)
    if isinstance(algorithm, Cells):
        assert result.cost == cells[k]
    assert result.bound is not None
    assert result.bound <= cells[k]


def test_copies_of_a_row_are_divided() -> None:
    """Four rows a, and b and c near them: with k = 3 one copy goes to b and c, and three keep their cells."""
    rows = [(0, 0)] * 4 + [(0, 1), (0, 2)]
    result = Cells().solve(problem_of(rows, 3), Budget())
    assert result.cost == cells_of([(0, 0), (0, 1), (0, 2)]) == 3
    assert result.recoding is not None
    assert len(result.recoding.refined(problem_of(rows, 3).table).counts) == 4


@pytest.mark.parametrize("algorithm", ALL, ids=str)
def test_a_missing_value_is_a_value(algorithm: PartitionAlgorithm) -> None:
    """Two rows that both lack one agree on it."""
    problem = problem_of([(0, 0), (1, 0), (2, 1), (2, 1)], 2)
    first, second = problem.table.domains
    domains = (replace(first, values=(*first.values[:-1], None)), second)
    problem = replace(problem, table=replace(problem.table, domains=domains))
    result = algorithm.solve(problem, Budget())
    check_release(problem, result)
    assert result.cost == 2


@SOME
@given(problem=level_problems().flatmap(made_private))
def test_privacy_models_are_refused(problem: Problem) -> None:
    """Copies of a row differ in what models look at, and they may be divided."""
    if problem.models:
        for algorithm in ALL:
            assert "use 'local'" in str(algorithm.supports(problem))


def test_what_is_not_supported_is_said() -> None:
    """With the way out."""
    many = problem_of([(i, i) for i in range(40)], 6)
    assert "use cover = 'balls'" in str(MeyersonWilliams(cover="subsets").supports(many))
    assert "k is 6" in str(Matching().supports(many))
    assert "suppressed-cells" in str(Cells().supports(replace(many, cost=Discernibility())))
    with pytest.raises(PolicyError, match="cover must be"):
        MeyersonWilliams(cover="ball")
    with pytest.raises(PolicyError, match="values must be"):
        Forest(values="hierarchies")


def test_without_highs_the_way_to_it_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is an extra, and `forest` needs none."""
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    problem = problem_of([(0,), (0,)], 2)
    assert "pip install 'shoal[cells]'" in str(Cells().supports(problem))
    assert "pip install 'shoal[cells]'" in str(Matching().supports(problem))
    assert Forest().supports(problem) is None


@pytest.mark.parametrize("nodes", [0, 1, 5])
def test_an_early_end_still_gives_a_release_and_a_bound(nodes: int) -> None:
    """The first release is there before anything is proved."""
    rows = [(i % 3, i % 5, i * i % 7, i % 2) for i in range(30)]
    problem = problem_of(rows, 3)
    result = Cells().solve(problem, Budget(nodes=nodes))
    check_release(problem, result)
    best = Cells().solve(problem, Budget())
    assert result.bound is not None
    assert best.cost is not None
    assert result.bound <= best.cost
    assert best.status is Status.OPTIMAL


def test_no_time_is_an_answer() -> None:
    """Nothing is found, and nothing is promised."""
    problem = problem_of([(i, i) for i in range(20)], 2)
    for algorithm in ALL:
        if algorithm.supports(problem) is None:
            result = algorithm.solve(problem, Budget(seconds=0))
            assert result.status in (Status.UNKNOWN, Status.FEASIBLE, Status.OPTIMAL)
            if result.recoding is not None:
                check_release(problem, result)


def test_they_are_known_by_name() -> None:
    """In a policy, and the cost, too."""
    assert {"cells", "forest", "meyerson-williams", "matching"} <= set(ALGORITHMS)
    assert METRICS["suppressed-cells"] is SuppressedCells


def test_only_cells_that_tell_nothing_count() -> None:
    """A cell that is generalized tells something; one of a column that is joined as a whole does not."""
    table = problem_of([(0, 0), (1, 0), (2, 1)], 1).table
    assert SuppressedCells().of(table, CutRecoding(((2,), (1,))), 1) == 0
    assert SuppressedCells().of(table, CutRecoding(((), (1,))), 1) == 3
