"""Minimality: what follows from how coarse a release is."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from itertools import permutations, product

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from shoal.audit.attacks import ATTACKS, AttackResult, Target
from shoal.audit.attacks._worlds import worlds
from shoal.model.hierarchy import Hierarchy
from shoal.privacy import AlphaKAnonymity, DistinctLDiversity, SensitiveModel
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


PERSON = st.tuples(st.sampled_from(["q1", "q2"]), st.sampled_from(["q1", "q2"]))
GROUP = st.lists(st.tuples(PERSON, st.sampled_from("xyz")), min_size=2, max_size=4)


@given(group=GROUP, other=GROUP)
@settings(max_examples=120, deadline=None)
def test_beliefs_equal_those_of_all_worlds(
    group: list[tuple[tuple[str, str], str]], other: list[tuple[tuple[str, str], str]]
) -> None:
    """Two groups of a full-domain release, two columns: every permutation of both groups is written down."""
    both = [group, other]
    assume(all(len({value for _, value in each}) > 1 for each in both))
    # A third column tells the groups apart, and is released as it is.
    people = [(*person, name) for name, each in zip(("a", "b"), both, strict=True) for person, _ in each]
    release = [
        ("Q", "Q", name, value) for name, each in zip(("a", "b"), both, strict=True) for _, value in each
    ]
    target = Target(
        release=cells("p q r disease", release),
        quasi_identifiers=("p", "q", "r"),
        sensitive=("disease",),
        hierarchies={"p": QS, "q": QS},
        models=(DistinctLDiversity(attribute="disease", l=2),),
        external=cells("p q r", people),
    )
    attack = ATTACKS["minimality"]()
    assert attack.lacking(target) is None
    found = attack.run(target)
    plain = believed([([p for p, _ in each], [v for _, v in each]) for each in both], 2, 2)
    if plain is None:
        assert found.succeeded == 0
        return
    expected = 0
    for each, beliefs in zip(both, plain, strict=True):
        shares = Counter(value for _, value in each)
        expected += sum(
            any(
                belief > max(Fraction(1, 2), Fraction(shares[value], len(each)))
                for value, belief in person.items()
            )
            for person in beliefs
        )
    assert found.succeeded == expected
    divided = [
        beliefs
        for each, beliefs in zip(both, plain, strict=True)
        if any(len({person[column] for person, _ in each}) > 1 for column in range(2))
    ]
    highest = max(belief for beliefs in divided for person in beliefs for belief in person.values())
    assert found.facts["highest_belief"] == pytest.approx(float(highest))


def test_drawn_worlds_are_like_counted_ones() -> None:
    """The chance that q1 has both HIV is 1 of 21; drawn with a fixed seed, nearly so."""

    def admits(held: tuple[int, ...]) -> bool:
        return 2 * held[0] <= sum(held)

    counted = worlds([2, 5], [2, 5], [[[0], [1]]], admits)
    drawn = worlds([2, 5], [2, 5], [[[0], [1]]], admits, most=1)
    assert counted.chances[1] == pytest.approx(1 / 21)
    assert not counted.sampled
    assert drawn.sampled
    many = worlds([20, 50], [20, 50, 30][:2], [[[0], [1]]], admits, most=10)
    assert sum(many.chances.values()) == pytest.approx(1)
