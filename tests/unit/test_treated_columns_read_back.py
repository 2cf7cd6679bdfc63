"""Treated columns as a reader of the release meets them: typed, described, and ready to compute with."""

from __future__ import annotations

import json
import warnings
from pathlib import Path

import pandas
import pytest

import shoal
from shoal.errors import ShoalWarning
from tests.unit.test_treated_releases import write


@pytest.fixture
def release(tmp_path: Path) -> Path:
    """A shuffled subset with a column of each kind of treatment that changes what cells look like."""
    rows = [
        {
            "age": "20",
            "id": f"P{row}",
            "pay": f"{row},5 €",
            "born": f"{1 + row % 28:02}.{1 + row % 12:02}.19{50 + row}",
            "seen": f"2020-01-{1 + row % 28:02}",
        }
        for row in range(40)
    ]
    write(tmp_path / "people.csv", rows)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ShoalWarning)
        shoal.anonymize(
            tmp_path / "people.csv",
            path=tmp_path / "out.csv",
            quasi_identifiers=["age"],
            k=5,
            order="shuffle",
            subset="id <> 'P0'",
            treatments={
                "id": "pseudonym",
                "pay": {"name": "top-code", "at": 30},
                "born": {"name": "truncate", "to": "quarter"},
                "seen": {"name": "shift", "by": "id"},
            },
        )
    return tmp_path / "out.csv"


def test_treated_columns_are_described_by_what_was_done(release: Path) -> None:
    """In the words of the treatment; the order of the rows and the subset are mentioned."""
    book = shoal.codebook(release)
    done = {each.name: each.done[0] for each in book.columns}
    assert done["pay"] == "The column has >= 30 in place of all values >= 30."
    assert done["born"] == "The column was truncated to the quarter."
    assert done["seen"].endswith("of one 'id'. Its cells are not true of their rows one by one.")
    types = {each.name: each.type for each in book.columns}
    assert types["born"] == "quarters"
    assert types["pay"] == "numbers, and one label for those beyond the bound"
    assert types["seen"] == "dates"
    page = book.to_markdown()
    assert "The rows are in a random order" in page
    assert "research subset" in page


def test_the_code_of_the_dictionary_computes(release: Path) -> None:
    """Labels of a bound become the bound, quarters become periods, shifted dates are dates."""
    frame = shoal.read(release)
    code = {each.name: each.python for each in shoal.codebook(release).columns}
    pay = eval(code["pay"], {"pandas": pandas, "release": frame})
    assert sorted(pay.unique()) == [*(row + 0.5 for row in range(1, 30)), 30]
    born = eval(code["born"], {"pandas": pandas, "release": frame})
    assert sorted(map(str, born))[:2] == ["1951Q1", "1952Q1"]
    assert frame["seen"].dtype.kind == "M"


def test_how_treated_columns_were_read_is_stated(release: Path) -> None:
    """Nothing is guessed silently: the manifest has the formats."""
    stated = json.loads(Path(f"{release}.manifest.json").read_text())["reading"]["columns"]
    assert (stated["pay"]["format"], stated["born"]["format"]) == ("1234,5 €", "DD.MM.YYYY")
    assert stated["pay"]["decided"] == "recognised"
    assert "seen" not in stated
