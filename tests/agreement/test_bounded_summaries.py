"""Bounds of means, quantiles and tables equal what trying every table that fits the release gives."""

from __future__ import annotations

import itertools
from fractions import Fraction
from typing import Any

import numpy as np
import pandas
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import shoal
from shoal.auditor.utility.bounded import BoundedRows
from tests.agreement.thoroughness import examples

Row = tuple[int, int, bool, int]


@st.composite
def rows(draw: st.DrawFn) -> list[Row]:
    """Low, high, whether there is a value for sure, weight; some row has one."""
    one = st.tuples(st.integers(0, 4), st.integers(0, 2), st.booleans(), st.integers(1, 3))
    drawn = draw(st.lists(one, min_size=1, max_size=4))
    made = [(low, low + more, sure, weight) for low, more, sure, weight in drawn]
    return [(made[0][0], made[0][1], True, made[0][3]), *made[1:]]


def worlds(table: list[Row]) -> list[list[tuple[int, int]]]:
    """Every choice of whole values and of rows without one, as values with weights."""
    options = [[*range(low, high + 1), *([] if sure else [None])] for low, high, sure, _ in table]
    weights = [weight for *_, weight in table]
    return [
        [(value, weight) for value, weight in zip(values, weights, strict=True) if value is not None]
        for values in itertools.product(*options)
    ]


def mean(world: list[tuple[int, int]]) -> Fraction:
    return Fraction(sum(value * weight for value, weight in world), sum(weight for _, weight in world))


def quantile(world: list[tuple[int, int]], share: Fraction) -> int:
    total = sum(weight for _, weight in world)
    return min(
        value
        for value, _ in world
        if sum(weight for other, weight in world if other <= value) >= share * total
    )


@settings(max_examples=examples(400), deadline=None)
@given(table=rows(), share=st.sampled_from([Fraction(1, 4), Fraction(1, 2), Fraction(3, 4)]))
def test_means_and_quantiles_reach_as_far_as_some_table_that_fits(table: list[Row], share: Fraction) -> None:
    """Least and greatest over all choices of values, with weights and with rows that may have none."""
    low, high, sure, weight = (np.array(each) for each in zip(*table, strict=True))
    bounded = BoundedRows(
        low=low.astype(float), high=high.astype(float), certain=sure.astype(bool), weight=weight.astype(float)
    )
    every = worlds(table)
    means = [mean(world) for world in every]
    assert bounded.means == pytest.approx((float(min(means)), float(max(means))))
    quantiles = [quantile(world, share) for world in every]
    assert bounded.quantiles(float(share)) == (min(quantiles), max(quantiles))


ANYTHING = ["a", "b", "c", "elsewhere", None]
"""What `*` can be, also a city that no label names, and a missing one."""


@settings(max_examples=examples(40), deadline=None)
@given(
    cells=st.lists(
        st.tuples(st.integers(0, 9), st.integers(0, 3), st.sampled_from(["a", "b", "c", "ab", "bc", "*"])),
        min_size=2,
        max_size=6,
    ),
    weights=st.lists(st.integers(1, 3), min_size=6, max_size=6),
)
def test_tables_have_what_is_sure_and_at_most_possible(cells: Any, weights: list[int]) -> None:
    """Over all choices of a value for each label: the least and the greatest weight of every coarse cell."""
    ages = [(low, low + more) for low, more, _ in cells]
    cities = [ANYTHING if city == "*" else list(city) for *_, city in cells]
    weight = weights[: len(cells)]
    release = pandas.DataFrame(
        {
            "age": [f"[{low}, {high}]" if low < high else str(low) for low, high in ages],
            "city": [
                "*" if city == "*" else city if len(city) == 1 else f"{{{city[0]}, {city[1]}}}"
                for *_, city in cells
            ],
            "w": weight,
        }
    )
    # The values of the original are of no concern to the bounds, but its columns must have numbers and words.
    original = pandas.DataFrame(
        {"age": [low for low, _ in ages], "city": [each[1 % len(each)] for each in cities], "w": weight}
    )
    found = shoal.utility(
        release,
        original=original,
        quasi_identifiers=["age", "city"],
        weight="w",
        queries=0,
    )
    (table,) = found.tables
    names = table.categories
    for first, second in itertools.product(range(len(names[0])), range(len(names[1]))):
        least = most = truth = 0
        for (low, high), members, own, row in zip(ages, cities, weight, original.itertuples(), strict=True):
            options = [
                _is_in(names[0][first], age) and _in_city(names[1], second, city)
                for age in range(low, high + 1)
                for city in members
            ]
            least += own * all(options)
            most += own * any(options)
            truth += own * (_is_in(names[0][first], row.age) and _in_city(names[1], second, row.city))
        assert table.sure[first][second] == least
        assert table.most[first][second] == most
        assert table.original[first][second] == truth
        assert least - 1e-6 <= table.estimate[first][second] <= most + 1e-6
        assert least <= truth <= most
    (figures,) = (each.figures for each in found.summaries if each.column == "age")
    assert all(each.contains for each in figures)
    total = sum(weight)
    lowest = sum(low * own for (low, _), own in zip(ages, weight, strict=True)) / total
    assert figures[0].lowest == pytest.approx(lowest)


def _is_in(category: str, age: int) -> bool:
    words = category.split()
    if category == "all":
        return True
    if words[0] == "below":
        return age < int(words[1])
    if words[-1] == "above":
        return age >= int(words[0])
    return category != "missing" and int(words[0]) <= age < int(words[-1])


def _in_city(names: tuple[str, ...], place: int, city: str | None) -> bool:
    if names[place] in ("others", "missing"):
        return (city is None) if names[place] == "missing" else (city is not None and city not in names)
    return names[place] == city
