"""The transformer: the fitted table is the release, and new rows are recoded in the same way."""

from __future__ import annotations

import datetime
import importlib
import pickle
import sys
from collections import Counter
from typing import Any

import numpy as np
import pandas
import polars
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.compose import ColumnTransformer
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.tree import DecisionTreeClassifier

import shoal
from shoal.sklearn import Anonymizer
from tests.agreement.thoroughness import examples

AGES = [20, 21, 22, 40, 41, 42, 60, 61, 62]
TOWNS = ["a", "a", "b"] * 3


def people(rows: int = 9) -> pandas.DataFrame:
    """Nine people of three towns' ages."""
    return pandas.DataFrame({"age": AGES[:rows], "town": TOWNS[:rows]})


def released(frame: pandas.DataFrame, **stated: Any) -> list[tuple[Any, ...]]:
    """The rows of an ordinary release with masked rows."""
    release = shoal.anonymize(
        frame, quasi_identifiers=list(frame.columns), consistent=True, suppressed="mask", **stated
    )
    return rows_of(release.data)


def rows_of(table: Any) -> list[tuple[Any, ...]]:
    """Rows as texts; a missing cell is `None`."""
    cells = table.astype(object).to_numpy() if hasattr(table, "to_numpy") else table
    return [tuple(map(text_of, row)) for row in cells]


def text_of(cell: Any) -> str | None:
    """A cell as text; a column of truth values that nothing joins keeps its type."""
    if cell is None or cell != cell:
        return None
    return str(cell).lower() if isinstance(cell, bool) else str(cell)


ROWS = st.tuples(st.integers(0, 9), st.sampled_from(["a", "b", "c", None]))


@settings(max_examples=examples(40), deadline=None)
@given(
    rows=st.lists(ROWS, min_size=4, max_size=14),
    k=st.integers(1, 4),
    suppression=st.integers(0, 3),
    algorithm=st.sampled_from(["exact", "lattice", "subtree"]),
    outside=st.sampled_from(["nearest", "suppress"]),
)
def test_the_fitted_table_transforms_into_the_release(
    rows: list[tuple[int, str | None]], k: int, suppression: int, algorithm: str, outside: Any
) -> None:
    """Cell by cell what `shoal.anonymize` releases, suppressed rows included."""
    frame = pandas.DataFrame(rows, columns=["n", "c"])
    frame["c"] = frame["c"].astype(object)
    stated: dict[str, Any] = {"k": k, "suppression": suppression, "algorithm": algorithm}
    made = Anonymizer(**stated, outside=outside).fit(frame)
    types: Any = {"n": "number", "c": "category"}
    assert rows_of(made.transform(frame)) == released(frame, **stated, types=types)
    assert made.verdict_.holds


@settings(max_examples=examples(40), deadline=None)
@given(
    rows=st.lists(ROWS, min_size=4, max_size=14),
    new=st.lists(
        st.tuples(st.integers(-3, 13), st.sampled_from(["a", "b", "z", None])), min_size=1, max_size=9
    ),
    k=st.integers(2, 4),
    suppression=st.integers(0, 3),
)
def test_fitted_and_new_rows_are_k_anonymous_together(
    rows: list[tuple[int, str | None]], new: list[tuple[int, str | None]], k: int, suppression: int
) -> None:
    """With `outside="suppress"`: counted row by row; rows of stars alone belong to no group."""
    fitted, others = (pandas.DataFrame(each, columns=["n", "c"], dtype=object) for each in (rows, new))
    made = Anonymizer(k=k, suppression=suppression, outside="suppress", algorithm="exact")
    made.fit(fitted.astype({"n": int}))
    together = [*rows_of(made.transform(fitted)), *rows_of(made.transform(others.astype({"n": int})))]
    sizes = Counter(row for row in together if row != ("*", "*"))
    assert all(size >= k for size in sizes.values())


@settings(max_examples=examples(40), deadline=None)
@given(
    ages=st.lists(st.integers(0, 40), min_size=4, max_size=16),
    new=st.lists(st.integers(-10, 50), min_size=1, max_size=8),
    k=st.integers(2, 4),
)
def test_a_new_number_gets_the_label_that_covers_it_or_the_nearest(
    ages: list[int], new: list[int], k: int
) -> None:
    """By the definition: the distance to the ends of each label; of two equally near ones the lower."""
    made = Anonymizer(k=k, algorithm="exact").fit(np.array(ages)[:, None])
    labels = {label for (label,) in made.transform(np.array(ages)[:, None]).tolist()}

    def ends(label: str) -> tuple[int, int]:
        low, _, high = label.strip("[]").partition(", ")
        return int(low), int(high or low)

    def distance(label: str, value: int) -> int:
        low, high = ends(label)
        return max(low - value, value - high, 0)

    shown = [label for (label,) in made.transform(np.array(new)[:, None]).tolist()]
    if labels == {"*"}:
        assert set(shown) == {"*"}
    else:
        ordered = sorted(labels, key=ends)
        assert shown == [min(ordered, key=lambda label: distance(label, value)) for value in new]


def test_numbers_are_the_middle_of_their_label_and_codes_its_place() -> None:
    """Categories have codes in both outputs; suppressed cells are not a number."""
    frame = people()
    made = Anonymizer(k=2, suppression=1, algorithm="exact", outside="suppress").fit(frame)
    labels = made.transform(frame)
    midpoints = clone(made).set_params(output="midpoint").fit_transform(frame)
    codes = clone(made).set_params(output="code").fit_transform(frame)
    for label, middle in zip(labels[:, 0], midpoints[:, 0], strict=True):
        low, _, high = label.strip("[]").partition(", ")
        assert np.isnan(middle) if label == "*" else middle == (float(low) + float(high or low)) / 2
    for column in (0, 1):
        known = sorted({*labels[:, column]} - {"*"}, key=lambda label: label.strip("[{"))
        expected = [np.nan if label == "*" else known.index(label) for label in labels[:, column]]
        np.testing.assert_array_equal(codes[:, column], expected)
    np.testing.assert_array_equal(midpoints[:, 1], codes[:, 1])


def test_what_is_outside_is_suppressed_or_falls_to_the_nearest() -> None:
    """A number has a nearest label, a category and a missing value have none."""
    frame = pandas.DataFrame({"age": AGES, "town": ["a"] * 3 + ["b"] * 6})
    made = Anonymizer(k=3, algorithm="exact").fit(frame)
    new = pandas.DataFrame({"age": [90, 21, None, 21], "town": ["b", "c", "a", "b"]})
    shown = [("[60, 62]", "b"), ("[20, 22]", "*"), ("*", "a"), ("[20, 22]", "b")]
    assert rows_of(made.transform(new)) == shown
    made.set_params(outside="suppress")
    assert rows_of(made.transform(new)) == [("*", "*")] * 4
    assert rows_of(made.transform(frame)) == rows_of(clone(made).fit_transform(frame))


def test_rows_like_suppressed_ones_stay_suppressed() -> None:
    """Otherwise the new row would show what the release hides."""
    frame = pandas.DataFrame({"age": [20, 20, 20, 90], "town": ["a", "a", "a", "b"]})
    made = Anonymizer(k=3, suppression=1, algorithm="exact").fit(frame)
    assert rows_of(made.transform(frame)) == [("20", "a")] * 3 + [("*", "*")]
    assert rows_of(made.transform(frame[3:])) == [("*", "*")]


def test_labels_show_no_value_that_only_suppressed_rows_had() -> None:
    """As in a release: the town m lies between a and z, and is in no label."""
    frame = pandas.DataFrame({"n": [1, 1, 1, 1, 9, 1, 1, 1, 1], "town": [*"aazzm", *["zz"] * 4]})
    orders = {"town": ["a", "m", "z", "zz"]}
    made = Anonymizer(k=4, suppression=1, algorithm="exact", orders=orders).fit(frame)
    shown = rows_of(made.transform(frame))
    assert shown == [("1", "{a, z}")] * 4 + [("*", "*")] + [("1", "zz")] * 4


def test_a_hierarchy_knows_values_that_no_row_had() -> None:
    """An unseen leaf gets the label above it, an unknown one has none."""
    tree = shoal.Hierarchy.from_dict({"*": {"north": ["a", "b", "x"], "south": ["c", "d", "y"]}})
    frame = pandas.DataFrame({"town": ["a", "b", "c", "d"]})
    made = Anonymizer(k=2, hierarchies={"town": tree}, algorithm="lattice", outside="suppress").fit(frame)
    new = pandas.DataFrame({"town": ["a", "x", "y", "elsewhere"]})
    assert made.transform(new)[:, 0].tolist() == ["north", "north", "south", "*"]


def test_columns_are_read_by_their_type() -> None:
    """Dates, truth values, ordered categories and numbers with missing ones, as a release prints them."""
    days = [datetime.datetime(2024, 1, day) for day in (1, 2, 3, 20, 21, 22)]
    frame = pandas.DataFrame(
        {
            "day": days,
            "smokes": [True, True, True, False, False, False],
            "pain": pandas.Categorical(
                ["low", "low", "mid", "mid", "high", "high"], ["low", "mid", "high"], ordered=True
            ),
            "visits": pandas.array([1, 2, 1, None, None, None], dtype="Int64"),
        }
    )
    made = Anonymizer(k=3, algorithm="exact").fit(frame)
    types: Any = {"day": "date", "smokes": "category", "pain": "category", "visits": "number"}
    orders = {"pain": ["low", "mid", "high"]}
    expected = released(frame, k=3, algorithm="exact", types=types, orders=orders)
    assert rows_of(made.transform(frame)) == expected
    assert [column.kind for column in made.columns_] == ["date", "category", "category", "number"]
    middle = clone(made).set_params(output="midpoint").fit_transform(frame)
    assert middle[0, 0] == (days[1] - datetime.datetime(1970, 1, 1)).days
    assert rows_of(made.transform(polars.from_pandas(frame))) == expected


def test_it_works_in_pipelines_grids_and_columns() -> None:
    """k is a hyperparameter; only some columns are recoded; names are kept."""
    random = np.random.default_rng(0)
    frame = pandas.DataFrame({"age": random.integers(20, 60, 90), "dose": random.normal(size=90)})
    ill = (frame["age"] > 40).astype(int)
    columns = ColumnTransformer(
        [("quasi", Anonymizer(k=5, output="midpoint", algorithm="lattice"), ["age"])],
        remainder="passthrough",
        verbose_feature_names_out=False,
    ).set_output(transform="pandas")
    assert list(columns.fit_transform(frame).columns) == ["age", "dose"]
    pipeline = make_pipeline(columns, DecisionTreeClassifier(random_state=0))
    grid = GridSearchCV(pipeline, {"columntransformer__quasi__k": [2, 60]}, cv=2, error_score="raise")
    with pytest.raises(shoal.PolicyError, match="n_samples = 45, fewer than k = 60"):
        grid.fit(frame, ill)
    grid.set_params(param_grid={"columntransformer__quasi__k": [2, 20]}).fit(frame, ill)
    assert grid.best_score_ > 0.8
    shown = Anonymizer(k=3).set_output(transform="polars").fit_transform(people())
    assert shown.columns == ["age", "town"]


def test_a_fitted_transformer_survives_pickling() -> None:
    """With its verdict, and without the rows that it was fitted on."""
    made = Anonymizer(k=3).fit(people())
    restored = pickle.loads(pickle.dumps(made))
    assert rows_of(restored.transform(people())) == rows_of(made.transform(people()))
    assert restored.verdict_.k == made.verdict_.k
    assert restored.manifest_.rows == 9


def test_the_class_decides_what_labels_keep_apart() -> None:
    """With the cost `classification`, y is the class, and is required."""
    frame = pandas.DataFrame({"x": [1, 2, 3, 4, 5, 6, 7, 8]})
    made = Anonymizer(k=2, cost="classification", algorithm="exact")
    labels = made.fit(frame, ["a"] * 6 + ["b"] * 2).transform(frame)[:, 0]
    assert set(labels[:6]).isdisjoint(labels[6:])
    with pytest.raises(ValueError, match="requires y"):
        made.fit(frame)
    with pytest.raises(ValueError, match="y has 1 values"):
        made.fit(frame, ["a"])


@pytest.mark.parametrize(
    ("stated", "words"),
    [
        ({"output": "number"}, "output is one of 'label', 'midpoint', 'code'"),
        ({"outside": "drop"}, "outside is one of 'nearest', 'suppress'"),
        ({"k": 0}, "k is a whole number of at least 1"),
        ({"k": 10}, "n_samples = 9, fewer than k = 10"),
        ({"types": {"town": "number"}}, "column 'town' has cells that are not numbers"),
        ({"algorithm": "mondrian"}, "consistent"),
    ],
)
def test_what_cannot_be_fitted_is_said(stated: dict[str, Any], words: str) -> None:
    """In a policy error, which is a value error."""
    with pytest.raises(ValueError, match=words) as caught:
        Anonymizer(**{"k": 2, **stated}).fit(people())
    assert isinstance(caught.value, shoal.ShoalError)


def test_columns_that_cannot_be_read_are_named() -> None:
    """Two of one name, and moments with a time zone."""
    twice = pandas.DataFrame([[1, 2]] * 4, columns=["a", "a"])
    with pytest.raises(shoal.PolicyError, match="two columns of X are called 'a'"):
        Anonymizer(k=2).fit(twice)
    zoned = pandas.DataFrame({"at": pandas.to_datetime(["2024-01-01"] * 4, utc=True)})
    with pytest.raises(shoal.PolicyError, match="column 'at' has moments with a time zone"):
        Anonymizer(k=2).fit(zoned)
    with pytest.raises(ValueError, match="infinity in column 'x'"):
        Anonymizer(k=2).fit(pandas.DataFrame({"x": [1.0, np.inf]}))


def test_without_scikit_learn_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """In one sentence, when `shoal.sklearn` is imported."""
    for name in [name for name in sys.modules if name.startswith("shoal.sklearn")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(ImportError, match=r'pip install "shoal\[utility\]"'):
        importlib.import_module("shoal.sklearn")


@settings(max_examples=examples(40), deadline=None)
@given(
    cells=st.lists(
        st.one_of(st.integers(-20, 20), st.decimals(-2, 2, places=1).map(float)), min_size=4, max_size=14
    ),
    k=st.integers(2, 4),
    suppression=st.integers(0, 2),
)
def test_midpoints_are_those_that_reading_the_release_gives(
    cells: list[float], k: int, suppression: int
) -> None:
    """`shoal.read` and the transformer agree on what a label is worth; stars are missing in both."""
    frame = pandas.DataFrame({"n": cells})
    stated: dict[str, Any] = {"k": k, "suppression": suppression, "algorithm": "exact"}
    made = Anonymizer(**stated, output="midpoint").fit_transform(frame)
    release = shoal.anonymize(
        frame, quasi_identifiers=["n"], consistent=True, suppressed="mask", types={"n": "number"}, **stated
    )
    read = shoal.read(release, columns={"n": "midpoint"})["n"].to_numpy(float, na_value=np.nan)
    np.testing.assert_allclose(made[:, 0], read, rtol=1e-12)
