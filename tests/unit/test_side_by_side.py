"""Rows of a table beside what a release made of them, page by page."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import shoal
from shoal.api.side_by_side import _kept, _stamp
from shoal.auditor.original.pairing import NOBODY
from shoal.engines.duckdb.session import DuckSession
from tests.agreement.thoroughness import examples

POLICY = shoal.Policy(
    k=2,
    attributes=(
        shoal.Attribute(name="name", role=shoal.Role.IDENTIFIER),
        shoal.Attribute(name="age", role=shoal.Role.QUASI_IDENTIFIER),
        shoal.Attribute(name="sex", role=shoal.Role.QUASI_IDENTIFIER),
    ),
)
PEOPLE = "name,age,sex,stay\nAnn,20,f,3\nBob,29,m,1.0\nCem,90,m,2\nDee,21,f,4\nEve,25,f,\n"
RELEASE = 'age,sex,stay\n"[20, 29]",f,3\n"[20, 29]",m,1\n"[20, 29]",f,4\n"[20, 29]",f,\n'


@pytest.fixture
def tables(tmp_path: Path) -> tuple[Path, Path]:
    """Five people, and a release that has four of them and no name."""
    original, release = tmp_path / "people.csv", tmp_path / "release.csv"
    original.write_text(PEOPLE, encoding="utf-8")
    release.write_text(RELEASE, encoding="utf-8")
    return release, original


def test_a_row_that_was_left_out_has_no_released_one(tables: tuple[Path, Path]) -> None:
    """The rows after it are beside their own all the same; a number is itself however it is written."""
    seen = shoal.side_by_side(*tables, policy=POLICY)
    assert seen.columns == ("name", "age", "sex", "stay")
    assert seen.dropped == ("name",)
    assert seen.added == ()
    assert seen.before[3] == ("Dee", "21", "f", "4")
    assert seen.after[2] is None
    assert seen.after[3] == (None, "[20, 29]", "f", "4")
    assert seen.marked == ({1}, {1}, set(), {1}, {1})
    assert seen.certain == (True,) * 5
    assert (seen.originals, seen.released, seen.unpaired, seen.matched_by) == (5, 4, 0, "order")
    assert seen.changed == {"age": 4, "sex": 0, "stay": 0}
    assert "Ann" not in repr(seen)


@pytest.mark.parametrize("start", range(6))
def test_a_page_is_a_part_of_the_whole(tables: tuple[Path, Path], tmp_path: Path, start: int) -> None:
    """From any row on, with the pairs found anew or kept in a file."""
    whole = shoal.side_by_side(*tables, policy=POLICY)
    for _ in range(2):
        page = shoal.side_by_side(*tables, policy=POLICY, start=start, rows=2, pairs=tmp_path / "pairs")
        assert page.before == whole.before[start : start + 2]
        assert page.after == whole.after[start : start + 2]
        assert page.marked == whole.marked[start : start + 2]


def test_kept_pairs_are_those_of_these_tables(tables: tuple[Path, Path], tmp_path: Path) -> None:
    """A file that was written anew, or one that is not of pairs, is not believed."""
    release, original = tables
    place = tmp_path / "pairs"
    shoal.side_by_side(release, original, policy=POLICY, pairs=place)
    assert _kept(place, _stamp(release, original, POLICY)) is not None
    release.write_text(RELEASE.rpartition('"[20')[0] + "\n", encoding="utf-8")
    assert _kept(place, _stamp(release, original, POLICY)) is None
    assert shoal.side_by_side(release, original, policy=POLICY, pairs=place).released == 3
    place.write_bytes(b"PK nothing of the kind")
    assert shoal.side_by_side(release, original, policy=POLICY, pairs=place).released == 3


def test_frames_are_shown_like_files(tables: tuple[Path, Path], tmp_path: Path) -> None:
    """But the pairs of a frame are kept nowhere."""
    release, original = (pd.read_csv(path) for path in tables)
    seen = shoal.side_by_side(release, original, policy=POLICY)
    assert seen.after[2] is None
    assert seen.changed["age"] == 4
    with pytest.raises(shoal.PolicyError, match="kept for files"):
        shoal.side_by_side(release, original, policy=POLICY, pairs=tmp_path / "pairs")


def test_tables_without_order_are_refused(tables: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch) -> None:
    """As those of a server are: nobody could say which row became which."""
    monkeypatch.setattr(DuckSession, "keeps_order", False)
    with pytest.raises(shoal.PolicyError, match="have no order"):
        shoal.side_by_side(*tables, policy=POLICY)


def test_rows_that_read_alike_are_not_certain(tmp_path: Path) -> None:
    """One of two equal rows was left out; which one, the release does not tell."""
    original = pd.DataFrame({"age": [1, 5, 5, 9], "sex": list("fmmf")})
    release = pd.DataFrame({"age": ["1", "5", "9"], "sex": list("fmf")})
    seen = shoal.side_by_side(release, original, policy=POLICY)
    assert seen.certain == (True, False, False, True)
    assert seen.uncertain == 2


@pytest.mark.parametrize("columns", [["age", "sex", "stay"], ["age", "sex"]])
def test_rows_in_another_order_are_not_certain(columns: list[str]) -> None:
    """As many rows at the same places, but of other people, as a tool that sorts leaves them."""
    original = pd.DataFrame({"age": [1, 5, 9], "sex": list("fmf"), "stay": [3, 1, 2]})[columns]
    assert shoal.side_by_side(original, original, policy=POLICY).certain == (True, True, True)
    turned = shoal.side_by_side(original.iloc[::-1], original, policy=POLICY)
    assert turned.matched_by == "position"
    assert turned.certain == (False, False, False)


def test_means_stand_beside_their_own() -> None:
    """No label of a microaggregation need be true; the cells that are kept show the order."""
    original = pd.DataFrame({"age": [1, 5, 9], "sex": list("fff"), "stay": [3, 1, 2]})
    seen = shoal.side_by_side(original.assign(age=[2.5, 2.5, 6.5]), original, policy=POLICY)
    assert seen.certain == (True, True, True)


def test_nothing_is_left_where_pairs_cannot_be_kept(tables: tuple[Path, Path], tmp_path: Path) -> None:
    """A folder has the name of their file; the error says so."""
    place = tmp_path / "pairs"
    place.mkdir()
    before = set(tmp_path.iterdir())
    with pytest.raises(shoal.EngineError, match=r"cannot write .*pairs"):
        shoal.side_by_side(*tables, policy=POLICY, pairs=place)
    assert set(tmp_path.iterdir()) == before


def test_a_release_without_rows_leaves_all_out(tables: tuple[Path, Path]) -> None:
    """Of that there is no doubt."""
    release, original = tables
    release.write_text("age,sex,stay\n", encoding="utf-8")
    seen = shoal.side_by_side(release, original, policy=POLICY)
    assert seen.after == (None,) * 5
    assert (seen.released, seen.uncertain) == (0, 0)


AGES = range(4)
LABELS = {
    **{str(age): {age} for age in AGES},
    "[0, 1]": {0, 1},
    "[1, 3]": {1, 2, 3},
    "*": set(AGES),
}


@st.composite
def releases(draw: Any) -> tuple[list[tuple[int, str]], list[tuple[str, str]]]:
    """Rows of an age and a sex, and a true release of some of them."""
    rows = draw(st.lists(st.tuples(st.sampled_from(AGES), st.sampled_from("fm")), min_size=1, max_size=7))
    kept = draw(st.lists(st.booleans(), min_size=len(rows), max_size=len(rows)).filter(any))
    released = [
        (draw(st.sampled_from([label for label, ages in LABELS.items() if age in ages])), sex)
        for (age, sex), keep in zip(rows, kept, strict=True)
        if keep
    ]
    return rows, released


@pytest.fixture(scope="module")
def engine() -> Iterator[shoal.DuckDB]:
    """One for all examples: most of the time would go into starting others."""
    with shoal.DuckDB() as opened:
        yield opened


@given(drawn=releases())
@settings(max_examples=examples(60), deadline=None)
def test_what_is_certain_is_so_in_every_pairing(
    engine: shoal.DuckDB, drawn: tuple[list[Any], list[Any]]
) -> None:
    """Beside plain enumeration: the pairs are in order and true, and certain ones are alike in all such."""
    rows, released = drawn
    original = pd.DataFrame({"age": [age for age, _ in rows], "sex": [sex for _, sex in rows]})
    release = pd.DataFrame({"age": [age for age, _ in released], "sex": [sex for _, sex in released]})
    seen = shoal.side_by_side(release, original, policy=POLICY, rows=len(rows), engine=engine)
    pairings = [
        [places.index(row) if row in places else NOBODY for row in range(len(rows))]
        for places in itertools.combinations(range(len(rows)), len(released))
        if all(
            rows[place][0] in LABELS[label] and rows[place][1] == sex
            for place, (label, sex) in zip(places, released, strict=True)
        )
    ]
    found = iter(range(len(released)))
    mine = [NOBODY if row is None else next(found) for row in seen.after]
    if seen.matched_by == "order":
        assert mine in pairings
    for at, certain in enumerate(seen.certain):
        assert not certain or {pairing[at] for pairing in pairings} == {mine[at]}
    if len(pairings) == 1:
        assert all(seen.certain)
    for row, cells in zip(seen.before, seen.after, strict=True):
        assert cells is None or (cells[1] == row[1] and int(row[0] or 0) in LABELS[cells[0] or ""])


@pytest.mark.parametrize("seed", range(4))
def test_the_pairs_of_a_release_are_those_that_it_was_made_of(seed: int, tmp_path: Path) -> None:
    """Hidden from the pairing, a number of each row tells: whatever is called certain is right."""
    ages = [(seed * 7 + at * at * 31) % 23 for at in range(60)]
    frame = pd.DataFrame({"age": ages, "sex": ["fm"[age % 2] for age in ages], "number": range(60)})
    made = shoal.anonymize(
        frame, quasi_identifiers=["age", "sex"], k=5, suppression="30%", algorithm="mondrian", seed=seed
    )
    truth = dict(zip(made.data["number"], range(60), strict=False))
    release = made.data.drop(columns="number")
    seen = shoal.side_by_side(release, frame.drop(columns="number"), policy=POLICY, rows=60)
    found = iter(range(60))
    for at, (cells, certain) in enumerate(zip(seen.after, seen.certain, strict=True)):
        partner = None if cells is None else next(found)
        assert not certain or partner == truth.get(at)


def test_a_treated_column_is_seen_to_have_changed(tmp_path: Path) -> None:
    """It does not help to pair the rows, and its changed cells are counted; shuffled rows are refused."""
    original, release = tmp_path / "people.csv", tmp_path / "release.csv"
    original.write_text("age,pay\n" + "".join(f"{20 + at % 3},{100 + at}\n" for at in range(9)))
    rounded: Any = {"name": "round", "to": 10}
    policy = shoal.Policy(
        k=3,
        attributes=(
            shoal.Attribute(name="age", role=shoal.Role.QUASI_IDENTIFIER),
            shoal.Attribute(name="pay", treatment=rounded),
        ),
    )
    shoal.anonymize(original, policy, path=release)
    seen = shoal.side_by_side(release, original, policy=policy)
    assert seen.changed == {"age": 0, "pay": 8}
    assert [row[1] for row in seen.after if row is not None] == ["100"] * 6 + ["110"] * 3
    assert all(seen.certain)
    shoal.anonymize(original, policy, path=release, order="shuffle")
    with pytest.raises(shoal.PolicyError, match="shuffled"):
        shoal.side_by_side(release, original, policy=policy)
