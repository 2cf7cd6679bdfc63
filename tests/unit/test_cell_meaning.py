"""What a released cell may stand for, read without any knowledge of how it was made."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.model.hierarchy.hierarchy import Hierarchy
from shoal.model.table.cell_meaning import CellReader, day_of
from tests.agreement.thoroughness import examples

VALUES = ["19", "20", "29", "29.5", "30", "a", "b", "a, x", "94138", "94141", "941", None]


@pytest.mark.parametrize(
    ("cell", "covered"),
    [
        ("20", ["20"]),
        ("20.0", ["20"]),
        ("[20, 29]", ["20", "29"]),
        ("[20, 30)", ["20", "29", "29.5"]),
        ("[20, 30[", ["20", "29", "29.5"]),
        ("]20, 30]", ["29", "29.5", "30"]),
        ("20-29", ["20", "29"]),
        ("<20", ["19"]),
        (">= 30", ["30", "94138", "94141", "941"]),
        ("941+", ["94138", "94141", "941"]),
        ("{a, b}", ["a", "b"]),
        ('{"a, x", b}', ["b", "a, x"]),
        ("{20, missing}", ["20", None]),
        ('{"*", a, "missing"}', ["a"]),
        ('{"[20, 29]", "9413*", b}', ["b"]),
        ("[20, 29] or missing", ["20", "29", None]),
        ("9413*", ["94138"]),
        ("941**", ["94138", "94141"]),
        ("*", VALUES),
        (None, [None]),
        ("unheard of", []),
    ],
)
def test_a_cell_covers_the_values_that_it_may_stand_for(cell: str | None, covered: list[str | None]) -> None:
    """Intervals of Shoal, ARX and sdcMicro, sets, beginnings of codes, suppressed and missing cells."""
    (found,) = CellReader().covering([cell], VALUES)
    assert [value for value, held in zip(VALUES, found, strict=True) if held] == covered


@pytest.mark.parametrize("cell", ['{"*", b}', "{*}"])
def test_a_star_in_a_set_is_the_text_itself(cell: str) -> None:
    """A table can have `*` for a value; in a set it stands for that value, and for nothing else."""
    (found,) = CellReader().covering([cell], ["*", "a", None])
    assert found.tolist() == [True, False, False]


@pytest.mark.parametrize(
    ("cell", "covered"),
    [
        ("2024-05", ["2024-05-17", "2024-05-31T23:59:59"]),
        ("2024-Q2", ["2024-05-17", "2024-05-31T23:59:59", "2024-06-30"]),
        ("2024-W20", ["2024-05-17"]),
        ("2024", ["2024-05-17", "2024-05-31T23:59:59", "2024-06-30"]),
        ("2020-2029", ["2024-05-17", "2024-05-31T23:59:59", "2024-06-30", "2025-01-01"]),
        ("[2024-06-01, 2025-01-01]", ["2024-06-30", "2025-01-01"]),
        ("2024-13", []),
    ],
)
def test_a_step_of_the_calendar_covers_its_days(cell: str, covered: list[str]) -> None:
    """To the last second of the last day."""
    days = ["2024-05-17", "2024-05-31T23:59:59", "2024-06-30", "2025-01-01"]
    (found,) = CellReader(kind="date").covering([cell], days)
    assert [day for day, held in zip(days, found, strict=True) if held] == covered


def test_a_label_of_the_hierarchy_covers_its_leaves() -> None:
    """Also where it reads as something else: what the publisher says a label means, it means."""
    reader = CellReader(Hierarchy((("1", "1-2", "*"), ("3", "1-2", "*"), ("9", "9", "*"))))
    assert reader.covering(["1-2", "9"], ["1", "2", "3", "9"]).tolist() == [
        [True, False, True, False],
        [False, False, False, True],
    ]


@pytest.mark.parametrize(
    ("one", "other", "meet"),
    [
        ("[20, 29]", "29-35", True),
        ("[20, 29)", "29-35", False),
        ("[20, 29]", "[30, 39]", False),
        ("{a, b}", "b", True),
        ("{a, b}", "c", False),
        ("*", "c", True),
        (None, "c", False),
        (None, "[1, 2] or missing", True),
        ("94*", "9413*", True),
        ("94*", "95*", False),
        ("94*", "94138", True),
        ("2024-Q2", "2024-06", True),
        ("2024-Q2", "2024-07", False),
    ],
)
def test_two_cells_overlap_if_some_value_is_in_both(one: str | None, other: str | None, meet: bool) -> None:
    """What an attacker with two releases asks; the order of the two does not matter."""
    assert CellReader().overlapping([one], [other]).tolist() == [[meet]]
    assert CellReader().overlapping([other], [one]).tolist() == [[meet]]


whole = st.integers(-20, 20)


@settings(max_examples=examples(200), deadline=None)
@given(whole, whole, st.sampled_from("[("), st.sampled_from("])"), st.lists(whole, max_size=8))
def test_an_interval_covers_what_lies_between_its_ends(
    low: int, high: int, opening: str, closing: str, values: list[int]
) -> None:
    """One by one and all at once give the same."""
    cell, reader = f"{opening}{low}, {high}{closing}", CellReader()
    texts = [str(value) for value in values]
    plain = [
        (low < value or (opening == "[" and low == value))
        and (value < high or (closing == "]" and value == high))
        for value in map(Fraction, values)
    ]
    assert reader.covering([cell], texts).tolist() == [plain]
    assert [reader.meaning(cell).covers(text) for text in texts] == plain


def test_a_number_begins_as_it_is_written() -> None:
    """One by one and all at once: 94.5 is no 189/2, of which `189*` would be the beginning."""
    meaning = CellReader().meaning("189*")
    assert [value for value in ("94.5", "189.5", "189") if meaning.covers(value)] == ["189.5", "189"]


def test_a_value_that_reads_like_a_label_is_itself() -> None:
    """Somebody answered so; the cell of that row is true."""
    assert CellReader(kind="category").meaning("no or missing").covers("no or missing")


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("2024010111212", "2024010121212"),
        ("2024-01-01 12:12", "2024-01-01x12:12"),
        ("2024-01-01 12:12:00.1234567", "2024-01-01 12:12:00.1234568"),
    ],
)
def test_texts_that_differ_are_different_moments_or_none(one: str, other: str) -> None:
    """A number of 13 digits is no moment, whatever Python makes of it."""
    assert day_of(one) is None or day_of(one) != day_of(other)


def test_a_moment_is_exact() -> None:
    """However it is spelled, and to the last digit."""
    assert day_of("2024-01-01T13:30:00.5+01:30") == day_of("2024-01-01 12:00:00.50")
    assert day_of("0001-01-01T00:00+02:00") is None
