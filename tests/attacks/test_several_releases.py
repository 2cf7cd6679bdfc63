"""Attacks that combine several releases, or several views, of the same people."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import polars as pl
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import shoal
from shoal.auditor.attacks import OtherTable, Target
from shoal.auditor.attacks.association_cover import AssociationCover, View, covers
from shoal.auditor.attacks.complementary import Complementary
from shoal.auditor.attacks.composition import Composition
from shoal.auditor.attacks.unsorted import Unsorted, _fits
from shoal.model.hierarchy.hierarchy import Hierarchy
from tests.agreement.thoroughness import examples

from .tables import cells

# Sweeney's example of a complementary release: two 2-anonymous tables of the same twelve people.
FIRST = [
    ("black", "1965", "male", "02141", "short of breath"),
    ("black", "1965", "male", "02141", "chest pain"),
    ("person", "1965", "female", "0213*", "painful eye"),
    ("person", "1965", "female", "0213*", "wheezing"),
    ("black", "1964", "female", "02138", "obesity"),
    ("black", "1964", "female", "02138", "chest pain"),
    ("white", "1964", "male", "0213*", "short of breath"),
    ("person", "1965", "female", "0213*", "hypertension"),
    ("white", "1964", "male", "0213*", "obesity"),
    ("white", "1964", "male", "0213*", "fever"),
    ("white", "1967", "male", "02138", "vomiting"),
    ("white", "1967", "male", "02138", "back pain"),
]
SECOND = [
    ("black", "1965", "male", "02141", "short of breath"),
    ("black", "1965", "male", "02141", "chest pain"),
    ("black", "1965", "female", "02138", "painful eye"),
    ("black", "1965", "female", "02138", "wheezing"),
    ("black", "1964", "female", "02138", "obesity"),
    ("black", "1964", "female", "02138", "chest pain"),
    ("white", "1960-1969", "male", "02138", "short of breath"),
    ("white", "1960-1969", "human", "02139", "hypertension"),
    ("white", "1960-1969", "human", "02139", "obesity"),
    ("white", "1960-1969", "human", "02139", "fever"),
    ("white", "1960-1969", "male", "02138", "vomiting"),
    ("white", "1960-1969", "male", "02138", "back pain"),
]
COLUMNS = "race birth gender zip problem"
KNOWN = ("race", "birth", "gender", "zip")
HIERARCHIES = {
    "race": Hierarchy([("black", "person"), ("white", "person")]),
    "gender": Hierarchy([("male", "human"), ("female", "human")]),
}


def sweeney(release: Sequence[tuple[str, ...]], *earlier: Sequence[tuple[str, ...]]) -> Target:
    table = cells(COLUMNS, release)
    others = [cells(COLUMNS, each) for each in earlier]
    return Target(
        release=table,
        whole=table,
        in_order=table,
        quasi_identifiers=KNOWN,
        sensitive=("problem",),
        hierarchies=HIERARCHIES,
        k=2,
        earlier=tuple(OtherTable(name="earlier", cells=each, in_order=each) for each in others),
    )


def test_complementary_releases_single_out_two_of_sweeneys_people() -> None:
    """Joined by the problem: a white male of 1964 in 02138, and a white female of 1965 in 02139."""
    result = Complementary().run(sweeney(SECOND, FIRST))
    assert (result.tried, result.succeeded) == (12, 2)
    (facts,) = result.facts["releases"]  # type: ignore[misc]
    assert (facts["smallest"], facts["expected"]) == (1, pytest.approx(7))
    assert facts["linked_by"] == ["problem"]
    assert result.threshold == 0
    assert not result.holds


def test_a_coarser_release_of_the_same_groups_adds_nothing() -> None:
    """Groups that are parts of the other's groups are not divided."""
    coarse = [("person", "1960-1969", "human", "021**", row[4]) for row in SECOND]
    result = Complementary().run(sweeney(SECOND, coarse))
    assert result.facts["releases"][0]["expected"] == pytest.approx(5)  # type: ignore[index]
    assert result.holds
    assert result.facts["releases"][0]["linked"] == 0  # type: ignore[index]
    again = Complementary().run(sweeney(SECOND, SECOND))
    assert again.facts["releases"][0]["expected"] == pytest.approx(5)  # type: ignore[index]


@pytest.mark.parametrize(
    ("mine", "theirs"),
    [(["second"] * 12, ["first"] * 12), (list("123456789abc"), list("cba987654321"))],
    ids=["names of files", "numbers of rows"],
)
def test_a_changed_column_does_not_stop_a_join(mine: list[str], theirs: list[str]) -> None:
    """It contradicts all links; the problems of people, which stand in both releases, do not."""
    columns = f"{COLUMNS} more"
    now = [(*row, more) for row, more in zip(SECOND, mine, strict=True)]
    before = [(*row, more) for row, more in zip(FIRST, theirs, strict=True)]
    target = replace(
        sweeney(SECOND, FIRST),
        whole=cells(columns, now),
        earlier=(OtherTable(name="earlier", cells=cells(columns, before)),),
    )
    result = Complementary().run(target)
    assert result.succeeded >= Complementary().run(sweeney(SECOND, FIRST)).succeeded > 0
    assert result.facts["releases"][0]["linked_by"] == ["problem"]  # type: ignore[index]


def test_without_a_common_column_releases_cannot_be_joined() -> None:
    """The attack says why it is not run."""
    target = sweeney(SECOND, FIRST)
    other = OtherTable(name="earlier", cells=cells("race birth", [row[:2] for row in FIRST]))
    lacking = Complementary().lacking(replace(target, earlier=(other,)))
    assert lacking == "no earlier release shares a column with this one other than quasi-identifiers"
    assert Complementary().lacking(replace(target, earlier=())) == "no earlier release is given"


def test_rows_in_one_order_are_joined_by_position() -> None:
    """Sweeney's tables are in the order of the source; in another order they do not fit together."""
    result = Unsorted().run(sweeney(SECOND, FIRST))
    assert (result.tried, result.succeeded, result.facts["groups"]) == (12, 2, 7)
    assert not result.holds
    shuffled = [FIRST[place] for place in np.random.default_rng(1).permutation(12)]
    withstood = Unsorted().run(sweeney(SECOND, shuffled))
    assert withstood.facts["groups"] == 5
    assert withstood.holds
    assert withstood.facts["releases"][0]["joined"] is False  # type: ignore[index]


def test_suppressed_rows_contradict_no_position() -> None:
    """A masked row carries nothing, and is of no group."""
    masked = [*SECOND[:2], ("*", "*", "*", "*", None), *SECOND[3:]]
    result = Unsorted().run(sweeney(masked, FIRST))  # type: ignore[arg-type]
    assert (result.tried, result.facts["releases"][0]["joined"]) == (11, True)  # type: ignore[index]


def test_a_release_in_the_order_of_the_original_is_told() -> None:
    """Also with rows dropped; not if it was shuffled."""
    original = [("a", "1"), ("b", "2"), ("a", "3"), ("c", "4"), ("b", "5")]
    kept = [("*", "1"), ("*", "3"), ("b", "5")]

    def order(rows: Sequence[tuple[str, str]]) -> object:
        table = cells("q s", rows)
        source = cells("q s", original)
        target = Target(
            release=table,
            in_order=table,
            original=source,
            original_in_order=source,
            quasi_identifiers=("q",),
            sensitive=("s",),
        )
        assert Unsorted().lacking(target) is None
        return Unsorted().run(target).facts["keeps_order"]

    assert order(kept) is True
    assert order(kept[::-1]) is False
    assert Unsorted().lacking(Target(release=cells("q", [("a",)]), quasi_identifiers=("q",))) is not None


@given(
    st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from("12")), min_size=1, max_size=90),
    st.data(),
)
@settings(max_examples=examples(60), deadline=None)
def test_runs_of_rows_fit_where_single_rows_do(original: list[tuple[str, str]], data: st.DataObject) -> None:
    """Comparing many rows at once finds an order exactly where trying row after row does."""
    dropped = data.draw(st.sets(st.integers(0, len(original) - 1), max_size=min(4, len(original) - 1)))
    coarse = data.draw(st.sets(st.integers(0, len(original) - 1)))
    rows = [
        ("*" if place in coarse else one, two)
        for place, (one, two) in enumerate(original)
        if place not in dropped
    ]
    if data.draw(st.booleans()):
        rows = data.draw(st.permutations(rows))
    table, source = cells("q s", rows), cells("q s", original)
    target = Target(release=table, in_order=table, quasi_identifiers=("q", "s"))
    place = 0
    for one, two in rows:  # row after row
        while place < len(original) and not (one in ("*", original[place][0]) and two == original[place][1]):
            place += 1
        place += 1
    assert _fits(target, table, source, np.arange(len(rows))) is (place <= len(original))


def test_a_corrected_value_does_not_stop_a_join_by_position() -> None:
    """One contradiction among many rows that fit is a correction; only that row stays as it was."""
    rows = [(str(place), "s") for place in range(40)]
    corrected = [
        ("[100, 199]", "s") if place == 7 else (f"[{place}, {place + 1}]", "s") for place in range(40)
    ]
    release, other = cells("q s", corrected), cells("q s", rows)
    target = Target(
        release=release,
        in_order=release,
        quasi_identifiers=("q",),
        sensitive=("s",),
        k=2,
        earlier=(OtherTable(name="earlier", cells=other, in_order=other),),
    )
    result = Unsorted().run(target)
    assert result.facts["releases"][0]["joined"] is True  # type: ignore[index]
    assert result.facts["releases"][0]["agreeing"] == 39 / 40  # type: ignore[index]
    assert (result.tried, result.succeeded) == (40, 40)


def test_releases_of_different_lengths_are_not_aligned() -> None:
    """Dropped rows shift positions; that is said, not guessed."""
    result = Unsorted().run(sweeney(SECOND[1:], FIRST))
    assert result.facts["releases"][0]["joined"] is False  # type: ignore[index]


# Ganta et al.: a patient of 28 in 13012 is in two hospitals, each 3-anonymous; AIDS is in both groups.
HOSPITAL_A = [
    ("130**", "<30", "AIDS"),
    ("130**", "<30", "heart"),
    ("130**", "<30", "viral"),
    ("130**", ">=30", "cancer"),
    ("130**", ">=30", "heart"),
    ("130**", ">=30", "viral"),
]
HOSPITAL_B = [
    ("130**", "<35", "AIDS"),
    ("130**", "<35", "tuberculosis"),
    ("130**", "<35", "flu"),
    ("130**", ">=35", "heart"),
    ("130**", ">=35", "cancer"),
    ("130**", ">=35", "cancer"),
]


def hospitals(earlier: Sequence[tuple[str, ...]], people: Sequence[tuple[str, ...]]) -> Target:
    return Target(
        release=cells("zip age disease", HOSPITAL_A),
        quasi_identifiers=("zip", "age"),
        sensitive=("disease",),
        k=3,
        earlier=(OtherTable(name="earlier", cells=cells("zip age disease", earlier)),),
        original=cells("zip age disease", people),
    )


def test_two_hospitals_tell_the_disease_of_a_common_patient() -> None:
    """One disease is in both groups; alone, each leaves three."""
    result = Composition().run(hospitals(HOSPITAL_B, [("13012", "28", "AIDS")]))
    assert result.facts["columns"] == {"disease": {"inferred": 1, "inferred_alone": 0, "right": 1}}
    assert (result.tried, result.succeeded, result.facts["smallest"]) == (1, 1, 1)
    assert not result.holds


def test_the_same_groups_again_leave_people_as_hidden_as_they_were() -> None:
    """Three people of each group stay alike, and three values stay possible."""
    people = [("13012", str(age), "AIDS") for age in (20, 21, 22, 40, 41, 42)]
    result = Composition().run(hospitals(HOSPITAL_A, people))
    assert (result.tried, result.succeeded, result.facts["groups"]) == (6, 0, 2)
    assert result.holds
    assert result.facts["columns"]["disease"]["inferred"] == 0  # type: ignore[index]


def test_people_between_two_boundaries_are_alone() -> None:
    """Those from 30 to 34 are in the old group of one release and in the young group of the other."""
    people = [("13012", str(age), "viral") for age in (20, 21, 22, 31, 40, 41, 42)]
    result = Composition().run(hospitals(HOSPITAL_B, people))
    assert (result.succeeded, result.facts["smallest"], result.facts["groups"]) == (1, 1, 3)
    assert "1 people are in groups smaller than 3" in result.words


def test_composition_says_what_it_lacks() -> None:
    """An earlier release, and people to look for."""
    target = hospitals(HOSPITAL_B, [("13012", "28", "AIDS")])
    assert Composition().lacking(target) is None
    assert "neither the original" in str(Composition().lacking(replace(target, original=None)))
    other = OtherTable(name="earlier", cells=cells("height", [("1",)]))
    assert "no earlier release has" in str(Composition().lacking(replace(target, earlier=(other,))))


def test_people_who_can_be_found_nowhere_are_no_failed_attack() -> None:
    """A ZIP code that is written differently, in the people or in an earlier release, is said."""
    target = hospitals(HOSPITAL_B, [("D-13012", "28", "AIDS")])
    assert "no cell of 'zip'" in str(Composition().lacking(target))
    elsewhere = [("D-" + row[0], *row[1:]) for row in HOSPITAL_B]
    lacking = Composition().lacking(hospitals(elsewhere, [("13012", "28", "AIDS")]))
    assert "fits earlier" in str(lacking)


def test_a_hidden_value_may_be_any() -> None:
    """A release that hides a sensitive cell rules out nothing, and does not hide what the other one tells."""
    hidden = [(*row[:2], "*" if row[2] == "tuberculosis" else row[2]) for row in HOSPITAL_B]
    homogeneous = [(*row[:2], "AIDS") for row in HOSPITAL_A]
    target = replace(
        hospitals(hidden, [("13012", "28", "AIDS")]), release=cells("zip age disease", homogeneous)
    )
    told = Composition().run(target).facts["columns"]
    assert told == {"disease": {"inferred": 1, "inferred_alone": 1, "right": 1}}
    alone = [(*row[:2], "*") for row in HOSPITAL_B]
    target = replace(target, earlier=(OtherTable(name="earlier", cells=cells("zip age disease", alone)),))
    assert Composition().run(target).facts["columns"] == told


Cuts = tuple[frozenset[int], frozenset[int]]
rows_of_people = st.lists(
    st.tuples(st.integers(0, 4), st.integers(0, 3), st.sampled_from("xyz")), min_size=1, max_size=12
)
cuts = st.tuples(st.frozensets(st.integers(1, 4)), st.frozensets(st.integers(1, 3)))


def recoded(rows: Sequence[tuple[int, int, str]], at: Cuts, k: int) -> list[tuple[str, ...] | None]:
    """Per row its intervals as labels and its sensitive value; `None` if its group is too small."""
    ends = [sorted({0, *at[0], 5}), sorted({0, *at[1], 4})]

    def label(value: int, bounds: list[int]) -> str:
        low, high = next((low, high) for low, high in itertools.pairwise(bounds) if low <= value < high)
        return f"[{low}, {high - 1}]"

    shown = [(label(a, ends[0]), label(b, ends[1])) for a, b, _ in rows]
    sizes = Counter(shown)
    return [(*one, row[2]) if sizes[one] >= k else None for one, row in zip(shown, rows, strict=True)]


@settings(max_examples=examples(120), deadline=None)
@given(rows_of_people, cuts, cuts, st.integers(1, 3))
def test_composition_equals_looking_up_every_person(
    rows: list[tuple[int, int, str]], one: Cuts, two: Cuts, k: int
) -> None:
    """Groups are those of both labels; possible values are those of both groups; counted person by person."""
    first, second = recoded(rows, one, k), recoded(rows, two, k)
    assume(any(first) and any(second))
    target = Target(
        release=cells("a b s", [row for row in first if row]),
        quasi_identifiers=("a", "b"),
        sensitive=("s",),
        k=2,
        earlier=(OtherTable(name="earlier", cells=cells("a b s", [row for row in second if row])),),
        original=cells("a b s", [(str(a), str(b), s) for a, b, s in rows]),
    )
    result = Composition().run(target)
    seen = [(x and x[:2], y and y[:2]) for x, y in zip(first, second, strict=True)]
    sizes = Counter(each for each in seen if any(each))
    assert (result.tried, result.facts["groups"]) == (sizes.total(), len(sizes))
    assert result.succeeded == sum(size for size in sizes.values() if size < 2)
    inferred = right = 0
    for (mine, theirs), (_, _, true) in zip(seen, rows, strict=True):
        sets = [
            {row[2] for row in table if row and row[:2] == label}
            for table, label in ((first, mine), (second, theirs))
            if label
        ]
        left = set.intersection(*sets) if sets else set()
        inferred += len(left) == 1
        right += left == {true}
    assert result.facts["columns"]["s"]["inferred"] == inferred  # type: ignore[index]
    assert result.facts["columns"]["s"]["right"] == right  # type: ignore[index]


@settings(max_examples=examples(120), deadline=None)
@given(rows_of_people, cuts, cuts, st.integers(1, 3))
def test_complementary_equals_linking_every_row(
    rows: list[tuple[int, int, str]], one: Cuts, two: Cuts, k: int
) -> None:
    """Each row against each row: equal values, overlapping labels; then who is left in its group."""
    first = [row for row in recoded(rows, one, k) if row]
    second = [row for row in recoded(rows, two, k) if row]
    assume(first and second)
    table = cells("a b s", first)
    target = Target(
        release=table,
        whole=table,
        quasi_identifiers=("a", "b"),
        k=2,
        earlier=(OtherTable(name="earlier", cells=cells("a b s", second)),),
    )
    result = Complementary().run(target)

    def meet(mine: str, theirs: str) -> bool:
        (a, b), (c, d) = (map(int, each[1:-1].split(", ")) for each in (mine, theirs))
        return a <= d and c <= b

    links = [
        [
            other[:2]
            for other in second
            if row[2] == other[2] and meet(row[0], other[0]) and meet(row[1], other[1])
        ]
        for row in first
    ]
    expected, most = 0.0, []
    for row, linked in zip(first, links, strict=True):
        group = [place for place, other in enumerate(first) if other[:2] == row[:2]]
        hidden = [sum(label in links[place] for place in group) for label in linked]
        if not linked:
            hidden = [sum(not links[place] for place in group)]
        expected += sum(1 / each for each in hidden) / len(hidden)
        most.append(max(hidden))
    facts = result.facts["releases"][0]  # type: ignore[index]
    assert facts["expected"] == pytest.approx(expected)
    assert facts["smallest"] == min(most)
    assert result.succeeded == sum(each < 2 for each in most)


# The survey's Fig. 16.
PEOPLE = [
    ("Sue", "F", "hypertension"),
    ("Claire", "F", "obesity"),
    ("Ann", "F", "chest pain"),
    ("John", "M", "obesity"),
    ("David", "M", "obesity"),
    ("Mary", "F", "short breath"),
    ("Alice", "F", "short breath"),
    ("Carol", "F", "chest pain"),
    ("Kate", "F", "short breath"),
]


def views_of(rows: Sequence[tuple[str, ...]]) -> list[View]:
    return [
        View(("name", "sex"), frozenset((row[0], row[1]) for row in rows)),
        View(("sex", "disease"), frozenset((row[1], row[2]) for row in rows)),
    ]


def test_the_surveys_association_covers() -> None:
    """Four values for each woman, one for John and David."""
    found = covers(views_of(PEOPLE), ["name"], "disease")
    assert found == {(name,): 4 if sex == "F" else 1 for name, sex, _ in PEOPLE}


def fig_16(rows: Sequence[tuple[str, ...]], k: int) -> Target:
    first = cells("name sex", [row[:2] for row in rows])
    second = cells("sex disease", sorted({row[1:] for row in rows}))
    return Target(
        release=first,
        whole=first,
        quasi_identifiers=("name",),
        protected=("disease",),
        k=k,
        views=(OtherTable(name="view", cells=second),),
    )


def test_views_that_tell_two_people_violate_every_k() -> None:
    """Two of nine are below k = 2; without the men, nobody is up to k = 4."""
    result = AssociationCover().run(fig_16(PEOPLE, 2))
    assert (result.tried, result.succeeded, result.holds) == (9, 2, False)
    assert result.facts["columns"] == {
        "disease": {"covers": [[1, 2], [4, 7]], "below_k": 2, "told": 2},
    }
    women = [row for row in PEOPLE if row[1] == "F"]
    assert AssociationCover().run(fig_16(women, 4)).holds
    assert not AssociationCover().run(fig_16(women, 5)).holds


def test_association_covers_say_what_they_lack() -> None:
    """Views, a sensitive column and somebody to know."""
    target = fig_16(PEOPLE, 2)
    assert AssociationCover().lacking(target) is None
    assert AssociationCover().lacking(replace(target, views=())) == "no further view is given"
    assert "sensitive" in str(AssociationCover().lacking(replace(target, protected=("income",))))


@settings(max_examples=examples(100), deadline=None)
@given(
    st.sets(st.tuples(st.sampled_from("ij"), st.sampled_from("uv"), st.sampled_from("pq")), min_size=1),
    st.sampled_from([("ix", "xp"), ("ip", "xp"), ("ix", "p"), ("i", "xp"), ("ix", "xp", "ip")]),
)
def test_covers_are_the_least_that_every_possible_table_meets(
    rows: set[tuple[str, str, str]], shapes: tuple[str, ...]
) -> None:
    """Every table with the same views has a pair of the cover, and no smaller set does it."""
    names = ("i", "x", "p")

    def project(table: Sequence[tuple[str, ...]], columns: Sequence[str]) -> frozenset[tuple[str, ...]]:
        return frozenset(tuple(row[names.index(each)] for each in columns) for row in table)

    views = [View(tuple(columns), project(list(rows), columns)) for columns in shapes]
    everything = list(itertools.product("ij", "uv", "pq"))
    possible = [
        table
        for size in range(1, len(everything) + 1)
        for table in itertools.combinations(everything, size)
        if all(project(table, view.columns) == view.rows for view in views)
    ]
    found = covers(views, ["i"], "p")
    for person in "ij":
        least = next(
            (
                size
                for size in (1, 2)
                for values in itertools.combinations("pq", size)
                if all(any(row[0] == person and row[2] in values for row in table) for table in possible)
            ),
            None,
        )
        assert found.get((person,)) == least


def written(folder: Path, name: str, columns: str, rows: Sequence[tuple[str, ...]]) -> Path:
    path = folder / name
    pl.DataFrame(rows, schema=columns.split(), orient="row").write_csv(path)
    return path


def test_the_door_reads_earlier_releases_views_and_orders(tmp_path: Path) -> None:
    """All columns that the tables have in common are compared, also those that no policy names."""
    earlier = written(tmp_path, "one.csv", COLUMNS, FIRST)
    release = written(tmp_path, "two.csv", COLUMNS, SECOND)
    trees = {
        "race": {"person": ["black", "white"]},
        "gender": {"human": ["male", "female"]},
    }
    report = shoal.attack(
        release,
        quasi_identifiers=list(KNOWN),
        k=2,
        hierarchies=trees,
        earlier=[earlier],
        attacks=["complementary", "unsorted"],
    )
    rates = {each.name: each.succeeded for each in report.results}
    assert rates == {"complementary": 2, "unsorted": 2}
    assert not report.holds
    names = written(tmp_path, "names.csv", "name sex", [row[:2] for row in PEOPLE])
    diseases = written(tmp_path, "diseases.csv", "sex disease", sorted({row[1:] for row in PEOPLE}))
    seen = shoal.attack(
        names,
        quasi_identifiers=["name"],
        sensitive=["disease"],
        k=2,
        views=[diseases],
        attacks=["association-cover"],
    )
    (cover,) = seen.results
    assert (cover.tried, cover.succeeded) == (9, 2)
    with pytest.raises(shoal.PolicyError, match="has no column 'disease'"):
        shoal.attack(names, quasi_identifiers=["name"], sensitive=["disease"])


def test_the_releases_of_a_ledger_are_earlier_releases(tmp_path: Path) -> None:
    """Found beside the ledger, if they are what was released; a release is not earlier than itself."""
    source = tmp_path / "people.csv"
    pl.DataFrame(
        {
            "age": [20, 21, 30, 31] * 3,
            "sex": ["F", "M", "F", "M", "M", "F"] * 2,
            "disease": list("abcdefabcdef"),
        }
    ).write_csv(source)
    ledger = tmp_path / "releases.jsonl"
    columns: dict[str, Any] = {"quasi_identifiers": ["age", "sex"], "sensitive": ["disease"]}
    shoal.anonymize(source, **columns, k=6, path=tmp_path / "one.csv", ledger=ledger)
    with pytest.warns(shoal.ShoalWarning, match="an earlier release of this source"):
        shoal.anonymize(source, **columns, k=3, path=tmp_path / "two.csv", ledger=ledger, order="shuffle")
    asked = {**columns, "k": 3, "ledger": ledger, "original": source}
    report = shoal.attack(tmp_path / "two.csv", **asked, attacks=["composition"])
    assert report.results[0].facts["releases"] == 2
    (tmp_path / "one.csv").write_text("age,sex,disease\n*,*,a\n")
    with pytest.raises(shoal.PolicyError, match=r"were moved or have changed \(line 1\)"):
        shoal.attack(tmp_path / "two.csv", **asked)


@pytest.mark.parametrize("shuffled", [False, True])
def test_means_do_not_hide_the_order_of_rows(shuffled: bool, tmp_path: Path) -> None:
    """They are untrue of their rows; the columns beside them still tell that all rows are in their places."""
    people = [("20", "1"), ("30", "2"), ("40", "3"), ("60", "4")]
    original = written(tmp_path, "people.csv", "age pay", people)
    rows = [("25", "1"), ("25", "2"), ("50", "3"), ("50", "4")]
    release = written(tmp_path, "means.csv", "age pay", rows[::-1] if shuffled else rows)
    report = shoal.attack(release, quasi_identifiers=["age"], k=2, original=original, attacks=["unsorted"])
    assert report.results[0].facts["keeps_order"] is not shuffled


def test_a_table_of_a_database_is_not_an_earlier_release_of_itself(tmp_path: Path) -> None:
    """Its manifest tells that the ledger's entry is its own; an older one of that table is gone."""
    with duckdb.connect(tmp_path / "people.db") as database:
        database.execute("CREATE TABLE people AS SELECT i % 4 AS age, i % 3 AS sex FROM range(24) r(i)")
    place, ledger = f"duckdb:///{tmp_path / 'people.db'}", tmp_path / "releases.jsonl"
    columns: dict[str, Any] = {"quasi_identifiers": ["age", "sex"]}
    shoal.anonymize(place, table="people", **columns, k=6, consistent=True, path="out", ledger=ledger)
    asked: dict[str, Any] = {**columns, "table": "out", "ledger": ledger}
    assert [each.tried for each in shoal.attack(place, **asked).results] == [0]
    warned = pytest.warns(shoal.ShoalWarning, match="an earlier release of this source")
    with warned, pytest.warns(shoal.ShoalWarning, match="join them row by row"):
        shoal.anonymize(place, table="people", **columns, k=2, consistent=True, path="out", ledger=ledger)
    with pytest.raises(shoal.PolicyError, match=r"were moved or have changed \(line 1\)"):
        shoal.attack(place, **asked)


def test_columns_that_only_the_earlier_release_has_are_known_too(tmp_path: Path) -> None:
    """By age and sex in one release, by age and zip in the other: together they tell everybody."""
    people = [(age, sex, code) for age in ("20", "30") for sex in "FM" for code in ("a", "b")]
    original = written(tmp_path, "people.csv", "age sex zip", people)
    earlier = written(tmp_path, "one.csv", "age sex", [row[:2] for row in people])
    release = written(tmp_path, "two.csv", "age zip", [(row[0], row[2]) for row in people])
    asked: dict[str, Any] = {"k": 2, "original": original, "earlier": [earlier], "attacks": ["composition"]}
    alone = shoal.attack(release, quasi_identifiers=["age", "zip"], **asked)
    assert alone.results[0].succeeded == 0
    together = shoal.attack(release, quasi_identifiers=["age", "sex", "zip"], **asked)
    assert together.results[0].succeeded == 8
    with pytest.raises(shoal.PolicyError, match="the release has no column 'height'"):
        shoal.attack(release, quasi_identifiers=["age", "height"], **asked)
    with pytest.raises(shoal.PolicyError, match="none of the quasi-identifiers"):
        shoal.attack(release, quasi_identifiers=["sex"], **asked)
