"""Recipes: what they build, what they refuse, and what holds of every hierarchy they build."""

from __future__ import annotations

import calendar
import datetime
import json
import re
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from shoal.errors import PolicyError
from shoal.model.hierarchy.hierarchy import Hierarchy
from shoal.model.hierarchy.recipe import Recipe
from shoal.model.table.domain import Domain, Kind, Value

YEARS = [datetime.date(2019, 12, 31), datetime.date(2024, 1, 1), datetime.date(2024, 2, 29)]


def domain(values: Sequence[Value], kind: Kind, **shape: Any) -> Domain:
    """A domain of some values, the missing one last."""
    integral = all(isinstance(value, int) for value in values if value is not None)
    return Domain(name="x", kind=kind, values=tuple(values), **{"integral": integral, **shape})


def built(recipe: Recipe, of: Domain, counts: Sequence[int] | None = None) -> list[tuple[str, ...]]:
    """The levels that a recipe builds, from the values up; the last is the top."""
    hierarchy = recipe.build(of, counts or [1] * len(of))
    return [hierarchy.labels(level) for level in range(hierarchy.height + 1)]


TWENTIES = ("[0, 19]", "[20, 39]", "[60, 79]", "[80, 99]")
FORTIES = ("[0, 39]", "[40, 79]", "[80, 119]")
AGES = domain([17, 19, 20, 34, 35, 79, 80, 95], "number")


@pytest.mark.parametrize(
    ("stated", "levels"),
    [
        ({"widths": [20]}, [TWENTIES]),
        ({"widths": [20, 40]}, [TWENTIES, FORTIES]),
        ({"widths": [20], "fan_outs": [2]}, [TWENTIES, FORTIES]),
        ({"widths": [40], "bottom": 20, "top": 80}, [("< 20", "[20, 39]", "[40, 79]", ">= 80")]),
        ({"widths": [1], "top": 35}, [("17", "19", "20", "34", ">= 35")]),
        ({"widths": [2.5, 40]}, [FORTIES]),
        ({"fan_outs": [4]}, [("[17, 34]", "[35, 95]")]),
        ({"fan_out": 4}, [("[17, 34]", "[35, 95]")]),
        ({"fan_out": 3, "bottom": 18}, [("< 18", "[19, 34]", "[35, 80]", "95"), ("< 18", "[19, 95]")]),
        ({"keep": True}, []),
        ({"bottom": 200}, []),
        ({"fan_out": 2, "bottom": 18, "top": 19}, [("< 18", ">= 19")]),
        ({"bottom": 20, "top": 36}, [("< 20", "20", "34", "35", ">= 36")]),
        ({}, [("[17, 19]", "[20, 34]", "[35, 79]", "[80, 95]"), ("[17, 34]", "[35, 95]")]),
        ({"prefixes": [1]}, [("1*", "2*", "3*", "7*", "8*", "9*")]),
    ],
)
def test_numbers_become_intervals(stated: dict[str, Any], levels: list[tuple[str, ...]]) -> None:
    """By widths anchored at 0, by neighbours, or by frequency; ends are open where asked.

    A level that joins nothing, as a width of 2.5 here, is left out.
    """
    found = built(Recipe(**stated), AGES)
    assert found[1:-1] == levels
    assert found[0] == ("17", "19", "20", "34", "35", "79", "80", "95")
    assert found[-1] == ("*",)


def test_numbers_that_are_not_whole_become_half_open_intervals() -> None:
    """Exactly in the decimals that were written; parts by frequency are closed, by values present."""
    tenths = domain([0.1, 0.2, 0.3, 0.7], "number")
    assert built(Recipe(widths=(0.3,)), tenths)[1] == ("[0, 0.3)", "[0.3, 0.6)", "[0.6, 0.9)")
    assert built(Recipe(widths=(0.1,), fan_outs=(3,)), tenths)[1] == ("[0, 0.3)", "[0.3, 0.6)", "[0.6, 0.9)")
    assert built(Recipe(), tenths)[1] == ("[0.1, 0.2]", "[0.3, 0.7]")


def test_bins_are_joined_whole() -> None:
    """A width that would divide a bin is refused, and so is an end within one."""
    fives = domain([15, 20, 25, 40], "number", bin=5)
    assert built(Recipe(widths=(10,)), fives) == [
        ("[15, 19]", "[20, 24]", "[25, 29]", "[40, 44]"),
        ("[10, 19]", "[20, 29]", "[40, 49]"),
        ("*",),
    ]
    assert built(Recipe(), fives)[1] == ("[15, 24]", "[25, 44]")
    with pytest.raises(PolicyError, match="would divide its bins of width 5"):
        built(Recipe(widths=(3,)), fives)
    with pytest.raises(PolicyError, match="the top 23 is inside a bin"):
        built(Recipe(top=23), fives)
    with pytest.raises(PolicyError, match="bins have no prefixes"):
        built(Recipe(prefixes=(1,)), fives)


def test_parts_by_frequency_hold_nearly_equal_counts() -> None:
    """A frequent value is a part of its own."""
    assert built(Recipe(), domain([1, 2, 3, 4], "number"), [10, 1, 1, 1])[1] == ("1", "[2, 4]")
    assert built(Recipe(), domain([1, 2, 3, 4], "number"), [1, 1, 1, 10])[1] == ("[1, 3]", "4")


@pytest.mark.parametrize(
    ("steps", "levels"),
    [
        ((), [("2019", "2024")]),
        (("quarter",), [("2019-Q4", "2024-Q1")]),
        (("decade", "quarter"), [("2019-Q4", "2024-Q1")]),
        (("decade",), [("2010-2019", "2020-2029")]),
        (("century",), []),
        (("day", "week"), []),
    ],
)
def test_dates_become_steps_of_the_calendar(steps: tuple[str, ...], levels: list[tuple[str, ...]]) -> None:
    """From fine to coarse, whatever the order of the steps; steps that join nothing are left out."""
    found = built(Recipe(steps=steps), domain(YEARS, "date"))
    assert found[1:-1] == levels


def test_days_of_one_iso_week_are_joined_across_the_year() -> None:
    """The last days of December can lie in week 1."""
    days = [datetime.date(2024, 12, 29), datetime.date(2024, 12, 30), datetime.date(2025, 1, 2)]
    assert built(Recipe(steps=("week",)), domain(days, "date"))[1] == ("2024-W52", "2025-W01")
    moments = [
        datetime.datetime(2024, 5, 1, 8),
        datetime.datetime(2024, 5, 1, 9),
        datetime.datetime(2024, 5, 2),
    ]
    assert built(Recipe(), domain(moments, "date"))[1] == ("2024-05-01", "2024-05-02")


def test_codes_lose_signs_from_the_right() -> None:
    """Kept ones are counted from the left, dropped ones negatively; lengths never mix below the top."""
    codes = domain(["02138", "02139", "02215", "10001", "1001"], "category")
    assert built(Recipe(prefixes=(2, 4)), codes)[1:-1] == [
        ("0213*", "0221*", "1000*", "1001"),
        ("02***", "10***", "10**"),
    ]
    assert built(Recipe(prefixes=(-1,)), codes)[1] == ("0213*", "0221*", "1000*", "100*")
    assert built(Recipe(), domain(["02138", "02139", "02215", "10001"], "category"))[1:-1] == [
        ("0213*", "0221*", "1000*"),
        ("02***", "10***"),
    ]


def test_the_rarest_categories_are_joined_first() -> None:
    """A frequent one stays by itself; sets are printed in the domain's order."""
    letters = domain(["a", "b", "c", "d", "e, f"], "category")
    assert built(Recipe(), letters, [1, 90, 2, 3, 4])[1:] == [('{a, c, d, "e, f"}', "b"), ("*",)]


def test_ordered_categories_are_joined_with_their_neighbours() -> None:
    """When the caller says that the order means something, or a fan-out is stated."""
    sizes = domain(["S", "M", "L", "XL"], "category")
    assert Recipe().build(sizes, [1, 9, 1, 9], ordered=True).labels(1) == ("{S, M}", "{L, XL}")
    assert built(Recipe(fan_out=3), sizes)[1:] == [("{S, M, L}", "XL"), ("*",)]
    assert Hierarchy.of_order(["S", "M", "L", "XL"], suppressed=False).top == "{S, M, L, XL}"


def test_sets_and_values_are_never_printed_alike() -> None:
    """A value that reads as a set is quoted where it stands for one."""
    tricky = domain(["a", "b", "{a, b}", "x"], "category")
    assert built(Recipe(fan_outs=(2,)), tricky)[1] == ("{a, b}", '{"{a, b}", x}')
    assert built(Recipe(fan_outs=(3,)), domain(["a", "b", "c", "{a, b, c}"], "category"))[1] == (
        "{a, b, c}",
        '{"{a, b, c}"}',
    )


GROUPS = {"north": {"coast": ["a", "b"], "hills": ["c"]}, "south": ["d", "unseen"]}


def test_groups_are_taken_as_given() -> None:
    """Leaves come in the domain's order; groups may name values that the data lacks."""
    letters = domain(["d", "c", "b", "a", None], "category")
    hierarchy = Recipe(groups=GROUPS).build(letters, [1] * 5)
    assert hierarchy.rows == (
        ("d", "d", "south", "*"),
        ("c", "hills", "north", "*"),
        ("b", "coast", "north", "*"),
        ("a", "coast", "north", "*"),
    )
    named = Recipe(groups={"all": GROUPS}, suppressed=False).build(letters, [1] * 5)
    assert named.top == "all"


def test_groups_that_are_nested_without_end_are_refused() -> None:
    """With words, not with an exception of Python's."""
    nested: dict[str, object] = {"a": ["x"]}
    for _ in range(5000):
        nested = {"a": nested}
    with pytest.raises(PolicyError, match="nested too deep"):
        Recipe(groups=nested)


def test_a_value_in_no_group_is_not_quoted() -> None:
    """It is a value of the private table."""
    with pytest.raises(PolicyError, match="1 of 2 values of column 'x' are in none of the groups") as raised:
        built(Recipe(groups=GROUPS), domain(["a", "secret"], "category"))
    assert "secret" not in str(raised.value)


def test_the_top_is_a_label_of_all_when_it_is_not_suppressed() -> None:
    """The whole interval or set, or what the last level already says."""
    assert built(Recipe(suppressed=False), AGES)[-1] == ("[17, 95]",)
    assert built(Recipe(suppressed=False, widths=(100,)), AGES)[-1] == ("[0, 99]",)
    assert built(Recipe(suppressed=False, keep=True), domain(["a", "b"], "category"))[-1] == ("{a, b}",)
    assert built(Recipe(suppressed=False), domain(YEARS, "date"))[-1] == ("[2019-12-31, 2024-02-29]",)
    assert built(Recipe(suppressed=False), domain(["a"], "category")) == [("a",)]
    assert built(Recipe(), domain(["a"], "category")) == [("a",), ("*",)]


def test_the_missing_value_is_no_part_of_it() -> None:
    """And a column without any other value has no hierarchy."""
    assert built(Recipe(keep=True), domain([1, None], "number"))[0] == ("1",)
    with pytest.raises(PolicyError, match="column 'x' has only missing values"):
        built(Recipe(), domain([None], "category"))


@pytest.mark.parametrize(
    ("stated", "words"),
    [
        ({"width": [5]}, "no key 'width'. Did you mean 'widths'?"),
        ({"widths": 5}, "widths must be a list"),
        ({"widths": [5, 12]}, "widths 5 and 12 do not nest"),
        ({"widths": [10, 5]}, "do not nest"),
        ({"widths": [0]}, "above 0"),
        ({"widths": ["5"]}, "must be a number; it is '5'"),
        ({"widths": [float("inf")]}, "must be a number"),
        ({"fan_outs": [1]}, "at least 2"),
        ({"fan_out": True}, "at least 2"),
        ({"bottom": 5, "top": 5}, "bottom must be below top"),
        ({"steps": ["moth"]}, "Did you mean 'month'?"),
        ({"steps": ["week", "month"]}, "weeks do not nest in a month"),
        ({"steps": ["year", "year"]}, "named twice"),
        ({"steps": [["year"]]}, "unknown step"),
        ({"prefixes": [4, -1]}, "all positive"),
        ({"prefixes": [0]}, "all positive"),
        ({"prefixes": [3, 3]}, "named twice"),
        ({"prefixes": [1.5]}, "whole number"),
        ({"groups": ["a"]}, "table of labels"),
        ({"groups": {}}, "has no values"),
        ({"groups": {"x": ["a"], "y": ["a"]}}, "'a' is already in line 1"),
        ({"keep": 1}, "true or false"),
        ({"keep": True, "widths": [5]}, "widths and keep exclude each other"),
        ({"prefixes": [2], "top": 5}, "top works with intervals of numbers, not with prefixes"),
    ],
)
def test_a_slip_in_a_recipe_is_told_before_the_data_is_read(stated: dict[str, Any], words: str) -> None:
    """The message begins with the place in the policy."""
    with pytest.raises(PolicyError, match=f"^here: .*{re.escape(words)}"):
        Recipe.parse(stated, "here")


def test_a_recipe_states_what_it_was_told() -> None:
    """Nothing more: a policy's digest does not change when a new key appears."""
    stated = {"widths": [5, 10], "top": 80, "suppressed": False}
    assert Recipe.parse(stated, "here").stated == {**stated, "widths": (5, 10)}
    assert Recipe().stated == {}


@pytest.mark.parametrize(
    ("recipe", "kind"),
    [(Recipe(widths=(5,)), "category"), (Recipe(top=5), "date"), (Recipe(steps=("year",)), "number")],
)
def test_a_recipe_for_another_kind_of_values_is_refused(recipe: Recipe, kind: Kind) -> None:
    """With both ways out."""
    with pytest.raises(PolicyError, match=f"column 'x' is of type '{kind}'.*leave out .*, or set type ="):
        built(recipe, domain([YEARS[0]] if kind == "date" else [1], kind))


def test_python_values_are_enough() -> None:
    """Those of NumPy too; missing ones are left out."""
    assert Hierarchy.of_numbers(numpy.array([1, 7, 7]), widths=[5]).leaves == ("1", "7")
    assert Hierarchy.of_numbers([1.5, None, float("nan"), "2"], widths=[1]).leaves == ("1.5", "2")
    months = Hierarchy.of_dates(["2024-01-31", *YEARS[1:]], steps=["month"])
    assert months.labels(1) == ("2024-01", "2024-02")
    assert Hierarchy.of_prefixes(["021", "022"], prefixes=[2]).rows[0] == ("021", "*")
    assert Hierarchy.automatic(YEARS).leaves == ("2019-12-31", "2024-01-01", "2024-02-29")
    assert Hierarchy.automatic([3, 1, 2]).leaves == ("1", "2", "3")
    with pytest.raises(PolicyError, match="are not numbers"):
        Hierarchy.of_numbers(["x"])
    with pytest.raises(PolicyError, match="are not dates"):
        Hierarchy.of_dates(["31.01.2024"])


# Every hierarchy that is built is nested and has a single top: its construction checks it.

whole = st.lists(st.integers(-200, 200), min_size=1, max_size=30, unique=True)
decimal = st.decimals(-20, 20, places=2).map(float)
days = st.dates(datetime.date(1890, 1, 1), datetime.date(2110, 1, 1))
ends = st.none() | st.integers(-100, 100)


@st.composite
def number_recipes(draw: st.DrawFn) -> Recipe:
    """Recipes for numbers."""
    bottom, top = draw(ends), draw(ends)
    if bottom is not None and top is not None and bottom >= top:
        top = None
    widths = draw(st.sampled_from([(), (5,), (3, 6, 60), (0.5, 2), (0.1,)]))
    fan_outs = draw(st.lists(st.integers(2, 4), max_size=3))
    suppressed = draw(st.booleans())
    return Recipe(widths=widths, fan_outs=tuple(fan_outs), bottom=bottom, top=top, suppressed=suppressed)


def holds(label: str, number: Fraction) -> bool:
    """Whether a label of numbers holds a number; an own reading of what the reference promises."""
    if label == "*":
        return True
    if label.startswith("< "):
        return number < Fraction(label[2:])
    if label.startswith(">= "):
        return number >= Fraction(label[3:])
    if label.startswith("["):
        low, high = (Fraction(end) for end in label[1:-1].split(", "))
        return low <= number <= high and (label.endswith("]") or number < high)
    return number == Fraction(label)


@given(whole | st.lists(decimal, min_size=1, max_size=30, unique=True), number_recipes(), st.data())
def test_labels_of_numbers_are_true_and_every_level_joins(
    values: list[Any], recipe: Recipe, data: st.DataObject
) -> None:
    """Leaves are the values in order, and building again gives the same."""
    numbers = domain(sorted(values), "number")
    counts = data.draw(st.lists(st.integers(1, 50), min_size=len(values), max_size=len(values)))
    hierarchy = recipe.build(numbers, counts)
    assert hierarchy.leaves == tuple(numbers.text(code) for code in range(len(values)))
    for row, value in zip(hierarchy.rows, numbers.values, strict=True):
        assert all(holds(label, Fraction(str(value))) for label in row)
    assert hierarchy.untrue() == ()
    sizes = [len(hierarchy.labels(level)) for level in range(hierarchy.height + 1)]
    assert sizes == sorted(sizes, reverse=True)
    assert len(set(sizes)) == len(sizes) or len(values) == 1
    assert recipe.build(numbers, counts) == hierarchy


def last_day(year: int, month: int) -> datetime.date:
    """The last day of a month."""
    return datetime.date(year, month, calendar.monthrange(year, month)[1])


def first_and_last(label: str) -> tuple[datetime.date, datetime.date]:
    """The days that a label of dates stands for; an own reading of what the reference promises."""
    if "W" in label:
        return datetime.date.fromisoformat(f"{label}-1"), datetime.date.fromisoformat(f"{label}-7")
    if "Q" in label:
        month = 3 * int(label[-1])
        return datetime.date(int(label[:4]), month - 2, 1), last_day(int(label[:4]), month)
    if len(label) == 9:
        return datetime.date(int(label[:4]), 1, 1), datetime.date(int(label[5:]), 12, 31)
    if len(label) == 4:
        return datetime.date(int(label), 1, 1), datetime.date(int(label), 12, 31)
    if len(label) == 7:
        first = datetime.date.fromisoformat(f"{label}-01")
        return first, last_day(first.year, first.month)
    return datetime.date.fromisoformat(label), datetime.date.fromisoformat(label)


chains = st.sampled_from(
    [
        (),
        ("day", "week"),
        ("week",),
        ("month", "quarter", "year", "decade", "century"),
        ("quarter", "century"),
    ]
)


@given(st.lists(days, min_size=1, max_size=20, unique=True), chains)
def test_labels_of_dates_are_true(values: list[datetime.date], steps: tuple[str, ...]) -> None:
    """Every day lies within every label above it."""
    dates = domain(sorted(values), "date")
    for row in Recipe(steps=steps).build(dates, [1] * len(values)).rows:
        day = datetime.date.fromisoformat(row[0])
        for label in row[:-1]:
            first, last = first_and_last(label)
            assert first <= day <= last


texts = st.text(st.sampled_from('ab,{}"* 0A'), max_size=4)


@given(
    st.lists(texts, min_size=1, max_size=16, unique=True),
    st.booleans(),
    st.sampled_from([Recipe(), Recipe(fan_out=2), Recipe(prefixes=(2, 1)), Recipe(suppressed=False)]),
    st.randoms(use_true_random=False),
)
def test_labels_of_categories_name_their_values(
    values: list[str], ordered: bool, recipe: Recipe, random: Any
) -> None:
    """A label of a set holds the text of each of its values, whatever signs these have."""
    assume("{*}" not in values)  # a value that reads like the text of another is refused
    counts = [random.randint(1, 9) for _ in values]
    categories = domain(values, "category")
    hierarchy = recipe.build(categories, counts, ordered=ordered)
    assert len(hierarchy.leaves) == len(values)
    for row, value in zip(hierarchy.rows, values, strict=True):
        for label in row[1:]:
            masked = len(label) == len(value) and all(
                a in ("*", b) for a, b in zip(label, value, strict=True)
            )
            assert label == "*" or masked or json.dumps(value)[1:-1] in label
    assert recipe.build(categories, counts, ordered=ordered) == hierarchy


def test_two_values_that_are_printed_alike_are_refused() -> None:
    """A value that is a star is printed in braces; another may read just like that."""
    with pytest.raises(PolicyError, match="printed alike"):
        built(Recipe(), domain(["*", "{*}"], "category"))
