"""How cells become values."""

from __future__ import annotations

import datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.engines.sql.values import UnreadableError, guess, read
from shoal.model.table.number_text import bin_start, number


@pytest.mark.parametrize(
    ("cells", "kind"),
    [
        (["1", "20", "-3"], "number"),
        (["1.50", "2", "1e3"], "number"),
        (["02139", "10001"], "category"),
        (["0", "0.5"], "number"),
        (["1,5", "2"], "category"),
        (["2024-01-31", "2024-02-01"], "date"),
        (["2024-01-31 10:00:00", "2024-02-01"], "date"),
        (["2024-02-31"], "category"),
        (["31.01.2024"], "category"),
        (["a", "1"], "category"),
        ([True, False], "category"),
        ([1, 2.5], "number"),
        ([], "category"),
        ([None], "category"),
        (["NaN"], "category"),
        (["1", "NaN"], "number"),
        (["1e999"], "category"),
    ],
)
def test_kind_is_the_narrowest_that_fits_all_cells(cells: list[object], kind: str) -> None:
    """Codes with leading zeros are no numbers, and impossible dates are no dates."""
    assert guess(cells) == kind


def test_numbers_that_are_equal_are_one_value() -> None:
    """1, 1.0 and their texts are the same number; minus zero is zero."""
    assert set(read([1, 1.0, "1", "1.0", "+1"], "number")) == {1}
    assert set(read([0.0, -0.0, "-0"], "number")) == {0}


def test_a_number_and_its_text_are_one_category() -> None:
    """A column that mixes numbers and texts is read as texts."""
    assert read([1, "1", "x"], "category") == ["1", "1", "x"]


def test_moments_at_midnight_are_dates() -> None:
    """A column of dates that a library stores as moments is printed as dates."""
    midnight = datetime.datetime(2024, 1, 31)
    assert read([midnight], "date") == [datetime.date(2024, 1, 31)]


def test_moments_with_and_without_zone_do_not_mix() -> None:
    """There is no order between them."""
    with pytest.raises(UnreadableError):
        read(["2024-01-31 10:00:00", "2024-01-31 10:00:00+01:00"], "date")


@pytest.mark.parametrize(
    ("value", "width", "low"),
    [
        (23, 5, 20),
        (20, 5, 20),
        (-1, 5, -5),
        (-5, 5, -5),
        (0, 5, 0),
        (0.3, 0.1, 0.3),
        (-0.05, 0.1, -0.1),
        (7, 2.5, 5),
    ],
)
def test_bins_are_anchored_at_zero(value: float, width: float, low: float) -> None:
    """Also below zero, and exactly in decimals."""
    assert bin_start(number(value), number(width)) == number(low)


@given(st.integers(-(10**6), 10**6), st.integers(1, 1000))
def test_a_number_lies_in_its_bin(value: int, width: int) -> None:
    """The bin's lower end is a multiple of the width, at most one width below."""
    low = bin_start(value, width)
    assert low <= value < low + width
    assert low % width == 0
