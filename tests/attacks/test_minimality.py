"""Minimality: what follows from how coarse a release is."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from itertools import permutations, product
from math import comb

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from shoal.auditor.attacks import ATTACKS, AttackResult, Target
from shoal.auditor.attacks._worlds import worlds
from shoal.model.hierarchy.hierarchy import Hierarchy
from shoal.privacy import AlphaKAnonymity, DistinctLDiversity, SensitiveModel
from tests.agreement.thoroughness import examples
from tests.attacks.tables import Row, cells

QS = Hierarchy((("q1", "Q"), ("q2", "Q")))
HALF = AlphaKAnonymity(attribute="disease", alpha=0.5, values=("HIV",))


def attacked(
    release: Sequence[Row], people: Sequence[Row], *models: SensitiveModel, k: int = 1, columns: str = "q"
) -> AttackResult:
    """The attack on a release of `q` and `disease`."""
    quasi = tuple(columns.split())
    target = Target(
        release=cells(f"{columns} disease", release),
        quasi_identifiers=quasi,
        sensitive=("disease",),
        hierarchies=dict.fromkeys(quasi, QS),
        models=models,
        external=cells(columns, people),
        k=k,
    )
    attack = ATTACKS["minimality"]()
    assert attack.lacking(target) is None
    return attack.run(target)


def test_two_of_two_must_be_ill_where_two_of_five_would_have_been_allowed() -> None:
    """Wong et al.: q1 has two people and q2 five, HIV may be half of a group, and there are two HIV.

    Both among q2 would be two of five, and one each would be allowed too: nothing but two HIV in q1 explains
    that q1 and q2 were joined.
    """
    release = [("Q", "HIV")] * 2 + [("Q", "none")] * 5
    found = attacked(release, [("q1",)] * 2 + [("q2",)] * 5, HALF)
    assert found.succeeded == 2
    assert found.facts["highest_belief"] == pytest.approx(1)


def test_a_belief_rises_where_the_worlds_that_remain_are_uneven() -> None:
    """Two values are demanded of a group; a part of one value is the only reason to join q1 and q2.

    With two people each and the rows HIV, HIV, flu, cold both HIV are in q1 or both in q2, one as likely as
    the other: everybody has HIV with one half, as the group shows. With two and three people beliefs rise.
    """
    even = attacked(
        [("Q", each) for each in ("HIV", "HIV", "flu", "cold")],
        [("q1",)] * 2 + [("q2",)] * 2,
        DistinctLDiversity(attribute="disease", l=2),
    )
    assert even.succeeded == 0
    # q1 has two people, q2 three. A part of one value: q1 both HIV (3 of the 10 pairs of five rows), q1 both
    # flu (1), q2 all three HIV: then q1 has both flu, the same world. So q1 has HIV with 3/4, flu with 1/4.
    skewed = attacked(
        [("Q", "HIV")] * 3 + [("Q", "flu")] * 2,
        [("q1",)] * 2 + [("q2",)] * 3,
        DistinctLDiversity(attribute="disease", l=2),
    )
    assert skewed.facts["highest_belief"] == pytest.approx(3 / 4)
    # HIV of q1 rises from 3/5 to 3/4; flu of q2 from 2/5 to 1/2, which is no more than l = 2 promises.
    assert skewed.succeeded == 2


def test_where_labels_are_of_several_levels_each_label_was_refused_its_division() -> None:
    """q3 and q4 are told as they are, so that Q was not divided is about the people of Q alone."""
    hierarchy = Hierarchy((("q1", "Q", "*"), ("q2", "Q", "*"), ("q3", "R", "*"), ("q4", "R", "*")))
    others = [(q, value) for q in ("q3", "q4") for value in ("HIV", "none")]
    people = [("q1",)] * 2 + [("q2",)] * 5 + [(q,) for q, _ in others]
    target = Target(
        release=cells("q disease", [("Q", "HIV")] * 2 + [("Q", "none")] * 5 + others),
        quasi_identifiers=("q",),
        sensitive=("disease",),
        hierarchies={"q": hierarchy},
        models=(HALF,),
        external=cells("q", people),
    )
    found = ATTACKS["minimality"]().run(target)
    assert (found.succeeded, found.facts["finer_releases"]) == (2, 1)


def test_where_labels_overlap_each_group_was_refused_its_division() -> None:
    """Group (Q, q1) was made by itself; in one release by levels the other group could be the reason."""
    release = [("Q", "q1", "HIV")] * 2 + [("Q", "q1", "none")] * 5
    release += [("q1", "q2", "HIV"), ("q1", "q2", "none"), ("q2", "q2", "none"), ("q2", "q2", "none")]
    people = [("q1", "q1")] * 2 + [("q2", "q1")] * 5 + [("q1", "q2")] * 2 + [("q2", "q2")] * 2
    found = attacked(release, people, HALF, columns="p q")
    assert (found.succeeded, found.facts["highest_belief"]) == (2, pytest.approx(1))


def test_a_refusal_that_k_explains_tells_nothing() -> None:
    """With k = 3 the two people of q1 could not be a group, whatever they have."""
    release = [("Q", "HIV")] * 2 + [("Q", "none")] * 5
    found = attacked(release, [("q1",)] * 2 + [("q2",)] * 5, HALF, k=3)
    assert (found.succeeded, found.facts["finer_releases"]) == (0, 0)


def test_a_release_that_is_coarser_than_need_be_is_not_taken_for_minimal() -> None:
    """One HIV among six can be half of no part of three: nothing explains the refusal."""
    release = [("Q", "HIV")] + [("Q", "none")] * 5
    found = attacked(release, [("q1",)] * 3 + [("q2",)] * 3, HALF)
    assert (found.succeeded, found.facts["not_minimal"]) == (0, 1)


def test_the_attack_needs_everybody() -> None:
    """A stranger, or somebody missing, and the attacker does not know who is in which group."""
    release = cells("q disease", [("Q", "HIV"), ("Q", "none")])
    for people in ([("q1",)], [("q1",)] * 3, [("q1",), ("q9",)]):
        target = Target(
            release=release,
            quasi_identifiers=("q",),
            sensitive=("disease",),
            hierarchies={"q": QS},
            models=(HALF,),
            external=cells("q", people),
        )
        assert ATTACKS["minimality"]().lacking(target) is not None


def believed(
    groups: Sequence[tuple[Sequence[Row], Sequence[str]]], columns: int, least: int
) -> list[list[dict[str, Fraction]]] | None:
    """Beliefs by writing down every way to hand the values of each group to its people.

    A finer release takes one column as it is; it is refused if a part has fewer than `least` distinct values.
    """
    refused = [
        column
        for column in range(columns)
        if any(len({person[column] for person in people}) > 1 for people, _ in groups)
    ]

    def breaks(people: Sequence[Row], values: Sequence[str], column: int) -> bool:
        parts: dict[object, set[str]] = {}
        for person, value in zip(people, values, strict=True):
            parts.setdefault(person[column], set()).add(value)
        return any(len(part) < least for part in parts.values())

    possible = [
        world
        for world in product(*(permutations(values) for _, values in groups))
        if all(
            any(breaks(people, values, column) for (people, _), values in zip(groups, world, strict=True))
            for column in refused
        )
    ]
    if not possible or not refused:
        return None
    found = []
    for number, (people, _) in enumerate(groups):
        counts = [Counter(world[number][person] for world in possible) for person in range(len(people))]
        found.append(
            [{value: Fraction(times, len(possible)) for value, times in each.items()} for each in counts]
        )
    return found


Rows = list[tuple[tuple[str, str], str]]
PERSON = st.tuples(st.sampled_from(["q1", "q2"]), st.sampled_from(["q1", "q2"]))
GROUP = st.lists(st.tuples(PERSON, st.sampled_from("xyz")), min_size=2, max_size=4)


def surprised(rows: Rows, beliefs: list[dict[str, Fraction]]) -> int:
    """People of whom a value is believed more than one half, and more than their group shows."""
    shares = Counter(value for _, value in rows)
    return sum(
        any(
            belief > max(Fraction(1, 2), Fraction(shares[value], len(rows)))
            for value, belief in person.items()
        )
        for person in beliefs
    )


@given(group=GROUP, other=GROUP, local=st.booleans())
@settings(max_examples=examples(150), deadline=None)
def test_beliefs_equal_those_of_all_worlds(group: Rows, other: Rows, local: bool) -> None:
    """Two groups, two columns: every permutation of both is written down; by itself, if made by itself."""
    both = {"a": group, "b": other}
    assume(all(len({value for _, value in rows}) > 1 for rows in both.values()))
    # The last column tells the groups apart. The one before it does as well, or has labels that overlap.
    label = {"a": "a", "b": "*" if local else "b"}
    release = [("Q", "Q", label[name], name, value) for name in both for _, value in both[name]]
    target = Target(
        release=cells("p q r s disease", release),
        quasi_identifiers=("p", "q", "r", "s"),
        sensitive=("disease",),
        hierarchies={"p": QS, "q": QS},
        models=(DistinctLDiversity(attribute="disease", l=2),),
        external=cells("p q r s", [(*person, name, name) for name in both for person, _ in both[name]]),
    )
    attack = ATTACKS["minimality"]()
    assert attack.lacking(target) is None
    found = attack.run(target)
    split = {name: ([p for p, _ in rows], [v for _, v in rows]) for name, rows in both.items()}
    sets = [[name] for name in both] if local else [list(both)]
    expected = 0
    for names in sets:
        plain = believed([split[name] for name in names], 2, 2)
        for name, beliefs in zip(names, plain or (), strict=plain is not None):
            expected += surprised(both[name], beliefs)
    assert found.succeeded == expected


def test_the_highest_belief_is_told() -> None:
    """Three of four worlds give q1 HIV twice."""
    found = attacked(
        [("Q", "HIV")] * 3 + [("Q", "flu")] * 2,
        [("q1",)] * 2 + [("q2",)] * 3,
        DistinctLDiversity(attribute="disease", l=2),
    )
    plain = believed([([("q1",)] * 2 + [("q2",)] * 3, ["HIV"] * 3 + ["flu"] * 2)], 1, 2)
    assert plain is not None
    assert found.facts["highest_belief"] == pytest.approx(max(float(each["HIV"]) for each in plain[0]))


def test_drawn_worlds_are_like_counted_ones() -> None:
    """How many of 60 rows are among 30 of 120 people, by counting and by 500 draws with a fixed seed."""

    def admits(held: tuple[int, ...]) -> bool:
        return held[0] <= 15

    drawn = worlds([30] * 4, [60, 60], [[[0]]], admits, most=5000)
    assert drawn.sampled
    true = sum(comb(60, few) * comb(60, 30 - few) for few in range(16)) / comb(120, 30)
    assert drawn.chances[0] == pytest.approx(true, abs=0.06)
    assert sum(drawn.chances.values()) == pytest.approx(1)
    counted = worlds([30, 90], [60, 60], [[[0]]], admits)
    assert not counted.sampled
    assert counted.chances[0] == pytest.approx(true)
