"""Downcoding: what follows from a release in which no row could have been told finer."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import product

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from shoal.auditor.attacks import ATTACKS, AttackResult, Target
from shoal.auditor.attacks.certain import Groups
from shoal.auditor.attacks.chance import expected, likely
from shoal.auditor.attacks.divisions import Divisions
from shoal.auditor.attacks.downcoding import divided
from shoal.model.hierarchy.hierarchy import Hierarchy
from shoal.model.table.cell_meaning import CellReader
from tests.agreement.thoroughness import examples
from tests.attacks.tables import Row, cells

SEX = Hierarchy((("F", "person"), ("M", "person")))
ZIP = Hierarchy(
    (
        ("94138", "9413*", "941**"),
        ("94139", "9413*", "941**"),
        ("94141", "9414*", "941**"),
        ("94142", "9414*", "941**"),
    )
)


def attacked(
    release: Sequence[Row], k: int, original: Sequence[Row] | None = None, **hierarchies: Hierarchy
) -> AttackResult:
    """The attack on a release of the columns that have hierarchies."""
    columns = " ".join(hierarchies)
    target = Target(
        release=cells(columns, release),
        quasi_identifiers=tuple(hierarchies),
        hierarchies=hierarchies,
        k=k,
        original=None if original is None else cells(columns, original),
    )
    attack = ATTACKS["downcoding"]()
    assert attack.lacking(target) is None
    return attack.run(target)


def test_two_people_who_could_not_be_told_apart_are_a_woman_and_a_man() -> None:
    """With k = 2 two of one sex would have been released so."""
    found = attacked([("person",)] * 2, 2, sex=SEX)
    assert (found.succeeded, found.tried) == (2, 2)
    assert found.facts["claimed_exactly"] == 2
    assert attacked([("person",)] * 2, 2, [("F",), ("M",)], sex=SEX).succeeded == 2


def test_of_three_people_one_of_each_is_certain() -> None:
    """Two and one, or one and two: the third is not known."""
    found = attacked([("person",)] * 3, 2, sex=SEX)
    assert (found.succeeded, found.tried) == (2, 3)


def test_a_coarser_label_of_many_values_withstands() -> None:
    """Two people of four ZIP codes: one is in 9413*, one in 9414*, and their codes are not known."""
    found = attacked([("941**",)] * 2, 2, zip=ZIP)
    assert (found.succeeded, found.facts["claimed_exactly"]) == (2, 0)
    wide = Hierarchy(tuple((str(value), "any") for value in range(10)))
    assert attacked([("any",)] * 5, 5, age=wide).succeeded == 0


def test_a_release_coarser_than_k_asks_for_is_not_minimal() -> None:
    """Of four people of two sexes two are of one sex, and could have been told; nothing follows."""
    found = attacked([("person",)] * 4, 2, sex=SEX)
    assert (found.succeeded, found.facts["groups_not_minimal"]) == (0, 1)


def test_the_original_tells_that_a_claim_is_wrong() -> None:
    """A release that is not minimal, though it may look so: both were women."""
    found = attacked([("person",)] * 2, 2, [("F",), ("F",)], sex=SEX)
    assert found.facts["claimed"] == 2
    assert (found.succeeded, found.facts["measured"]) == (1, True)


def test_where_people_fit_several_groups_the_order_of_rows_tells() -> None:
    """A woman fits both groups; beside each other, release and original tell which row is hers."""
    release = cells("sex", [("F",)] * 2 + [("person",)] * 2)
    original = cells("sex", [("F",), ("F",), ("F",), ("M",)])
    target = Target(
        release=release, quasi_identifiers=("sex",), hierarchies={"sex": SEX}, k=2, original=original
    )
    found = ATTACKS["downcoding"]().run(target)
    assert (found.facts["claimed"], found.facts["measured"]) == (2, False)
    found = ATTACKS["downcoding"]().run(replace(target, in_order=release, original_in_order=original))
    assert (found.succeeded, found.facts["measured"]) == (2, True)
    other = cells("sex", [("F",), ("M",), ("F",), ("M",)])
    found = ATTACKS["downcoding"]().run(replace(target, in_order=release, original_in_order=other))
    assert found.facts["measured"] is False


def test_rows_that_could_have_joined_another_group_are_none_of_its_value() -> None:
    """Beside a group of women three more people, k = 2: one woman could have joined them.

    So all three would be men, who could have been told: the release is not minimal.
    """
    found = attacked([("F",)] * 2 + [("person",)] * 3, 2, sex=SEX)
    assert (found.tried, found.facts["groups_not_minimal"]) == (3, 1)
    # Beside 94138 nobody of 9413* is 94138: with three people all would be 94139.
    beside = attacked([("94138",)] * 2 + [("9413*",)] * 2, 2, zip=ZIP)
    assert beside.facts["claimed_exactly"] == 2  # one of each: two are too few to spare one


def test_it_needs_labels_that_can_be_finer_and_k() -> None:
    """Without them nothing is minimal."""
    release = cells("sex", [("person",)])
    attack = ATTACKS["downcoding"]()
    assert attack.lacking(Target(release=release, quasi_identifiers=("sex",), k=2)) is not None
    assert (
        attack.lacking(Target(release=release, quasi_identifiers=("sex",), hierarchies={"sex": SEX}))
        is not None
    )


# Plain definitions, row by row.


def ups(hierarchy: Hierarchy, value: str) -> tuple[str, ...]:
    """A value and its ever coarser labels."""
    return next(row for row in hierarchy.rows if row[0] == value)


def originals(release: Sequence[Row], hierarchies: Sequence[Hierarchy]) -> Iterator[list[tuple[str, ...]]]:
    """All tables that a release may be of."""
    under = [
        list(
            product(
                *(
                    [row[0] for row in hierarchy.rows if label in row]
                    for label, hierarchy in zip(line, hierarchies, strict=True)
                )
            )
        )
        for line in release
    ]
    yield from map(list, product(*under))


def is_minimal(
    release: Sequence[Row], original: Sequence[Row], hierarchies: Sequence[Hierarchy], k: int
) -> bool:
    """Whether no release that covers the original, and is finer somewhere, has groups of k rows."""
    choices = [
        list(
            product(
                *(
                    ups(hierarchy, str(value))[: ups(hierarchy, str(value)).index(str(label)) + 1]
                    for label, value, hierarchy in zip(line, values, hierarchies, strict=True)
                )
            )
        )
        for line, values in zip(release, original, strict=True)
    ]
    for finer in product(*choices):
        if list(finer) != [tuple(line) for line in release] and min(Counter(finer).values()) >= k:
            return False
    return True


def certain(release: Sequence[Row], names: Sequence[str], hierarchies: Sequence[Hierarchy], k: int) -> None:
    """Whatever the attack claims is so in every original that the release can be a minimal one of."""
    table = cells(" ".join(names), release).of(names)
    groups = Groups(table.codes, table.counts, k)
    worlds = [each for each in originals(release, hierarchies) if is_minimal(release, each, hierarchies, k)]
    for group, line in enumerate(table.codes.tolist()):
        labels = tuple(table.cells[place][code] for place, code in enumerate(line))
        for place, hierarchy in enumerate(hierarchies):
            divisions = Divisions(hierarchy, CellReader(hierarchy))
            written = groups.certain(group, place, divided(divisions, table.cells[place]))
            if written is None:
                continue
            if not written.is_minimal:
                assert not worlds
                continue
            for node, least in written.least.items():
                held = [
                    sum(
                        divisions.place_of[values[place]] in node
                        for row, values in zip(release, world, strict=True)
                        if tuple(row) == labels
                    )
                    for world in worlds
                ]
                assert all(each >= least for each in held)
                if len(table.codes) == len(names) == 1 and held:
                    assert min(held) == least, (
                        "of a single group in one column all that is certain is claimed"
                    )


@given(
    sizes=st.lists(
        st.tuples(st.sampled_from(["94138", "94141", "9413*", "9414*", "941**"]), st.integers(2, 4)),
        min_size=1,
        max_size=2,
        unique_by=lambda each: each[0],
    ),
    k=st.integers(2, 3),
)
@settings(max_examples=examples(120), deadline=None)
def test_claims_of_one_column_hold_in_every_original(sizes: list[tuple[str, int]], k: int) -> None:
    """Every table of ZIP codes is written down, and every finer release of it."""
    release = [(label,) for label, size in sizes for _ in range(max(size, k))]
    assume(len(release) <= 5)
    certain(release, ["zip"], [ZIP], k)


PAIR = Hierarchy((("x", "xy"), ("y", "xy")))


@given(
    sizes=st.lists(
        st.tuples(
            st.sampled_from(["F", "M", "person"]), st.sampled_from(["x", "y", "xy"]), st.integers(2, 4)
        ),
        min_size=1,
        max_size=2,
        unique_by=lambda each: each[:2],
    )
)
@settings(max_examples=examples(120), deadline=None)
def test_claims_of_two_columns_hold_in_every_original(sizes: list[tuple[str, str, int]]) -> None:
    """Two columns of two values each."""
    release = [(sex, pair) for sex, pair, size in sizes for _ in range(size)]
    assume(len(release) <= 5)
    certain(release, ["sex", "pair"], [SEX, PAIR], 2)


@pytest.mark.parametrize("size", [2, 3, 4, 5])
def test_a_single_group_is_read_to_the_last_row(size: int) -> None:
    """Against all originals of one group under the top of the hierarchy."""
    certain([("941**",)] * size, ["zip"], [ZIP], 2)


# Intervals and sets name values, and each is somebody's.


def named(release: Sequence[Row], k: int, original: Sequence[Row] | None = None) -> AttackResult:
    """The attack on a column without a hierarchy."""
    target = Target(
        release=cells("x", release),
        quasi_identifiers=("x",),
        k=k,
        original=None if original is None else cells("x", original),
    )
    attack = ATTACKS["downcoding"]()
    assert attack.lacking(target) is None
    return attack.run(target)


@pytest.mark.parametrize(
    ("label", "rows", "claimed"),
    [
        ("[20, 29]", 3, 2),  # both ends
        ("[20, 29] or missing", 3, 3),
        ("{[20, 24], 30}", 4, 3),
        ("{red, blue, green}", 5, 3),
        ("{red, blue, green}", 2, 0),  # more names than rows: not minimal
        ("[2024-01-05, 2024-02-01]", 2, 2),
    ],
)
def test_ends_and_members_are_the_value_of_some_row(label: str, rows: int, claimed: int) -> None:
    """A shorter interval, or a smaller set, would have been released otherwise."""
    found = named([(label,)] * rows, 2)
    assert (found.succeeded, found.facts["claimed_exactly"]) == (claimed, claimed)


def test_an_original_tells_which_names_are_somebodys() -> None:
    """An interval of round numbers has ends that no row has."""
    found = named([("[20, 30]",)] * 3, 2, [("20",), ("24",), ("29",)])
    assert (found.facts["claimed"], found.succeeded) == (2, 1)


def test_a_column_without_intervals_sets_or_hierarchy_is_not_attacked() -> None:
    """Plain values are as fine as can be."""
    target = Target(release=cells("x", [("a",), ("a",)]), quasi_identifiers=("x",), k=2)
    assert "interval or a set" in str(ATTACKS["downcoding"]().lacking(target))


def test_frequent_values_are_right_by_chance() -> None:
    """Of two equally frequent values two rows have both in half of all cases: one and a half are right."""
    found = attacked([("person",)] * 2, 2, [("F",), ("M",)], sex=SEX)
    assert found.facts["right_by_chance"] == 1.5
    assert "would get 2 right" in found.words


@given(least=st.integers(1, 6), rows=st.integers(1, 8), count=st.integers(0, 5))
@settings(max_examples=examples(100), deadline=None)
def test_chance_is_what_counting_all_draws_says(least: int, rows: int, count: int) -> None:
    """Against every draw of the rows from five values, of which some count."""
    draws = [sum(bits) for bits in product((0, 1), repeat=rows)]
    weights = [(count / 5) ** held * (1 - count / 5) ** (rows - held) for held in draws]
    fits = math.fsum(weight for held, weight in zip(draws, weights, strict=True) if held >= least)
    mean = math.fsum(min(held, least) * weight for held, weight in zip(draws, weights, strict=True))
    assert likely(least, rows, count / 5) == pytest.approx(fits, abs=1e-12)
    assert expected(least, rows, count / 5) == pytest.approx(mean, abs=1e-12)
