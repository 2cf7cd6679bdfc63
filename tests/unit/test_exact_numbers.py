"""Numbers and times are told apart, ordered and printed exactly, through whichever door they come."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas
import polars
import pyarrow
import pyarrow.parquet
import pytest

import shoal
from shoal.engines.sql.table import _parts
from shoal.model.hierarchy.number_label import spans
from shoal.model.recoding.recoding import plain_value
from shoal.model.table.domain import Domain
from shoal.model.table.number_text import (
    NoNumberError,
    bin_start,
    decimal_text,
    number,
    number_of,
    number_text,
)
from shoal.warehouse.dialect import DIALECTS, Dialect
from tests.unit.conftest import load
from tests.unit.warehouses import policy_for, released, selected

DIGITS = [Decimal(each) for each in ("0.1", "0.10000000000000001", "0.10000000000000002", "0.2")]
PAIRS = ["[0.1, 0.10000000000000001]"] * 2 + ["[0.10000000000000002, 0.2]"] * 2
LARGE = [2**63 - 2, 2**63 - 1, 2**64 - 2, 2**64 - 1]
LARGE_PAIRS = [f"[{LARGE[0]}, {LARGE[1]}]"] * 2 + [f"[{LARGE[2]}, {LARGE[3]}]"] * 2


def in_pairs(source: Any, path: Path | None = None, **arguments: Any) -> list[Any]:
    """The released cells of `x`, at least two alike; the audit beside the source finds nothing untrue."""
    asked: dict[str, Any] = {"quasi_identifiers": ["x"], "k": 2}
    release = shoal.anonymize(source, **asked, **arguments, suppression=0, path=path)
    found = release.data if path is None else path
    assert shoal.audit(found, original=source, **asked).holds
    return load(found)["x"]


@pytest.mark.parametrize(
    ("given", "printed"),
    [
        ("0.10000000000000001", "0.10000000000000001"),
        ("1.50", "1.5"),
        ("1e-5", "1e-05"),
        ("0.00012345678901234567890", "0.0001234567890123456789"),
        ("0.000012345678901234567890", "1.234567890123456789e-5"),
        ("-1e-400", "-1e-400"),
        ("10000000000000000.5", "10000000000000000.5"),
        ("1e16", "10000000000000000"),
        (1e23, "1" + "0" * 23),
        (-0.0, "0"),
        (5e-324, "5e-324"),
        (Decimal("1E+2"), "100"),
        (Fraction(1, 8), "0.125"),
        ("1." + "0" * 5000, "1"),
    ],
)
def test_a_number_is_printed_with_all_its_digits(given: Any, printed: str) -> None:
    """As Python prints a double where it is one; reading it gives the same number."""
    assert number_text(number(given)) == printed
    assert number(printed) == number(given)


@pytest.mark.parametrize(
    "given",
    [
        *("1e301", "1.000000000000000000000000000000000000001e300", "1e-1101", "0." + "1" * 1501, "9" * 5000),
        *(float("inf"), float("nan"), Decimal("sNaN"), Fraction(1, 3), "1,5", "01", "\u0661"),
    ],
)
def test_what_cannot_be_computed_with_exactly_is_no_number(given: Any) -> None:
    """Then it is text, or refused by its row."""
    with pytest.raises(NoNumberError):
        number(given)


def test_long_numerals_are_read_by_the_audit() -> None:
    """Python's own limit of 4,300 digits of whole numbers ends nobody's audit."""
    assert number_of("1" * 5000) is None
    assert number_of("0." + "0" * 5000) == 0
    assert spans(f"[1, {'1' * 5000}]")[0].high == Fraction(10**5000 - 1, 9)
    assert decimal_text(Fraction(1, 2**1074)).endswith("5")


@pytest.mark.parametrize(
    ("value", "width", "low"),
    [
        ("10000000000000000", "0.5", "10000000000000000"),
        ("-0.00000000000000000001", "0.1", "-0.1"),
        ("0.29999999999999999", "0.1", "0.2"),
        ("1e300", "1e-20", "1e300"),
    ],
)
def test_bins_are_exact_however_fine(value: str, width: str, low: str) -> None:
    """A number lies in its own bin, also where doubles would round it into the next."""
    assert bin_start(number(value), number(width)) == number(low)


def test_a_float_in_a_domain_stands_for_its_shortest_text() -> None:
    """Whoever makes a domain of floats gets the numbers that were written."""
    domain = Domain(name="x", kind="number", values=(0.1, 0.3), bin=0.1, integral=False)  # type: ignore[arg-type]
    assert domain.label(0, 1) == "[0.1, 0.4)"
    assert domain.position(0) == Fraction(1, 10)


def test_the_manifest_has_text_where_json_would_round() -> None:
    """Readers of JSON take doubles: 0.10000000000000001 would read as 0.1."""
    domain = Domain(name="x", kind="number", values=tuple(map(number, DIGITS)), integral=False)
    told = [plain_value(domain, code) for code in range(4)]
    assert told == [0.1, "0.10000000000000001", 0.10000000000000002, 0.2]


Maker = Callable[[list[Any]], Any]
DECIMALS: dict[str, Maker] = {
    "objects": lambda cells: pandas.DataFrame({"x": cells}),
    "pandas": lambda cells: pandas.DataFrame(
        {"x": pandas.Series(cells, dtype=pandas.ArrowDtype(pyarrow.decimal128(38, 20)))}
    ),
    "polars": lambda cells: polars.DataFrame({"x": polars.Series(cells, dtype=polars.Decimal(38, 20))}),
    "decimal128": lambda cells: pyarrow.table({"x": pyarrow.array(cells, pyarrow.decimal128(38, 20))}),
    "decimal256": lambda cells: pyarrow.table({"x": pyarrow.array(cells, pyarrow.decimal256(76, 40))}),
}


@pytest.mark.parametrize("made", DECIMALS.values(), ids=DECIMALS)
def test_decimals_of_frames_are_exact(made: Maker) -> None:
    """Two decimals that are one double stay two."""
    assert in_pairs(made(DIGITS)) == PAIRS


WHOLE: dict[str, Maker] = {
    "pandas": lambda cells: pandas.DataFrame({"x": np.array(cells, np.uint64)}),
    "polars": lambda cells: polars.DataFrame({"x": polars.Series(cells, dtype=polars.Int128)}),
    "arrow": lambda cells: pyarrow.table({"x": pyarrow.array(cells, pyarrow.uint64())}),
}


@pytest.mark.parametrize("made", WHOLE.values(), ids=WHOLE)
def test_large_whole_numbers_of_frames_are_exact(made: Maker) -> None:
    """Also beyond 2^53."""
    assert in_pairs(made(LARGE)) == LARGE_PAIRS


@pytest.mark.parametrize(
    ("type_", "cells", "printed"),
    [
        ("DECIMAL(38, 20)", DIGITS, PAIRS),
        ("HUGEINT", LARGE, LARGE_PAIRS),
        ("UBIGINT", LARGE, LARGE_PAIRS),
        ("DOUBLE", [5e-324, 0.1, 1e22, 1e23], [f"[{5e-324}, 0.1]"] * 2 + [f"[{10**22}, {10**23}]"] * 2),
    ],
)
def test_numbers_of_a_database_are_exact(
    type_: str, cells: list[Any], printed: list[str], tmp_path: Path
) -> None:
    """Also in a column that is kept: the file has it as the database writes it."""
    database, path = tmp_path / "table.db", tmp_path / "release.csv"
    with duckdb.connect(str(database)) as connection:
        rows = ", ".join(f"('{cell}')" for cell in cells)
        connection.execute(
            f"CREATE TABLE t AS SELECT CAST(v AS {type_}) AS x, CAST(v AS {type_}) AS y "
            f"FROM (VALUES {rows}) AS s(v)"
        )
    shoal.anonymize(
        f"duckdb:///{database}", table="t", quasi_identifiers=["x"], k=2, suppression=0, path=path
    )
    found = load(path)
    assert found["x"] == printed
    assert [Fraction(cell) for cell in found["y"]] == [Fraction(str(cell)) for cell in cells]


def test_decimals_of_a_parquet_file_are_exact(tmp_path: Path) -> None:
    """Released as they were, they keep their type; joined, they are text with all digits."""
    source, path = tmp_path / "table.parquet", tmp_path / "release.parquet"
    pyarrow.parquet.write_table(
        pyarrow.table({"x": pyarrow.array(DIGITS, pyarrow.decimal128(38, 20))}), source
    )
    assert in_pairs(source, path) == PAIRS
    shoal.anonymize(source, quasi_identifiers=["x"], k=1, path=path)
    assert load(path)["x"] == DIGITS


def test_single_precision_reads_alike_in_frames_and_files(tmp_path: Path) -> None:
    """By the shortest text: 0.1, not the double 0.10000000149011612."""
    cells = np.array([0.1, 0.2, 0.7, 0.9], np.float32)
    table, path = pyarrow.table({"x": cells}), tmp_path / "table.parquet"
    pyarrow.parquet.write_table(table, path)
    in_arrow = pandas.Series(cells, dtype=pandas.ArrowDtype(pyarrow.float32()))
    frames = [
        *(table, polars.DataFrame({"x": cells}), pandas.DataFrame({"x": cells})),
        *(
            pandas.DataFrame({"x": in_arrow}),
            pandas.DataFrame({"x": pandas.Series(cells).astype("category")}),
        ),
    ]
    wanted = ["[0.1, 0.2]"] * 2 + ["[0.7, 0.9]"] * 2
    assert in_pairs(path, tmp_path / "release.parquet") == wanted
    assert [in_pairs(each) for each in frames] == [wanted] * len(frames)


def test_single_precision_in_arrow_keeps_its_type() -> None:
    """To make one zero of two does not make doubles of it."""
    column = pandas.Series([0.0, -0.0], dtype=pandas.ArrowDtype(pyarrow.float32()))
    release = shoal.anonymize(pandas.DataFrame({"x": column}), quasi_identifiers=["x"], k=2)
    assert release.data["x"].dtype == column.dtype


@pytest.mark.skipif(np.finfo(np.longdouble).bits <= 64, reason="long doubles are doubles here")
def test_long_doubles_are_told_apart() -> None:
    """pandas holds those for equal that are one double, and so would release two people as one."""
    step = np.longdouble(2) ** -60
    cells = np.array([1, 1 + step, 2, 2 + 2 * step], np.longdouble)
    found = in_pairs(pandas.DataFrame({"x": cells}))
    assert found[0] == found[1] != found[2] == found[3]
    assert found[0].startswith("[1, 1.00000000000000000")


def test_fractions_without_a_last_digit_are_text() -> None:
    """1/3 cannot be written as a decimal; beside it, 1/2 is 0.5 all the same."""
    cells = [Fraction(1, 3), Fraction(1, 2), Fraction(1, 3), Fraction(1, 2)]
    frame = pandas.DataFrame({"x": cells, "y": [1, 1, 2, 2]})
    asked: dict[str, Any] = {"quasi_identifiers": ["x", "y"], "k": 2, "orders": {"x": ["1/3", "0.5"]}}
    release = shoal.anonymize(frame, **asked, suppression=0)
    assert shoal.audit(release.data, original=frame, quasi_identifiers=["x", "y"], k=2).holds


def test_infinite_numbers_can_be_audited() -> None:
    """They are categories: no interval ends at them."""
    frame = pandas.DataFrame({"x": [1.5, 1.5, float("inf"), float("inf")]})
    assert in_pairs(frame) == [1.5, 1.5, float("inf"), float("inf")]


NANOSECONDS: dict[str, Callable[[], Any]] = {
    "pandas": lambda: pandas.DataFrame({"x": np.array([1, 2, 3, 1000], "datetime64[ns]")}),
    "objects": lambda: pandas.DataFrame(
        {"x": pandas.Series([np.datetime64(each, "ns") for each in (1, 2, 3, 1000)], dtype=object)}
    ),
    "times in pandas": lambda: pandas.DataFrame(
        {"x": pandas.Series([1, 2, 3, 1000], dtype=pandas.ArrowDtype(pyarrow.time64("ns")))}
    ),
    "polars": lambda: polars.DataFrame({"x": polars.Series([1, 2, 3, 1000]).cast(polars.Datetime("ns"))}),
    "times in polars": lambda: polars.DataFrame({"x": polars.Series([1, 2, 3, 1000]).cast(polars.Time)}),
    "durations in polars": lambda: polars.DataFrame(
        {"x": polars.Series([1, 2, 3, 1000]).cast(polars.Duration("ns"))}
    ),
    "arrow": lambda: pyarrow.table({"x": pyarrow.array([1, 2, 3, 1000], pyarrow.timestamp("ns"))}),
    "with zones": lambda: pyarrow.table(
        {"x": pyarrow.array([1, 2, 3, 1000], pyarrow.timestamp("ns", "Europe/Berlin"))}
    ),
    "times in arrow": lambda: pyarrow.table({"x": pyarrow.array([1, 2, 3, 1000], pyarrow.time64("ns"))}),
    "durations in arrow": lambda: pyarrow.table(
        {"x": pyarrow.array([1, 2, 3, 1000], pyarrow.duration("ns"))}
    ),
}


@pytest.mark.parametrize("made", NANOSECONDS.values(), ids=NANOSECONDS)
def test_nanoseconds_of_frames_are_not_cut_off(made: Callable[[], Any]) -> None:
    """Four moments make two pairs, and each pair names both of its moments."""
    found = in_pairs(made())
    pairs = sorted(set(found))
    assert len(pairs) == 2
    assert all(found.count(each) == 2 and each.count(",") == 1 for each in pairs)


FAR: dict[str, Callable[[], Any]] = {
    "pandas": lambda: pandas.DataFrame(
        {"x": np.array(["1500-01-01", "2000-01-01", "2000-01-02", "10000-01-01"], "datetime64[s]")}
    ),
    "polars": lambda: polars.DataFrame({"x": polars.Series([-(9**5), 0, 1, 2932897]).cast(polars.Date)}),
    "arrow": lambda: pyarrow.table(
        {"x": pyarrow.array([-(9**5), 0, 1, 2932897], pyarrow.int32()).cast(pyarrow.date32())}
    ),
}


@pytest.mark.parametrize("made", FAR.values(), ids=FAR)
def test_years_that_python_has_not_are_text(made: Callable[[], Any]) -> None:
    """The year 10000 ends no run, and is released as it is."""
    assert sum("10000-01-01" in each for each in in_pairs(made())) == 2


def test_a_typed_moment_beyond_python_is_refused_by_its_row(tmp_path: Path) -> None:
    """With the column, the place and the way out, which works."""
    path = tmp_path / "table.parquet"
    moments = pyarrow.array([1000, 2000, 3, 4], pyarrow.timestamp("ns"))
    pyarrow.parquet.write_table(pyarrow.table({"x": moments}), path)
    with pytest.raises(shoal.PolicyError, match=r"'x'.*the first are rows 3 and 4.*type = \"category\""):
        in_pairs(path, tmp_path / "release.csv")
    found = in_pairs(path, tmp_path / "release.csv", types={"x": "category"})
    assert "{1970-01-01 00:00:00.000000003, 1970-01-01 00:00:00.000000004}" in found


def test_weights_of_a_frame_are_rounded_as_those_of_a_file() -> None:
    """Half a millionth of a person is one."""
    assert [_parts(each) for each in (Decimal("0.0000005"), "0.0000015", 2.5, 0.1)] == [1, 2, 2500000, 100000]


@pytest.mark.parametrize("name", DIALECTS)
def test_sql_has_exact_literals_or_none(name: str) -> None:
    """A literal that the dialect would round is refused; 38 digits are what decimals have."""
    dialect, longer = Dialect(name=name), Decimal("0.10000000000000001")
    if name in ("bigquery", "clickhouse", "sqlite"):
        with pytest.raises(shoal.PolicyError, match="no exact literal"):
            dialect.literal(longer)
    else:
        assert dialect.literal(longer).sql(name) == "0.10000000000000001"
        assert dialect.literal(10**37 + 1).sql(name) == str(10**37 + 1)
    with pytest.raises(shoal.PolicyError, match="no exact literal"):
        dialect.literal(10**40 + 1)
    assert dialect.literal(-7).sql(name) == "-7"
    assert dialect.literal(Decimal("0.1")).sql(name) == "0.1"


def test_sql_bins_of_decimals_end_where_they_end(tmp_path: Path) -> None:
    """A warehouse puts each number into the bin that the release names."""
    table = pyarrow.table({"x": pyarrow.array([10**16, 10**16 + 1] * 2, pyarrow.decimal128(38, 5))})
    policy = policy_for(table, tmp_path, quasi_identifiers=["x"], k=2, bins={"x": 0.5})
    found = selected(shoal.recoding_sql(policy=policy), table)
    assert found == released(policy, tmp_path)
    assert f"[{10**16}, {10**16}.5)" in str(found)
