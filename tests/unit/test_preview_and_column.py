"""Looking at a table: some of its rows, and one column with its hierarchy."""

from __future__ import annotations

from pathlib import Path

import duckdb
import pandas as pd
import pytest

import shoal

ROWS = "age,city,note\n30,Bonn,a\n31,,b\n30,Köln,c\n40,Bonn,\n"


@pytest.fixture
def people(tmp_path: Path) -> Path:
    """Four rows, two cells of which are missing."""
    path = tmp_path / "people.csv"
    path.write_text(ROWS, encoding="utf-8")
    return path


def test_preview_shows_rows_in_their_order(people: Path) -> None:
    """From the place that is asked for, missing cells as `None`."""
    seen = shoal.preview(people, start=1, rows=2)
    assert seen.columns == ("age", "city", "note")
    assert seen.rows == (("31", None, "b"), ("30", "Köln", "c"))
    assert shoal.preview(people, start=9).rows == ()


def test_preview_of_a_frame_is_that_of_its_file(people: Path) -> None:
    """The same cells, whatever holds them."""
    frame = pd.read_csv(people)
    assert shoal.preview(frame, start=1, rows=3).rows == shoal.preview(people, start=1, rows=3).rows


def test_preview_of_a_table_in_a_database(people: Path, tmp_path: Path) -> None:
    """Where rows have no order, some of them."""
    with duckdb.connect(str(tmp_path / "people.db")) as database:
        database.execute(f"CREATE TABLE people AS FROM read_csv('{people}')")
    seen = shoal.preview(f"duckdb:///{tmp_path}/people.db", table="people", columns=["city"], rows=4)
    assert sorted(str(cell) for (cell,) in seen.rows) == ["Bonn", "Bonn", "Köln", "None"]


def test_preview_names_an_unknown_column(people: Path) -> None:
    """With the names that there are."""
    with pytest.raises(shoal.PolicyError, match=r"no column 'agee'.*'age'"):
        shoal.preview(people, columns=["agee"])


def test_a_column_tells_the_rows_of_each_label(people: Path) -> None:
    """Missing cells are counted apart: they are under no label but the top."""
    column = shoal.column(people, "age", hierarchy=shoal.Recipe(widths=(10,)))
    assert (column.kind, column.values, column.counts, column.missing) == (
        "number",
        ("30", "31", "40"),
        (2, 1, 1),
        0,
    )
    assert column.level(1) == (("[30, 39]", 2, 3), ("[40, 49]", 1, 1))
    assert column.level(column.hierarchy.height) == (("*", 3, 4),)
    assert shoal.column(people, "city").missing == 1


def test_a_column_with_a_given_hierarchy(people: Path, tmp_path: Path) -> None:
    """Only labels that rows have are told, though the hierarchy knows more."""
    path = tmp_path / "city.csv"
    path.write_text("Bonn;Rhine;*\nKöln;Rhine;*\nUlm;Danube;*\n", encoding="utf-8")
    column = shoal.column(people, "city", hierarchy=path)
    assert column.level(1) == (("Rhine", 2, 3),)
    with pytest.raises(shoal.PolicyError):
        shoal.column(people, "note", hierarchy=path)


@pytest.mark.parametrize(
    "recipe", [{}, {"widths": (10,)}, {"fan_out": 2}, {"keep": True}, {"top": 40}, {"suppressed": False}]
)
def test_a_column_under_another_hierarchy_is_as_if_read_with_it(
    people: Path, recipe: dict[str, object]
) -> None:
    """What was read once need not be read again to try a recipe."""
    wanted = shoal.Recipe(**recipe)  # type: ignore[arg-type]
    read = shoal.column(people, "age", hierarchy=shoal.Recipe(keep=True))
    assert read.under(wanted) == shoal.column(people, "age", hierarchy=wanted)


def test_a_column_tells_what_a_hierarchy_lacks(people: Path) -> None:
    """How many values and rows; never which."""
    city = shoal.column(people, "city")
    assert city.under(shoal.Hierarchy((("Bonn", "*"), ("Köln", "*"), ("Ulm", "*")))).level(1) == (
        ("*", 2, 3),
    )
    with pytest.raises(shoal.PolicyError, match=r"1 value\(s\) in 1 row\(s\)"):
        city.under(shoal.Hierarchy((("Bonn", "*"),)))
