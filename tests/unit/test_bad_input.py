"""Bad input gets one clear message and no file."""

from __future__ import annotations

import csv
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas
import pytest

import shoal
from tests.paper_setting import as_in_the_paper

Write = Callable[..., Path]


def refused(error: type[shoal.ShoalError], source: Any, target: Path, **arguments: Any) -> str:
    """The message of a refusal that left no file behind."""
    before = sorted(target.parent.iterdir()) if target.parent.is_dir() else []
    asked = {"quasi_identifiers": ["age"], "k": 2, "algorithm": "exhaustive", "path": target, **arguments}
    with pytest.raises(error) as caught:
        shoal.anonymize(source, **as_in_the_paper(**asked))
    assert (sorted(target.parent.iterdir()) if target.parent.is_dir() else []) == before
    return str(caught.value)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (
            {"quasi_identifiers": ["aeg"]},
            "no column 'aeg'. Did you mean 'age'? There are: name, age, zip, pay.",
        ),
        ({"sensitive": ["illness"]}, "no column 'illness'"),
        ({"identifiers": ["NAME"]}, "Did you mean 'name'?"),
        ({"k": 7}, "k = 7 is larger than the table (6 rows)"),
        ({"cost": "classification"}, "needs a class attribute"),
        ({"cost": "discernability"}, "Did you mean 'discernibility'?"),
        ({"algorithm": "exhaustiv"}, "Did you mean 'exhaustive'?"),
        ({"orders": {"age": [46, 45, 31, 30]}}, "is not increasing"),
        ({"orders": {"age": [30, "30", 31, 45, 46]}}, "names a value twice"),
        (
            {"orders": {"age": [30, 31]}},
            "2 distinct value(s) of column 'age' are missing from `order`: 3 row(s), the first are rows 4, 5",
        ),
        ({"types": {"age": "date"}}, "to be read as type 'date'"),
        ({"quasi_identifiers": ["zip"], "bins": {"zip": 5}}, "to be read as type 'number'"),
        ({"bins": {"age": "5"}}, "bin must be a positive number"),
        ({"orders": {"age": [[30], [31]]}}, "not of lists"),
        ({"quasi_identifiers": [1]}, "named by text"),
        ({"cost": ["discernibility"]}, "named by text"),
        ({"seed": -1}, "seed must be"),
        ({"seed": 2**70}, "seed must be"),
        ({"threads": 1.5}, "threads must be"),
        ({"threads": 10**9}, "threads must be"),
        ({"seconds": "5"}, "seconds must be a number"),
        ({"nodes": 2**70}, "nodes must be"),
        ({"nodes": 1.5}, "nodes must be a whole number"),
    ],
)
def test_a_request_that_does_not_fit_the_table_is_refused(
    people: Path, tmp_path: Path, arguments: dict[str, Any], words: str
) -> None:
    """The message says what was asked, what was found, and quotes no cell."""
    assert words in refused(shoal.PolicyError, people, tmp_path / "release.csv", **arguments)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("", "is empty"),
        ("\n\n", "is empty"),
        ("age,zip\n", "no rows"),
    ],
)
def test_a_table_without_sense_is_refused(write: Write, tmp_path: Path, content: str, words: str) -> None:
    """Empty files, and tables without rows."""
    assert words in refused(shoal.PolicyError, write(content), tmp_path / "release.csv")


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"age,zip\n1,a\n2\n", "line 3 is broken: it has 1 fields where the header has 2"),
        (b"age,zip\n1,a\n2,secret,3\n", "line 3 is broken: it has 3 fields where the header has 2"),
        (b'age,zip\n1,a\n2,"secret\n', "line 3 is broken: a quote is not closed"),
        (b"age,zip\n1,\xc3\xa9\nsecret\xff,b\n", "line 3 of table.csv is not UTF-8 text, although other"),
        (b'"age,zip\n' + b"1,secret\n" * 20_000, "line 1 is broken: a quote is not closed"),
        (b'"age,zip\n1,secret\n', "line 1 is broken: a quote is not closed"),
        (b'age,"zip\n1,secret\n', "line 1 is broken: a quote is not closed"),
    ],
)
def test_a_broken_line_is_an_error_that_names_it(
    write: Write, tmp_path: Path, content: bytes, words: str
) -> None:
    """No row is skipped in silence, and the message does not quote the line."""
    message = refused(shoal.EngineError, write(content), tmp_path / "release.csv")
    assert words in message
    assert "secret" not in message


def test_rows_are_not_a_column_however_long_cells_may_be(write: Write, tmp_path: Path) -> None:
    """Programs raise the limit of Python's own reader, and it is one for all of the process."""
    before = csv.field_size_limit(2**31 - 1)
    try:
        content = b'"age,zip\n' + b"1,secret\n" * 20_000
        message = refused(shoal.EngineError, write(content), tmp_path / "release.csv")
    finally:
        csv.field_size_limit(before)
    assert "line 1 is broken: a quote is not closed" in message
    assert "secret" not in message


@pytest.mark.parametrize("name", ["table.parquet", "table.csv.gz"])
def test_a_file_that_is_not_what_its_name_says_is_refused(write: Write, tmp_path: Path, name: str) -> None:
    """A broken Parquet or gzip file is a fault of the world."""
    refused(shoal.EngineError, write(b"PAR0 no such thing", name), tmp_path / "release.csv")


def test_a_source_that_is_not_there_is_refused(tmp_path: Path) -> None:
    """With the exit code of files."""
    assert "does not exist" in refused(shoal.EngineError, tmp_path / "none.csv", tmp_path / "release.csv")


@pytest.mark.parametrize("name", ["release", "release.xlsx", "release.parquet.gz"])
def test_a_release_in_an_unknown_format_is_refused(people: Path, tmp_path: Path, name: str) -> None:
    """The message names the formats that exist."""
    assert ".parquet" in refused(shoal.PolicyError, people, tmp_path / name)


def test_a_release_never_overwrites_its_source(
    people: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not by its name, not by a relative path, not through a symbolic or a hard link."""
    content = people.read_bytes()
    soft, hard = tmp_path / "soft.csv", tmp_path / "hard.csv"
    soft.symlink_to(people)
    os.link(people, hard)
    monkeypatch.chdir(tmp_path)
    for target in (people, Path("source.csv"), tmp_path / "x" / ".." / "source.csv", soft, hard):
        assert "source itself" in refused(shoal.PolicyError, people, target)
    assert "source itself" in refused(shoal.PolicyError, soft, people)
    assert people.read_bytes() == content


def test_a_target_that_cannot_be_written_is_refused_before_the_search(
    people: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A missing folder, a folder in place of a file, a folder without permission."""
    monkeypatch.setattr("shoal.pipeline.solve.search", lambda *_: pytest.fail("the search has begun"))
    (tmp_path / "folder.csv").mkdir()
    assert "does not exist" in refused(shoal.EngineError, people, tmp_path / "none" / "release.csv")
    assert "is a folder" in refused(shoal.EngineError, people, tmp_path / "folder.csv")

    def denied(*_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "touch", denied)
    assert "Permission denied" in refused(shoal.EngineError, people, tmp_path / "release.csv")


def test_a_file_needs_a_place_for_its_release(people: Path) -> None:
    """Data frames are handed out; files are not."""
    with pytest.raises(shoal.PolicyError, match="say where"):
        shoal.anonymize(people, quasi_identifiers=["age"], k=2)


@pytest.mark.parametrize("source", [3, [1, 2], {"age": [1]}, None])
def test_a_source_of_another_kind_is_refused(source: object) -> None:
    """The message names the kinds that exist."""
    with pytest.raises(shoal.PolicyError):
        shoal.anonymize(source, quasi_identifiers=["age"], k=2)


def test_a_frame_with_two_columns_of_one_name_is_refused() -> None:
    """pandas allows them, and nobody knows which one is meant."""
    frame = pandas.DataFrame([[1, 2]], columns=["age", "age"])
    with pytest.raises(shoal.PolicyError, match="2 columns named 'age'"):
        shoal.anonymize(frame, quasi_identifiers=["age"], k=1)


def test_an_empty_frame_is_an_error_and_no_empty_release() -> None:
    """As with files."""
    with pytest.raises(shoal.PolicyError, match="no rows"):
        shoal.anonymize(pandas.DataFrame({"age": []}), quasi_identifiers=["age"], k=1, algorithm="exhaustive")


def test_infinite_numbers_are_refused() -> None:
    """An interval that ends at infinity tells nothing, and its loss is not a number."""
    frame = pandas.DataFrame({"age": [1.0, float("inf")]})
    with pytest.raises(shoal.PolicyError, match="type"):
        shoal.anonymize(
            frame, quasi_identifiers=["age"], k=1, types={"age": "number"}, algorithm="exhaustive"
        )


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("S;*\nM;*\nS;*\n", "line 3: the value 'S' is already in line 1"),
        ("S;*\nM\n", "line 2"),
        ("", "is empty"),
        ("S;*\n", "1 row(s), the first is row 2"),
    ],
)
def test_a_hierarchy_that_does_not_fit_is_refused(
    write: Write, tmp_path: Path, content: str, words: str
) -> None:
    """Repeated leaves, uneven lines, values that are missing from it."""
    source = write("size\nS\nM\n")
    hierarchy = write(content, "size.csv")
    assert words in refused(
        shoal.PolicyError,
        source,
        tmp_path / "r.csv",
        quasi_identifiers=["size"],
        hierarchies={"size": hierarchy},
    )


def test_a_release_never_overwrites_a_hierarchy(write: Write, tmp_path: Path) -> None:
    """It is made from it."""
    source, hierarchy = write("size\nS\nS\n"), write("S;*\n", "size.csv")
    asked = {"quasi_identifiers": ["size"], "hierarchies": {"size": hierarchy}}
    assert "the hierarchy of 'size' itself" in refused(shoal.PolicyError, source, hierarchy, **asked)
    assert hierarchy.read_text() == "S;*\n"
