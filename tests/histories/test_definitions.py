"""The plain definitions of the promises say what the page says, and imply each other as it says."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations_with_replacement, product
from math import prod

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from tests.histories import brute_force
from tests.histories.definitions import (
    Node,
    Persons,
    broken,
    by_events,
    by_history,
    by_rows,
    by_tree,
    constant_once,
    fewest,
    keeps,
    persons_of,
    visible,
    whole_or_gone,
)
from tests.histories.longitudinal import Longitudinal, longitudinal_tables

A, B, C = ("a",), ("b",), ("c",)


def every_table(rows: int, events: int, persons: int) -> Iterator[Persons]:
    """All tables of up to so many persons, each with up to so many of so many distinct rows."""
    histories = [each for size in range(events + 1) for each in product(range(rows), repeat=size)]
    for number in range(1, persons + 1):
        for chosen in combinations_with_replacement(histories, number):
            yield [[(row,) for row in history] for history in chosen]


@pytest.mark.parametrize("ordered", [False, True])
def test_the_promises_imply_each_other_in_every_small_table(ordered: bool) -> None:
    """(b) implies (c) for every m; (c) is monotone in m; (c) with m = 1 is (a). All tables, no sample."""
    tables = 0
    for persons in every_table(rows=2, events=3, persons=4):
        whole, rows = by_history(persons, ordered=ordered), by_rows(persons)
        of_events = [by_events(persons, known, ordered=ordered) for known in (1, 2, 3)]
        assert of_events[0] == rows
        for stronger, weaker in zip([whole, *reversed(of_events)], [*reversed(of_events), rows], strict=True):
            pairs = zip(stronger, weaker, strict=True)
            assert all(two is None if one is None else two is not None and one <= two for one, two in pairs)
        tables += 1
    assert tables == 3875


def test_m_known_events_are_less_than_the_whole_history() -> None:
    """Two known events always fit both persons; only who knows how many rows there are tells them apart."""
    persons = [[A, A, A], [A, A]]
    assert by_events(persons, 2, ordered=False) == [2, 2]
    assert by_events(persons, 3, ordered=False) == [1, 2]
    assert by_history(persons, ordered=False) == [1, 1]
    assert keeps(persons, 2, 2, ordered=False)
    assert not keeps(persons, 2, None, ordered=False)


def test_pairs_can_be_shared_and_triples_not() -> None:
    """Every two rows of the first person are rows of another, and all three together are not."""
    persons = [[A, B, C], [A, B], [B, C], [A, C]]
    assert by_events(persons, 1, ordered=False) == [3, 3, 3, 3]
    assert by_events(persons, 2, ordered=False) == [2, 2, 2, 2]
    assert by_events(persons, 3, ordered=False) == [1, 2, 2, 2]
    assert broken(by_events(persons, 3, ordered=False), 2) == [0]


def test_no_number_of_known_events_is_the_whole_history() -> None:
    """The short history is part of the long ones, so (c) holds for every m, and its owner is alone in (b)."""
    persons = [[A], [A, B], [A, B]]
    assert all(keeps(persons, 2, known, ordered=False) for known in (1, 2, 3, 4))
    assert by_history(persons, ordered=False) == [1, 2, 2]


def test_order_tells_people_apart_who_have_the_same_rows() -> None:
    persons = [[A, B], [B, A]]
    assert by_history(persons, ordered=False) == [2, 2]
    assert by_history(persons, ordered=True) == [1, 1]
    assert by_events(persons, 1, ordered=True) == [2, 2]
    assert by_events(persons, 2, ordered=True) == [1, 1]


def test_a_row_that_one_person_has_twice_is_one_person() -> None:
    persons = [[A, A], [B], [B]]
    assert by_rows(persons) == [1, 2, 2]
    assert fewest(by_rows(persons)) == 1


def test_nothing_is_promised_about_who_is_not_released() -> None:
    persons = visible([[("*", "*")], [("*", "a"), ("*", "*")], [("*", "a")]])
    assert by_history(persons, ordered=True) == [None, 2, 2]
    assert fewest(by_history([[], []], ordered=True)) is None
    assert keeps([[]], 5, None, ordered=True)


def test_rows_are_gathered_by_person_in_their_order() -> None:
    assert persons_of([2, 1, 2], [A, B, C]) == [[A, C], [B]]


def test_a_household_is_whole_or_gone() -> None:
    assert whole_or_gone([[A, B], [A]], [[A, A], []])
    assert not whole_or_gone([[A, B], [A]], [[A], []])


def test_what_never_changes_has_one_label() -> None:
    source = [[("f", 1), ("f", 2)], [("m", 1)]]
    assert constant_once(source, [[("*", 1), ("*", 2)], [("m", 1)]])
    assert not constant_once(source, [[("f", 1), ("*", 2)], [("m", 1)]])


def test_how_rows_of_several_tables_belong_together_is_known() -> None:
    """Same patients, same stays, same drugs: but one took both drugs in one stay."""
    x, y = Node("drugs", ("x",)), Node("drugs", ("y",))

    def patient(*stays: tuple[Node, ...]) -> list[Node]:
        return [Node("patients", A, tuple(Node("stays", B, drugs) for drugs in stays))]

    together, apart = patient((x, y), ()), patient((x,), (y,))
    assert by_tree([together, apart, apart], ordered=True) == [1, 2, 2]
    turned = patient((), (y, x))
    assert by_tree([together, turned], ordered=False) == [2, 2]
    assert by_tree([together, turned], ordered=True) == [1, 1]
    assert by_tree([[], together], ordered=True) == [None, 1]


@settings(max_examples=60)
@given(table=longitudinal_tables(), ordered=st.booleans())
def test_histories_hold_the_persons_of_the_table(table: Longitudinal, ordered: bool) -> None:
    """What a search is given has as many persons, and each as often, as the table."""
    histories = table.histories(ordered=ordered)
    assert histories.persons == len(table.persons)
    assert histories.rows == len(table.rows)
    shared = by_history([[(row,) for row in each] for each in table.coded(table.table())], ordered=ordered)
    assert sorted(int(count) for count in histories.counts for _ in range(count)) == sorted(
        number for number in shared if number is not None
    )


@settings(max_examples=150, deadline=None)
@given(
    table=longitudinal_tables(max_persons=4, max_events=3, max_columns=2),
    ordered=st.booleans(),
    limit=st.sampled_from([None, None, 0, 2]),
)
def test_groups_of_persons_reach_the_least_loss_of_all_releases(
    table: Longitudinal, ordered: bool, limit: int | None
) -> None:
    """Partitions and alignments leave out no better release: every label of every cell was tried, too."""
    counted = table.table()
    assume(prod(len(each[0]) for each in table.hierarchies.values()) ** len(table.rows) <= 5000)
    coded = table.coded(counted)
    tried = brute_force.of_cells(counted, coded, 2, None, ordered=ordered, limit=limit)
    assert brute_force.of_groups(counted, coded, 2, ordered=ordered, limit=limit) == tried


@settings(max_examples=40, deadline=None)
@given(table=longitudinal_tables(max_persons=4, max_events=2, max_columns=2), ordered=st.booleans())
def test_consistent_releases_lose_no_less(table: Longitudinal, ordered: bool) -> None:
    """Every consistent release is one row by row; a weaker promise never costs more than a stronger one."""
    counted = table.table()
    coded = table.coded(counted)
    losses = [
        brute_force.of_levels(counted, coded, 2, known, ordered=ordered, single_rows=True)
        for known in (1, 2, None)
    ]
    costs = [each[0] for each in losses if each is not None]
    assert len(costs) == 3
    assert costs == sorted(costs)
    row_by_row = brute_force.of_groups(counted, coded, 2, ordered=ordered)
    assert row_by_row is not None
    assert row_by_row <= costs[-1]
