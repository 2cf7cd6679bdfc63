"""What a release is still good for: distributions, associations, queries, models."""

from __future__ import annotations

import atexit
import json
import math
import sys
from functools import cache
from itertools import product
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import shoal
from shoal.auditor.utility.association import cramers_v
from shoal.engines.duckdb.engine import DuckDB
from shoal.errors import PolicyError
from tests.agreement.thoroughness import examples

Rows = list[tuple[str | None, ...]]

NAMES = ("age", "job", "pay", "class")


def people(rows: int = 200) -> Rows:
    """Older people earn more, nurses are in class b, one age in twenty is missing."""
    random = np.random.default_rng(7)
    found: Rows = []
    for _ in range(rows):
        age = int(random.integers(20, 60))
        job = ["cook", "nurse", "clerk"][int(random.integers(3))]
        pay = 100 * age + int(random.integers(300))
        told = None if random.random() < 0.05 else str(age)
        found.append((told, job, str(pay), "b" if job == "nurse" or age > 50 else "a"))
    return found


def frame(rows: Rows, names: tuple[str, ...] = NAMES) -> pl.DataFrame:
    return pl.DataFrame(rows, schema=dict.fromkeys(names, pl.String), orient="row")


@cache
def _engine() -> DuckDB:
    """One for all tests: most of their time would go into opening it."""
    engine = DuckDB()
    atexit.register(engine.close)
    return engine


def measured(released: Rows, original: Rows, names: tuple[str, ...] = NAMES, **more: Any) -> shoal.Utility:
    asked = {"quasi_identifiers": ["age", "job"], "queries": 50, **more}
    return shoal.utility(
        frame(released, names),
        original=frame(original, names),
        engine=_engine(),
        original_engine=_engine(),
        **asked,
    )


def test_an_identical_table_loses_nothing() -> None:
    """No distance, no changed association, no error, and the same scores."""
    rows = people()
    found = measured(rows, rows, class_attribute="class", target="pay")
    assert [each.distance for each in found.columns] == pytest.approx([0] * len(found.columns))
    assert [each.value_distance for each in found.columns] == pytest.approx([0] * len(found.columns))
    assert all(each.earth_mover in (None, pytest.approx(0)) for each in found.columns)
    assert found.mean_change == pytest.approx(0, abs=1e-9)
    assert all(each.labels_before == each.labels_after for each in found.pairs)
    assert (found.queries.tried, found.queries.worst) == (50, pytest.approx(0, abs=1e-9))
    assert found.classifier is not None
    assert found.regressor is not None
    assert found.classifier.original == found.classifier.released > found.classifier.baseline
    assert found.classifier.also == "ROC AUC"
    assert found.classifier.original_also == found.classifier.released_also
    assert found.regressor.original == found.regressor.released > 0.5
    assert found.regressor.original_also == found.regressor.released_also


@pytest.mark.parametrize("kept", [True, False])
def test_total_suppression_leaves_the_baseline(kept: bool) -> None:
    """Whether the class is kept beside rows of `*`, or no row is released at all."""
    rows = people()
    released = [("*", "*", *row[2:]) if kept else ("*", "*", None, None) for row in rows]
    found = measured(released, rows, class_attribute="class", target="pay")
    assert found.classifier is not None
    assert found.regressor is not None
    assert found.classifier.released == found.classifier.baseline < found.classifier.original
    assert found.classifier.released_also == pytest.approx(0.5)
    assert found.regressor.released == pytest.approx(0, abs=0.05)
    assert found.queries.mean_error is not None
    assert found.queries.mean_error > 0.1
    assert {each.after for each in found.pairs if each.first == "age"} == {0}


def test_seeded_twice_is_the_same_and_another_seed_is_not() -> None:
    """All random choices come from the seed."""
    rows = people()
    released = [("[20, 39]" if row[0] and row[0] < "40" else "[40, 59] or missing", *row[1:]) for row in rows]
    first, again, other = (
        measured(released, rows, class_attribute="class", sample=100, seed=seed) for seed in (3, 3, 4)
    )
    assert first.to_dict() == again.to_dict()
    assert first.queries != other.queries
    assert first.classifier is not None
    assert first.classifier.rows == 100


def test_distributions_are_over_the_labels_of_the_release() -> None:
    """Counted by hand: a value that two labels cover is shared by rows per value; one is not released."""
    original: Rows = [("20",), ("20",), ("30",), ("30",), ("40",), ("50",), ("50",), ("60",)]
    released: Rows = [("[20, 30]",), ("[20, 30]",), ("[20, 30]",), ("30",), ("[40, 50]",), ("[40, 50]",)]
    found = measured(released, original, ("age",), quasi_identifiers=["age"]).columns[0]
    # 30 has 1.5 rows of the interval and 1 of its own: of its two rows 1.2 count to the interval.
    assert dict(found.before) == pytest.approx(
        {"[20, 30]": 3.2 / 8, "30": 0.8 / 8, "[40, 50]": 3 / 8, "not released": 1 / 8}
    )
    assert dict(found.after) == pytest.approx({"[20, 30]": 3 / 6, "30": 1 / 6, "[40, 50]": 2 / 6})
    assert found.distance == pytest.approx((3 / 6 - 3.2 / 8) + (1 / 6 - 0.8 / 8))
    spread = {"20": 1.5 / 6, "30": 2.5 / 6, "40": 1 / 6, "50": 1 / 6, "60": 0}
    own = {"20": 2 / 8, "30": 2 / 8, "40": 1 / 8, "50": 2 / 8, "60": 1 / 8}
    assert found.value_distance == pytest.approx(sum(abs(spread[each] - own[each]) for each in own) / 2)
    # On the line of middles, 25, 30 and 45 of 20 to 60, and of released rows alone.
    ahead = [3.2 / 7 - 3 / 6, 4 / 7 - 4 / 6]
    assert found.earth_mover == pytest.approx(abs(ahead[0]) * 5 / 40 + abs(ahead[1]) * 15 / 40)
    assert found.kind == "number"


def test_no_value_is_told_that_the_release_does_not_have() -> None:
    """Neither rare values of the original nor those of rows that were left out."""
    rows = [*people(50), ("99", "astronaut", "123456789", "secretive")]
    released = [("*" if row[0] is None else "[20, 59]", *row[1:]) for row in rows[:50]]
    told = json.dumps(measured(released, rows, sensitive=["pay", "class"]).to_dict())
    for secret in ("99", "astronaut", "123456789", "secretive"):
        assert f'"{secret}"' not in told


@pytest.mark.parametrize(
    ("table", "expected"),
    [
        ([[10, 0], [0, 10]], 1.0),
        ([[5, 5], [5, 5]], 0.0),
        # phi2 = 0.36; corrected 0.36 - 1/99; both sides 2 - 1/99.
        ([[40, 10], [10, 40]], math.sqrt((0.36 - 1 / 99) / (1 - 1 / 99))),
        ([[3, 7]], 0.0),
    ],
)
def test_association_is_the_corrected_v_of_the_paper(table: list[list[int]], expected: float) -> None:
    """By hand: perfect, none, between, and a constant column."""
    cells = [
        (row, column)
        for row, line in enumerate(table)
        for column, times in enumerate(line)
        for _ in range(times)
    ]
    one, two = np.array(cells).T
    assert cramers_v(one, two) == pytest.approx(expected)


def test_association_of_a_release_is_that_of_its_rows_spread_evenly() -> None:
    """By hand: two labels of two values each keep nothing within, and half of what two values tell."""
    original: Rows = [(age, job) for age, job in zip("1234", "wxyz", strict=True) for _ in range(25)]
    released: Rows = [("[1, 2]" if age in "12" else "[3, 4]", job) for age, job in original]
    pair = measured(released, original, ("age", "job")).pairs[0]
    assert pair.before == pytest.approx(1)
    assert pair.labels_before == pair.labels_after > 0.9
    # A table of 4 x 4 in which each job has two ages at 12.5 rows: phi squared is 1, of 3 at most.
    assert pair.after == pytest.approx(math.sqrt((1 - 9 / 99) / (3 - 9 / 99)))


CELLS = {"1": {1}, "2": {2}, "3": {3}, "[1, 2]": {1, 2}, "[2, 4]": {2, 3, 4}, "*": {1, 2, 3, 4}}


@settings(max_examples=examples(60), deadline=None)
@given(
    st.lists(st.tuples(st.sampled_from("1234"), st.sampled_from("xy")), min_size=4, max_size=12),
    st.lists(
        st.tuples(st.sampled_from(sorted(CELLS)), st.sampled_from(["x", "y", "{x, y}"])),
        min_size=1,
        max_size=12,
    ),
)
def test_query_errors_equal_those_of_plain_counting(original: Rows, released: Rows) -> None:
    """Rows of a label spread evenly over the values present; the worst of all possible queries bounds all."""
    words = {"x": {"x"}, "y": {"y"}, "{x, y}": {"x", "y"}}
    ages, jobs = sorted({int(row[0] or 0) for row in original}), sorted({str(row[1]) for row in original})
    found = measured(released, original, ("age", "job"), queries=30).queries

    def error(asked: set[int], of_jobs: set[str]) -> float:
        truth = sum(int(row[0] or 0) in asked and row[1] in of_jobs for row in original)
        answer = 0.0
        for age, job in released:
            first, second = CELLS[str(age)] & set(ages), words[str(job)] & set(jobs)
            if first and second:
                answer += len(first & asked) / len(first) * len(second & of_jobs) / len(second)
        return abs(answer - truth) / max(truth, 0.001 * len(original))

    ranges = [set(ages[a:b]) for a, b in product(range(len(ages)), range(1, len(ages) + 1)) if a < b]
    sets = [set(jobs), *({job} for job in jobs)]
    possible = [error(asked, of_jobs) for asked in ranges for of_jobs in sets]
    # Queries over one column alone ask nothing of the other, also of labels that stand for no value present.
    if all(CELLS[str(age)] & set(ages) and words[str(job)] & set(jobs) for age, job in released):
        assert found.worst is not None
        assert any(found.worst == pytest.approx(each) for each in possible)
        assert found.worst <= max(possible) + 1e-9


def test_means_are_counted_where_they_lie() -> None:
    """A mean is no value of the original: queries ask whether a range has it, and rows move from near it."""
    original: Rows = [(str(number),) for number in range(0, 100, 2)]
    means: Rows = [(f"{10 * (number // 5) + 4.5}",) for number in range(50)]
    found = measured(means, original, ("age",), quasi_identifiers=["age"])
    (age,) = found.columns
    shares = {f"{mean + 4.5}": 0.1 for mean in range(0, 100, 10)}
    assert dict(age.after) == dict(age.before) == pytest.approx(shares)
    assert (age.distance, age.earth_mover) == pytest.approx((0, 0))
    # One value in ten is asked for, five of fifty, and any five of them have the value nearest to one mean.
    assert found.queries.worst == 0


def test_a_number_out_of_the_range_is_in_no_query() -> None:
    """It is not taken for the greatest value."""
    original: Rows = [(str(number),) for number in range(50)]
    found = measured([("999",)] * 50, original, ("age",), quasi_identifiers=["age"])
    (age,) = found.columns
    assert age.before[-1] == ("not released", 1.0)


def test_rows_that_were_shuffled_are_not_taken_for_pairs() -> None:
    """Kept cells tell that rows were moved; models are told to be trained on unpaired rows."""
    rows = people()
    shuffled = [rows[each] for each in np.random.default_rng(1).permutation(len(rows))]
    found = measured(shuffled, rows, class_attribute="class")
    assert found.matched_by is None
    assert found.classifier is not None
    assert not found.classifier.paired
    assert [each.distance for each in found.columns] == pytest.approx([0] * len(found.columns))


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ({"class_attribute": "nobody"}, "no column 'nobody'"),
        ({"class_attribute": "pay"}, "a classifier distinguishes 2 to 50"),
        ({"target": "age"}, "'age' is a quasi-identifier"),
        ({"target": "class"}, "predicted as a number"),
        ({"queries": -1}, "queries must be"),
        ({"sample": 3}, "sample must be"),
        ({"seed": -1}, "seed must be"),
        ({"policy": "x.toml"}, "leave out quasi_identifiers"),
        ({"quasi_identifiers": ["nothing"]}, "the original has no column 'nothing'"),
    ],
)
def test_what_cannot_be_measured_is_refused(more: dict[str, Any], words: str) -> None:
    """With the way out."""
    with pytest.raises(PolicyError, match=words):
        measured(people(), people(), **more)


def test_the_original_must_be_given() -> None:
    """There is nothing to measure beside."""
    with pytest.raises(PolicyError, match="pass original="):
        shoal.utility(frame(people()), quasi_identifiers=["age"])


def test_models_say_how_to_get_scikit_learn(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is an extra; without models nothing needs it."""
    monkeypatch.setitem(sys.modules, "sklearn", None)
    rows = people(20)
    assert measured(rows, rows).classifier is None
    assert measured(rows, rows, class_attribute="class", models=False).classifier is None
    with pytest.raises(PolicyError, match=r"pip install 'shoal\[utility\]'"):
        measured(rows, rows, class_attribute="class")
