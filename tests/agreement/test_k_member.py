"""k-member groups against a plain reading of the paper, and what must hold of any release."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from shoal.algorithms.cells._cells import Values, vocabulary
from shoal.algorithms.rows.k_member import KMember
from shoal.cost import METRICS
from shoal.cost.ncp import Ncp
from shoal.errors import PolicyError
from shoal.model.policy.budget import Budget
from shoal.model.recoding.groups import groups
from shoal.model.recoding.local_recoding import LocalRecoding, Vocabulary
from shoal.model.result.problem import Problem
from shoal.model.result.result import Status
from shoal.model.table.frequency_table import FrequencyTable
from shoal.privacy import AverageRisk, KAnonymity
from tests.agreement.thoroughness import examples

from .level_problems import level_problems

MANY = settings(max_examples=examples(100), deadline=None, suppress_health_check=list(HealthCheck))
SOME = settings(max_examples=examples(40), deadline=None, suppress_health_check=list(HealthCheck))
Words = Sequence[Vocabulary]
VALUES: tuple[Values, ...] = ("given", "hierarchy", "sets")


def price(table: FrequencyTable, rows: list[int], words: Words) -> int:
    """What one row loses if some distinct rows are released together, by definition."""
    group_of = np.full(len(table.counts), -1)
    group_of[rows] = 0
    recoding = LocalRecoding.from_groups(table, group_of, words)
    values = recoding.released(table)[rows[0]]
    return sum(Ncp().cell_units(table, recoding, a)[values[a]] for a in range(len(table.domains)))


def plain_k_member(table: FrequencyTable, k: int, words: Words, first: int) -> list[list[int]]:
    """The paper's loop over distinct rows; equal rows go together, ties to the first."""
    counts = table.counts.tolist()
    rest, made, last = list(range(len(counts))), [], first
    while sum(counts[row] for row in rest) >= k:
        far = max(rest, key=lambda row: (price(table, [last, row], words), -row))
        group = [far]
        rest.remove(far)
        while sum(counts[row] for row in group) < k:
            near = min(rest, key=lambda row: (price(table, [*group, row], words), row))
            group.append(near)
            rest.remove(near)
        made.append(group)
        last = group[-1]
    for row in rest:

        def more(group: list[int], row: int = row) -> int:
            size = sum(counts[each] for each in group)
            grown = (size + counts[row]) * price(table, [*group, row], words)
            return grown - size * price(table, group, words)

        min(made, key=more).append(row)
    return made


def posed(problem: Problem) -> Problem:
    return replace(problem, cost=Ncp(), levels=(), limit=0)


@MANY
@given(problem=level_problems(), values=st.sampled_from(VALUES), seed=st.integers(0, 20))
def test_groups_are_those_of_a_plain_reading(problem: Problem, values: Values, seed: int) -> None:
    """With labels and with sets; hierarchies are given or built, and cells may be missing."""
    problem, table = posed(problem), problem.table
    algorithm = KMember(values=values)
    assume(algorithm.supports(problem) is None)
    result = algorithm.solve(problem, Budget(), seed=seed)
    words = vocabulary(table.domains, values)
    own = np.empty(len(table.counts), np.int64)
    for number, rows in enumerate(plain_k_member(table, problem.k, words, seed % len(table.counts))):
        own[rows] = number
    expected = LocalRecoding.from_groups(table, own, words)
    assert isinstance(result.recoding, LocalRecoding)
    assert result.recoding.nodes == expected.nodes
    assert np.array_equal(result.recoding.values, expected.values)


@MANY
@given(
    problem=level_problems(),
    values=st.sampled_from(VALUES),
    name=st.sampled_from(sorted(name for name in METRICS if not METRICS[name].of_centroids)),
    nodes=st.sampled_from([None, 0, 1, 2]),
)
def test_every_group_has_k_rows_and_every_cell_covers_its_value(
    problem: Problem, values: Values, name: str, nodes: int | None
) -> None:
    """Whatever the cost and the budget; the cost is the definition's, and nothing is said to be proved."""
    problem = replace(problem, cost=METRICS[name](), limit=0)
    algorithm = KMember(values=values)
    assume(algorithm.supports(problem) is None)
    result = algorithm.solve(problem, Budget(nodes=nodes))
    recoding, table = result.recoding, problem.table
    assert recoding is not None
    made = groups(table, recoding, problem.k)
    assert (made.sizes >= problem.k).all()
    assert made.suppressed == result.suppressed == 0
    assert result.cost == problem.cost.of(table, recoding, problem.k)
    assert (result.status, result.bound) == (Status.FEASIBLE, None)
    for attribute, domain in enumerate(table.domains):
        members = recoding.members(attribute, domain)
        released = recoding.released(table)[:, attribute].tolist()
        assert all(
            code in members[each] for each, code in zip(released, table.codes[:, attribute], strict=True)
        )


@SOME
@given(problem=level_problems(), seed=st.integers(0, 5), values=st.sampled_from(VALUES))
def test_answer_depends_on_the_seed_alone(problem: Problem, seed: int, values: Values) -> None:
    """Twice the same, also with more threads."""
    problem, algorithm = posed(problem), KMember(values=values)
    assume(algorithm.supports(problem) is None)
    one = algorithm.solve(problem, Budget(), threads=1, seed=seed)
    two = algorithm.solve(problem, Budget(), threads=4, seed=seed)
    assert one.recoding is not None
    assert two.recoding is not None
    assert np.array_equal(one.recoding.released(problem.table), two.recoding.released(problem.table))


@SOME
@given(problem=level_problems())
def test_models_that_look_at_more_than_size_are_refused(problem: Problem) -> None:
    """A larger k is none of them."""
    problem = posed(problem)
    risky = replace(problem, models=(AverageRisk(threshold=0.5),))
    assert "use 'local' or 'lattice'" in str(KMember(values="sets").supports(risky))
    k = problem.table.rows
    result = KMember(values="sets").solve(replace(problem, models=(KAnonymity(k),)), Budget())
    assert result.recoding is not None
    assert len(groups(problem.table, result.recoding, k).sizes) == 1


def test_values_are_given_labels_or_sets() -> None:
    """Anything else is refused by name."""
    with pytest.raises(PolicyError, match="values is one of 'given', 'hierarchy', 'sets'"):
        KMember(values="boxes")  # type: ignore[arg-type]


@SOME
@given(problem=level_problems(), values=st.sampled_from(VALUES))
def test_a_model_that_asks_for_more_rows_than_there_are_gets_no_groups(
    problem: Problem, values: Values
) -> None:
    """Nothing is found, and nothing is claimed."""
    asked = replace(
        problem, cost=METRICS["ncp"](), levels=(), limit=0, models=(KAnonymity(problem.table.rows + 1),)
    )
    if KMember(values=values).supports(asked) is None:
        result = KMember(values=values).solve(asked, Budget())
        assert (result.status, result.recoding) == (Status.UNKNOWN, None)
