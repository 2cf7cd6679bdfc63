"""What `shoal.read` says of a row is true of it, and the same however the release is stored."""

from __future__ import annotations

import datetime
import re
import tempfile
from pathlib import Path
from typing import Any

import pandas
import pytest
from hypothesis import given, reject, settings
from hypothesis import strategies as st

import shoal
from tests.agreement.thoroughness import examples

DAYS = [datetime.date(2024, 1, 30) + datetime.timedelta(days=17 * step) for step in range(8)]
SCALE = ["low", "mid", "high", "top"]
TREE = {"any": {"ab": ["a", "b"], "cd": ["c", "d, {e}"]}}
AGES = {"all": {"young": [18, 19, 20], "old": [70, 71, 85]}}

WAYS: dict[str, dict[str, Any]] = {
    "cuts": {"algorithm": "exact"},
    "bins": {"algorithm": "exact", "bins": {"age": 5, "dose": 0.5}},
    "levels": {
        "algorithm": "lattice",
        "hierarchies": {
            "age": shoal.Recipe(widths=(5, 20), bottom=20, top=70),
            "day": shoal.Recipe(steps=("month", "quarter", "year")),
            "word": TREE,
        },
    },
    "words": {"algorithm": "lattice", "hierarchies": {"age": AGES, "word": TREE}},
    "subtree": {"algorithm": "subtree", "hierarchies": {"age": AGES, "word": TREE}},
    "local": {"algorithm": "local"},
    "mondrian": {"algorithm": "mondrian"},
    "cells": {"algorithm": "cells", "cost": "suppressed-cells"},
    "wildcards": {"algorithm": "levels-and-cells", "options": {"reading": "wildcard"}},
}


@st.composite
def people(draw: st.DrawFn) -> pandas.DataFrame:
    """A few rows of each kind of column, some cells missing."""
    rows = draw(st.integers(6, 14))

    def column(values: list[Any], *, missing: bool) -> list[Any]:
        cells = st.sampled_from([*values, None] if missing else values)
        return draw(st.lists(cells, min_size=rows, max_size=rows))

    missing = draw(st.booleans())
    return pandas.DataFrame(
        {
            "age": pandas.array(column([18, 19, 20, 70, 71, 85], missing=missing), dtype="Int64"),
            "dose": pandas.array(column([0.1, 0.25, 1.5, 2.0, 3.75], missing=missing), dtype="Float64"),
            "day": pandas.array(column(DAYS, missing=missing), dtype=object),
            "grade": column(SCALE, missing=missing),
            "word": column(["a", "b", "c", "d, {e}"], missing=missing),
            "kept": list(range(rows)),
        }
    )


def released(frame: pandas.DataFrame, way: str, path: Path | None = None) -> shoal.Release:
    stated = dict(WAYS[way])
    columns = ["age", "dose", "day", "grade", "word"]
    if way in ("cells", "wildcards"):
        columns = ["age", "grade", "word"]
    return shoal.anonymize(
        frame,
        quasi_identifiers=columns,
        k=2,
        suppression="unlimited",
        orders={"grade": SCALE},
        types={name: kind for name, kind in (("age", "number"), ("day", "date")) if name in columns},
        nodes=200,
        path=path,
        companions=True,
        **stated,
    )


def bounds(label: str, kind: Any) -> tuple[Any, Any] | None:
    """What a label of numbers or days says, by the plainest reading of it."""
    label = label.removesuffix(" or missing")
    if match := re.fullmatch(r"\[(.+), (.+)[\])]", label):
        return kind(match[1]), kind(match[2])
    if match := re.fullmatch(r"(< |>= )(.+)", label):
        return (None, kind(match[2]) - 1) if match[1] == "< " else (kind(match[2]), None)
    if match := re.fullmatch(r"(\d{4})-(\d\d)", label):
        first = pandas.Period(label, "M")
        return first.start_time.date(), first.end_time.date()
    if match := re.fullmatch(r"(\d{4})-?(Q\d)", label):
        quarter = pandas.Period(f"{match[1]}{match[2]}", "Q")
        return quarter.start_time.date(), quarter.end_time.date()
    if kind is datetime.date.fromisoformat and re.fullmatch(r"\d{4}", label):
        return datetime.date(int(label), 1, 1), datetime.date(int(label), 12, 31)
    try:
        return kind(label), kind(label)
    except ValueError:
        return None


KINDS = {"age": int, "dose": float, "day": datetime.date.fromisoformat}


@pytest.mark.parametrize("way", WAYS)
@settings(max_examples=examples(12), deadline=None)
@given(data=st.data())
def test_every_value_lies_within_what_is_read(way: str, data: st.DataObject) -> None:
    """Bounds are those of the label and contain the value; lists contain the category; `*` is missing."""
    frame = data.draw(people())
    try:
        release = released(frame, way)
    except shoal.InfeasibleError:
        reject()
    trees = {"hierarchies": WAYS[way]["hierarchies"]} if way in ("levels", "words") else {}
    trees = {
        "hierarchies": {
            name: each for name, each in trees.get("hierarchies", {}).items() if isinstance(each, dict)
        }
    }
    recoded = [name for name in frame if name in release.manifest.recoding]
    forms = {name: ["lower", "upper", "missing", "label"] for name in recoded if name in KINDS}
    forms |= {name: ["list", "missing", "label"] for name in recoded if name not in KINDS}
    read = shoal.read(release, columns=forms, **trees)
    originals = frame.loc[release.data.index].reset_index(drop=True)
    assert read["kept"].tolist() == originals["kept"].tolist()
    for name in recoded:
        for row in range(len(read)):
            value = originals[name].iloc[row]
            _check_cell(name, None if pandas.isna(value) else value, read.iloc[row])


def _check_cell(name: str, value: Any, row: Any) -> None:
    label = row[f"{name}_label"]
    label = None if pandas.isna(label) else label
    flag = row[f"{name}_missing"]
    if label == "*":
        assert pandas.isna(flag)
        assert name not in KINDS or pandas.isna(row[f"{name}_lower"])
        assert name in KINDS or row[f"{name}_list"] is None
        return
    assert pandas.isna(flag) or bool(flag) == (value is None)
    assert label is not None or flag
    if name not in KINDS:
        members = row[f"{name}_list"]
        assert value in members
        return
    low, high = ((None if pandas.isna(end) else end) for end in (row[f"{name}_lower"], row[f"{name}_upper"]))
    low, high = ((end.date() if isinstance(end, pandas.Timestamp) else end) for end in (low, high))
    if value is not None:
        assert low is None or low <= value
        assert high is None or value <= high
    if f"{name}_low" in row:  # words of a hierarchy have no companions
        written = [row[f"{name}_low"], row[f"{name}_high"]]
        written = [None if pandas.isna(end) else end for end in written]
        assert [end.date() if isinstance(end, pandas.Timestamp) else end for end in written] == [low, high]
    said = None if label is None else bounds(label, KINDS[name])
    if label is None:
        assert (low, high) == (None, None)
    elif said is None:  # a word: the bounds are those of its values
        ends = {"young": (18, 20), "old": (70, 85), "all": (18, 85)}[label.removesuffix(" or missing")]
        assert ends[0] <= low <= high <= ends[1]
    else:
        assert (low, high) == said


@settings(max_examples=examples(16), deadline=None)
@given(frame=people(), way=st.sampled_from(["cuts", "bins", "levels", "local", "mondrian", "subtree"]))
def test_a_release_reads_alike_however_it_is_stored(frame: pandas.DataFrame, way: str) -> None:
    """CSV, Parquet and data frame; pandas, polars and Arrow."""
    with tempfile.TemporaryDirectory() as folder:
        paths = [Path(folder) / "release.csv", Path(folder) / "release.parquet"]
        try:
            releases = [released(frame, way, path) for path in paths]
        except shoal.InfeasibleError:
            reject()
        forms = {name: ["lower", "upper", "midpoint", "missing"] for name in ("dose", "day")}
        forms |= {"grade": ["label", "list"], "age": ["typed"]}
        if way in ("levels",):
            forms["grade"] = ["label", "missing"]
        trees = {"hierarchies": {"age": AGES, "word": TREE}} if way == "subtree" else {}
        first = shoal.read(releases[0], columns=forms, **trees)
        for source in (*paths, releases[1]):
            pandas.testing.assert_frame_equal(first, shoal.read(source, columns=forms, **trees))
        plain = shoal.read(paths[0], as_="arrow", columns=forms, **trees).to_pylist()
        assert plain == shoal.read(paths[1], as_="polars", columns=forms, **trees).to_dicts()
        for form in ("lower", "upper"):
            values = first[f"day_{form}"].tolist()
            assert [None if pandas.isna(each) else each.date() for each in values] == [
                row[f"day_{form}"] for row in plain
            ]
            doses = [None if pandas.isna(each) else each for each in first[f"dose_{form}"].tolist()]
            assert doses == [row[f"dose_{form}"] for row in plain]
