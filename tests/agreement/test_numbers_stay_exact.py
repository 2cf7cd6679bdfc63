"""A released number is its row's own, or an interval that holds it: by a plain reader with fractions."""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

import shoal
from tests.agreement.thoroughness import examples

NEAR = ["0", "0.1", "1", "1.5", "9007199254740992", "1e16", "5e-324", "1e-400", "123456789012345678901234"]


@st.composite
def hostile_numerals(draw: st.DrawFn) -> str:
    """A number that doubles round, or one that is written in an unusual way."""
    shape = draw(st.sampled_from(["digits", "double", "near", "near", "spelled"]))
    sign = draw(st.sampled_from(["", "-", "+"]))
    if shape == "double":
        return f"{draw(st.floats(-1e299, 1e299)):.17g}"
    if shape == "digits":
        whole = draw(st.integers(0, 10**40))
        places = draw(st.text("0123456789", max_size=40))
        power = draw(st.sampled_from(["", "", "e3", "E-7", "e+12", "e-320"]))
        return f"{sign}{whole}.{places}{power}"
    value = Fraction(draw(st.sampled_from(NEAR)))
    if shape == "near":
        value += draw(st.integers(-2, 2)) * Fraction(1, 10 ** draw(st.sampled_from([0, 1, 17, 18, 25])))
    return _spelled(value, draw(st.integers(0, 3)))


def _spelled(value: Fraction, zeros: int) -> str:
    """A decimal with a power of ten, and more zeros than it needs."""
    places = 0
    while (value * 10**places).denominator > 1:
        places += 1
    return f"{value * 10**places}.{'0' * zeros}e-{places}"


def test_the_spelling_of_this_test_is_right() -> None:
    """What the strategy writes is the number that it means."""
    assert [Fraction(_spelled(Fraction(each), 2)) for each in NEAR] == [Fraction(each) for each in NEAR]


def holds(label: str, value: str) -> bool:
    """Whether a released cell is true of a numeral, by exact arithmetic."""
    if label == "*":
        return True
    label, missing = label.removesuffix(" or missing"), label.endswith(" or missing")
    if value == "":
        return missing or label == ""
    if label.startswith("["):
        low, high = (Fraction(end) for end in label[1:-1].split(", "))
        number = Fraction(value)
        return low <= number < high if label.endswith(")") else low <= number <= high
    return Fraction(label) == Fraction(value)


@pytest.fixture(scope="module")
def engine() -> Iterator[shoal.DuckDB]:
    """One engine for all tables."""
    with shoal.DuckDB() as opened:
        yield opened


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One folder for all tables."""
    return tmp_path_factory.mktemp("numbers")


@pytest.mark.slow
@settings(
    max_examples=examples(100),
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@example(["10000000000000000"] * 2, 0.5, "auto", 2)
@example(["0.10000000000000001", "0.1", "0.10000000000000002", "0.1"], None, "auto", 2)
@example(["1.00000000000000001", "1.00000000000000002"], None, "exact", 1)
@example(["-1e-400", "1e-400", "0", "-0.0"], 0.1, "mondrian", 2)
@given(
    st.lists(st.one_of(hostile_numerals(), hostile_numerals(), st.just("")), min_size=2, max_size=9),
    st.sampled_from([None, None, 0.5, 0.1, 3, 1e-20]),
    st.sampled_from(["auto", "exact", "mondrian", "local", "hill-climb"]),
    st.integers(1, 3),
)
def test_every_released_number_holds_the_original_exactly(
    folder: Path, engine: shoal.DuckDB, numerals: list[str], width: float | None, algorithm: str, k: int
) -> None:
    """Whatever the digits, bins and search; bare numbers are equal, and the audit finds nothing untrue."""
    source, target = folder / "source.csv", folder / "release.csv"
    with source.open("w", newline="") as file:
        csv.writer(file).writerows([("x", "kept"), *((each, each) for each in numerals)])
    arguments = {
        "quasi_identifiers": ["x"],
        "k": (k := min(k, len(numerals))),
        "types": {"x": "number"},
        "bins": {} if width is None else {"x": width},
    }
    shoal.anonymize(
        source,
        **arguments,
        algorithm=algorithm,
        suppression="unlimited",
        suppressed="mask",
        path=target,
        engine=engine,
    )
    with target.open(newline="") as file:
        released = list(csv.reader(file))[1:]
    assert len(released) == len(numerals)
    for (label, kept), value in zip(released, numerals, strict=True):
        assert holds(label, value)
        assert kept == value or (label == "*" and kept == "")
        if width is not None and label.startswith("["):
            assert (Fraction(label[1:].split(", ")[0]) / Fraction(str(width))).denominator == 1
    told = Counter(label for label, _ in released if label != "*")
    assert all(count >= k for count in told.values())
    del arguments["bins"]
    assert shoal.audit(target, original=source, **arguments, engine=engine).holds
