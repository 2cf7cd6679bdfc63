"""Orders learned from the data: what they are made of, that only the rows decide, and that they lose less."""

from __future__ import annotations

import csv
import json
import random
from fractions import Fraction
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import shoal
from shoal.datasets import adult
from shoal.engines.connection import engine_for
from shoal.errors import PolicyError
from shoal.model.hierarchy.neighbours import least_loss
from shoal.model.order import likeness
from shoal.model.order.likeness import binned, like_with_like, profiles
from shoal.model.policy.attribute import Attribute, Role
from shoal.model.table.domain import Domain
from tests.agreement.thoroughness import examples


def written(folder: Path, rows: list[tuple[str, ...]], *columns: str) -> Path:
    path = folder / "table.csv"
    with path.open("w", newline="") as file:
        csv.writer(file).writerows([columns, *rows])
    return path


def domains(path: Path, *columns: str, **said: object) -> dict[str, Domain]:
    """The domains of quasi-identifiers; what is said is said of the first."""
    attributes = [
        Attribute(name=name, role=Role.QUASI_IDENTIFIER, **(said if not at else {}))  # type: ignore[arg-type]
        for at, name in enumerate(columns)
    ]
    with engine_for(path) as engine:
        return {each.name: each for each in engine.count(engine.open(path), attributes).frequencies.domains}


def planted() -> list[tuple[str, ...]]:
    """Eight towns, four by the sea and four in the hills, in an order of names that mixes them."""
    rows = []
    for at, town in enumerate("abcdefgh"):
        jobs = ("fisher", "sailor") if at % 2 else ("farmer", "miner")
        rows += [(town, jobs[row % 2], str(20 + row % 5)) for row in range(8 + at)]
    return rows


def test_alike_towns_are_neighbours(tmp_path: Path) -> None:
    """Values with the same rows in the other columns come together, whatever their names."""
    towns = domains(written(tmp_path, planted(), "town", "job", "age"), "town", "job", "age")["town"]
    by_sea = [str(value) in "bdfh" for value in towns.values]
    assert sum(one != two for one, two in pairwise(by_sea)) == 1
    assert towns.arrangement is not None
    assert towns.arrangement.words == "by frequency, and likeness in job, age"


def test_frequent_values_come_first() -> None:
    """A value with at least twice the rows of another comes before it, if that one has at least four."""
    counts = np.array([3, 900, 40, 7, 15, 500], np.int64)
    order = like_with_like(counts, np.zeros((6, 0), np.int64))
    assert order == [1, 5, 2, 4, 0, 3]


def test_the_order_hides_how_rare_a_rare_value_is() -> None:
    """Below eight rows, only likeness counts."""
    described = np.array([[0], [5], [1]], np.int64)
    assert like_with_like(np.array([1, 7, 2], np.int64), described) == [1, 2, 0]
    assert like_with_like(np.array([2, 7, 1], np.int64), described) == [1, 2, 0]


@given(
    st.lists(st.integers(0, 40), min_size=1, max_size=9),
    st.integers(0, 2**31),
    st.integers(0, 3),
)
@settings(max_examples=examples(200), deadline=None)
def test_each_value_is_followed_by_the_nearest_of_its_band(
    counts: list[int], seed: int, columns: int
) -> None:
    """The order is the one that a plain reading of the rule gives."""
    rows = np.array(counts, np.int64)
    described = np.random.default_rng(seed).integers(0, 4, (len(rows), columns)).astype(np.int64)
    order = like_with_like(rows, described)
    assert sorted(order) == list(range(len(rows)))
    bands = [max(3, count.bit_length()) for count in counts]
    assert [bands[code] for code in order] == sorted(bands, reverse=True)
    left = set(range(len(rows))) - {order[0]}
    assert counts[order[0]] == max(counts)
    for before, code in pairwise(order):
        band = [each for each in left if bands[each] == max(bands[other] for other in left)]
        apart = {each: int(((described[each] - described[before]) ** 2).sum()) for each in band}
        assert code == min(band, key=lambda each: (apart[each], each))
        left.remove(code)


def test_a_profile_is_drawn_to_that_of_all_rows() -> None:
    """A value of one row is not yet a pattern: four rows like all others are added to it."""
    counts = np.array([1, 99], np.int64)
    described = profiles(counts, [np.array([[1, 0], [0, 99]], np.int64)])
    share = [[Fraction(1 + Fraction(4, 100), 5), Fraction(Fraction(396, 100), 5)]]
    share += [[Fraction(Fraction(4, 100), 103), Fraction(99 + Fraction(396, 100), 103)]]
    assert np.allclose(described / 2**16, np.array(share, float), atol=2 / 2**16)


def test_bins_are_few_and_the_missing_value_has_its_own() -> None:
    """Numbers get bins of about equal rows, categories a bin each and one for the rest."""
    counts = np.full(50, 3, np.int64)
    ordered = binned(counts, ordered=True, missing=True)
    assert ordered[-1] == likeness.BINS
    assert sorted(ordered[:-1].tolist()) == ordered[:-1].tolist()
    assert set(ordered[:-1].tolist()) == set(range(likeness.BINS))
    categories = binned(np.arange(50, dtype=np.int64), ordered=False, missing=False)
    assert (categories[49], categories[48], categories[0]) == (0, 1, likeness.BINS - 1)


@given(st.lists(st.integers(0, 50), min_size=1, max_size=40))
@settings(max_examples=examples(200), deadline=None)
def test_levels_of_least_loss_are_nested_and_ever_coarser(counts: list[int]) -> None:
    """Each level joins whole parts of the one below, and ends with as many parts as the root says."""
    levels = [tuple(range(len(counts))), *least_loss(counts)]
    for fine, coarse in pairwise(levels):
        assert set(coarse) <= set(fine)
        assert 2 <= len(coarse) <= len(fine)
    for power, level in enumerate(levels[1:], 1):
        size = len(level)
        assert size**5 <= len(counts) ** (5 - power) < (size + 1) ** 5


def test_the_cheapest_neighbours_are_joined_first() -> None:
    """What a union adds to the general loss decides, rows of one times values of the other, and its rows."""
    assert least_loss([100, 50, 9, 2, 1, 1]) == [(0, 1, 2, 3), (0, 1), (0, 1)]


def test_the_order_does_not_depend_on_the_order_of_rows(tmp_path: Path) -> None:
    """Shuffled rows are the same table."""
    rows = planted()
    first = domains(written(tmp_path, rows, "town", "job", "age"), "town", "job", "age")
    random.Random(3).shuffle(rows)
    assert domains(written(tmp_path, rows, "town", "job", "age"), "town", "job", "age") == first


def test_a_sensitive_column_decides_nothing(tmp_path: Path) -> None:
    """Only quasi-identifiers are looked at: another disease in every row leaves all orders as they are."""
    said = {"quasi_identifiers": ["town", "age"], "sensitive": ["ill"], "k": 2, "algorithm": "exact"}
    labels = []
    for ill in ("flu", "gout"):
        rows = [(*row, ill if row[0] in "abc" else "cold") for row in planted()]
        path = written(tmp_path, rows, "town", "job", "age", "ill")
        release = shoal.anonymize(path, path=tmp_path / f"{ill}.csv", **said)  # type: ignore[arg-type]
        labels.append(release.manifest.recoding)
    assert labels[0] == labels[1]


@pytest.mark.parametrize(
    ("order", "values", "words"),
    [
        (None, ("Q4 2024", "Q1 2025", "Q2 2025"), "recognised as quarters"),
        ("auto", ("Q4 2024", "Q1 2025", "Q2 2025"), "recognised as quarters"),
        ("recognised", ("Q4 2024", "Q1 2025", "Q2 2025"), "recognised as quarters"),
        ("sorted", ("Q1 2025", "Q2 2025", "Q4 2024"), "as sorted"),
        ("data", ("Q2 2025", "Q1 2025", "Q4 2024"), "by frequency"),
        (("Q2 2025", "Q4 2024", "Q1 2025"), ("Q2 2025", "Q4 2024", "Q1 2025"), "as listed"),
    ],
)
def test_the_policy_chooses_the_rule(
    tmp_path: Path, order: object, values: tuple[str, ...], words: str
) -> None:
    """A list, or one of four words."""
    rows = [("Q2 2025",)] * 40 + [("Q1 2025",)] * 20 + [("Q4 2024",)] * 9
    (quarter,) = domains(written(tmp_path, rows, "quarter"), "quarter", order=order).values()
    assert quarter.values == values
    assert quarter.arrangement is not None
    assert quarter.arrangement.words == words


def test_recognised_never_looks_at_the_data(tmp_path: Path) -> None:
    """Without a scheme it is the sorted order."""
    path = written(tmp_path, planted(), "town", "job", "age")
    towns = domains(path, "town", "job", "age", order="recognised")["town"]
    assert towns.values == tuple("abcdefgh")


def test_two_values_and_codes_stay_sorted(tmp_path: Path) -> None:
    """Two values are neighbours in any order; beginnings of codes mean something."""
    rows = [(sex, zip_) for sex in ("m", "f") for zip_ in ("02139", "02138", "10001") for _ in range(3)]
    found = domains(written(tmp_path, rows, "sex", "zip"), "sex", "zip")
    assert found["sex"].values == ("f", "m")
    column = shoal.column(written(tmp_path, rows, "sex", "zip"), "zip", type="category")
    assert column.values == ("02138", "02139", "10001")
    assert column.hierarchy.rows[0][1].endswith("*")


def test_a_missing_value_stays_the_last(tmp_path: Path) -> None:
    """However frequent it is."""
    rows = [*planted(), *[("", "sailor", "20")] * 100]
    towns = domains(written(tmp_path, rows, "town", "job", "age"), "town", "job", "age")["town"]
    assert towns.values[-1] is None
    assert sorted(map(str, towns.values[:-1])) == list("abcdefgh")


@pytest.mark.parametrize("limit", ["MOST_VALUES", "MOST_COMBINATIONS"])
def test_large_tables_are_ordered_by_frequency(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, limit: str
) -> None:
    """Likeness of very many values, or in very many rows, would take too long."""
    monkeypatch.setattr(f"shoal.engines.sql.likeness.{limit}", 4)
    towns = domains(written(tmp_path, planted(), "town", "job", "age"), "town", "job", "age")["town"]
    assert towns.arrangement is not None
    assert towns.arrangement.words == "by frequency"
    assert towns.values == ("h", *"abcdefg")


def test_wrong_rules_are_refused(tmp_path: Path) -> None:
    """An unknown word, numbers by likeness, a sensitive column by any rule."""
    path = written(tmp_path, planted(), "town", "job", "age")
    with pytest.raises(PolicyError, match="one of 'auto', 'recognised', 'data', 'sorted'"):
        domains(path, "town", order="alphabetical")
    with pytest.raises(PolicyError, match='order = "data" is for categories'):
        domains(path, "age", order="data")
    with pytest.raises(PolicyError, match="of a sensitive column is a list"):
        Attribute(name="ill", role=Role.SENSITIVE, order="sorted")


def test_the_manifest_says_where_orders_come_from(tmp_path: Path) -> None:
    """One entry per column of categories, in words that name columns and no values."""
    rows = [(*row, ("low", "high", "medium")[at % 3]) for at, row in enumerate(planted())]
    path = written(tmp_path, rows, "town", "job", "age", "risk")
    release = shoal.anonymize(
        path,
        quasi_identifiers=["town", "job", "age", "risk"],
        orders={"job": "sorted"},
        k=3,
        algorithm="mondrian",
        path=tmp_path / "release.csv",
    )
    expected = {
        "town": "by frequency, and likeness in job, age, risk",
        "job": "as sorted",
        "risk": "recognised as levels from low to high",
    }
    assert release.manifest.orders == expected
    assert json.loads((tmp_path / "release.csv.manifest.json").read_text())["orders"] == expected


def _loss(order: str, columns: list[str], *, k: int, algorithm: str) -> float:
    release = shoal.anonymize(
        adult("pyarrow"),
        quasi_identifiers=columns,
        orders=dict.fromkeys(columns, order),
        k=k,
        cost="general-loss",
        suppression=0,
        algorithm=algorithm,
        seconds="unlimited",
    )
    assert release.manifest.status == "optimal"
    assert release.manifest.cost is not None
    return float(release.manifest.cost)


@pytest.mark.slow
@pytest.mark.parametrize("algorithm", ["exact", "lattice", "subtree"])
def test_cuts_and_levels_of_adult_lose_less_than_in_sorted_order(algorithm: str) -> None:
    """Proved optima over three columns of Adult: the best cuts of a better order, and levels along it."""
    columns = ["education", "marital-status", "workclass"]
    assert _loss("auto", columns, k=20, algorithm=algorithm) < _loss(
        "sorted", columns, k=20, algorithm=algorithm
    )


def test_cuts_of_a_planted_table_lose_less_than_in_sorted_order(tmp_path: Path) -> None:
    """Towns by the sea are joined with each other, and jobs stay as they are."""
    path = written(tmp_path, planted(), "town", "job", "age")
    losses = [
        shoal.anonymize(
            path,
            quasi_identifiers=["town", "job"],
            orders={"town": order},
            k=10,
            cost="general-loss",
            suppression=0,
            algorithm="exact",
            path=tmp_path / f"{order}.csv",
        ).manifest.cost
        for order in ("auto", "sorted")
    ]
    assert losses == [pytest.approx(0.19617, abs=1e-5), pytest.approx(0.25518, abs=1e-5)]
