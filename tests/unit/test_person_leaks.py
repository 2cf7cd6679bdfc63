"""Warnings about people with several rows: what links rows, and rows that are counted for people."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from pathlib import Path

import pandas
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import shoal
from shoal.engines.duckdb.engine import DuckDB

pytestmark = pytest.mark.filterwarnings("ignore::shoal.ShoalWarning")
COLUMNS = st.lists(
    st.tuples(st.sampled_from(["", "a", "b", "c", "d"]), st.sampled_from(["", "x", "y", "z", "u"])),
    min_size=1,
    max_size=10,
)


def stays(persons: int = 40) -> pandas.DataFrame:
    """Three stays of each person, one after the other; the plan is of a person, the ward is not."""
    rows = [
        {
            "patient": f"p{person}",
            "age": 20 + 10 * (person % 4),
            "plan": f"contract {person}",
            "ward": f"w{stay}",
            "doctor": f"d{(person * 3 + stay) % 7}",
        }
        for person in range(persons)
        for stay in range(3)
    ]
    return pandas.DataFrame(rows)


def warned(frame: pandas.DataFrame, **asked: object) -> dict[str, list[tuple[str, ...]]]:
    """The codes of a release's warnings about people, and their columns."""
    arguments = {"quasi_identifiers": ["age"], "k": 2, "algorithm": "hill-climb", **asked}
    made = shoal.anonymize(frame, **arguments)
    found: dict[str, list[tuple[str, ...]]] = {}
    for each in made.warnings:
        if each.code in ("linking-column", "neighbouring-rows", "repeated-persons"):
            found.setdefault(each.code, []).append(each.columns)
    return found


@settings(deadline=None, max_examples=50)
@given(rows=COLUMNS)
def test_persons_that_a_column_links_are_counted_as_by_hand(rows: list[tuple[str, str]]) -> None:
    """In a file and in a frame: a value on two rows of one person, and on no other person's."""
    persons = Counter(person for person, _ in rows if person)
    several = sum(count > 1 for count in persons.values())
    owners = {value: {p for p, v in rows if v == value and p} for _, value in rows if value}
    linked = {
        person
        for value, (*found,) in owners.items()
        for person in found
        if len(found) == 1 and rows.count((person, value)) > 1
    }
    next_to = {one for (one, _), (other, _) in pairwise(rows) if one and one == other}
    frame = pandas.DataFrame(rows, columns=["p", "v"])
    with DuckDB() as engine:
        measured = engine.linked_persons(frame.replace("", None), "p", ["v"])
    assert (measured.persons, measured.several) == (len(persons), several)
    assert measured.by_column.get("v", 0) == len(linked)
    assert measured.neighbours == len(next_to)


def test_files_are_counted_as_frames_are(tmp_path: Path) -> None:
    """In every format, and with cells of any type."""
    frame = stays()
    frame.to_csv(tmp_path / "stays.csv", index=False)
    frame.to_parquet(tmp_path / "stays.parquet")
    with DuckDB() as engine:
        found = [
            engine.linked_persons(source, "patient", ["plan", "ward", "age"])
            for source in (frame, str(tmp_path / "stays.csv"), str(tmp_path / "stays.parquet"))
        ]
    assert found[0] == found[1] == found[2]
    assert (found[0].rows, found[0].persons, found[0].several, found[0].neighbours) == (120, 40, 40, 40)
    assert found[0].by_column == {"plan": 40, "ward": 0, "age": 0}
    assert (found[0].pairs, found[0].pairs_by_chance) == (80, 2.0)


def test_what_links_rows_of_a_person_is_warned_of() -> None:
    """The plan has one value per person, and the rows of a person are neighbours; the ward says nothing."""
    kept = {"entity": "patient", "other": ["plan", "ward", "doctor"]}
    assert warned(stays(), **kept) == {"linking-column": [("plan",)], "neighbouring-rows": [()]}
    assert warned(stays(), **kept, order="shuffle") == {"linking-column": [("plan",)]}
    mixed = stays().sample(frac=1, random_state=3)
    assert warned(mixed, **{**kept, "identifiers": ["plan"], "other": ["ward", "doctor"]}) == {}


def test_a_person_who_may_be_followed_is_no_leak() -> None:
    """One row per person links nothing, and a policy can acknowledge what it knows."""
    single = stays().drop_duplicates("patient")
    assert warned(single, entity="patient", other=["plan", "ward", "doctor"]) == {}
    attributes = (
        shoal.Attribute(name="age", role=shoal.Role.QUASI_IDENTIFIER),
        shoal.Attribute(name="plan", role=shoal.Role.OTHER, acknowledge=("linking-column",)),
    )
    policy = shoal.Policy(
        attributes=attributes,
        k=2,
        entity="patient",
        acknowledge=("neighbouring-rows",),
        algorithm="hill-climb",
    )
    made = shoal.anonymize(stays(), policy=policy)
    assert not {"linking-column", "neighbouring-rows"} & {each.code for each in made.warnings}


def test_rows_counted_for_people_are_warned_of() -> None:
    """Also where the column is dropped; not where it is the entity, is unique, or numbers something else."""
    told = {"repeated-persons": [("patient",)]}
    assert warned(stays(), other=["plan", "ward", "doctor"]) == told
    assert warned(stays(), identifiers=["patient"]) == told
    assert warned(stays().drop_duplicates("patient")) == {}
    assert warned(stays().rename(columns={"patient": "clinic"})) == {}
    assert warned(stays(6)) == {}  # six values number groups


def test_inspect_and_init_say_that_persons_have_several_rows(tmp_path: Path) -> None:
    """Both name the column, and `init` says what `linkable` would give."""
    stays().to_csv(tmp_path / "stays.csv", index=False)
    inspected = shoal.inspect(tmp_path / "stays.csv")
    assert inspected.to_dict()["entity"] == "patient"
    assert inspected.persons is not None
    assert "'patient' has 40 values in 120 rows" in inspected.persons
    text = shoal.init(tmp_path / "stays.csv", path=None).text
    assert 'entity = "patient"  # the column is dropped' in text
    assert "# linkable = true  # would release it as fresh pseudonyms" in text
