"""Dewri, Ray, Ray and Whitley, DBSec 2010: the observation, Algorithm 1, both theorems, small tables."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.algorithms._watch import Watch
from shoal.algorithms.levels._profiles import Measurer
from shoal.algorithms.levels.front_of_levels import front_of_levels
from shoal.algorithms.levels.pbg_ea import fitness_of
from shoal.errors import PolicyError
from shoal.model.recoding.level_recoding import LevelRecoding
from shoal.objectives import (
    Archive,
    Quality,
    Released,
    binary_spread,
    box_dominates,
    box_of,
    convergence_error,
    distinct_values,
    dominates,
    group_size,
    least_kept,
    most_held,
    non_dominated,
    objectives_of,
    representation_ratio,
    spread,
    value_count,
    worst_case,
)
from tests.agreement.objective_tables import every_node_of, sensitive_tables, with_facts
from tests.agreement.thoroughness import examples
from tests.papers.tables import survey_table

MANY = settings(max_examples=examples(300), deadline=None)
EPSILONS = st.sampled_from([0.25, 0.5, 1, 1.5, 2, 3])


@st.composite
def streams(draw: st.DrawFn) -> tuple[list[Quality], list[float]]:
    """Vectors in the order in which a generator makes them, some again, and a discretization vector."""
    objectives = draw(st.integers(1, 3))
    whole = draw(st.booleans())
    value = st.integers(0, 6) if whole else st.integers(0, 24).map(lambda quarters: quarters / 4)
    vectors = draw(st.lists(st.tuples(*[value] * objectives), min_size=1, max_size=25))
    return vectors, draw(st.lists(EPSILONS, min_size=objectives, max_size=objectives))


def updator(archive: list[Quality], candidate: Quality, epsilons: list[float]) -> list[Quality]:
    """Algorithm 1, line by line."""
    if not archive:
        return [candidate]
    archive = [held for held in archive if not box_dominates(candidate, held, epsilons)]
    dominated = [held for held in archive if box_dominates(held, candidate, epsilons)]
    in_box = [held for held in archive if box_of(held, epsilons) == box_of(candidate, epsilons)]
    return archive if dominated or in_box else [*archive, candidate]


def held_after(vectors: list[Quality], epsilons: list[float]) -> Archive[int]:
    archive: Archive[int] = Archive(epsilons)
    for number, vector in enumerate(vectors):
        archive.offer(number, vector)
    return archive


@MANY
@given(stream=streams())
def test_the_archive_is_algorithm_1(stream: tuple[list[Quality], list[float]]) -> None:
    """After every candidate it holds what the printed steps leave."""
    vectors, epsilons = stream
    archive, printed = held_after([], epsilons), list[Quality]()
    for number, vector in enumerate(vectors):
        archive.offer(number, vector)
        printed = updator(printed, vector, epsilons)
        assert sorted(quality for _, quality in archive) == sorted(printed)


@MANY
@given(stream=streams())
def test_theorem_1_nothing_that_was_generated_dominates_what_is_held(
    stream: tuple[list[Quality], list[float]],
) -> None:
    """It holds as printed, also for vectors that were refused because their box was taken."""
    vectors, epsilons = stream
    for end in range(1, len(vectors) + 1):
        for _, held in held_after(vectors[:end], epsilons):
            assert not any(dominates(vector, held) for vector in vectors[:end])


@MANY
@given(stream=streams())
def test_the_archive_takes_exactly_the_non_dominated_boxes(stream: tuple[list[Quality], list[float]]) -> None:
    """More than theorem 1 says: no box is missing, none is taken twice, and none is dominated."""
    vectors, epsilons = stream
    archive = held_after(vectors, epsilons)
    boxes = {box_of(vector, epsilons) for vector in vectors}
    assert archive.boxes == {box for box in boxes if not any(dominates(other, box) for other in boxes)}
    assert len(archive) == len(archive.boxes)


@MANY
@given(stream=streams())
def test_offering_again_changes_nothing(stream: tuple[list[Quality], list[float]]) -> None:
    """Theorem 1's second case: what was removed or refused stays out when it is generated again."""
    vectors, epsilons = stream
    archive = held_after(vectors, epsilons)
    before = list(archive)
    for number, vector in enumerate(vectors):
        assert archive.offer(number, vector) == (number in [item for item, _ in before])
    assert list(archive) == before


def test_the_gap_in_theorem_1s_proof_a_vector_may_be_refused_and_never_removed() -> None:
    """The proof says that T_q, if it is not held, was removed; here it was never admitted.

    (1.9, 1.1) is refused for (1.1, 1.9), which is incomparable and has its box. (1.8, 1.1), which it
    dominates, is refused too, but because the box is taken: no vector that is held dominates it.
    """
    archive: Archive[str] = Archive([1, 1])
    assert archive.offer("first", (1.1, 1.9))
    assert not archive.offer("refused", (1.9, 1.1))
    assert not archive.offer("dominated", (1.8, 1.1))
    assert dominates((1.9, 1.1), (1.8, 1.1))
    assert not box_dominates((1.1, 1.9), (1.8, 1.1), [1, 1])
    assert [item for item, _ in archive] == ["first"]


def test_a_minimal_generalization_can_be_left_out() -> None:
    """Theorem 1 is an inclusion: one of two minimal vectors in a box is held, and which one is left open."""
    assert len(held_after([(1.1, 1.9), (1.9, 1.1)], [1, 1])) == 1


@MANY
@given(stream=streams())
def test_theorem_2_corrected_bounds_the_archive(stream: tuple[list[Quality], list[float]]) -> None:
    """With floor(K / epsilon) + 1 boxes to an objective, and the objective with most boxes left out."""
    vectors, epsilons = stream
    upper = [max(values) for values in zip(*vectors, strict=True)]
    assert len(held_after(vectors, epsilons)) <= most_held(upper, epsilons)


def test_theorem_2_fails_as_printed() -> None:
    """0 < I <= K = 1 and epsilon = 1: the bound is 1, and two boxes are taken.

    A quality that reaches K lies in box K / epsilon, the one after those that the theorem counts.
    """
    archive = held_after([(0.5, 1.0), (1.0, 0.5)], [1, 1])
    upper, epsilons = (1, 1), (1, 1)
    printed = math.prod(sorted(k / e for k, e in zip(upper, epsilons, strict=True))[1:])
    assert len(archive) == 2 > printed == 1
    assert most_held(upper, epsilons) == 2


def test_theorem_2_leaves_out_the_wrong_objective() -> None:
    """Its bound takes the r - 1 largest factors; leaving out the largest one holds, too, and is smaller."""
    vectors = [(float(a), float(b)) for a in range(3) for b in range(101)]
    assert len(held_after(vectors, [1, 1])) <= most_held((2, 100), [1, 1]) == 3


@MANY
@given(table=sensitive_tables(), data=st.data())
def test_the_observation_sums_order_tables_as_the_binary_spread_does(
    table: object, data: st.DataObject
) -> None:
    """I_spr(l, m) > I_spr(m, l) if and only if S(l) > S(m), for both properties of the paper."""
    nodes = every_node_of(table)  # type: ignore[arg-type]
    limit = data.draw(st.integers(0, 4))
    one, other = (
        Released(table, LevelRecoding(data.draw(st.sampled_from(nodes))), limit)  # type: ignore[arg-type]
        for _ in range(2)
    )
    for measured in (group_size, lambda released: value_count(released, "disease")):
        vectors = [np.where(each.kept, measured(each), 0) for each in (one, other)]
        sums = [spread(measured(each), each) for each in (one, other)]
        there = binary_spread(vectors[0], vectors[1], one.rows)
        back = binary_spread(vectors[1], vectors[0], one.rows)
        assert (there > back) == (sums[0] > sums[1])
        assert there - back == sums[0] - sums[1]


def test_the_binary_spread_on_two_vectors_by_hand() -> None:
    """Rows gain 2, lose 1 and stay."""
    one, other = np.array([5, 2, 3]), np.array([3, 3, 3])
    assert (binary_spread(one, other), binary_spread(other, one)) == (2, 1)


@MANY
@given(stream=streams())
def test_whole_qualities_and_epsilons_of_one_are_plain_dominance(
    stream: tuple[list[Quality], list[float]],
) -> None:
    """Section 5; for qualities that are no integers it is not so."""
    vectors = [tuple(math.floor(value) for value in vector) for vector in stream[0]]
    ones = [1] * len(vectors[0])
    for one in vectors:
        for other in vectors:
            assert box_dominates(one, other, ones) == dominates(one, other)
    assert box_dominates((2.0, 0.5), (1.0, 0.9), [1, 1])
    assert not dominates((2.0, 0.5), (1.0, 0.9))


@MANY
@given(stream=streams())
def test_non_dominated_is_what_a_look_at_all_pairs_finds(stream: tuple[list[Quality], list[float]]) -> None:
    """Equal vectors stay together."""
    vectors = stream[0]
    columns = [np.array(column) for column in zip(*vectors, strict=True)]
    expected = [
        number
        for number, vector in enumerate(vectors)
        if not any(dominates(other, vector) for other in vectors)
    ]
    assert non_dominated(columns).tolist() == expected


def test_non_dominated_over_many_chunks() -> None:
    """A circle's edge is all of its front; what lies inside is none of it."""
    angles = np.linspace(0, math.pi / 2, 1500)
    edge = [np.cos(angles), np.sin(angles)]
    inside = [np.concatenate([axis, 0.5 * axis]) for axis in edge]
    assert non_dominated(inside).tolist() == list(range(1500))


@pytest.mark.parametrize(
    ("sizes", "limit", "k"),
    [
        ([5], 0, 5),
        ([1, 1, 4], 1, 1),
        ([1, 1, 4], 2, 4),
        ([1, 1, 2, 4], 3, 2),
        ([2, 3], 5, 3),
        ([2, 2], 99, 2),
    ],
)
def test_the_suppression_rule_takes_whole_sizes(sizes: list[int], limit: int, k: int) -> None:
    """The sets E_1, E_2, ... are suppressed while they fit; the largest groups always stay."""
    assert least_kept(sizes, limit) == k


def test_fitness_sums_the_strength_of_those_that_dominate() -> None:
    """(3,3) dominates two, (2,2) one: fitness 0, 2 and 2 + 1; incomparable vectors have none."""
    assert fitness_of([(3, 3), (2, 2), (1, 1)]).tolist() == [0, 2, 3]
    assert fitness_of([(1, 2), (2, 1)]).tolist() == [0, 0]


def test_measures_of_performance_by_hand() -> None:
    """One of two boxes is taken; the other solution is 0.1 off in an objective whose greatest value is 10."""
    exact: list[Quality] = [(10, 1), (5, 2)]
    assert convergence_error(exact, exact) == 0
    assert convergence_error(exact, [(10, 1), (4, 2)]) == pytest.approx(0.1)
    assert representation_ratio(exact, [(10, 1), (4, 2)], [1, 1]) == 0.5
    assert representation_ratio(exact, [(10, 1), (4, 2)], [5, 5]) == 1.0


def test_epsilons_are_positive_and_one_for_each_objective() -> None:
    """The errors say which is wrong."""
    measurer = Measurer(survey_table("Race"), objectives_of(["k", "height"], []), 0)
    with pytest.raises(PolicyError, match="positive"):
        front_of_levels(measurer, Watch(), epsilons=[1, 0])
    with pytest.raises(PolicyError, match="each of the 2 objectives"):
        front_of_levels(measurer, Watch(), epsilons=[1])


def test_the_front_of_the_surveys_table() -> None:
    """k against discernibility, counted by hand: at [0,1] the groups have 2, 3, 2, 1 and 1 rows, and so on.

    Of the six nodes [0,1] and [1,0] cost more than [0,0] and reach no larger k.
    """
    table = survey_table("Race", "ZIP")
    measurer = Measurer(table, objectives_of(["k", "discernibility"], []), 0)
    found = {
        levels: (measurer.node(levels).k, measurer.node(levels).values[1]) for levels in every_node_of(table)
    }
    assert found == {
        (0, 0): (1, 15),
        (0, 1): (1, 19),
        (0, 2): (2, 33),
        (1, 0): (1, 31),
        (1, 1): (3, 45),
        (1, 2): (9, 81),
    }
    answer = front_of_levels(measurer, Watch())
    assert [each.node.levels for each in answer.nodes] == [(0, 0), (0, 2), (1, 1), (1, 2)]


def test_the_front_of_the_surveys_table_with_two_rows_suppressed() -> None:
    """Two rows may go: [0,1] and [1,0] reach k = 2, as the survey says of MaxSup = 2; they cost 35 and 47."""
    table = survey_table("Race", "ZIP")
    measurer = Measurer(table, objectives_of(["k", "discernibility"], []), 2)
    assert (measurer.node((0, 1)).k, measurer.node((0, 1)).values[1], measurer.node((0, 1)).suppressed) == (
        2,
        35,
        2,
    )
    assert (measurer.node((1, 0)).k, measurer.node((1, 0)).values[1]) == (2, 47)


def test_properties_by_hand() -> None:
    """Seven women, three with one disease and four with another, and two men with a third."""
    table = survey_table("Sex", "Race")
    sensitive = with_facts(table, {"disease": [0, 0, 1, 0, 1, 1, 1, 2, 2]})
    released = Released(sensitive, LevelRecoding((0, 1)), 0)
    assert sorted(released.groups.sizes.tolist()) == [2, 7]
    assert worst_case(group_size(released), released) == released.k == 2
    assert spread(group_size(released), released) == 49 + 4
    assert worst_case(distinct_values(released, "disease"), released) == 1
    assert spread(value_count(released, "disease"), released) == 9 + 16 + 4
