"""Orders that values have by themselves: every scheme in its order, and columns that only look like one."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.model.order.education import education
from shoal.model.order.recognised import Recognised, recognised
from shoal.model.order.word_scales import SCALES
from tests.agreement.thoroughness import examples

IN_ORDER: list[tuple[str, tuple[str, ...]]] = [
    ("months", ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")),
    ("months", ("January", "February", "DECEMBER")),
    ("months", ("Januar", "März", "Mai", "Oktober", "Dezember")),
    ("months", ("2024-02", "2024-10", "2025-01")),
    ("months", ("12/2024", "01/2025", "02/2025")),
    ("months", ("Dec-2024", "Jan-2025", "Feb-2025")),
    ("months", ("Nov 98", "Dec 98", "Jan 01")),
    ("months", ("FEB1980", "JAN1981", "DEC1981")),
    ("months", ("1980M02", "1980M11", "1981M01")),
    ("quarters", ("Q1", "Q2", "Q3", "Q4")),
    ("quarters", ("2025-Q3", "2025-Q4", "2026-Q1")),
    ("quarters", ("Q4 2024", "Q1 2025", "Q2 2025")),
    ("quarters", ("2020Q3", "2020Q4", "2021Q1")),
    ("quarters", ("4Q2019", "1Q2020", "2Q2020")),
    ("clock times", ("08:30", "09:15", "17:00")),
    ("clock times", ("11:30 AM", "12:15 PM", "1:00 PM")),
    ("clock times", ("8h30", "9h15", "17h00")),
    ("clock times", ("8:30 Uhr", "9:15 Uhr", "17:00 Uhr")),
    ("clock times", ("08:30:15", "08:30:15.250", "08:30:16")),
    ("quarters", ("1. Quartal", "2. Quartal", "3. Quartal")),
    ("quarters", ("1st quarter", "2nd quarter", "4th quarter")),
    ("half-years", ("2024-H2", "2025-H1", "2025-H2")),
    ("weekdays", ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")),
    ("weekdays", ("Montag", "Mittwoch", "Sonntag")),
    ("weekdays", ("Mo", "Di", "Mi", "Do", "Fr", "Sa", "So")),
    ("seasons", ("spring", "summer", "autumn", "winter")),
    ("seasons", ("winter 2023", "spring 2024", "summer 2024")),
    ("times of day", ("morning", "afternoon", "evening", "night")),
    ("dates", ("17.05.2023", "01.06.2023", "02.01.2024")),
    ("dates", ("12/25/2023", "5/17/2024", "6/1/2024")),
    ("dates", ("May 17, 2023", "June 1, 2023", "Jan 2nd 2024")),
    ("dates", ("2023/05/17", "2023/06/01", "2024/01/02")),
    ("levels from low to high", ("low", "medium", "high")),
    ("levels from low to high", ("very low", "low", "normal", "high", "very high")),
    ("levels from low to high", ("niedrig", "mittel", "hoch")),
    ("levels from low to high", ("Low risk", "Medium risk", "High risk")),
    ("degrees of severity", ("none", "mild", "moderate", "severe")),
    ("degrees of severity", ("keine", "leicht", "mittel", "schwer")),
    ("frequencies", ("never", "rarely", "sometimes", "often", "always")),
    ("frequencies", ("nie", "selten", "manchmal", "häufig", "immer")),
    ("intervals of time", ("daily", "weekly", "monthly", "yearly")),
    ("ratings", ("poor", "fair", "good", "very good", "excellent")),
    ("ratings", ("Very_Poor", "poor", "GOOD")),
    ("sizes", ("small", "medium", "large")),
    ("sizes", ("XS", "S", "M", "L", "XL", "XXL", "3XL")),
    ("ordinal words", ("first", "second", "third")),
    (
        "degrees of agreement",
        ("Strongly disagree", "Disagree", "Neither agree nor disagree", "Agree", "Strongly agree"),
    ),
    ("degrees of satisfaction", ("very dissatisfied", "dissatisfied", "satisfied", "very satisfied")),
    ("degrees of likelihood", ("unlikely", "possible", "likely")),
    ("degrees", ("not at all important", "somewhat important", "very important")),
    ("numbers in words", ("one", "two", "three", "ten")),
    ("stages of life", ("child", "teenager", "adult", "senior")),
    ("never, former, current", ("never", "former", "current")),
    ("ordinals", ("1st", "2nd", "10th", "11th")),
    ("Roman numerals", ("I", "II", "III", "IV", "V", "IX")),
    ("Roman numerals", ("Stage 0", "Stage I", "Stage IIa", "Stage IIIA", "Stage IIIB", "Stage IV")),
    ("grades", ("A+", "A", "A-", "B+", "C", "F")),
    ("grades", ("a", "b", "c", "d", "f")),
    ("levels of education", ("none", "primary", "secondary", "tertiary")),
    (
        "levels of education",
        (
            *("Less than 1st grade", "1st 2nd 3rd or 4th grade", "7th and 8th grade", "10th grade"),
            *("12th grade no diploma", "High school graduate", "Some college but no degree"),
            *("Bachelors degree(BA AB BS)", "Doctorate degree(PhD EdD)"),
        ),
    ),
    ("ranges", ("0-17", "18-24", "25-64", "65+")),
    ("ranges", ("<20", "20-39", "40-79", ">=80")),
    ("ranges", ("under 5 years", "5 to 9 years", "10 years and over")),
    ("ranges", ("<$1000", "$1,000-$9,999", "$10k-$20k", ">$20k")),
    ("ranges", ("[0, 10)", "[10, 20)", "[20, 100)")),
    ("ranges", ("(-inf, 2.5]", "(2.5, 10.0]", "(10.0, inf]")),
    ("ranges", ("none", "1-2", "3\u20135", "6 or more")),
    ("ranges", ("<0", "0<=X<200", ">=200")),
    ("ranges", ("unter 18 Jahre", "18 bis 64 Jahre", "65 Jahre und älter")),
    (
        "levels of education",
        ("1. < HS Grad", "2. HS Grad", "3. Some College", "4. College Grad", "5. Advanced Degree"),
    ),
    ("levels from low to high", ("(1) low", "(2) medium", "(10) high")),
    ("texts with numbers", ("Group 2", "Group 10", "Group 11")),
    ("texts with numbers", ("0.5 mg", "5 mg", "10 mg")),
    ("numbers", ("-3", "2", "10", "2.5e1")),
]


def found(values: tuple[str, ...]) -> tuple[Recognised | None, list[str]]:
    """What is recognised in values, which come sorted, and their order."""
    texts = sorted(values)
    order = recognised(texts)
    return order, [] if order is None else [texts[place] for place in order.order]


@pytest.mark.parametrize(("scheme", "values"), IN_ORDER)
def test_each_scheme_is_recognised_in_its_order(scheme: str, values: tuple[str, ...]) -> None:
    """The values of a scheme come in its order, and the reason names it."""
    order, texts = found(values)
    assert order is not None
    assert (order.arrangement.words, tuple(texts)) == (f"recognised as {scheme}", values)
    assert order.arrangement.is_scale


@pytest.mark.parametrize(("scheme", "values"), IN_ORDER)
def test_one_stranger_and_nothing_is_recognised(scheme: str, values: tuple[str, ...]) -> None:
    """All values must belong to the scheme."""
    assert found((*values, "Timbuktu"))[0] is None


@pytest.mark.parametrize(("scheme", "values"), IN_ORDER)
def test_values_that_say_nothing_come_last(scheme: str, values: tuple[str, ...]) -> None:
    """Unknown and ? are no strangers: they come after all others."""
    order, texts = found((*values, "Unknown", "?"))
    assert order is not None
    assert tuple(texts) == (*values, "?", "Unknown")


@pytest.mark.parametrize(
    "values",
    [
        ("red", "green", "blue"),
        ("1. Never Married", "2. Married", "3. Widowed"),
        ("A30", "A31", "A32", "A33"),  # names, whose beginnings say nothing
        ("A", "B", "C", "D"),  # anything
        ("A", "B", "AB", "O"),  # blood groups, not grades
        ("FR", "SA", "TH"),  # countries, not Friday and Saturday
        ("F", "M", "X"),
        ("05/06/2023", "06/05/2024", "07/08/2024"),  # May or June?
        ("2024-01", "2024-13", "2024-99"),
        ("Jan", "Feb", "Mar 2024"),
        ("18-65", "20-30", "31-40"),  # one contains another
        ("April", "May", "Charlotte"),
        ("X", "Y", "Z"),
        ("low", "severe", "Friday"),
        ("United-States", "Vietnam", "Mexico"),
        ("unknown", "?", "n/a"),
        ("9" * 5000 + " mg", "8" * 5000 + " mg"),
        ("\u0661 mg", "\u0662 mg"),
        ("flu",),
        (),
    ],
)
def test_what_only_looks_like_a_scheme_is_not_recognised(values: tuple[str, ...]) -> None:
    """A wrong order is worse than none."""
    assert found(values)[0] is None


def test_codes_keep_their_sorted_order() -> None:
    """Beginnings of codes mean something, so they stay next to each other; no scale is claimed."""
    order, texts = found(("02139", "02138", "10001"))
    assert order is not None
    assert texts == ["02138", "02139", "10001"]
    assert order.arrangement.words == "as sorted: they look like codes"
    assert not order.arrangement.is_scale


def test_the_education_of_the_census_is_in_the_order_of_years() -> None:
    """Adult's sixteen levels, from preschool to doctorate."""
    from shoal.datasets import ADULT_ORDERS

    order, texts = found(ADULT_ORDERS["education"])
    assert order is not None
    assert tuple(texts) == ADULT_ORDERS["education"]
    assert education(["1st", "2nd"]) is None  # ordinals, of anything


@given(st.data())
@settings(max_examples=examples(200), deadline=None)
def test_a_recognised_order_is_a_permutation_whatever_came_first(data: st.DataObject) -> None:
    """Some values of a scheme in any order, and in any case, give the same order."""
    words = [*SCALES[data.draw(st.sampled_from(sorted(SCALES)))]]
    texts = data.draw(st.lists(st.sampled_from(words), min_size=2, unique=True))
    order = recognised(texts)
    assert order is not None
    assert sorted(order.order) == list(range(len(texts)))
    shuffled = [*texts]
    random.Random(data.draw(st.integers(0, 9))).shuffle(shuffled)
    again = recognised(shuffled)
    assert again is not None
    assert [shuffled[place] for place in again.order] == [texts[place] for place in order.order]
    loud = recognised([text.upper() for text in texts])
    assert loud is not None
    assert loud.arrangement == order.arrangement


@given(st.lists(st.text(max_size=6), unique=True, max_size=6))
@settings(max_examples=examples(300), deadline=None)
def test_no_text_makes_recognition_fail(texts: list[str]) -> None:
    """Whatever a cell says, the answer is an order or none."""
    order = recognised(texts)
    assert order is None or sorted(order.order) == list(range(len(texts)))
