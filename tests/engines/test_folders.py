"""Folders of Parquet files: what is written is what is audited, and nothing else is replaced."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import duckdb
import pyarrow
import pyarrow.parquet
import pytest

import shoal
from shoal.engines.duckdb import folder
from shoal.engines.duckdb.folder import FolderStaging
from shoal.errors import EngineError, PolicyError

ASKED: dict[str, Any] = {"quasi_identifiers": ["age"], "k": 2}


def store(path: Path, **columns: Any) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    pyarrow.parquet.write_table(pyarrow.table(columns), path)


@pytest.mark.filterwarnings("ignore:the release keeps the order:shoal.ShoalWarning")
def test_persons_are_found_in_partitions_of_another_order(tmp_path: Path) -> None:
    """Rows were told apart by their order, and recoded partitions have another: 8 persons were measured."""
    for year in "1234":
        marks = [f"A{row // 3}" if year in "13" else f"{year}-{row}" for row in range(6)]
        store(tmp_path / "people" / f"year={year}" / "a.parquet", age=[1] * 6, person=marks)
    (tmp_path / "years.csv").write_text("1;odd;*\n3;odd;*\n2;even;*\n4;even;*\n")
    release = shoal.anonymize(
        tmp_path / "people",
        path=tmp_path / "released",
        quasi_identifiers=["year", "age"],
        identifiers=["person"],
        entity="person",
        k=2,
        algorithm="lattice",
        hierarchies={"year": tmp_path / "years.csv"},
        levels={"year": (1, 1)},
    )
    assert sorted(path.name for path in (tmp_path / "released").iterdir()) == ["year=even", "year=odd"]
    assert release.verdict.models[0].measured == 2


@pytest.mark.parametrize(
    "other",
    [
        {"age": [1.6, 1.6], "x": [1, 2]},
        {"age": ["01", "01"], "x": [1, 2]},
        {"age": [1, 1], "x": [1.5, 2.5]},
        {"age": [1, 1]},
        {"age": [1, 1], "x": [1, 2], "y": [1, 2]},
    ],
)
def test_files_with_other_columns_are_refused(tmp_path: Path, other: dict[str, Any]) -> None:
    """DuckDB makes the cells of all files those of the first one's types: 1.6 was released as 2."""
    store(tmp_path / "people" / "a.parquet", age=[1, 1], x=[1, 2])
    store(tmp_path / "people" / "b.parquet", **other)
    with pytest.raises(EngineError, match="do not have the same columns of the same types"):
        shoal.anonymize(tmp_path / "people", path=tmp_path / "released", **ASKED)


def test_columns_are_told_by_their_names(tmp_path: Path) -> None:
    store(tmp_path / "people" / "a.parquet", age=[1, 1], x=[7, 8])
    store(tmp_path / "people" / "b.parquet", x=[7, 8], age=[1, 1])
    shoal.anonymize(tmp_path / "people", path=tmp_path / "released", **ASKED)
    rows = duckdb.read_parquet(f"{tmp_path}/released/*.parquet").fetchall()
    assert sorted(x for _, x in rows) == [7, 7, 8, 8]


def test_a_folder_that_came_meanwhile_is_not_replaced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It was looked at before the search only."""
    store(tmp_path / "people" / "a.parquet", age=[1, 1])
    settle = FolderStaging.settle

    def settled(staging: FolderStaging) -> str:
        (tmp_path / "released").mkdir()
        (tmp_path / "released" / "mine").touch()
        return settle(staging)

    monkeypatch.setattr(FolderStaging, "settle", settled)
    with pytest.raises(PolicyError, match="is not a release of Shoal"):
        shoal.anonymize(tmp_path / "people", path=tmp_path / "released", **ASKED)
    assert [path.name for path in (tmp_path / "released").iterdir()] == ["mine"]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["people", "released"]


@pytest.mark.parametrize(
    ("failing", "exchanges"), [*((1, True), (2, True), (3, True)), *((each, False) for each in (1, 2, 3, 4))]
)
def test_an_old_release_survives_a_rename_that_fails(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, failing: int, exchanges: bool
) -> None:
    """Its manifest was gone, and without it the next run refused to replace the release."""
    store(tmp_path / "people" / "a.parquet", age=[1, 1])
    shoal.anonymize(tmp_path / "people", path=tmp_path / "released", **ASKED)
    before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    calls = []

    def failing_once(move: Any) -> Any:
        def moved(path: Path, target: Path) -> Any:
            if target.parent == tmp_path:
                calls.append(path)
            if target.parent == tmp_path and len(calls) == failing:
                raise PermissionError(13, "Permission denied")
            return move(path, target)

        return moved

    with monkeypatch.context() as patched:
        patched.setattr(Path, "replace", failing_once(Path.replace))
        patched.setattr(Path, "rename", failing_once(Path.rename))
        patched.setattr(folder, "exchange", failing_once(folder.exchange) if exchanges else lambda *_: False)
        with pytest.raises(EngineError, match="Permission denied"):
            shoal.anonymize(tmp_path / "people", path=tmp_path / "released", **ASKED)
    assert {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()} == before
    shoal.anonymize(tmp_path / "people", path=tmp_path / "released", **ASKED)


def test_a_population_does_not_partition_the_release(tmp_path: Path) -> None:
    """The folder that was opened last gave the release its partitions."""
    store(tmp_path / "people" / "a.parquet", age=[1, 1, 2, 2], town=["a", "b", "a", "b"])
    for town in "ab":
        store(tmp_path / "all" / f"town={town}" / "a.parquet", age=[1, 1, 2, 2])
    shoal.anonymize(
        tmp_path / "people",
        path=tmp_path / "released",
        population=tmp_path / "all",
        models=[{"name": "k-map", "k": 3}],
        **ASKED,
    )
    assert [path.name for path in (tmp_path / "released").iterdir()] == ["data_0.parquet"]


def test_a_release_of_folder_names_alone_is_refused(tmp_path: Path) -> None:
    """Parquet files without a column cannot be written."""
    store(tmp_path / "people" / "age=30" / "a.PARQUET", name=["Ann", "Bob"])
    with pytest.raises(PolicyError, match="keep another column"):
        shoal.anonymize(
            tmp_path / "people",
            quasi_identifiers=["age"],
            identifiers=["name"],
            k=2,
            path=tmp_path / "released",
        )
    assert [path.name for path in tmp_path.iterdir()] == ["people"]
