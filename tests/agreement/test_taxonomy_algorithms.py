"""Levels and cells, columns, rows: each against its definition, written down plainly and tried out."""

from __future__ import annotations

import itertools
import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import numpy as np
import pandas
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

import shoal
from shoal.algorithms import DEFAULT_OF_MODEL
from shoal.algorithms.cells import levels_and_cells
from shoal.algorithms.cells._recoded import Reading, greatest_levels, least_levels
from shoal.algorithms.cells.levels_and_cells import LevelsAndCells
from shoal.algorithms.levels.suppress_columns import SuppressColumns, suppressing
from shoal.algorithms.rows.suppress_rows import SuppressRows
from shoal.auditor import audit
from shoal.cost import METRICS, CellMetric, Classification, SuppressedCells
from shoal.engines.duckdb.engine import DuckDB
from shoal.errors import InfeasibleError, PolicyError
from shoal.model.policy.budget import Budget
from shoal.model.policy.recoding_model import RecodingModel
from shoal.model.recoding.groups import groups
from shoal.model.recoding.level_recoding import LevelRecoding
from shoal.model.recoding.local_recoding import LocalRecoding
from shoal.model.result.problem import Problem
from shoal.model.result.result import Result, Status
from shoal.model.table.domain import Domain
from shoal.privacy import AverageRisk
from tests.agreement.thoroughness import examples

from .free_choice import cheapest_release
from .level_problems import level_problems, levelled_table
from .private_problems import made_private
from .test_local import MEANS, check_is_what_it_says, over_cells

MANY = settings(max_examples=examples(100), deadline=None, suppress_health_check=list(HealthCheck))
FEW = settings(max_examples=examples(40), deadline=None, suppress_health_check=list(HealthCheck))
COLUMNS = ["sex", "age", "town"]
PEOPLE = pandas.DataFrame(
    {
        "sex": ["f", "f", "f", "m", "m", "m", "m", "f"],
        "age": [31, 32, 38, 41, 41, 45, 47, 38],
        "town": ["Delft", "Delft", "Leiden", "Leiden", "Leiden", "Delft", "Gouda", "Gouda"],
    }
)

Released = list[tuple[str | None, ...]]


def weights_of(problem: Problem) -> tuple[Fraction, ...]:
    """What a suppressed cell of each column counts."""
    assert isinstance(problem.cost, CellMetric)
    return problem.cost.weights or (Fraction(1),) * len(problem.table.domains)


def lifted_rows(problem: Problem) -> list[tuple[str | None, ...]]:
    """The rows of the source with every column on its least level, one by one."""
    table = problem.table
    levels = [least for least, _ in problem.levels] or [0] * len(table.domains)
    found = []
    for codes, count in zip(table.codes.tolist(), table.counts.tolist(), strict=True):
        trees = [domain.hierarchy for domain in table.domains]
        row = tuple(
            tree.labels[level][tree.parts[level][code]]
            for tree, level, code in zip(trees, levels, codes, strict=True)
        )
        found += [row] * count
    return found


def starred(row: tuple[str | None, ...], pattern: tuple[bool, ...]) -> tuple[str | None, ...]:
    return tuple("*" if hidden else cell for cell, hidden in zip(row, pattern, strict=True))


def patterns(attributes: int) -> list[tuple[bool, ...]]:
    return list(itertools.product([False, True], repeat=attributes))


def stars(problem: Problem, released: Released) -> Fraction:
    """Suppressed cells, weighted."""
    weights = weights_of(problem)
    found = (weight for row in released for cell, weight in zip(row, weights, strict=True) if cell == "*")
    return sum(found, Fraction(0))


def printed(problem: Problem, result: Result) -> Released:
    """What a recoding releases, row by row."""
    recoding = result.recoding
    assert isinstance(recoding, LocalRecoding)
    table = recoding.refined(problem.table)
    labels = [recoding.labels(attribute, domain) for attribute, domain in enumerate(table.domains)]
    found: Released = []
    for values, count in zip(recoding.values.tolist(), table.counts.tolist(), strict=True):
        found += [tuple(labels[a][value] for a, value in enumerate(values))] * count
    return found


def least_stars_as_values(problem: Problem) -> Fraction:
    """All choices of suppressed cells, row by row; groups of equal rows must have k."""
    rows = lifted_rows(problem)
    best = len(rows) * sum(weights_of(problem))
    for chosen in itertools.product(patterns(len(rows[0])), repeat=len(rows)):
        released = [starred(row, pattern) for row, pattern in zip(rows, chosen, strict=True)]
        if min(Counter(released).values()) >= problem.k:
            best = min(best, stars(problem, released))
    return best


def least_stars_around_each_row(problem: Problem) -> Fraction:
    """Per row the cheapest pattern under which k rows of the source are like it."""
    rows, total = lifted_rows(problem), Fraction(0)
    for row in rows:
        total += min(
            stars(problem, [starred(row, pattern)])
            for pattern in patterns(len(row))
            if sum(starred(other, pattern) == starred(row, pattern) for other in rows) >= problem.k
        )
    return total


def alike(one: tuple[str | None, ...], other: tuple[str | None, ...]) -> bool:
    """Whether two released rows agree wherever neither is suppressed."""
    return all("*" in (x, y) or x == y for x, y in zip(one, other, strict=True))


def wildcard_frequencies(released: Released) -> list[int]:
    """Per row that tells anything how many such rows are like it."""
    told = [row for row in released if set(row) != {"*"}]
    return [sum(alike(row, other) for other in told) for row in told]


@st.composite
def cell_problems(draw: st.DrawFn, rows: int = 6) -> Problem:
    """Few rows and columns, any levels, weighted stars."""
    problem = draw(level_problems(max_rows=rows, metrics=["suppressed-cells"]))
    assume(
        all(map(_tells, problem.table.domains, [least for least, _ in problem.levels] or itertools.repeat(0)))
    )
    return replace(problem, limit=0)


def _tells(domain: Domain, level: int) -> bool:
    """Whether only `*` stands for all values; another label that does is no star, and costs as much."""
    tree = domain.hierarchy
    return all(
        label == "*" or below == 1 or below < tree.total
        for label, below in zip(tree.labels[level], tree.leaves[level], strict=True)
    )


def small(problem: Problem) -> bool:
    return (2 ** len(problem.table.domains)) ** problem.table.rows <= 5_000


def solvable(algorithm: LevelsAndCells | SuppressColumns | SuppressRows, problem: Problem) -> bool:
    return algorithm.supports(problem) is None


@MANY
@given(problem=cell_problems())
def test_stars_as_values_lie_between_bound_and_no_less_than_the_optimum(problem: Problem) -> None:
    """Every group has k rows, no cell is counted twice, and the bound is below the best of all choices."""
    assume(solvable(LevelsAndCells(), problem))
    result = LevelsAndCells().solve(problem, Budget())
    check_is_what_it_says(problem, result)
    released = printed(problem, result)
    assert Counter(released).most_common()[-1][1] >= problem.k
    assert result.suppressed == 0
    assert result.bound is not None
    assert result.bound == least_stars_around_each_row(problem)
    if small(problem):
        best = least_stars_as_values(problem)
        assert result.bound <= best <= (result.cost or 0)
        assert result.status is not Status.OPTIMAL or result.cost == best


@MANY
@given(problem=cell_problems(rows=10))
def test_wildcards_are_the_cheapest_boxes_and_every_row_is_like_k(problem: Problem) -> None:
    """Each row pays as little as it can by itself, and that makes it like k released rows."""
    algorithm = LevelsAndCells(reading="wildcard")
    assume(solvable(algorithm, problem))
    result = algorithm.solve(problem, Budget())
    released = printed(problem, result)
    assert result.status is Status.OPTIMAL
    assert result.cost == result.bound == least_stars_around_each_row(problem) == stars(problem, released)
    assert min(wildcard_frequencies(released), default=problem.k) >= problem.k


@MANY
@given(problem=cell_problems(rows=10), nodes=st.integers(0, 3), wildcard=st.booleans())
def test_an_early_end_still_keeps_the_promise(problem: Problem, nodes: int, wildcard: bool) -> None:
    """Out of budget, what is left is suppressed altogether."""
    algorithm = LevelsAndCells(reading="wildcard" if wildcard else "value")
    assume(solvable(algorithm, problem))
    result = algorithm.solve(problem, Budget(nodes=nodes))
    released = printed(problem, result)
    assert result.bound is not None
    assert result.bound <= least_stars_around_each_row(problem)
    if wildcard:
        assert min(wildcard_frequencies(released), default=problem.k) >= problem.k
        assert result.cost == stars(problem, released)
    else:
        check_is_what_it_says(problem, result)


@MANY
@given(problem=level_problems(max_rows=10), name=st.sampled_from(MEANS), wildcard=st.booleans())
def test_any_mean_over_cells_is_priced_as_defined(problem: Problem, name: str, wildcard: bool) -> None:
    """Also where levels are searched: the cost is that of the definition, each column on one level."""
    problem = over_cells(problem, name)
    algorithm = LevelsAndCells(reading="wildcard" if wildcard else "value")
    assume(solvable(algorithm, problem))
    result = algorithm.solve(problem, Budget())
    assert isinstance(result.recoding, LocalRecoding)
    assert problem.cost.of(problem.table, result.recoding, problem.k) == result.cost
    assert result.bound is None or result.bound <= (result.cost or 0)
    if not wildcard:
        check_is_what_it_says(problem, result)
    for attribute, domain in enumerate(problem.table.domains):
        members = result.recoding.members(attribute, domain)
        tells = result.recoding.informative(attribute, domain)
        used = np.unique(result.recoding.values[:, attribute]).tolist()
        codes = [code for number in used if tells[number] for code in members[number]]
        assert len(codes) == len(set(codes))


@FEW
@given(
    problem=level_problems(max_rows=6, metrics=["ncp"], max_nodes=12),
    reading=st.sampled_from(["wildcard", "value"]),
)
def test_bound_on_searched_levels_is_below_every_choice_of_levels(problem: Problem, reading: Reading) -> None:
    """No level in the range, with the cheapest boxes on it, costs less than the bound."""
    problem = replace(problem, limit=0)
    assume(solvable(LevelsAndCells(), problem))
    result = LevelsAndCells(reading=reading).solve(problem, Budget())
    ranges = problem.levels or [(0, domain.hierarchy.height) for domain in problem.table.domains]
    assert result.bound is not None
    for levels in itertools.product(*(range(least, most + 1) for least, most in ranges)):
        fixed = replace(problem, levels=tuple((level, level) for level in levels))
        least = LevelsAndCells(reading=reading).solve(fixed, Budget()).cost
        assert least is not None or reading == "value"
        assert least is None or result.bound <= least


@MANY
@given(data=st.data(), name=st.sampled_from(MEANS))
def test_models_are_respected_by_levels_and_cells(data: st.DataObject, name: str) -> None:
    """Whatever is found is admitted by all models; whatever is not found is not said to be impossible."""
    problem = over_cells(data.draw(level_problems().flatmap(made_private)), name)
    assume(solvable(LevelsAndCells(), problem))
    result = LevelsAndCells().solve(problem, Budget())
    if result.recoding is None:
        assert result.status is Status.UNKNOWN
    else:
        check_is_what_it_says(problem, result)


def test_wildcards_are_refused_where_models_look_at_groups() -> None:
    """Read as wildcards, suppressed cells make no groups that a model could judge."""
    table = levelled_table({"a": [("1", "*"), ("2", "*")]}, [("1",), ("2",)])
    problem = Problem(table=table, k=1, cost=SuppressedCells(), models=(AverageRisk(threshold=0.5),))
    reason = LevelsAndCells(reading="wildcard").supports(problem)
    assert "'average-risk' is a demand on groups" in str(reason)
    with pytest.raises(PolicyError, match="no reading 'wild'"):
        LevelsAndCells(reading="wild")  # type: ignore[arg-type]


@FEW
@given(problem=cell_problems(rows=10), seed=st.integers(0, 3))
def test_same_seed_gives_the_same_stars(problem: Problem, seed: int) -> None:
    """Threads do not matter."""
    assume(solvable(LevelsAndCells(), problem))
    one, two = (LevelsAndCells().solve(problem, Budget(), threads=n, seed=seed) for n in (1, 3))
    assert printed(problem, one) == printed(problem, two)


def subsets(attributes: int) -> Iterator[frozenset[int]]:
    for pattern in patterns(attributes):
        yield frozenset(a for a, hidden in enumerate(pattern) if hidden)


def admissible_without(problem: Problem, suppressed: frozenset[int]) -> bool:
    """Whether all rows may be released when some columns are suppressed, by the definitions."""
    table, made = problem.table, dict[tuple[int, ...], list[int]]()
    for row, codes in enumerate(table.codes.tolist()):
        made.setdefault(tuple(c for a, c in enumerate(codes) if a not in suppressed), []).append(row)
    sizes = [int(table.counts[rows].sum()) for rows in made.values()]
    return (
        min(sizes) >= problem.k
        and all(
            m.admits(table.group(rows), table.people) for rows in made.values() for m in problem.group_models
        )
        and all(model.holds(sizes) for model in problem.release_models)
    )


def check_columns(problem: Problem) -> None:
    assume(solvable(SuppressColumns(), problem))
    result = SuppressColumns().solve(problem, Budget())
    possible = [each for each in subsets(len(problem.table.domains)) if admissible_without(problem, each)]
    if not possible:
        assert result.status is Status.INFEASIBLE
        return
    costs = [problem.cost.of(problem.table, suppressing(problem, each), 1) for each in possible]
    assert result.status is Status.OPTIMAL
    assert result.cost == result.bound == min(costs)
    assert isinstance(result.recoding, LocalRecoding)
    assert problem.cost.of(problem.table, result.recoding, problem.k, problem.group_models) == result.cost
    assert groups(problem.table, result.recoding, problem.k, (), problem.group_models).all_kept


@MANY
@given(problem=level_problems(), name=st.sampled_from(MEANS))
def test_fewest_columns_equal_brute_force(problem: Problem, name: str) -> None:
    """The tree of hitting sets finds the cheapest of all sets of columns, weighted or not."""
    cost = METRICS[name](weights=tuple(Fraction(1 + a, 2) for a in range(len(problem.table.domains))))
    check_columns(replace(problem, cost=cost))
    check_columns(over_cells(problem, name))


@MANY
@given(problem=level_problems().flatmap(made_private))
def test_fewest_columns_equal_brute_force_with_models(problem: Problem) -> None:
    """Also for models that can refuse two admitted groups once they are joined."""
    assume((problem.table.counts > 0).all())
    check_columns(over_cells(replace(problem, limit=0), "suppressed-cells"))


def test_columns_end_with_all_of_them_when_the_budget_does() -> None:
    """An early end suppresses everything, and says how little that may be."""
    tree = [(str(value), "*") for value in range(4)]
    table = levelled_table({"a": tree, "b": tree}, [(str(a), str(a // 2)) for a in range(4)])
    result = SuppressColumns().solve(Problem(table=table, k=2, cost=SuppressedCells()), Budget(nodes=0))
    assert (result.status, result.cost, result.bound) == (Status.FEASIBLE, 8, 0)
    assert SuppressColumns().solve(Problem(table=table, k=2, cost=SuppressedCells()), Budget()).cost == 4


@MANY
@given(problem=level_problems(), private=st.data())
def test_rows_that_go_are_those_that_must(problem: Problem, private: st.DataObject) -> None:
    """Most rows of any choice of admitted groups; infeasible only if that is more than may go."""
    problem = replace(problem, levels=())
    if private.draw(st.booleans()):
        problem = private.draw(made_private(problem))
    assume(solvable(SuppressRows(), problem) and not any(m.forbids_suppression for m in problem.models))
    table = problem.table
    admitted = [
        int(count)
        for row, count in enumerate(table.counts.tolist())
        if count >= problem.k
        and all(model.admits(table.group([row]), table.people) for model in problem.group_models)
    ]
    most = max(
        sum(chosen)
        for size in range(len(admitted) + 1)
        for chosen in itertools.combinations(admitted, size)
        if all(model.holds(chosen) for model in problem.release_models)
    )
    result = SuppressRows().solve(problem, Budget())
    if table.rows - most > problem.most_suppressed:
        assert result.status is Status.INFEASIBLE
        return
    assert result.bound is not None
    assert result.cost is not None
    least = cheapest_release(problem, LevelRecoding((0,) * len(table.domains)))
    assert (result.status, result.bound) == (Status.OPTIMAL, result.cost)
    assert (result.cost, result.suppressed) == least
    assert result.suppressed >= table.rows - most
    assert isinstance(result.recoding, LevelRecoding)
    made = groups(table, result.recoding, problem.k, (), problem.group_models)
    assert made.suppressed == result.suppressed
    assert problem.cost.of(table, result.recoding, problem.k, problem.group_models) == result.cost


def test_a_larger_group_goes_where_it_costs_less() -> None:
    """A mixed group of 4 loses 2 rows' class anyway, so it goes rather than a pure one of 3."""
    tree = [("1", "*"), ("2", "*"), ("3", "*")]
    rows, labels = [("1",)] * 10 + [("2",)] * 4 + [("3",)] * 3, [0] * 10 + [0, 0, 1, 1] + [0] * 3
    table = levelled_table({"a": tree}, rows, labels)
    risk = AverageRisk(threshold=0.16)
    problem = Problem(table=table, k=2, cost=Classification(), limit=None, models=(risk,))
    result = SuppressRows().solve(problem, Budget())
    assert result.recoding == LevelRecoding((0,), also_suppressed=((1,),))
    assert (result.status, result.cost, result.suppressed) == (Status.OPTIMAL, 4, 4)


@pytest.mark.parametrize(
    ("rows", "k", "cells"),
    [
        ([("1", "1")] * 4, 4, 0),
        ([("1", "1"), ("2", "2"), ("3", "3")], 3, 6),
        ([("1", "1"), ("2", "2"), ("3", "3")], 1, 0),
        ([("1", "1")] * 5 + [("1", "2")], 2, 2),
        ([("1", "1")] * 5 + [("2", "2")], 2, 4),
    ],
    ids=["all equal", "all different", "k is 1", "one lends a copy", "one loses all"],
)
def test_extremes(rows: list[tuple[str, str]], k: int, cells: int) -> None:
    """Copies of a row are divided, so that as few of them as needed hide another."""
    tree = [("1", "*"), ("2", "*"), ("3", "*")]
    problem = Problem(
        table=levelled_table({"a": tree, "b": tree}, rows), k=k, cost=SuppressedCells(), limit=0
    )
    result = LevelsAndCells().solve(problem, Budget())
    assert result.cost == cells
    check_is_what_it_says(problem, result)


@pytest.mark.parametrize("model", ["AG_CS", "_AS", "_TS"])
def test_models_are_released_audited_and_told(model: str, tmp_path: Path) -> None:
    """From a file to a file, with the model in the manifest; and the file is what the manifest says."""
    source, target = tmp_path / "people.csv", tmp_path / "release.csv"
    PEOPLE.to_csv(source, index=False)
    made = shoal.anonymize(
        source, quasi_identifiers=COLUMNS, k=2, bins={"age": 10}, recoding_model=model, path=target
    )
    manifest = json.loads(Path(f"{target}.manifest.json").read_text())
    assert manifest["model"] == model
    assert manifest["algorithm"] == DEFAULT_OF_MODEL[RecodingModel(model)]
    assert manifest["audit"] == {"k-anonymity": made.verdict.k, "holds": True}
    written = pandas.read_csv(target, dtype=str)
    cells = int((written == "*").to_numpy().sum())
    if model == "_TS":
        assert (len(written), manifest["cost"]) == (4, 4)
        assert cells == 0
    else:
        assert len(written) == len(PEOPLE)
        assert cells == manifest["cost"]


def test_wildcard_release_is_told_apart_everywhere(tmp_path: Path) -> None:
    """Audit, notes and `holds` say which reading holds, and what the other gives."""
    source, target = tmp_path / "people.csv", tmp_path / "release.csv"
    people = pandas.DataFrame([("f", 31, "Delft")] * 3 + [("f", 31, "Gouda")], columns=COLUMNS)
    people.to_csv(source, index=False)
    asked = {"quasi_identifiers": COLUMNS, "k": 3, "bins": {"age": 10}, "recoding_model": "AG_CS"}
    made = shoal.anonymize(source, **asked, options={"reading": "wildcard"}, path=target)
    found = made.manifest.audit
    written = pandas.read_csv(target, dtype=str)
    released: Released = [tuple(row) for row in written[COLUMNS].itertuples(index=False)]
    assert found["k-anonymity-wildcard"] == min(wildcard_frequencies(released))
    assert found["k-anonymity"] == min(Counter(row for row in released if set(row) != {"*"}).values())
    assert (found["holds"], found["holds-wildcard"]) == (False, True)
    assert any("read as wildcards" in note for note in made.manifest.notes)
    assert found["k-anonymity"] == 1
    assert "k-anonymity-wildcard" not in shoal.anonymize(people, **asked).manifest.audit
    frame = shoal.anonymize(people, **asked, options={"reading": "wildcard"})
    assert frame.manifest.audit == found


@FEW
@given(data=st.data())
def test_auditor_counts_wildcards_as_the_definition_does(data: st.DataObject) -> None:
    """Any table of cells, missing ones among them, measured by the engine and by hand."""
    cell = st.sampled_from(["a", "b", "*", None])
    rows = data.draw(st.lists(st.tuples(cell, cell, cell), min_size=1, max_size=12))
    k = data.draw(st.integers(1, 4))
    expected = wildcard_frequencies(rows)
    frame = pandas.DataFrame(rows, columns=COLUMNS, dtype=object)
    with DuckDB() as engine:
        found = engine.measure_wildcards(frame, COLUMNS, k)
        verdict = audit(engine, frame, COLUMNS, k, wildcards=True)
    assert found.smallest == min(expected, default=None)
    assert found.rows_below == sum(count < k for count in expected)
    assert verdict.meets == (found.rows_below == 0)


def test_few_blank_rows_would_satisfy_wildcards_and_hide_nobody() -> None:
    """Why stars of others do not count in the search: k - 1 rows per value of a column would do for all."""
    rows: Released = [(sex, str(age), town) for sex, age, town in PEOPLE.itertuples(index=False)]
    for sex in ("f", "m"):
        rows += [(sex, "*", "*")] * 2
    assert min(wildcard_frequencies(rows)) >= 3
    assert Counter(rows)[("f", "31", "Delft")] == 1


def test_rows_beyond_the_limit_are_infeasible_in_words() -> None:
    """The message tells how many rows must go, and what to do."""
    with pytest.raises(InfeasibleError, match="6 of 8 row") as told:
        shoal.anonymize(PEOPLE, quasi_identifiers=["age", "town"], k=2, recoding_model="_TS", suppression=1)
    assert "Allow suppression = 6" in str(told.value)
    with pytest.raises(PolicyError, match="generalizes nothing"):
        shoal.anonymize(
            PEOPLE, quasi_identifiers=["age"], k=2, recoding_model="_TS", levels={"age": (1, None)}
        )


@FEW
@given(problem=level_problems())
def test_bound_of_all_levels_holds_for_releases_with_suppressed_rows(problem: Problem) -> None:
    """Rows of small groups may be left out within the limit, so the bound is no more than that costs."""
    problem = replace(over_cells(problem, "ncp"), levels=(), limit=problem.table.rows - 1)
    algorithm = LevelsAndCells()
    assume(algorithm.supports(problem) is None)
    left_out = int(problem.table.counts[problem.table.counts < problem.k].sum())
    assume(0 < left_out < problem.table.rows)
    cost = Fraction(left_out, problem.table.rows)
    worst = Result(status=Status.FEASIBLE, algorithm=algorithm.name, cost=Fraction(1))
    search = levels_and_cells._Search(algorithm, problem, Budget(), 1, 0, None)
    low, high = least_levels(problem), greatest_levels(problem)
    bound = search.with_bound_of_all(worst, low, high).bound
    assert bound is not None
    assert bound <= cost
