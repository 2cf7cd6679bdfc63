"""Bounds and sets next to the labels: what is written, what the auditor refuses, where it is not possible."""

from __future__ import annotations

import csv
import hashlib
from pathlib import Path
from typing import Any

import duckdb
import pandas
import polars
import pyarrow
import pytest

import shoal
from shoal.auditor.measure.companions import companion_fault, members_fault
from shoal.model.result.column_coding import ColumnCoding

ROWS = [(21, "2024-01-05", "a"), (22, "2024-01-09", "b"), (40, "2024-05-05", "c"), (45, "2024-06-05", "c")]


@pytest.fixture
def source(tmp_path: Path) -> Path:
    path = tmp_path / "people.csv"
    lines = [f"{age},{day},{city},{number}" for number, (age, day, city) in enumerate(ROWS * 2)]
    path.write_text("age,day,city,n\n" + "\n".join(lines) + "\n")
    return path


def released(source: Any, **stated: Any) -> shoal.Release:
    settings = {"quasi_identifiers": ["age", "day", "city"], "k": 4, "algorithm": "mondrian", **stated}
    return shoal.anonymize(source, **settings)


def test_companions_follow_their_column_with_the_bounds_of_its_labels(source: Path, tmp_path: Path) -> None:
    """In CSV and in Parquet, with types in the latter."""
    released(source, companions=True, path=tmp_path / "r.csv")
    with (tmp_path / "r.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert list(rows[0]) == ["age", "age_low", "age_high", "day", "day_low", "day_high", "city", "n"]
    for row in rows:
        assert row["age"] == f"[{row['age_low']}, {row['age_high']}]"
        assert row["day"] == f"[{row['day_low']}, {row['day_high']}]"
    released(source, companions=True, path=tmp_path / "r.parquet")
    table = polars.read_parquet(tmp_path / "r.parquet")
    assert (table["age_low"].dtype, table["day_high"].dtype) == (polars.Int64, polars.Date)
    for path in ("r.csv", "r.parquet"):
        audited = shoal.audit(tmp_path / path, quasi_identifiers=["age", "day", "city"], k=4, original=source)
        assert audited.meets, audited.failures
        assert audited.leaks == ()


def test_data_frames_have_companions_of_their_own_types(source: Path) -> None:
    """pandas, polars and Arrow; masked rows have none."""
    frame = pandas.read_csv(source)
    data = released(frame, companions=True).data
    assert data.columns.tolist()[:3] == ["age", "age_low", "age_high"]
    assert str(data["age_low"].dtype) == "Int64"
    assert data["day_low"].dtype.kind == "M"
    assert released(polars.from_pandas(frame), companions=True).data["day_low"].dtype == polars.Date
    arrow = released(pyarrow.Table.from_pandas(frame), companions=True).data
    assert arrow["age_high"].type == pyarrow.int64()
    lone = pandas.concat(
        [frame, pandas.DataFrame({"age": [90], "day": ["2024-01-05"], "city": ["z"], "n": [9]})]
    )
    masked = released(
        lone, companions=True, suppressed="mask", suppression=1, algorithm="exact", nodes=2000
    ).data
    assert masked["age"].iloc[-1] == "*"
    assert pandas.isna(masked["age_low"].iloc[-1])


def test_a_name_that_is_taken_is_refused_before_the_search() -> None:
    """With the way out."""
    frame = pandas.DataFrame({"age": [1, 2, 3, 4], "age_low": [1, 1, 1, 1]})
    with pytest.raises(shoal.PolicyError, match="would be in a column 'age_low'"):
        shoal.anonymize(frame, quasi_identifiers=["age"], k=2, companions=True)
    dropped = shoal.anonymize(
        frame, quasi_identifiers=["age"], identifiers=["age_low"], k=2, companions=True, nodes=100
    )
    assert dropped.data.columns.tolist() == ["age", "age_low", "age_high"]


def test_words_of_a_hierarchy_have_no_companions_and_the_manifest_says_so(source: Path) -> None:
    """They state no bounds, and their leaves may be values of suppressed rows."""
    tree = {"*": {"young": [21, 22], "old": [40, 45]}}
    release = shoal.anonymize(
        pandas.read_csv(source),
        quasi_identifiers=["age"],
        k=4,
        algorithm="lattice",
        hierarchies={"age": tree},
        levels={"age": (1, 1)},
        companions=True,
    )
    assert release.data.columns.tolist() == ["age", "day", "city", "n"]
    assert any("has no companions" in note for note in release.manifest.notes)


def test_means_have_no_companions(source: Path) -> None:
    """A mean encloses nothing."""
    with pytest.raises(shoal.PolicyError, match="has means of groups"):
        shoal.anonymize(
            pandas.read_csv(source),
            quasi_identifiers=["age"],
            k=4,
            algorithm="microaggregate",
            companions=True,
        )


def test_structs_have_labels_bounds_and_lists(source: Path, tmp_path: Path) -> None:
    """Any reader of Parquet sees them, and Shoal reads the labels."""
    path = tmp_path / "r.parquet"
    released(source, nested=True, path=path)
    ages = duckdb.sql(f"SELECT age.label, age.low, age.high FROM '{path}'").fetchall()
    assert all(label == f"[{low}, {high}]" for label, low, high in ages)
    cities = duckdb.sql(f"SELECT DISTINCT city.label, city.\"values\" FROM '{path}'").fetchall()
    assert all(values == sorted(label.strip("{}").split(", ")) for label, values in cities)
    audited = shoal.audit(path, quasi_identifiers=["age", "day", "city"], k=4, original=source)
    assert audited.meets, audited.failures
    plain = released(source, path=tmp_path / "plain.parquet")
    assert plain.manifest.groups == audited.verdict.measured.groups
    read = shoal.read(path, columns={"age": "lower", "city": "list"})
    assert read["age"].tolist() == [low for _, low, _ in ages]
    assert shoal.risk(path, quasi_identifiers=["age", "day", "city"]).to_dict()["rows"] == 8


def test_structs_are_refused_where_they_cannot_be_written(source: Path, tmp_path: Path) -> None:
    """A CSV file has none, and a data frame is read with shoal.read; nothing is written."""
    with pytest.raises(shoal.PolicyError, match=r"name the release NAME\.parquet"):
        released(source, nested=True, path=tmp_path / "r.csv")
    with pytest.raises(shoal.PolicyError, match="for a source that is a file"):
        released(pandas.read_csv(source), nested=True, path=tmp_path / "r.parquet")
    assert sorted(each.name for each in tmp_path.iterdir()) == ["people.csv"]


def test_a_changed_companion_fails_the_audit(source: Path, tmp_path: Path) -> None:
    """Also if the manifest's digest is made to fit."""
    path = tmp_path / "r.csv"
    release = released(source, companions=True, path=path)
    manifest = Path(f"{path}.manifest.json")
    text = path.read_text()
    low = text.splitlines()[1].split(",")[2]
    path.write_text(text.replace(f",{low},", f",{int(low) + 1},", 1))
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    manifest.write_text(manifest.read_text().replace(release.manifest.release_digest or "", digest))
    audited = shoal.audit(path, quasi_identifiers=["age", "day", "city"], k=4)
    assert not audited.meets
    assert any("several bounds" in each or "other bounds" in each for each in audited.failures)


AGE = ColumnCoding(name="age", kind="number", whole=True, entries={}, sets={})
CITY = ColumnCoding(name="city", kind="category", entries={}, sets={})


def test_the_auditor_notices_what_a_companion_adds() -> None:
    """Two bounds for one label would split its group; wrong bounds would be untrue."""
    assert companion_fault([("[20, 29]", "20", "29"), ("*", None, None), (None, None, None)], AGE) is None
    assert "several" in str(companion_fault([("[20, 29]", "20", "29"), ("[20, 29]", "21", "29")], AGE))
    assert "other bounds" in str(companion_fault([("[20, 29]", "20", "28")], AGE))
    assert "other bounds" in str(companion_fault([("*", "20", None)], AGE))
    assert members_fault([("{a, b}", '["a","b"]'), ("*", None), (None, "[null]")], CITY) is None
    assert "another list" in str(members_fault([("{a, b}", '["a"]')], CITY))
    assert "several" in str(members_fault([("{a, b}", '["a","b"]'), ("{a, b}", '["a"]')], CITY))


def test_numbers_of_many_digits_have_the_nearest_doubles() -> None:
    """Two numbers that differ in the last of 29 digits are released, with one double for both."""
    cells = ["1000000000000000.94107481198289", "1000000000000000.94107481198286"] * 2
    table = pyarrow.table({"size": cells})
    made = shoal.anonymize(table, quasi_identifiers=["size"], k=2, companions=True)
    assert set(made.data["size_low"].to_pylist()) == {float(cells[0])}
