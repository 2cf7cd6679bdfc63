"""Mondrian from histograms and fragments makes the groups that it makes of rows in one place."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from shoal.algorithms._definitions import cost_of, made_by
from shoal.algorithms.rows.distributed_mondrian import (
    DistributedMondrian,
    FragmentSolver,
    why_not_distributed,
)
from shoal.algorithms.rows.mondrian import Mondrian
from shoal.cost import METRICS
from shoal.errors import InternalError, PolicyError
from shoal.model.policy.budget import Budget, Progress
from shoal.model.recoding.distributed import DistributedGroups, DistributedRecoding, marginal_table
from shoal.model.recoding.groups import printed_sizes, released_codes
from shoal.model.recoding.local_recoding import LocalRecoding
from shoal.model.result.problem import Problem
from shoal.model.result.result import Result, Status
from shoal.model.table.domain import Domain
from shoal.model.table.frequency_table import FrequencyTable
from shoal.privacy import AverageRisk
from tests.agreement.thoroughness import examples

from .level_problems import level_problems
from .plain_distributed import PlainRows
from .private_problems import made_private
from .problems import problems

MANY = settings(max_examples=examples(120), deadline=None, suppress_health_check=list(HealthCheck))

tables = st.one_of(level_problems(), problems(max_rows=40))
strict = st.builds(Mondrian, values=st.sampled_from(["hierarchy", "sets", "intervals"]))
relaxed = st.builds(
    Mondrian, partitioning=st.just("relaxed"), values=st.sampled_from(["hierarchy", "sets", "intervals"])
)


def marginal(problem: Problem, rows: PlainRows) -> Problem:
    """The problem as it is known where the rows are not."""
    return replace(problem, table=marginal_table(rows.domains, rows.whole, rows.facts), levels=())


def distributed(
    problem: Problem, algorithm: Mondrian, fragment: int, **also: object
) -> tuple[PlainRows, Result, DistributedGroups | None]:
    """The answer over plain rows."""
    rows = PlainRows(problem.table)
    run = DistributedMondrian(
        algorithm=replace(algorithm, fragment=fragment), problem=marginal(problem, rows), rows=rows, **also
    )
    result = run.solve()
    return rows, result, groups_of(result)


def groups_of(result: Result) -> DistributedGroups | None:
    """The groups of a recoding."""
    return result.recoding.groups if isinstance(result.recoding, DistributedRecoding) else None


def solvable(drawn: Problem, algorithm: Mondrian) -> Problem:
    """The problem without levels and labels; rejected if it cannot be solved where the rows are."""
    table = replace(drawn.table, labels=(), label_counts=np.zeros((0, 0), np.int64))
    if drawn.cost.name == "classification":
        drawn = replace(drawn, cost=METRICS["ncp"]())
    problem = replace(drawn, table=table, levels=())
    assume(why_not_distributed(algorithm, problem) is None)
    return problem


@MANY
@given(drawn=tables, algorithm=strict, fragment=st.integers(1, 12))
def test_strict_groups_are_those_of_one_place(drawn: Problem, algorithm: Mondrian, fragment: int) -> None:
    """Groups, their numbers, released values, cost and nodes are the same, wherever the first cuts end."""
    problem = solvable(drawn, algorithm)
    _, result, groups = distributed(problem, algorithm, fragment)
    local, answer = algorithm.solve(problem, Budget()), algorithm.partition(problem, Budget())
    assert local.recoding is not None
    assert groups is not None
    group_of, values = groups.place
    present = problem.table.counts > 0
    assert np.array_equal(group_of, answer.group_of[present])
    assert np.array_equal(values, local.recoding.released(problem.table)[present])
    assert groups.values == local.recoding.nodes
    assert (result.status, result.cost, result.suppressed) == (local.status, local.cost, local.suppressed)
    assert result.nodes == local.nodes
    domains, made = problem.table.domains, made_by(problem, local.recoding)
    assert groups.released_codes == released_codes(problem.table, made, local.recoding)
    printed = [local.recoding.labels(a, domain) for a, domain in enumerate(domains)]
    sizes, stars = printed_sizes(made, range(len(domains)), printed, "*")
    assert groups.stars == sizes[stars].sum()
    assert result.recoding is not None
    assert result.recoding.describe(domains) == local.recoding.describe(domains)
    assert result.recoding.notes(domains) == local.recoding.notes(domains)


@MANY
@given(drawn=tables.flatmap(made_private), algorithm=strict, fragment=st.integers(1, 12))
def test_groups_under_privacy_models_are_those_of_one_place(
    drawn: Problem, algorithm: Mondrian, fragment: int
) -> None:
    """The driver judges sides by histograms of facts as the core judges them by rows."""
    problem = solvable(drawn, algorithm)
    table = problem.table
    assume(any(model.columns for model in problem.group_models))
    assume((table.counts > 0).all())
    _, result, groups = distributed(problem, algorithm, fragment)
    local, answer = algorithm.solve(problem, Budget()), algorithm.partition(problem, Budget())
    assert (result.status, result.cost) == (local.status, local.cost)
    assert (groups is None) == (local.recoding is None)
    assume(local.recoding is not None)
    assert groups is not None
    assert local.recoding is not None
    assert table.facts is not None
    row_of_line = np.repeat(np.arange(len(table.counts)), np.diff(table.facts.first))
    group_of, values = groups.place
    assert np.array_equal(group_of, answer.group_of[row_of_line])
    assert np.array_equal(values, local.recoding.released(table)[row_of_line])
    assert result.nodes == local.nodes


@MANY
@given(drawn=tables, algorithm=relaxed, fragment=st.integers(1, 12))
def test_relaxed_groups_are_large_enough_and_cost_what_is_said(
    drawn: Problem, algorithm: Mondrian, fragment: int
) -> None:
    """First cuts go between values, so groups differ from those of one place; what is promised does not."""
    problem = solvable(drawn, algorithm)
    _, result, groups = distributed(problem, algorithm, fragment)
    assert groups is not None
    assert result.recoding is not None
    table, (_, values) = problem.table, groups.place
    whole = np.zeros((len(table.counts), len(table.domains)), np.int32)
    whole[table.counts > 0] = values
    recoding = LocalRecoding(values=whole, nodes=groups.values)
    made = made_by(problem, recoding)
    assert made.suppressed == 0
    assert result.cost == cost_of(problem, recoding, made)
    assert sum(groups.sizes.values()) == int((made.sizes > 0).sum())
    for attribute, domain in enumerate(table.domains):
        members = recoding.members(attribute, domain)
        for row in np.flatnonzero(table.counts).tolist():
            assert table.codes[row, attribute] in members[whole[row, attribute]]


@MANY
@given(drawn=level_problems(), fragment=st.integers(1, 4))
def test_relaxed_nodes_are_cut_as_in_one_place(drawn: Problem, fragment: int) -> None:
    """Children that are too small stay on their node: that is a matter of counts alone."""
    algorithm = Mondrian(partitioning="relaxed")
    problem = solvable(drawn, algorithm)
    assume(set(algorithm.vocabulary(drawn.table.domains)) == {"nodes"})
    _, result, groups = distributed(problem, algorithm, fragment)
    answer = algorithm.partition(problem, Budget())
    assert groups is not None
    assert np.array_equal(groups.place[0], answer.group_of[problem.table.counts > 0])
    assert result.nodes == answer.nodes


def grid() -> Problem:
    """All pairs of 16 numbers and 16 categories, twice."""
    codes = np.array([[i, j] for i in range(16) for j in range(16)], np.int32)
    counts = np.full(len(codes), 2, np.int64)
    domains = (
        Domain(name="number", kind="number", values=(*range(15), None)),
        Domain(name="letter", kind="category", values=tuple("abcdefghijklmnop")),
    )
    table = FrequencyTable(domains=domains, codes=codes, counts=counts)
    return Problem(table=table, k=3, cost=METRICS["ncp"]())


def test_all_regions_of_a_round_are_seen_in_one_pass() -> None:
    """Halving 256 distinct rows down to fragments of 20 takes four rounds, and as many passes."""
    rows, result, groups = distributed(grid(), Mondrian(), 20)
    assert rows.passes == 4
    assert groups is not None
    assert result.status is Status.FEASIBLE


def test_no_time_leaves_the_rows_one_group() -> None:
    """Out of budget before the first cut, everything is released as it is."""
    _, result, groups = distributed(grid(), Mondrian(), 20, budget=Budget(seconds=0))
    assert groups is not None
    assert groups.sizes == {grid().table.rows: 1}
    assert result.cost == 1


def test_an_interrupted_search_gives_larger_groups() -> None:
    """Ctrl-C, here raised where progress is told, ends it with the regions as they are."""

    def interrupted(moment: Progress) -> None:
        assert moment.nodes == 1
        raise KeyboardInterrupt

    _, result, groups = distributed(grid(), Mondrian(), 20, on_progress=interrupted)
    assert groups is not None
    assert result.interrupted
    assert sum(groups.sizes.values()) == 2


def test_an_interrupt_while_workers_cut_gives_fragments_as_groups() -> None:
    """Workers are asked again, with no time left."""

    class Interrupted(PlainRows):
        asked = 0

        def grouped(self, *args: Any) -> DistributedGroups:
            self.asked += 1
            if self.asked == 1:
                raise KeyboardInterrupt
            return super().grouped(*args)

    problem, rows = grid(), Interrupted(grid().table)
    run = DistributedMondrian(algorithm=Mondrian(fragment=20), problem=marginal(problem, rows), rows=rows)
    result = run.solve()
    groups = groups_of(result)
    assert groups is not None
    assert result.interrupted
    assert sum(groups.sizes.values()) == 16


def test_a_group_below_k_is_our_fault() -> None:
    """The engine's count of what is released is compared with k, and never believed to be right."""

    class Wrong(PlainRows):
        def grouped(self, *args: Any) -> DistributedGroups:
            return replace(super().grouped(*args), sizes={2: 1})

    rows = Wrong(grid().table)
    with pytest.raises(InternalError, match="a group of 2 rows"):
        DistributedMondrian(algorithm=Mondrian(), problem=marginal(grid(), rows), rows=rows).solve()


def test_average_risk_makes_larger_groups() -> None:
    """Limits on the average risk are met by sizes, here as in one place."""
    problem = replace(grid(), models=(AverageRisk(threshold=0.1),))
    _, _, groups = distributed(problem, Mondrian(), 20)
    assert groups is not None
    assert min(groups.sizes) >= 10


def test_what_needs_whole_rows_is_refused() -> None:
    """Choices, costs and models that look at more than histograms, and limits on nodes, name a way out."""
    problem = grid()
    rows = PlainRows(problem.table)
    asked = marginal(problem, rows)
    assert why_not_distributed(Mondrian(), asked) is None
    assert "leave it out" in str(why_not_distributed(Mondrian(choice="cost"), asked))
    with pytest.raises(PolicyError, match="limit the seconds"):
        DistributedMondrian(algorithm=Mondrian(), problem=asked, rows=rows, budget=Budget(nodes=3))
    with pytest.raises(PolicyError, match="leave it out"):
        DistributedMondrian(algorithm=Mondrian(choice="cost"), problem=asked, rows=rows)
    for wrong in ({"fragment": 0}, {"fragment": True}, {"distributed": "yes"}):
        with pytest.raises(PolicyError, match="it is"):
            Mondrian.with_options(wrong)


@MANY
@given(drawn=tables)
def test_costs_of_cells_depend_on_marginals_alone(drawn: Problem) -> None:
    """The stand-in has the rows and the codes of the table, column by column."""
    rows = PlainRows(drawn.table)
    found = marginal_table(rows.domains, rows.whole)
    assert found.rows == drawn.table.rows
    assert (found.counts > 0).all()
    for attribute, domain in enumerate(rows.domains):
        columns = [
            np.bincount(table.codes[:, attribute], table.counts, len(domain))
            for table in (found, drawn.table)
        ]
        assert np.array_equal(*columns)


def test_of_two_places_as_near_to_the_median_the_lower_is_cut() -> None:
    """3, 2 and 3 rows can be cut into 3 and 5 or 5 and 3, and no further."""
    domain = Domain(name="number", kind="number", values=(10, 20, 30))
    codes, counts = np.arange(3, dtype=np.int32)[:, None], np.array([3, 2, 3], np.int64)
    table = FrequencyTable(domains=(domain,), codes=codes, counts=counts)
    problem = Problem(table=table, k=3, cost=METRICS["ncp"]())
    _, _, groups = distributed(problem, Mondrian(), 1)
    assert groups is not None
    assert groups.place[0].tolist() == [0, 1, 1]


def test_relaxed_fragments_do_not_depend_on_the_order_of_arrival() -> None:
    """Rows of a value are parted in the order of their codes, as a frequency table has them."""
    problem = grid()
    solver = FragmentSolver(
        algorithm=Mondrian(partitioning="relaxed"),
        domains=problem.table.domains,
        cost=problem.cost,
        k=7,
    )
    codes, counts = problem.table.codes, 1 + (np.arange(256) % 3)
    order = np.random.default_rng(1).permutation(256)
    straight, shuffled = solver(codes, counts), solver(codes[order], counts[order])
    assert np.array_equal(straight.group_of[order], shuffled.group_of)
    assert straight.nodes == shuffled.nodes
