"""What two releases with one key reveal together, and what a manifest says of few rows or of one."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import shoal

ROWS = 40
pytestmark = pytest.mark.filterwarnings("ignore::shoal.ShoalWarning")


@pytest.fixture
def key(tmp_path: Path) -> Path:
    """A key that several releases share."""
    (tmp_path / "key").write_text("0f" * 32)
    return tmp_path / "key"


def people(rows: int = ROWS) -> pd.DataFrame:
    return pd.DataFrame(
        {
            "age": [20 + row % 4 for row in range(rows)],
            "sex": ["f" if row % 2 else "m" for row in range(rows)],
            "income": [1000 + 7 * row for row in range(rows)],
            "row": range(rows),
        }
    )


def released(frame: pd.DataFrame, key: Path, **more: Any) -> pd.DataFrame:
    asked: dict[str, Any] = {"quasi_identifiers": ["age"], "k": 2, "key_file": key, **more}
    return shoal.anonymize(frame, **asked).data


@pytest.mark.parametrize("changed", ["policy", "rows", "cells"])
def test_one_key_shuffles_two_releases_differently(key: Path, changed: str) -> None:
    """Rows of two releases are not at the same places, nor in the same order among each other."""
    one = released(people(), key, order="shuffle")
    frame = people(ROWS + 1) if changed == "rows" else people()
    if changed == "cells":
        frame.loc[0, "age"] = 21
    quasi = ["sex"] if changed == "policy" else ["age"]
    two = released(frame, key, order="shuffle", quasi_identifiers=quasi)
    common = two["row"][two["row"] < ROWS]
    assert one["row"].tolist() != common.tolist()
    assert one["row"].tolist() == released(people(), key, order="shuffle")["row"].tolist()


def test_noise_of_two_scales_is_drawn_twice(key: Path) -> None:
    """Otherwise both releases together would give the exact numbers."""
    one, two = (
        released(people(), key, treatments={"income": {"name": "noise", "scale": scale}})["income"]
        for scale in (100, 200)
    )
    solved = 2 * one - two
    assert (abs(solved - people()["income"]) > 5).any()


@pytest.mark.parametrize("name", ["n0", "t", "i", "place", "shoal_place_"])
def test_any_column_can_have_any_name(tmp_path: Path, name: str) -> None:
    """Treating a file names columns of its own, which are never mistaken for the source's."""
    source = people().rename(columns={"sex": name})
    source.to_csv(tmp_path / "people.csv", index=False)
    shoal.anonymize(
        tmp_path / "people.csv",
        quasi_identifiers=["age"],
        k=2,
        treatments={"income": "pseudonym"},
        order="shuffle",
        path=tmp_path / "out.csv",
    )
    made = pd.read_csv(tmp_path / "out.csv")
    assert made["row"].tolist() != source["row"].tolist()
    assert made.sort_values("row")[name].tolist() == source[name].tolist()


def test_the_manifest_counts_no_marker_of_few_rows(tmp_path: Path) -> None:
    """A marker that one suppressed row has, and a number far from the others, are not in the manifest."""
    cells = ["20", "20", "20", "21", "21", "21", "22", "NA", "NA", "NA", "?", "9999"]
    with (tmp_path / "a.csv").open("w", newline="") as file:
        csv.writer(file).writerows([["age"], *([cell] for cell in cells)])
    shoal.anonymize(
        tmp_path / "a.csv", quasi_identifiers=["age"], k=3, suppression=6, path=tmp_path / "o.csv"
    )
    facts = json.loads((tmp_path / "o.csv.manifest.json").read_text())
    assert facts["reading"]["columns"]["age"]["missing"] == {"NA": 3}
    assert "9999" not in json.dumps(facts["reading"])


def test_the_manifest_counts_no_treated_cell_of_suppressed_rows() -> None:
    """That a cell was coded at the top although no released one is, would be known of a suppressed row."""
    frame = people().assign(age=[20] * (ROWS - 1) + [99], income=[10] * (ROWS - 1) + [99_999])
    asked: dict[str, Any] = {
        "quasi_identifiers": ["age"],
        "k": 2,
        "treatments": {"income": {"name": "top-code", "at": 90_000}},
    }
    made = shoal.anonymize(frame, **asked, suppression=1, algorithm="exact", cost="discernibility")
    assert made.manifest.suppressed == 1
    assert "changed" not in made.manifest.treatments["income"]
    whole = shoal.anonymize(frame, **asked)
    assert whole.manifest.treatments["income"]["changed"] == 1


def test_the_manifest_does_not_tell_which_row_is_unusual(tmp_path: Path) -> None:
    """A word among numbers is hidden in a set, so only the user learns which row has it."""
    cells = ["20", "21", "22", "23", "24"] * 6 + ["twelve", "30"]
    (tmp_path / "a.csv").write_text("age\n" + "\n".join(cells) + "\n")
    with pytest.warns(shoal.ShoalWarning, match="the first is row 31"):
        shoal.anonymize(tmp_path / "a.csv", quasi_identifiers=["age"], k=2, path=tmp_path / "o.csv")
    facts = json.loads((tmp_path / "o.csv.manifest.json").read_text())
    said = next(each["message"] for each in facts["warnings"] if each["code"] == "mixed-column")
    assert "1 distinct value(s) are not. The column" in said


def test_a_release_does_not_replace_its_key(key: Path) -> None:
    """A key that is lost cannot be made again."""
    people().to_csv(key.parent / "people.csv", index=False)
    with pytest.raises(shoal.PolicyError, match="the key file"):
        shoal.anonymize(
            key.parent / "people.csv",
            quasi_identifiers=["age"],
            k=2,
            order="shuffle",
            key_file=key.rename(key.parent / "key.csv"),
            path=key.parent / "key.csv",
        )
    assert (key.parent / "key.csv").read_text() == "0f" * 32
