"""The history attack: who knows some events of a person, and follows persons through a release."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations, permutations
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

import shoal
from shoal.auditor.attacks import ATTACKS, AttackResult, Target
from shoal.auditor.attacks._alignment import matched, matched_in_order
from shoal.auditor.attacks._followed import Followed
from shoal.auditor.attacks.candidates import Candidates
from shoal.errors import PolicyError
from shoal.model.policy.policy_arguments import policy_of
from shoal.model.table.cell_meaning import CellReader
from tests.agreement.thoroughness import examples
from tests.attacks.tables import cells
from tests.cli.command import shoal as command
from tests.histories.definitions import Persons, by_events, by_history, has, keeps

QUASI = ["age", "year"]
Found = Mapping[Any, Mapping[str, Any]]


def stays(persons: int, seed: int = 1) -> pd.DataFrame:
    """Persons with one to six stays each; the age in steps of ten years never changes."""
    random = np.random.default_rng(seed)
    ids = np.repeat(np.arange(persons), random.integers(1, 7, persons))
    table = pd.DataFrame(
        {
            "person": [f"p{number:04}" for number in ids],
            "age": random.integers(2, 9, persons)[ids] * 10,
            "year": random.integers(2001, 2009, len(ids)),
            "ill": random.choice(list("xyz"), len(ids)),
        }
    )
    return table.sample(frac=1, random_state=seed).sort_values("year", kind="stable", ignore_index=True)


def attacked(release: pd.DataFrame, original: pd.DataFrame, k: int = 2, **known: Any) -> AttackResult:
    """The attack by age and year."""
    stated = {"quasi_identifiers": QUASI, "k": k, "entity": "person"}
    return shoal.attack(release, original=original, attacks=["history"], **stated, **known).results[0]


def by_known(result: AttackResult) -> Found:
    """What was found, by the number of known events."""
    listed: Any = result.facts["known_events"]
    return {each["events"]: each for each in listed}


def renamed(table: pd.DataFrame) -> pd.DataFrame:
    """With fresh marks of persons, which have nothing to do with the old ones."""
    marks = {old: f"new {old[::-1]}" for old in table["person"]}
    return table.assign(person=table["person"].map(marks))


def test_who_is_followed_is_found() -> None:
    """k-anonymous rows with the mark of their person: a second event, and most are alone."""
    table = stays(300)
    made = shoal.anonymize(table, quasi_identifiers=QUASI, k=5, other=["person"], suppression=0, seconds=2)
    assert made.data is not None
    found = attacked(made.data, table, k=5)
    known = by_known(found)
    assert [*known] == [1, 2, 3, "all"]
    rates = [each["rate"] for each in known.values()]
    assert rates == sorted(rates)
    assert known["all"]["alone"] > 100
    assert not found.holds
    assert found.exposed == known["all"]["below_k"]
    assert (found.facts["paired_by"], found.facts["in_order"]) == ("mark", True)


def test_without_a_column_of_persons_nobody_is_linkable() -> None:
    """A person column is dropped by default, and k persons share each row: one event is all there is."""
    table = stays(300)
    made = shoal.anonymize(table, quasi_identifiers=QUASI, k=5, entity="person", suppression=0, seconds=2)
    assert made.data is not None
    found = attacked(made.data, table, k=5)
    assert found.facts["linkable"] is False
    assert "rows cannot be linked" in found.words
    assert [*by_known(found)] == [1]
    assert by_known(found)[1]["below_k"] == 0
    assert found.holds


@pytest.mark.parametrize(
    "stated", [{}, {"known_events": 2}, {"order": "shuffle"}, {"consistent": True}], ids=str
)
def test_linkable_releases_withstand(stated: dict[str, Any]) -> None:
    """What the searches promise about linked rows holds against who knows it."""
    table = stays(40)
    promised = {"quasi_identifiers": QUASI, "k": 3, "entity": "person", "linkable": True, **stated}
    made = shoal.anonymize(table, **promised, seconds=2)
    report = shoal.attack(made.data, original=table, policy=policy_of(**promised), attacks=["history"])
    assert report.holds
    assert report.results[0].facts["linkable"] is True
    assert report.results[0].tried >= 20


# Four persons with the same released history each, made by hand; "ill" is not compared.
WHOLE = pd.DataFrame(
    {
        "person": ["p", "q", "p", "q", "r", "s", "r", "s"],
        "age": ["30", "30", "30", "30", "50", "50", "50", "50"],
        "year": [
            "[2001, 2002]",
            "[2001, 2002]",
            "2004",
            "2004",
            "2001",
            "2001",
            "[2003, 2004]",
            "[2003, 2004]",
        ],
    }
)
BEFORE = WHOLE.assign(year=["2001", "2002", "2004", "2004", "2001", "2001", "2003", "2004"])


@pytest.mark.parametrize("fresh", [False, True])
@pytest.mark.parametrize("shuffled", [False, True])
def test_shared_histories_hide_everybody(fresh: bool, shuffled: bool) -> None:
    """Whatever is known, two persons have it; fresh marks and a random order change nothing."""
    release = renamed(WHOLE) if fresh else WHOLE
    release = release.sample(frac=1, random_state=3) if shuffled else release
    found = attacked(release, BEFORE)
    assert {each["below_k"] for each in by_known(found).values()} == {0}
    assert [each["tried"] for each in by_known(found).values()] == [4, 4, 4, 4]
    assert found.rate == 0.5
    assert found.holds
    paired = None if fresh and shuffled else "position" if fresh else "mark"
    assert found.facts["paired_by"] == paired


def test_rows_that_were_left_out_do_not_hide_whose_the_others_are() -> None:
    """Persons are paired by the order of the rows; the event that was left out is not known of anybody."""
    release = renamed(WHOLE).drop(index=[2, 3])
    found = attacked(release, BEFORE)
    assert found.facts["paired_by"] == "order"
    assert by_known(found)["all"]["below_k"] == 0
    assert by_known(found)["all"]["tried"] == 4


def test_m_known_events_are_judged_and_more_are_shown() -> None:
    """Two persons share every single row, and no two rows: what is promised about one event holds."""
    release = pd.DataFrame(
        {"person": list("ppqqrr"), "age": ["1", "2", "2", "3", "1", "3"], "year": ["2001"] * 6}
    )
    assert attacked(release, release, known_events=1).holds
    two = attacked(release, release, known_events=2)
    assert two.exposed == 3
    assert by_known(two)[1]["below_k"] == 0
    assert by_known(two)[2]["alone"] == 3
    assert not attacked(release, release).holds


def test_order_finds_people_who_have_the_same_rows() -> None:
    """One was here in 2001 and then in 2002, the other the other way round."""
    release = pd.DataFrame(
        {"person": list("ppqq"), "age": ["1"] * 4, "year": ["2001", "2002", "2002", "2001"]}
    )
    assert by_known(attacked(release, release))[2]["alone"] == 2
    shuffled = release.iloc[[3, 1, 0, 2]].reset_index(drop=True)
    assert by_known(attacked(shuffled, release))[2]["alone"] == 0


def test_each_known_event_is_another_row() -> None:
    """Two events that fit the same single row are not both theirs."""
    release = pd.DataFrame({"person": list("ppq"), "age": ["1"] * 3, "year": ["2001", "2001", "2001"]})
    found = by_known(attacked(release, release))
    assert (found[1]["alone"], found[2]["alone"], found["all"]["alone"]) == (0, 1, 2)


def test_suppressed_rows_reveal_no_event() -> None:
    release = WHOLE.copy()
    release.loc[release["person"] == "s", QUASI] = "*"
    found = attacked(release, BEFORE)
    assert found.facts["found"] == 3
    assert by_known(found)[1]["alone"] == 1


@pytest.mark.parametrize("mark", ["*", None, "same"])
def test_a_column_that_marks_nobody_links_nothing(mark: str | None) -> None:
    """One mark for all, or none: one event is all that can be known."""
    found = attacked(WHOLE.assign(person=mark), BEFORE)
    assert found.facts["linkable"] is False
    assert by_known(found)[1]["below_k"] == 0


def test_a_row_without_a_mark_is_followed_by_nobody() -> None:
    """Somebody's first row has lost its mark: it is one more person, and hides nobody's pairs of events."""
    release = WHOLE.assign(person=[None, *WHOLE["person"][1:]])
    found = by_known(attacked(release, BEFORE))
    assert (found[1]["alone"], found[2]["alone"]) == (0, 1)


def test_rows_without_an_order_are_followed_as_well() -> None:
    """As in a database: persons are told by their marks, and histories are multisets."""
    release, original = (
        cells("person age year", [*table.itertuples(index=False, name=None)]) for table in (WHOLE, BEFORE)
    )
    target = Target(
        release=release,
        quasi_identifiers=("age", "year"),
        k=2,
        entity="person",
        original=original,
        events=release,
        original_events=original,
    )
    found = ATTACKS["history"]().run(target)
    assert (found.facts["paired_by"], found.facts["in_order"]) == ("mark", False)
    assert by_known(found)["all"]["fewest_candidates"] == 2


def test_sets_that_are_known_apart_promise_nothing_about_histories() -> None:
    """k on each set says nothing to who knows all columns."""
    policy = policy_of(quasi_identifiers=QUASI, k=2, entity="person", sets=[["age"], ["year"]])
    report = shoal.attack(WHOLE, original=BEFORE, policy=policy)
    assert "sets of quasi-identifiers" in report.skipped["history"]


def test_the_report_shows_each_number_of_known_events() -> None:
    policy = policy_of(quasi_identifiers=QUASI, k=2, entity="person", linkable=True)
    made = shoal.report(WHOLE, original=BEFORE, policy=policy, date="2026-11-17")
    assert "history" in {each["name"] for each in made.facts["attacks"]}
    assert "all events" in made.html


def test_a_limit_is_over_all_people(tmp_path: Path) -> None:
    """As for the other attacks: a rate that the policy states replaces 1/k, and nobody is exempt from it."""
    WHOLE.to_csv(tmp_path / "release.csv", index=False)
    BEFORE.to_csv(tmp_path / "stays.csv", index=False)
    (tmp_path / "stays.toml").write_text(
        '[attributes.age]\nrole = "quasi-identifier"\n[attributes.year]\nrole = "quasi-identifier"\n'
        '[privacy]\nk = 2\nentity = "person"\nlinkable = true\n[attacks]\nhistory = 0.2\n'
    )
    asked = ("attack", "release.csv", "--policy", "stays.toml", "--original", "stays.csv")
    done = command(tmp_path, *asked, "--attack", "history")
    assert done.returncode == 5
    assert "history succeeds at 50.0 % of what it tried; 20.0 % is allowed" in done.stderr
    assert "  all events" in done.stderr
    assert command(tmp_path, *asked, "--allow", "history=0.5", "--known-events", "2").returncode == 0
    wrong = command(tmp_path, *asked, "--known-events", "some")
    assert wrong.returncode == 2
    assert "known_events is a whole number" in wrong.stderr


def test_what_is_lacking_is_said() -> None:
    stated: dict[str, Any] = {"quasi_identifiers": QUASI, "k": 2, "attacks": ["history"]}
    with pytest.raises(PolicyError, match="no column of persons is named"):
        shoal.attack(WHOLE, original=BEFORE, **stated)
    with pytest.raises(PolicyError, match="the original table is not given"):
        shoal.attack(WHOLE, entity="person", **stated)
    with pytest.raises(PolicyError, match="the original has no column 'person'"):
        shoal.attack(WHOLE, entity="person", original=BEFORE.drop(columns="person"), **stated)
    with pytest.raises(PolicyError, match="fits any released row"):
        shoal.attack(WHOLE, entity="person", original=BEFORE.assign(age="99"), **stated)


ROWS = st.tuples(st.sampled_from(["1", "2", "[1, 2]", "*"]), st.sampled_from(["7", "8", "[7, 8]"]))
PERSONS = st.lists(st.lists(ROWS, min_size=1, max_size=3), min_size=2, max_size=6)


def table_of(persons: Sequence[Sequence[tuple[str, str]]]) -> pd.DataFrame:
    """Persons one after another."""
    rows = [(f"p{number}", *row) for number, own in enumerate(persons) for row in own]
    return pd.DataFrame(rows, columns=["person", *QUASI])


@settings(max_examples=examples(40), deadline=None)
@given(
    persons=PERSONS,
    copies=st.integers(1, 3),
    k=st.integers(2, 3),
    turned=st.booleans(),
    fresh=st.booleans(),
    data=st.data(),
)
def test_a_promise_that_holds_hides_everybody(
    persons: Any, copies: int, k: int, turned: bool, fresh: bool, data: st.DataObject
) -> None:
    """Candidates are at least k for all that the promise says may be known, by the plain definitions."""
    released = [own for own in persons for _ in range(copies)]
    if turned:
        released = [list(reversed(own)) if number % 2 else own for number, own in enumerate(released)]

    def some(cell: str) -> str:
        low, _, high = cell.strip("[]").partition(", ")
        return data.draw(st.sampled_from(["1", "2"] if cell == "*" else [low, high or low]))

    original = table_of([[(some(one), some(two)) for one, two in own] for own in released])
    release = table_of(released)
    found = attacked(renamed(release) if fresh else release, original, k=k)
    ordered = bool(found.facts["in_order"])
    kept = 0
    for known, each in by_known(found).items():
        promised = keeps(released, k, None if known == "all" else known, ordered=ordered)
        assert each["tried"] == len(released)
        kept += promised
        if promised:
            assert each["fewest_candidates"] >= k
    assume(kept or copies == 1)


@settings(max_examples=examples(40), deadline=None)
@given(persons=PERSONS, turned=st.booleans())
def test_candidates_are_those_of_the_definitions(persons: Any, turned: bool) -> None:
    """In a release of exact values the attacker does as well as the promises are broken, to the person."""
    exact: Persons = [[tuple(cell.strip("[]")[0] for cell in row) for row in own] for own in persons]
    exact = [[row if row[0] != "*" else ("3", row[1]) for row in own] for own in exact]  # type: ignore[misc]
    original = table_of(exact)  # type: ignore[arg-type]
    release = original.iloc[::-1] if turned else original
    found = attacked(release, original, k=2)
    known = by_known(found)
    ordered = bool(found.facts["in_order"])
    for number in (1, 2, 3):
        # An attacker who knows m events knows exactly so many, or all that there are.
        exactly = [
            min(
                sum(has(other, choice, ordered=ordered) for other in exact)
                for choice in _choices(own, number)
            )
            for own in exact
        ]
        assert known[number]["fewest_candidates"] == min(exactly)
        assert known[number]["alone"] == exactly.count(1)
        least = [count for count in by_events(exact, number, ordered=ordered) if count is not None]
        assert min(least) <= min(exactly)
    assert known["all"]["alone"] == by_history(exact, ordered=ordered).count(1)


LABELS = st.sampled_from(["1", "2", "3", "[1, 2]", "[2, 3]", "*"])


@settings(max_examples=examples(300), deadline=None)
@given(
    persons=st.lists(st.lists(LABELS, min_size=1, max_size=4), min_size=1, max_size=5),
    events=st.lists(st.sampled_from(["1", "2", "3"]), min_size=1, max_size=4),
    ordered=st.booleans(),
    whole=st.booleans(),
)
# The rarer event must not take the one row that the other event needs.
@example(persons=[["[1, 2]", "1"], ["2", "2", "2", "1"]], events=["1", "2"], ordered=False, whole=False)
def test_candidates_by_overlapping_labels_equal_trying_all_ways(
    persons: list[list[str]], events: list[str], ordered: bool, whole: bool
) -> None:
    """Each event in another row that covers it: every way was tried, for every person."""
    reader = CellReader()
    candidates = Candidates(
        cells("a", [(label,) for own in persons for label in own]),
        cells("a", [(event,) for event in events]),
        ("a",),
        lambda _: reader,
    )
    owners = np.repeat(np.arange(len(persons)), [len(own) for own in persons])
    followed = Followed(candidates, candidates.line_of_row, owners, ordered=ordered)

    def may_have(own: list[str]) -> bool:
        ways = (combinations if ordered else permutations)(own, len(events))
        fits = any(
            all(reader.meaning(label).covers(event) for label, event in zip(way, events, strict=True))
            for way in ways
        )
        return fits and (not whole or len(own) == len(events))

    found = followed.persons(candidates.line_of_person.tolist(), whole=whole)
    assert found == sum(map(may_have, persons))


def _choices(own: Any, number: int) -> list[Any]:

    return list(combinations(own, min(number, len(own))))


@settings(max_examples=examples(100))
@given(
    fits=st.integers(1, 4).flatmap(
        lambda width: st.lists(
            st.lists(st.booleans(), min_size=width, max_size=width), min_size=1, max_size=4
        )
    )
)
def test_matching_finds_a_way_if_there_is_one(fits: list[list[bool]]) -> None:
    """Every permutation was tried, too."""

    flags = np.array(fits)
    lines, columns = flags.shape

    def any_of(ways: Any) -> bool:
        return any(all(flags[line, column] for line, column in enumerate(way)) for way in ways)

    for found, possible in (
        (matched(flags), any_of(permutations(range(columns), lines))),
        (matched_in_order(flags), any_of(combinations(range(columns), lines))),
    ):
        assert (found is not None) == possible
        if found is not None:
            assert len(set(found)) == lines
            assert all(flags[line, column] for line, column in enumerate(found))
