"""`shoal.read`: forms, what is missing, what cannot be said, and what is refused."""

from __future__ import annotations

import datetime
import json
from pathlib import Path
from typing import Any

import pandas
import polars
import pyarrow
import pytest

import shoal

LETTERS = "abcdefghijklmnop"


@pytest.fixture
def table() -> pandas.DataFrame:
    """Twelve people: ages, days, grades, cities; two cells are missing."""
    return pandas.DataFrame(
        {
            "age": pandas.array([21, 22, 23, 24, 40, 41, 42, 43, 60, 61, None, 63], dtype="Int64"),
            "day": [datetime.date(2024, month, 5) for month in (1, 1, 2, 2, 4, 4, 5, 5, 7, 7, 9, 9)],
            "grade": ["low", "low", "low", "mid", "mid", "mid", "high", "high", "high", "high", "low", "low"],
            "code": [f"0{number}" for number in range(12)],
            "cost": [1.5 * number for number in range(12)],
            "note": ["x", None] * 6,
        }
    )


def released(source: Any, columns: list[str], **stated: Any) -> shoal.Release:
    return shoal.anonymize(source, quasi_identifiers=columns, nodes=2000, **{"k": 3, **stated})


def test_numbers_become_intervals_bounds_and_middles(table: pandas.DataFrame) -> None:
    """So that mean() works."""
    release = released(table, ["age"], algorithm="exact", suppression=0)
    read = shoal.read(release, columns={"age": ["interval", "lower", "upper", "midpoint", "missing"]})
    assert isinstance(read["age_interval"].iloc[0], pandas.Interval)
    labels = release.data["age"].tolist()
    for row, label in enumerate(labels):
        low, high = (read[f"age_{form}"].iloc[row] for form in ("lower", "upper"))
        plain = label.removesuffix(" or missing")
        assert plain == (f"[{low}, {high}]" if low < high else str(low))
        assert read["age_midpoint"].iloc[row] == (low + high) / 2
        assert pandas.isna(read["age_missing"].iloc[row]) == label.endswith("or missing")
    assert 21 <= read["age_midpoint"].mean() <= 63


def test_stars_are_missing_unless_limits_are_known(table: pandas.DataFrame, tmp_path: Path) -> None:
    """A release does not reveal the bounds of what it suppressed; a reader may know them from elsewhere."""
    path = tmp_path / "release.csv"
    released(
        table.iloc[[0, 1, 2, 3, 8]], ["age"], algorithm="exact", suppression=2, suppressed="mask", path=path
    )
    read = shoal.read(path, columns={"age": ["lower", "upper", "interval"]})
    assert read["age_lower"].isna().tolist() == [False] * 4 + [True]
    assert read["age_interval"].isna().tolist() == [False] * 4 + [True]
    read = shoal.read(path, columns={"age": ["lower", "upper"]}, limits={"age": (0, 110)})
    assert (read["age_lower"].iloc[4], read["age_upper"].iloc[4]) == (0, 110)


def test_labels_with_one_end_have_one_bound(table: pandas.DataFrame) -> None:
    """`>= 60` has no upper bound, and an interval to infinity."""
    ages = shoal.Recipe(widths=(20,), top=60)
    release = released(
        table.dropna(subset=["age"]),
        ["age"],
        algorithm="lattice",
        hierarchies={"age": ages},
        levels={"age": (1, 1)},
    )
    read = shoal.read(release, columns={"age": ["label", "upper", "interval", "midpoint"]})
    open_ = read[read["age_label"] == ">= 60"]
    assert len(open_) == 3
    assert open_["age_upper"].isna().all()
    assert open_["age_midpoint"].isna().all()
    assert open_["age_interval"].iloc[0] == pandas.Interval(60, float("inf"), closed="both")
    read = shoal.read(release, columns={"age": "upper"}, limits={"age": (0, 99)})
    assert read["age"].max() == 99


def test_dates_have_the_bounds_of_their_months(table: pandas.DataFrame) -> None:
    """The last day of a quarter belongs to it."""
    release = released(
        table,
        ["day"],
        algorithm="lattice",
        hierarchies={"day": shoal.Recipe(steps=("quarter", "year"))},
        levels={"day": (1, 1)},
    )
    read = shoal.read(release, as_="polars", columns={"day": ["lower", "upper", "midpoint"]})
    assert read["day_lower"][0] == datetime.date(2024, 1, 1)
    assert read["day_upper"][0] == datetime.date(2024, 3, 31)
    assert read["day_midpoint"].dtype == polars.Datetime("us")
    plain = shoal.read(release)
    assert plain["day"].iloc[0] == pandas.Interval(
        pandas.Timestamp("2024-01-01"), pandas.Timestamp("2024-03-31"), closed="both"
    )


def test_moments_end_with_the_last_microsecond() -> None:
    """A quarter of moments ends just before the next begins."""
    moments = pandas.to_datetime([f"2024-{month:02}-03 10:30" for month in range(1, 13)])
    release = released(
        pandas.DataFrame({"at": moments}),
        ["at"],
        algorithm="lattice",
        hierarchies={"at": shoal.Recipe(steps=("quarter",))},
        levels={"at": (1, 1)},
    )
    read = shoal.read(release, columns={"at": "upper"})
    assert read["at"].iloc[0] == pandas.Timestamp("2024-03-31 23:59:59.999999")


def test_scales_become_ordered_categories(table: pandas.DataFrame) -> None:
    """In the order of the policy, which comparisons then use."""
    release = released(
        table, ["grade"], algorithm="exact", suppression=0, orders={"grade": ["low", "mid", "high"]}
    )
    read = shoal.read(release)
    assert read["grade"].dtype.ordered
    assert read["grade"].cat.categories.tolist() == ["low", "mid", "high"]
    assert (read["grade"] < "high").sum() == 8
    arrow = shoal.read(release, as_="arrow")
    assert pyarrow.types.is_dictionary(arrow["grade"].type)
    assert arrow["grade"].type.ordered


def test_words_without_a_scale_are_categories_without_an_order(table: pandas.DataFrame) -> None:
    """Their order is only that of the search."""
    cities = table.assign(city=["Bonn", "Lyon", "Oslo"] * 4)
    release = released(cities, ["city"], algorithm="exact", suppression=0)
    assert not shoal.read(release)["city"].dtype.ordered
    with pytest.raises(shoal.PolicyError, match="have no order"):
        shoal.read(release, columns={"city": "ordered"})


def test_short_labels_on_levels_are_listed_and_read() -> None:
    """The manifest says what `{a, b, ... 8 #1}` is, also where the recoding is only a level."""
    frame = pandas.DataFrame({"q": list(LETTERS) * 2})
    release = released(frame, ["q"], algorithm="lattice", levels={"q": (3, 3)}, k=2)
    assert any("#" in label for label in release.data["q"])
    read = shoal.read(release, columns={"q": "list"})
    assert all(value in members for value, members in zip(frame["q"], read["q"], strict=True))
    assert shoal.audit(release.data, quasi_identifiers=["q"], original=frame).meets


def test_the_manifest_lists_no_value_that_only_suppressed_rows_have() -> None:
    """Neither among the sets of a level, nor in the order of a scale."""
    frame = pandas.DataFrame({"q": [*LETTERS, *LETTERS, "zz"], "side": ["l"] * 32 + ["r"]})
    release = released(
        frame,
        ["q", "side"],
        algorithm="lattice",
        levels={"q": (3, 3), "side": (0, 0)},
        orders={"q": [*LETTERS, "zz"], "side": ["l", "r"]},
        k=2,
        suppression=1,
    )
    assert release.manifest.suppressed == 1
    assert "sets" in release.manifest.columns["q"]
    assert release.manifest.columns["side"]["order"] == ["l"]
    assert "zz" not in json.dumps(dict(release.manifest.columns))


def test_prefixes_are_words_whose_values_are_not_listed() -> None:
    """`02*` does not say which codes there are, and neither does the manifest."""
    codes = [f"{first}{second}" for first in "01" for second in "abcdef"]
    release = released(
        pandas.DataFrame({"zip": codes}),
        ["zip"],
        algorithm="lattice",
        hierarchies={"zip": shoal.Recipe(prefixes=(1,))},
        levels={"zip": (1, 1)},
    )
    assert set(release.data["zip"]) == {"0*", "1*"}
    assert not any(code in json.dumps(dict(release.manifest.columns)) for code in codes)
    with pytest.raises(shoal.PolicyError, match="is a word of a hierarchy"):
        shoal.read(release, columns={"zip": "list"})
    assert shoal.read(release)["zip"].tolist() == release.data["zip"].tolist()


def test_a_number_that_is_a_word_is_not_taken_for_a_value() -> None:
    """`20` for the twenties has the bounds of its leaves, or none."""
    tree = {"*": {"20": [21, 22, 23], "30": [31, 32, 33]}}
    release = released(
        pandas.DataFrame({"age": [21, 22, 23, 31, 32, 33]}),
        ["age"],
        algorithm="lattice",
        hierarchies={"age": tree},
        levels={"age": (1, 1)},
    )
    assert set(release.data["age"]) == {"20", "30"}
    with pytest.raises(shoal.PolicyError, match="pass the hierarchy"):
        shoal.read(release, columns={"age": "lower"})
    read = shoal.read(release, columns={"age": ["lower", "upper"]}, hierarchies={"age": tree})
    assert read.iloc[0].tolist() == [21, 23]


def test_means_are_numbers_without_bounds(table: pandas.DataFrame) -> None:
    """A mean does not enclose the value of its row."""
    release = released(table.dropna(subset=["age"]), ["age"], algorithm="microaggregate")
    assert shoal.read(release)["age"].dtype == "float64"
    with pytest.raises(shoal.PolicyError, match="are the mean of a group"):
        shoal.read(release, columns={"age": "lower"})


def test_other_columns_keep_their_types(table: pandas.DataFrame, tmp_path: Path) -> None:
    """Digits of a CSV file are numbers unless a zero would be lost; text of a frame stays text."""
    path = tmp_path / "release.csv"
    release = released(table, ["age"], algorithm="exact", suppression=0, path=path)
    read = shoal.read(path)
    assert read["cost"].tolist() == table["cost"].tolist()
    assert read["code"].tolist() == table["code"].tolist()
    assert read["note"].isna().tolist() == [False, True] * 6
    assert read["day"].iloc[0] == pandas.Timestamp("2024-01-05")
    digits = released(table.assign(code=[str(each) for each in range(12)]), ["age"], algorithm="exact")
    assert shoal.read(digits)["code"].tolist() == [str(each) for each in range(12)]
    assert shoal.read(release.data, manifest=release.manifest)["cost"].sum() == 99


def test_a_changed_file_is_not_read_by_its_old_manifest(table: pandas.DataFrame, tmp_path: Path) -> None:
    """Its labels may have another meaning; whoever knows better passes the manifest."""
    path = tmp_path / "release.csv"
    released(table, ["age"], algorithm="exact", suppression=0, path=path)
    path.write_text(path.read_text() + "\n")
    with pytest.raises(shoal.PolicyError, match="is not the file that its manifest describes"):
        shoal.read(path)
    assert len(shoal.read(path, manifest=f"{path}.manifest.json")) == 12


def test_what_cannot_be_read_is_refused_in_a_sentence(table: pandas.DataFrame, tmp_path: Path) -> None:
    """Each with the way out."""
    path = tmp_path / "release.csv"
    release = released(table, ["age", "grade"], algorithm="exact", suppression=0, path=path)
    refusals: list[tuple[dict[str, Any], str]] = [
        ({"columns": {"grade": "lower"}}, "has categories, which have no lower"),
        ({"columns": {"age": "list"}}, "has intervals of numbers"),
        ({"columns": {"cost": "lower"}}, "is not a quasi-identifier"),
        ({"columns": {"agee": "lower"}}, "Did you mean 'age'"),
        ({"columns": {"age": "low"}}, "there is no form 'low'"),
        ({"columns": {"age": []}}, "has no form"),
        ({"default": "lowest"}, "there is no form 'lowest'"),
        ({"as_": "excel"}, "as_ is one of"),
        ({"limits": {"age": (9, 1)}}, "the lower one first"),
        ({"limits": {"age": (0,)}}, "are two numbers"),
        ({"limits": {"grade": (0, 1)}}, "has none"),
        ({"columns": 7}, "columns takes"),
    ]
    for stated, message in refusals:
        with pytest.raises(shoal.PolicyError, match=message):
            shoal.read(release, **stated)
    with pytest.raises(shoal.PolicyError, match="has no manifest next to it"):
        shoal.read(table)
    with pytest.raises(shoal.EngineError, match="does not exist"):
        shoal.read(tmp_path / "other.csv")
    (tmp_path / "release.csv.manifest.json").write_text("{")
    with pytest.raises(shoal.PolicyError, match="cannot be read"):
        shoal.read(path)


def test_a_release_without_rows_is_read(table: pandas.DataFrame) -> None:
    """Every form has no row then."""
    release = released(table, ["age", "grade"], algorithm="exact", suppression=0)
    for library in ("pandas", "polars", "arrow"):
        forms: Any = {"age": ["typed", "lower", "interval"], "grade": ["typed", "list"]}
        read = shoal.read(release.data.iloc[:0], manifest=release.manifest, as_=library, columns=forms)  # type: ignore[arg-type]
        assert len(read) == 0


def test_the_default_form_is_taken_where_a_column_has_it(table: pandas.DataFrame) -> None:
    """Categories have no middle, and stay categories."""
    release = released(table, ["age", "grade"], algorithm="exact", suppression=0)
    read = shoal.read(release, default="midpoint")
    assert read["age"].dtype == "float64"
    assert isinstance(read["grade"].dtype, pandas.CategoricalDtype)
