"""What privacy models claim, on all small groups: a claimed fact never fails, an unclaimed one does.

The searches prune by these claims, so a wrong one would be a wrong optimum.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

import pytest

from shoal.model.recoding.level_recoding import LevelRecoding
from shoal.model.table.people import Group, People, SensitiveColumn
from shoal.privacy import (
    MODELS,
    AlphaKAnonymity,
    AverageRisk,
    BetaLikeness,
    DeltaDisclosure,
    DeltaPresence,
    DistinctLDiversity,
    EntropyLDiversity,
    GroupModel,
    KAnonymity,
    KMap,
    PopulationUniquenessLimit,
    PrivacyModel,
    PSensitivity,
    RecursiveLDiversity,
    ReleaseModel,
    RowsAtRisk,
    SampleUniqueness,
    SensitiveModel,
    TCloseness,
)
from shoal.testing import check_privacy_model
from tests.agreement.plain_groups import groups_of
from tests.papers.tables import survey_table

from .small_groups import DISEASE, JOB, PERSON, column, group, table, told, tree

D = {"attribute": DISEASE}
HIERARCHY = [told("apx*"), told("bpx*"), told("cqx*")]
THREE_VALUES = table("aaaabbbcc", tree(HIERARCHY, told("abc")))
TWO_VALUES = table("aab", tree([told("ap"), told("bp")], told("ab")))
TWO_COLUMNS = People(
    columns=(
        column(DISEASE, told("aabb"), "ab", TWO_VALUES.columns[0].tree),
        column(JOB, told("xyyy"), "xy"),
    )
)
PERSONS = People(columns=(SensitiveColumn(name=PERSON, counts=(2, 1, 1)),))
POPULATION = People(population=True)

ON_VALUES: list[SensitiveModel] = [
    *(DistinctLDiversity(**D, l=least) for least in (1, 2, 3)),
    *(EntropyLDiversity(**D, l=least) for least in (1, 1.5, 2, 2.5, 3)),
    *(RecursiveLDiversity(**D, c=c, l=least) for c in (0.5, 1, 1.5, 3) for least in (2, 3)),
    *(PSensitivity(**D, p=least) for least in (1, 2)),
    *(AlphaKAnonymity(**D, alpha=alpha) for alpha in (0.34, 0.5, 0.7, 1)),
    *(AlphaKAnonymity(**D, alpha=alpha, values=("a",)) for alpha in (0, 0.4)),
    *(BetaLikeness(**D, beta=beta, enhanced=more) for beta in (0, 0.3, 1, 2.5) for more in (False, True)),
    *(DeltaDisclosure(**D, delta=delta) for delta in (0.1, 0.5, 0.9, 2, 1000)),
    *(
        TCloseness(**D, t=t, ground=ground)
        for t in (0, 0.15, 0.3, 0.5, 1)
        for ground in ("equal", "ordered", "hierarchical")
    ),
]
ON_PEOPLE: list[PrivacyModel] = [
    *(KMap(k=k) for k in (1, 2, 4)),
    *(DeltaPresence(most=most, least=least) for most in (0.5, 0.7, 1) for least in (0, 0.3, 0.5)),
]
ON_RELEASES: list[PrivacyModel] = [
    *(AverageRisk(threshold=threshold) for threshold in (0.2, 0.34, 0.5, 1)),
    *(AverageRisk(preset=preset) for preset in ("ema", "k3", "k5")),
    *(RowsAtRisk(threshold=risk, most=most) for risk in (0.2, 0.34, 1) for most in (0, 0.2, 0.5)),
    *(SampleUniqueness(most=most) for most in (0, 0.3, 1)),
    *(
        PopulationUniquenessLimit(most=0.1, people=people, estimator=estimator)
        for people, estimator in ((10, "dankar"), (400, "pitman"), (60, "zayatz"), (60, "snb"))
    ),
]


@pytest.mark.parametrize("model", ON_VALUES, ids=repr)
def test_models_of_values_keep_their_claims(model: SensitiveModel) -> None:
    """All groups of up to six rows with three values, and of up to seven rows with two."""
    check_privacy_model(model, THREE_VALUES, most_rows=6)
    check_privacy_model(model, TWO_VALUES, most_rows=7)


@pytest.mark.parametrize("model", ON_VALUES, ids=repr)
def test_joint_models_keep_their_claims(model: SensitiveModel) -> None:
    """All groups of up to four rows with two values of the column and two of another."""
    check_privacy_model(replace(model, joint=True), TWO_COLUMNS, most_rows=4)


@pytest.mark.parametrize("model", ON_PEOPLE, ids=repr)
def test_models_of_a_population_keep_their_claims(model: PrivacyModel) -> None:
    """All groups of up to five rows, with up to four people besides, also where no row is like them."""
    check_privacy_model(model, POPULATION, most_rows=5, most_strangers=4)


@pytest.mark.parametrize("model", ON_RELEASES, ids=repr)
def test_models_of_a_release_keep_their_claims(model: PrivacyModel) -> None:
    """All releases of up to five groups of up to five rows."""
    check_privacy_model(model, POPULATION, most_rows=5)


@pytest.mark.parametrize("model", [KAnonymity(3), KAnonymity(2, PERSON), KAnonymity(3, PERSON)], ids=repr)
def test_k_anonymity_keeps_its_claims(model: KAnonymity) -> None:
    check_privacy_model(model, PERSONS, most_rows=5)


def test_every_model_is_checked() -> None:
    """A new model is to be added above."""
    checked = [*ON_VALUES, *ON_PEOPLE, *ON_RELEASES, KAnonymity(3)]
    assert {model.name for model in checked} == set(MODELS)


# The counter-examples of the docstrings: why a fact is not claimed.


@pytest.mark.parametrize(
    ("model", "people", "admitted", "refused"),
    [
        (EntropyLDiversity(**D, l=2), table("ab"), "ab", "abbb"),
        (RecursiveLDiversity(**D, c=2, l=2), table("ab"), "ab", "abb"),
        (TCloseness(**D, t=0), table("ab"), "ab", "abb"),
        (TCloseness(**D, t=0, ground="ordered"), table("ab"), "ab", "abb"),
        (TCloseness(**D, t=0, ground="hierarchical"), table("ab", TWO_VALUES.columns[0].tree), "ab", "abb"),
        (AlphaKAnonymity(**D, alpha=0.5), table("ab"), "ab", "abb"),
        (BetaLikeness(**D, beta=0), table("ab"), "ab", "abb"),
        (DeltaDisclosure(**D, delta=0.2), table("ab"), "ab", "abb"),
    ],
    ids=repr,
)
def test_a_superset_can_be_refused(
    model: SensitiveModel, people: People, admitted: str, refused: str
) -> None:
    """Further rows make one value too frequent."""
    assert not model.supersets_are_admitted
    assert model.unions_are_admitted
    assert model.admits(group(people, admitted), people)
    assert not model.admits(group(people, refused), people)


@pytest.mark.parametrize("model", [DistinctLDiversity(**D, l=2), PSensitivity(**D, p=2)], ids=repr)
def test_jointly_a_superset_can_be_refused(model: SensitiveModel) -> None:
    """(a, x), (b, x) are admitted; with (a, y) the job y tells the disease a."""
    joint = replace(model, joint=True)
    assert model.supersets_are_admitted
    assert not joint.supersets_are_admitted
    rows = [("a", "x"), ("b", "x")]
    assert joint.admits(group(TWO_COLUMNS, rows), TWO_COLUMNS)
    assert not joint.admits(group(TWO_COLUMNS, [*rows, ("a", "y")]), TWO_COLUMNS)


def test_a_superset_can_be_too_present() -> None:
    """One row among two people is 1/2; with a second row, of a third person, it is 2/3."""
    model = DeltaPresence(most=0.5)
    assert not model.supersets_are_admitted
    assert model.admits(Group(rows=1, facts={}, population=Fraction(2)), POPULATION)
    assert not model.admits(Group(rows=2, facts={}, population=Fraction(3)), POPULATION)


def test_strangers_can_make_a_superset_too_absent() -> None:
    """With least = 1/2, one row among two people is admitted, and with a third person it is 1/3."""
    model = DeltaPresence(least=0.5, most=1)
    assert model.admits(Group(rows=1, facts={}, population=Fraction(2)), POPULATION)
    assert not model.admits(Group(rows=1, facts={}, population=Fraction(3)), POPULATION)


def test_average_risk_can_rise_when_suppressed_rows_come_back() -> None:
    """k = 2: of groups 4, 1, 1 the first is released, at 1/4; of 4, 2 both are, at 2/6."""
    model = AverageRisk(threshold=0.3)
    released = [[size for size in sizes if size >= 2] for sizes in ([4, 1, 1], [4, 2])]
    assert [model.measure(sizes) for sizes in released] == pytest.approx([1 / 4, 1 / 3])
    assert [model.holds(sizes) for sizes in released] == [True, False]


def sizes_at(levels: tuple[int, ...], k: int) -> list[int]:
    """The released groups of a node over Race and ZIP of the survey's nine rows."""
    plain = survey_table("Race", "ZIP")
    sizes = [int(plain.counts[rows].sum()) for rows in groups_of(plain, LevelRecoding(levels)).values()]
    return [size for size in sizes if size >= k]


def test_average_risk_on_a_lattice() -> None:
    """Survey, Race and ZIP: without suppression it falls on every way up; with k = 2 it rises on one.

    At [0,0] three rows are one group, the other six are suppressed: 1/3. At [0,1] groups of 3, 2 and 2 are
    released: 3/7.
    """
    nodes = list(itertools.product(range(2), range(3)))
    ways = [
        (low, high)
        for low, high in itertools.product(nodes, nodes)
        if low != high and all(one <= two for one, two in zip(low, high, strict=True))
    ]
    risk = AverageRisk(threshold=1).measure
    assert all(risk(sizes_at(low, 1)) >= risk(sizes_at(high, 1)) for low, high in ways)
    assert sorted(sizes_at((0, 0), 2)) == [3]
    assert sorted(sizes_at((0, 1), 2)) == [2, 2, 3]
    assert risk(sizes_at((0, 0), 2)) < risk(sizes_at((0, 1), 2))


# How tight "may some part be admitted" is.


def parts(rows: Sequence[object]) -> Iterator[list[object]]:
    for size in range(1, len(rows) + 1):
        yield from map(list, itertools.combinations(rows, size))


def wrongly_hopeful(model: GroupModel, people: People, most_rows: int) -> list[str]:
    """The groups of which no part is admitted although the model says that one might be."""
    found = []
    for size in range(1, most_rows + 1):
        every = itertools.product(*(each.values for each in people.columns))
        for rows in itertools.combinations_with_replacement(every, size):
            hope = any(model.admits(group(people, part), people) for part in parts(rows))  # type: ignore[arg-type]
            says = model.may_admit_part(group(people, rows), people)
            assert says or not hope, f"{model} gives up {rows}"
            if says and not hope:
                found.append("".join(map("".join, rows)))
    return found


@pytest.mark.parametrize(
    "model",
    [
        *(
            each
            for each in ON_VALUES
            if isinstance(each, DistinctLDiversity | EntropyLDiversity | PSensitivity)
        ),
        *(each for each in ON_VALUES if isinstance(each, AlphaKAnonymity)),
        *(each for each in ON_VALUES if isinstance(each, RecursiveLDiversity) and each.c > 1),
    ],
    ids=repr,
)
def test_one_row_of_each_value_is_the_best_part(model: SensitiveModel) -> None:
    """For these models a group is given up exactly when it has no admitted part."""
    assert wrongly_hopeful(model, THREE_VALUES, 5) == []


@pytest.mark.parametrize(
    ("model", "group_without_hope"),
    [
        # Two values, evenly, give r1 / r2 = 1, which is not below 1; the test asks for two values.
        (RecursiveLDiversity(**D, c=1, l=2), "ab"),
        # Shares up to 4/9 * 1.3 and 3/9 * 1.3 would sum to 1.01, but two rows are halves: above 0.43.
        (BetaLikeness(**D, beta=0.3, enhanced=False), "ab"),
        # All values are there, but in three rows each has 1/3, and ln(3/2) is not below 0.1.
        (DeltaDisclosure(**D, delta=0.1), "abc"),
        # The 5/9 on b and c move by a step of two at least, 5/18 <= 0.3; but those on c move by both: 7/18.
        (TCloseness(**D, t=0.3, ground="ordered"), "a"),
    ],
    ids=repr,
)
def test_some_hopeless_groups_are_not_given_up(model: SensitiveModel, group_without_hope: str) -> None:
    """Only which values are present is looked at, so that the test is cheap: it may say yes in vain."""
    assert group_without_hope in wrongly_hopeful(model, THREE_VALUES, 4)


@pytest.mark.parametrize(
    "model", [DistinctLDiversity(**D, l=2), PSensitivity(**D, p=2), AlphaKAnonymity(**D, alpha=0.5)], ids=repr
)
def test_jointly_the_best_part_has_one_combination_of_the_others(model: SensitiveModel) -> None:
    """A group is given up exactly when the rows of no one job have an admitted part."""
    assert wrongly_hopeful(replace(model, joint=True), TWO_COLUMNS, 4) == []


# The conformance check finds what is wrong.


@dataclass(frozen=True, kw_only=True)
class Overclaiming(EntropyLDiversity):
    """Says of entropy what is true of counting."""

    grows = True


class AtMostThree(KAnonymity):
    """Small groups only: no union is safe."""

    lower_is_safer = True
    supersets_are_admitted = False

    def admits(self, group: Group, people: People) -> bool:
        return group.rows <= 3


class Gloomy(EntropyLDiversity):
    """Gives up groups whose parts are fine."""

    def may_admit_part(self, group: Group, people: People) -> bool:
        return self.admits(group, people)


class UpsideDown(TCloseness):
    """A distance that is reported as if more of it were safer."""

    lower_is_safer = False


class Inconstant(AverageRisk):
    """Holds for an even number of groups."""

    def holds(self, sizes: Sequence[int]) -> bool:
        return len(sizes) % 2 == 0


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (
            lambda: Overclaiming(**D, l=2),
            r"superset .* \{1 x b, 1 x c\} is admitted, and \{1 x b, 2 x c\} is not",
        ),
        (lambda: AtMostThree(3), r"union .* are admitted, and \{.*\} is not"),
        (lambda: Gloomy(**D, l=2), r"no part of \{.*\} may be admitted, but \{.*\} is"),
        (lambda: UpsideDown(**D, t=0.3), r"admits \{.*\}, where it measures .*, and refuses \{.*\}"),
        (lambda: Inconstant(threshold=0.5), r"joined, but it holds for groups of \(1, 1\) rows"),
    ],
    ids=["supersets", "unions", "parts", "measure", "release"],
)
def test_the_conformance_check_finds_false_claims(make: Callable[[], PrivacyModel], said: str) -> None:
    """Each with groups that show it, in words."""
    with pytest.raises(AssertionError, match=said):
        check_privacy_model(make(), THREE_VALUES)


def test_release_models_are_predicates_on_sizes() -> None:
    """What looks at one group is a `GroupModel`, what looks at all of them a `ReleaseModel`."""
    for model in [*ON_VALUES, *ON_PEOPLE, *ON_RELEASES]:
        assert isinstance(model, GroupModel) == (model.looks_at == "group")
        assert isinstance(model, ReleaseModel) == (model.looks_at == "release")
