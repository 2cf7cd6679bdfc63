"""Each treatment against its definition, on random columns."""

from __future__ import annotations

from collections import Counter
from datetime import date, timedelta
from decimal import ROUND_HALF_EVEN, Decimal
from fractions import Fraction
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from shoal.errors import PolicyError
from shoal.model.hierarchy.hierarchy import Hierarchy
from shoal.model.policy.stated_treatment import StatedTreatment
from shoal.model.table.coded_cells import CodedCells
from shoal.treatments import TREATMENTS, Cells, SecretKey, treatment_of

KEY = SecretKey(b"a key of the tests, not secret", given=True)
NUMBERS = st.decimals(-5000, 5000, places=2).map(str)
DATES = st.dates(date(1900, 1, 1), date(2100, 1, 1)).map(date.isoformat)
MODEST = settings(max_examples=40, deadline=None)


def columns(cells: st.SearchStrategy[str], least: int = 1) -> st.SearchStrategy[list[str | None]]:
    """Columns with missing cells."""
    return st.lists(st.one_of(cells, cells, cells, st.none()), min_size=least, max_size=25)


def table_of(**named: list[str | None]) -> CodedCells:
    """Columns as an engine reads them: the missing text is always among the texts, and last."""
    texts, codes = [], []
    for column in named.values():
        known = sorted({cell for cell in column if cell is not None})
        texts.append((*known, None))
        codes.append([len(known) if cell is None else known.index(cell) for cell in column])
    rows = len(codes[0])
    return CodedCells(
        columns=tuple(named),
        cells=tuple(texts),
        codes=np.array(codes, np.int32).T.reshape(rows, len(named)),
        counts=np.ones(rows, np.int64),
    )


def treated(
    column: list[str | None],
    name: str,
    *,
    key: SecretKey = KEY,
    hierarchy: Hierarchy | None = None,
    **options: Any,
) -> list[str | None]:
    """The column x after a treatment."""
    return treated_of({"x": column}, name, key=key, hierarchy=hierarchy, **options)


def treated_of(
    named: dict[str, list[str | None]],
    name: str,
    *,
    key: SecretKey = KEY,
    hierarchy: Hierarchy | None = None,
    together: tuple[str, ...] = (),
    **options: Any,
) -> list[str | None]:
    """The first of several columns after a treatment."""
    first = next(iter(named))
    treatment = treatment_of(StatedTreatment.parse({"name": name, **options}, "here"), first)
    cells = treatment.treated(
        Cells(column=first, table=table_of(**named), secret=key, hierarchy=hierarchy, together=together)
    )
    return [cells.texts[choice] for choice in cells.choices.tolist()]


@MODEST
@given(columns(NUMBERS), st.sampled_from([1, 10, 0.5, 2.5, 1000]))
def test_round_is_the_nearest_multiple_with_ties_to_even(column: list[str | None], base: float) -> None:
    """As Python's decimals round the quotient."""
    for cell, new in zip(column, treated(column, "round", to=base), strict=True):
        if cell is None or new is None:
            assert cell is new
        else:
            whole = (Decimal(cell) / Decimal(str(base))).quantize(Decimal(1), ROUND_HALF_EVEN)
            assert Decimal(new) == whole * Decimal(str(base))


@MODEST
@given(columns(NUMBERS), st.integers(-100, 100))
def test_codes_of_bounds_label_everything_beyond_and_nothing_else(
    column: list[str | None], bound: int
) -> None:
    """The label is true of its row; the bound itself is written on request."""
    for cell, top, bottom, written in zip(
        column,
        treated(column, "top-code", at=bound),
        treated(column, "bottom-code", at=bound),
        treated(column, "top-code", at=bound, written="bound"),
        strict=True,
    ):
        above = cell is not None and Decimal(cell) >= bound
        assert top == (f">= {bound}" if above else cell)
        assert bottom == (f"<= {bound}" if cell is not None and Decimal(cell) <= bound else cell)
        assert written == (str(bound) if above else cell)


def test_dates_are_coded_by_their_bound() -> None:
    """Late and early dates become one label."""
    column: list[str | None] = ["1920-05-01", "1930-01-01", "1950-12-31", None]
    assert treated(column, "bottom-code", at="1930-01-01") == [
        "<= 1930-01-01",
        "<= 1930-01-01",
        "1950-12-31",
        None,
    ]


@MODEST
@given(columns(st.text("ab1-*", max_size=6)), st.text("#*x", min_size=1, max_size=6))
def test_mask_keeps_the_signs_of_its_pattern_alone(column: list[str | None], pattern: str) -> None:
    """Every other sign of the cell is gone, and the length is that of the pattern."""
    assume(set(pattern) & {"#", "*"})
    for cell, new in zip(column, treated(column, "mask", pattern=pattern), strict=True):
        if cell is None:
            assert new is None
            continue
        assert new is not None
        assert len(new) == len(pattern)
        for place, sign in enumerate(pattern):
            assert new[place] == ((cell[place : place + 1] or "*") if sign == "#" else sign)


@MODEST
@given(columns(DATES))
def test_truncate_is_the_period_of_the_date(column: list[str | None]) -> None:
    """Year, quarter and month, as the calendar has them."""
    periods = {
        "year": lambda day: f"{day.year}",
        "quarter": lambda day: f"{day.year}-Q{-(-day.month // 3)}",
        "month": lambda day: f"{day:%Y-%m}",
    }
    for to, period in periods.items():
        expected = [None if cell is None else period(date.fromisoformat(cell)) for cell in column]
        assert treated(column, "truncate", to=to) == expected


@MODEST
@given(columns(st.text("aB3 -", min_size=1, max_size=4)), st.sampled_from(["code", "same"]))
def test_pseudonyms_are_one_to_one(column: list[str | None], form: str) -> None:
    """Equal cells get equal pseudonyms and different ones different; no key, no way back."""
    new = treated(column, "pseudonym", format=form)
    assert len(set(zip(column, new, strict=True))) == len(set(column)) == len(set(new))
    assert [cell is None for cell in column] == [cell is None for cell in new]
    if form == "code":
        assert not {cell for cell in new if cell} & {cell for cell in column if cell}
        other = treated(column, "pseudonym", key=SecretKey.fresh())
        assert all(one != two for one, two in zip(new, other, strict=True) if one is not None)


def test_pseudonyms_of_one_format_are_a_permutation_of_all_texts_of_it() -> None:
    """Also where every text of the format occurs: nothing collides, whatever the column has."""
    every: list[str | None] = [f"{number:03}-{letter}" for number in range(1000) for letter in "Kx"]
    new = treated(every, "pseudonym", format="same")
    assert all(each[:3].isdigit() and each[3] == "-" for each in new if each)
    assert len({each for each in new if each and each[4].isupper()}) == 1000
    assert len(set(new)) == 2000
    assert treated(every[:10], "pseudonym", format="same") == new[:10]


def test_columns_of_one_domain_share_their_pseudonyms() -> None:
    """A number of a person is the same code in two columns of a domain, and another one outside of it."""
    named: dict[str, list[str | None]] = {"child": ["1", "2"], "parent": ["2", "1"]}
    child = treated_of(named, "pseudonym", domain="person", together=("child", "parent"))
    parent = treated_of(
        {"parent": named["parent"], "child": named["child"]},
        "pseudonym",
        domain="person",
        together=("child", "parent"),
    )
    assert child == parent[::-1]
    assert treated_of(named, "pseudonym") != child


@MODEST
@given(st.lists(st.tuples(st.one_of(st.none(), st.sampled_from("abc")), DATES), min_size=1, max_size=20))
def test_shift_moves_all_dates_of_a_person_alike(rows: list[tuple[str | None, str]]) -> None:
    """By at least one and at most so many days, so that intervals stay."""
    people = [person for person, _ in rows]
    days = [day for _, day in rows]
    new = treated_of({"x": list(days), "who": people}, "shift", days=40, by="who")
    moved: dict[str | None, set[timedelta]] = {}
    for person, old, shifted in zip(people, days, new, strict=True):
        assert shifted is not None
        distance = date.fromisoformat(shifted) - date.fromisoformat(old)
        assert 1 <= abs(distance.days) <= 40
        moved.setdefault(person, set()).add(distance)
    assert all(len(each) == 1 for person, each in moved.items() if person is not None)


def test_shifts_reach_every_day_in_both_directions() -> None:
    """No offset is left out, and none is zero."""
    people: list[str | None] = [str(number) for number in range(400)]
    new = treated_of({"x": ["2024-06-15"] * 400, "who": people}, "shift", days=3, by="who")
    days = {(date.fromisoformat(each) - date(2024, 6, 15)).days for each in new if each}
    assert days == {-3, -2, -1, 1, 2, 3}


def test_generalize_takes_the_labels_of_a_level() -> None:
    """A value that the hierarchy lacks is refused, and not quoted."""
    tree = Hierarchy((("flu", "lung", "*"), ("asthma", "lung", "*"), ("hiv", "virus", "*")))
    assert treated(["hiv", None, "flu"], "generalize", level=1, hierarchy=tree) == ["virus", None, "lung"]
    with pytest.raises(PolicyError, match="1 of its different cells are none") as error:
        treated(["hiv", "plague"], "generalize", level=1, hierarchy=tree)
    assert "plague" not in str(error.value)


@pytest.mark.parametrize(("distribution", "deviation"), [("normal", 10), ("laplace", 10 * 2**0.5)])
def test_noise_has_its_mean_and_its_scale(distribution: str, deviation: float) -> None:
    """Over 4,000 rows, within five standard errors; with the decimals of the column."""
    column: list[str | None] = ["100.5"] * 4000
    new = treated(column, "noise", scale=10, distribution=distribution)
    moved = np.array([float(each) - 100.5 for each in new if each is not None])
    assert abs(moved.mean()) < 5 * deviation / 4000**0.5
    assert abs(moved.std() / deviation - 1) < 0.1
    assert all(len(each.partition(".")[2]) <= 1 for each in new if each)


@MODEST
@given(columns(st.integers(0, 9).map(str)), st.sampled_from([1, 10, 30, 100]))
def test_swapped_values_stay_in_the_column_and_near_their_rank(column: list[str | None], within: int) -> None:
    """Every value is as frequent as before; some order of equal values has every exchange within reach."""
    new = treated(column, "swap", within=within)
    assert Counter(new) == Counter(column)
    known = sorted(int(cell) for cell in column if cell is not None)
    most = len(known) * within // 100
    for old, exchanged in zip(column, new, strict=True):
        assert (old is None) == (exchanged is None)
        if old is not None and exchanged is not None:
            low, high = sorted((int(old), int(exchanged)))
            last_low = max(at for at, value in enumerate(known) if value == low)
            assert low == high or known.index(high) - last_low <= most


def test_pram_keeps_the_expected_frequencies() -> None:
    """Invariant: over 6,000 rows each category stays as frequent, within five standard errors."""
    column: list[str | None] = ["a"] * 4000 + ["b"] * 1500 + ["c"] * 500 + [None] * 10
    new = treated(column, "pram", keep=0.5)
    assert new[-10:] == [None] * 10
    counts = Counter(new)
    for category, times in (("a", 4000), ("b", 1500), ("c", 500)):
        assert abs(counts[category] - times) < 5 * 6000**0.5 / 2
    changed = sum(one != two for one, two in zip(column, new, strict=True)) / 6000
    assert abs(changed - 0.5 * (1 - (4000**2 + 1500**2 + 500**2) / 6000**2)) < 0.05


@MODEST
@given(st.lists(st.integers(-50, 50), min_size=3, max_size=9), st.integers(2, 3))
def test_microaggregates_are_the_means_with_the_least_sum_of_squares(numbers: list[int], k: int) -> None:
    """As trying all ends of runs finds; every mean is that of at least k rows."""
    new = treated([str(each) for each in numbers], "microaggregate", k=k)
    line, best = sorted(numbers), None
    for size in range(len(line)):
        for ends in combinations(range(1, len(line)), size):
            runs = [line[a:b] for a, b in zip((0, *ends), (*ends, len(line)), strict=True)]
            if all(len(run) >= k for run in runs):
                squares = sum(sum((x - Fraction(sum(run), len(run))) ** 2 for x in run) for run in runs)
                best = squares if best is None else min(best, squares)
    assert best is not None
    means = [Fraction(each) for each in new if each is not None]
    assert min(Counter(means).values()) >= k
    assert abs(sum((x - mean) ** 2 for x, mean in zip(numbers, means, strict=True)) - best) < 0.1


def test_columns_are_microaggregated_together() -> None:
    """Groups are common: rows with the same mean in one column have the same mean in the other."""
    one: list[str | None] = [str(each) for each in (1, 2, 3, 50, 51, 52)]
    two: list[str | None] = [str(each) for each in (9, 8, 7, 900, 901, 905)]
    names = ("x", "y")
    first = treated_of({"x": one, "y": two}, "microaggregate", k=3, group="g", together=names)
    second = treated_of({"y": two, "x": one}, "microaggregate", k=3, group="g", together=names)
    assert first == ["2", "2", "2", "51", "51", "51"]
    assert second == ["8", "8", "8", "902", "902", "902"]


@pytest.mark.parametrize(
    ("stated", "message"),
    [
        ("hash", "reversed by trying all values.*pseudonym"),
        ("rond", "Did you mean 'round'"),
        ("round", "needs to"),
        ({"name": "round", "to": 0}, "to must be a number above 0"),
        ({"name": "round", "too": 1}, "no option 'too'"),
        ({"name": "mask", "pattern": "xx"}, "pattern must be"),
        ({"name": "noise", "scale": -1}, "scale must be"),
        ({"name": "swap", "within": 101}, "within must be"),
        ({"name": "pram", "keep": 1}, "keep must be"),
        ({"name": "top-code", "at": "late"}, "at must be a number, or a date"),
        ({"name": "microaggregate", "k": 1}, "k must be"),
        ({"name": "shift", "days": 0}, "days must be"),
    ],
)
def test_a_wrong_treatment_is_refused_in_words(stated: object, message: str) -> None:
    """With the column, and what would be right."""
    with pytest.raises(PolicyError, match=message) as error:
        treatment_of(StatedTreatment.parse(stated, "here"), "income")
    assert "column 'income'" in str(error.value)


@pytest.mark.parametrize("name", ["round", "top-code", "noise", "swap", "truncate", "microaggregate"])
def test_cells_of_another_kind_are_counted_and_not_quoted(name: str) -> None:
    """A treatment of numbers or dates refuses words."""
    options = {"round": {"to": 1}, "top-code": {"at": 3}, "noise": {"scale": 1}, "microaggregate": {"k": 2}}
    with pytest.raises(PolicyError, match=f"treatment '{name}' of column 'x' needs") as error:
        treated(["secret", "3"], name, **options.get(name, {}))
    assert "secret" not in str(error.value)


def test_every_treatment_has_words() -> None:
    """The reference and the manifest use them."""
    for name, treatment in TREATMENTS.items():
        words = treatment.description
        assert treatment.name == name
        assert len(words.short) <= 60
        assert all((words.title, words.meaning, words.when, words.example))


def test_a_key_is_never_shown_or_stored() -> None:
    """Not by repr, str or pickle."""
    import pickle

    key = SecretKey(b"0123456789abcdef", given=True)
    assert repr(key) == str(key) == "SecretKey(given)"
    with pytest.raises(TypeError, match="not stored"):
        pickle.dumps(key)
