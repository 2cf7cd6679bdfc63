"""What only suppressed rows had is nowhere in a release: not in its types, buffers, lists or files."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas
import polars
import pyarrow
import pytest

import shoal

SECRET, NUMBER = "secret-diagnosis", 987_654_321
AGES = [1, 1, 2, 2, 3]
DIAGNOSES = ["a", "b", "a", "b", SECRET]
DAYS = [10, 20, 30, 40, NUMBER]
LISTED = polars.Enum(["a", "b", "never", SECRET])
CODED = pyarrow.dictionary(pyarrow.int32(), pyarrow.string())


def released(source: Any, mode: str, **asked: Any) -> Any:
    """The release of a source whose last row is suppressed."""
    release = shoal.anonymize(
        source, quasi_identifiers=["age"], k=2, suppression=1, suppressed=mode, algorithm="lattice", **asked
    )
    assert release.manifest.suppressed == 1
    return release.data


def tells(content: bytes) -> bool:
    """Whether bytes name what only the suppressed row had."""
    return SECRET.encode() in content or NUMBER.to_bytes(8, "little") in content


@pytest.mark.parametrize("mode", ["drop", "mask"])
def test_polars_lists_only_released_categories(mode: str) -> None:
    """Also in lists and structures, in memory and in files; the order of the others stays."""
    frame = polars.DataFrame({"age": AGES, "days": DAYS, "text": DIAGNOSES}).with_columns(
        listed=polars.col("text").cast(LISTED), plain=polars.col("text").cast(polars.Categorical)
    )
    nested = frame.with_columns(
        several=polars.concat_list("listed"),
        pair=polars.concat_list("listed", "listed").list.to_array(2),
        record=polars.struct("listed", "days"),
    )
    data = released(nested, mode)
    short = polars.Enum(["a", "b"])
    assert data.schema["listed"] == short
    assert data.schema["several"] == polars.List(short)
    assert data.schema["pair"] == polars.Array(short, 2)
    assert data.schema["record"].fields[0].dtype == short
    assert data["listed"].to_list()[:4] == data["text"].to_list()[:4] == DIAGNOSES[:4]
    assert data["record"].to_list()[0] == {"listed": "a", "days": 10}
    assert not tells(data.write_ipc(None, compression="uncompressed").getvalue())


@pytest.mark.parametrize("mode", ["drop", "mask"])
def test_arrow_buffers_and_dictionaries_hold_only_released_cells(mode: str) -> None:
    """A cell that is only marked as missing would still lie in the buffers, and in files made of them."""
    table = pyarrow.table(
        {
            "age": AGES,
            "days": DAYS,
            "text": DIAGNOSES,
            "coded": pyarrow.array(DIAGNOSES).dictionary_encode(),
            "several": pyarrow.array([[each] for each in DIAGNOSES], pyarrow.list_(CODED)),
            "record": pyarrow.array([{"x": each} for each in DIAGNOSES], pyarrow.struct([("x", CODED)])),
        }
    )
    data = released(table, mode)
    assert data.schema.types[1:] == table.schema.types[1:]
    assert data["record"].to_pylist()[:4] == [{"x": each} for each in DIAGNOSES[:4]]
    sink = pyarrow.BufferOutputStream()
    with pyarrow.ipc.new_stream(sink, data.schema) as writer:
        writer.write_table(data)
    assert not tells(sink.getvalue().to_pybytes())


@pytest.mark.parametrize("mode", ["drop", "mask"])
def test_pandas_arrays_categories_and_index_hold_only_released_cells(mode: str) -> None:
    """A pickled frame has its arrays whole, those under a mark for missing included."""
    frame = pandas.DataFrame({"age": AGES, "text": DIAGNOSES})
    frame["category"] = frame["text"].astype("category")
    frame["object"] = pandas.Series(DIAGNOSES, dtype=object)
    frame["arrow"] = frame["text"].astype(pandas.ArrowDtype(CODED))
    frame["whole"] = np.array(DAYS)
    frame["nullable"] = pandas.array(DAYS, "Int64")
    frame["moment"] = pandas.to_datetime(np.array(DAYS), unit="s")
    data = released(frame, mode)
    assert not tells(pickle.dumps(data))
    assert data["category"].cat.categories.tolist() == ["a", "b"]
    assert data["nullable"].tolist()[:4] == data["whole"].tolist()[:4] == DAYS[:4]
    assert str(data["object"].dtype) == "object"
    assert str(data["moment"].dtype) == str(frame["moment"].dtype)


@pytest.mark.parametrize(
    "index",
    [
        pandas.CategoricalIndex(DIAGNOSES),
        pandas.MultiIndex.from_arrays([DIAGNOSES, DAYS]),
        pandas.MultiIndex.from_arrays([pandas.Categorical(DIAGNOSES), range(5)]),
    ],
    ids=["categories", "levels", "categories in levels"],
)
def test_the_index_of_dropped_rows_is_gone(index: pandas.Index) -> None:
    """An index lists its values, too, and keeps those of rows that are taken away."""
    data = released(pandas.DataFrame({"age": AGES}, index=index), "drop")
    assert len(data) == 4
    assert not tells(pickle.dumps(data))


def test_a_frame_without_suppressed_rows_keeps_its_types() -> None:
    """Its lists name no row that is not there."""
    frame = polars.DataFrame({"age": [1, 1]}).with_columns(listed=polars.Series(["a", "b"], dtype=LISTED))
    data = shoal.anonymize(frame, quasi_identifiers=["age"], k=2, suppression=0, algorithm="lattice").data
    assert data.schema["listed"] == LISTED


def test_duckdb_releases_enumerated_values_as_text(tmp_path: Path) -> None:
    """A table's type would list what only suppressed rows had."""
    listed = f"ENUM('it''s', 'a', 'b', '{SECRET}')"
    with duckdb.connect(tmp_path / "people.db") as connection:
        rows = ", ".join(f"({age}, '{text}')" for age, text in zip(AGES, DIAGNOSES, strict=True))
        connection.execute(
            f"CREATE TABLE people AS SELECT age, text::{listed} AS listed, [text]::{listed}[] AS several, "
            f"{{'x': text::{listed}}} AS record FROM (VALUES {rows}) AS rows (age, text)"
        )
        related = released(connection.table("people"), "drop")
    url = f"duckdb:///{tmp_path / 'people.db'}"
    released(url, "drop", table="people", path="out")
    released(url, "mask", table="people", path=tmp_path / "out.parquet")
    assert not tells((tmp_path / "out.parquet").read_bytes())
    assert list(map(str, related.types))[1:] == ["VARCHAR", "VARCHAR[]", "STRUCT(x VARCHAR)"]
    with duckdb.connect(tmp_path / "people.db") as connection:
        described = connection.execute("DESCRIBE out").fetchall()
        assert [row[1] for row in described][1:] == ["VARCHAR", "VARCHAR[]", "STRUCT(x VARCHAR)"]
        assert connection.execute("SELECT listed, record.x FROM out").fetchall()[0] == ("a", "a")


@pytest.mark.parametrize(("missing", "zips"), [('""', ["", "b"]), ("nan", ["nan", "1"])])
@pytest.mark.parametrize("name", ["out.csv", "out.parquet"])
def test_what_means_missing_is_released_as_missing(
    missing: str, zips: list[str], name: str, tmp_path: Path
) -> None:
    """Also if it is the only way in which the column says so: an empty text is a value in Parquet."""
    (tmp_path / "in.csv").write_text(f'zip,note\n{missing},x\n{missing},""\n{zips[1]},z\n{zips[1]},w\n')
    release = shoal.anonymize(
        tmp_path / "in.csv", quasi_identifiers=["zip"], k=2, suppression=0, path=tmp_path / name
    )
    assert [each["label"] for each in release.manifest.recoding["zip"]] == [zips[1], None]
    if name == "out.csv":
        expected = f'zip,note\n,x\n,""\n{zips[1]},z\n{zips[1]},w\n'
        assert (tmp_path / name).read_text() == expected
    else:
        rows = duckdb.execute(f"SELECT zip, note FROM '{tmp_path / name}'").fetchall()
        assert rows == [(None, "x"), (None, ""), (zips[1], "z"), (zips[1], "w")]
