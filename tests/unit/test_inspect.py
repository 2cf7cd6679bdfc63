"""`shoal.inspect`: columns, likely roles and uniqueness of a file or a data frame, and never a cell."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import polars as pl
import pytest

import shoal
from shoal.errors import PolicyError

ROWS = {
    "name": ["Ann", "Bob", "Cy", "Di"],
    "age": [30, 30, None, 45],
    "diagnosis": ["flu", "flu", "cold", "flu"],
    "note": ["x", None, "x", "x"],
}


@pytest.fixture(params=["csv", "pandas", "polars"])
def table(request: pytest.FixtureRequest, tmp_path: Path) -> object:
    """The same table in three forms."""
    frame = pl.DataFrame(ROWS)
    if request.param == "csv":
        frame.write_csv(tmp_path / "people.csv")
        return tmp_path / "people.csv"
    return frame if request.param == "polars" else pd.DataFrame(ROWS)


def test_columns_are_the_same_wherever_they_lie(table: object) -> None:
    """Kinds, missing cells, distinct values and roles, counted by hand."""
    found = shoal.inspect(table)
    assert found.rows == 4
    assert [(each.name, each.kind, each.missing, each.distinct) for each in found.columns] == [
        ("name", "category", 0, 4),
        ("age", "number", 1, 2),
        ("diagnosis", "category", 0, 2),
        ("note", "category", 1, 1),
    ]
    assert [each.likely_role.value for each in found.columns] == [
        "identifier",
        "quasi-identifier",
        "sensitive",
        "other",
    ]
    assert (found.quasi_identifiers, found.groups, found.unique_rows) == (("age",), 3, 2)
    assert not any(value in str(found.to_dict()) for value in ("Ann", "flu", "cold"))


def test_named_columns_are_looked_at_together(table: object) -> None:
    """In place of the likely ones; one that does not exist is named."""
    assert shoal.inspect(table, quasi_identifiers=["age", "diagnosis"]).unique_rows == 2
    with pytest.raises(PolicyError, match="no column 'agee'"):
        shoal.inspect(table, quasi_identifiers=["agee"])


def test_an_empty_table_is_refused() -> None:
    """There is nothing to look at."""
    with pytest.raises(PolicyError, match="no rows"):
        shoal.inspect(pl.DataFrame({"age": []}))


def test_a_wide_table_is_inspected_within_the_memory(tmp_path: Path) -> None:
    """Distinct values are counted for some columns at a time: of 200 at once they took over 1 GB."""
    names = [f"c{at}" for at in range(200)]
    rows = [",".join(str(row * at % 7) for at in range(200)) for row in range(1, 30)]
    (tmp_path / "wide.csv").write_text("\n".join([",".join(names), *rows]) + "\n")
    seen = shoal.inspect(tmp_path / "wide.csv")
    assert [column.name for column in seen.columns] == names
    assert [column.distinct for column in seen.columns[:3]] == [1, 7, 7]
    assert {column.kind for column in seen.columns} == {"number"}


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "is empty; write it again"),
        (b"no table at all", ": it is not a complete Parquet file"),
        (b"PAR1 cut", ": it is not a complete Parquet file"),
    ],
)
def test_a_file_that_is_no_parquet_is_told_so(tmp_path: Path, content: bytes, words: str) -> None:
    """In words, with a way out."""
    (tmp_path / "table.parquet").write_bytes(content)
    with pytest.raises(shoal.ShoalError, match=rf"table\.parquet ?{words}"):
        shoal.inspect(tmp_path / "table.parquet")


def test_a_number_of_a_person_is_an_identifier_also_if_it_comes_again() -> None:
    """A patient with several stays is named by 'patient'; the age of a patient is not."""
    stays = {"patient": [row % 150 for row in range(400)], "patient_age": [row % 90 for row in range(400)]}
    roles = [each.likely_role.value for each in shoal.inspect(pl.DataFrame(stays)).columns]
    assert roles == ["identifier", "quasi-identifier"]


def test_categories_say_where_their_order_would_come_from() -> None:
    """Recognised, sorted or from the data; nothing for numbers and for what looks sensitive."""
    rows = {
        "age": [30, 31, 30, 45, 46, 45],
        "quarter": ["Q4 2024", "Q1 2025", "Q2 2025"] * 2,
        "town": ["Ede", "Ulm", "Rye"] * 2,
        "sex": ["f", "m"] * 3,
        "diagnosis": ["flu", "gout", "cold"] * 2,
    }
    assert {each.name: each.order for each in shoal.inspect(pd.DataFrame(rows)).columns} == {
        "age": None,
        "quarter": "recognised as quarters",
        "town": "from the data",
        "sex": "as sorted",
        "diagnosis": None,
    }
