"""Safe Harbor's identifiers, by the names of columns and the look of cells."""

from __future__ import annotations

import pandas as pd
import pytest

from shoal.auditor.risk.safe_harbor import safe_harbor
from shoal.engines.duckdb.engine import DuckDB
from shoal.model.table.cell_patterns import PATTERNS
from shoal.model.table.sampled_cells import SampledCells


def found(column: str, *texts: str, rows: int = 100, distinct: int | None = None) -> dict[str, str]:
    """Identifier -> reason, of a column with these cells."""
    cells = SampledCells(column=column, distinct=len(texts) if distinct is None else distinct, texts=texts)
    return {each.identifier: each.reason for each in safe_harbor([cells], rows)}


@pytest.mark.parametrize(
    ("text", "identifiers"),
    [
        ("ann@example.org", {"electronic mail addresses"}),
        ("write to ann.b@mail.example.org now", {"electronic mail addresses"}),
        ("https://example.org/ann", {"web addresses (URLs)"}),
        ("www.example.org", {"web addresses (URLs)"}),
        ("123-45-6789", {"Social Security numbers"}),
        ("000-45-6789", set()),
        ("(415) 555-2671", {"telephone numbers"}),
        ("+49 89 1234567", {"telephone numbers"}),
        ("+498912345678", {"telephone numbers"}),
        ("415.555.2671", {"telephone numbers"}),
        ("123.4567891", set()),
        ("1234567890", set()),
        ("192.168.10.7", {"Internet Protocol (IP) addresses"}),
        ("2001:db8::7", {"Internet Protocol (IP) addresses"}),
        ("12:30:10", set()),
        ("2024-05-17", {"dates more exact than the year"}),
        ("2024-05-17 12:30:00", {"dates more exact than the year"}),
        ("17.5.2024", {"dates more exact than the year"}),
        ("5/17/2024", {"dates more exact than the year"}),
        ("17 May 2024", {"dates more exact than the year"}),
        ("2024-05", {"dates more exact than the year"}),
        ("2024-Q2", {"dates more exact than the year"}),
        ("12/31/99", {"dates more exact than the year"}),
        ("January 2020", {"dates more exact than the year"}),
        ("2020/01", {"dates more exact than the year"}),
        ("March 5", {"dates more exact than the year"}),
        ("Sepsis 3", set()),
        ("5 decades", set()),
        ("1-617-555-1212", {"telephone numbers"}),
        ("617 555-1212 x33", {"telephone numbers"}),
        ("42.3601, -71.0589", {"places smaller than a state"}),
        ("20200131", set()),  # a number like any other, unless the column speaks of dates
        ("[2024-05-01, 2024-06-30]", {"dates more exact than the year"}),
        ('{"2024-Q1", "2024-Q2"}', {"dates more exact than the year"}),
        ("2024", set()),
        ("2020-2029", set()),
        ("94105-1234", {"places smaller than a state"}),
        ("94105", set()),
        ("00:1A:2B:3C:4D:5E", {"device identifiers and serial numbers"}),
        ("1HGCM82633A004352", {"vehicle identifiers"}),
        ("DE89370400440532013000", {"account numbers"}),
        ("DE89370400440532013001", set()),
        ("4111 1111 1111 1111", {"account numbers"}),
        ("4111 1111 1111 1112", set()),
        ("3f2504e0-4f89-11d3-9a0c-0305e82c3301", {"any other unique number or code"}),
        ("Private", set()),
        ("[20, 29]", set()),
    ],
)
def test_a_cell_is_known_by_its_look(text: str, identifiers: set[str]) -> None:
    """In a column whose name says nothing."""
    assert set(found("x", text)) == identifiers


@pytest.mark.parametrize(
    ("column", "identifier"),
    [
        ("PatientName", "names"),
        ("last_name", "names"),
        ("street", "places smaller than a state"),
        ("city", "places smaller than a state"),
        ("fax-no", "fax numbers"),
        ("e-mail", "electronic mail addresses"),
        ("mobile", "telephone numbers"),
        ("SSN", "Social Security numbers"),
        ("mrn", "medical record numbers"),
        ("medicalRecordNumber", "medical record numbers"),
        ("insurance no", "health plan beneficiary numbers"),
        ("account", "account numbers"),
        ("driver license", "certificate and license numbers"),
        ("vin", "vehicle identifiers"),
        ("serial number", "device identifiers and serial numbers"),
        ("homepage", "web addresses (URLs)"),
        ("ip_address", "Internet Protocol (IP) addresses"),
        ("fingerprint", "biometric identifiers"),
        ("photo", "full-face photographs"),
        ("patient_id", "any other unique number or code"),
    ],
)
def test_a_column_is_known_by_its_name(column: str, identifier: str) -> None:
    """Written in camel case, with dashes or with underscores."""
    assert found(column, "q", "r") == {identifier: f"its name suggests {identifier}"}


@pytest.mark.parametrize("column", ["sex", "race", "valid", "nationality", "workclass", "page"])
def test_other_names_say_nothing(column: str) -> None:
    """Words are compared whole: `valid` has no id, and `page` no age."""
    assert found(column, "q", "r") == {}


def test_of_zip_codes_three_digits_may_be_told() -> None:
    """What the cells say decides, not the name."""
    assert found("zip", "941**", "943**", "100") == {}
    assert found("zip", "941**", "9413*", "94133", "{94133, 94134}") == {
        "places smaller than a state": "3 of 4 distinct cells look like ZIP codes of more than three digits"
    }


def test_of_ages_90_or_older_may_be_told() -> None:
    """Single ages above 89 and narrow intervals of them may not."""
    assert found("age", "89", "[80, 95]", "90+", ">= 90") == {}
    assert found("age_at_admission", "89", "90", "[90, 94]") == {
        "ages over 89": "2 of 3 distinct cells look like ages above 89"
    }
    assert found("weight", "95") == {}


def test_of_dates_the_year_may_be_told() -> None:
    """A column that is named after a date, and tells years alone."""
    assert found("date of birth", "1950", "1951") == {}


def test_a_value_of_its_own_in_every_row_is_a_unique_code() -> None:
    """But not in a handful of rows, where that is chance."""
    texts = tuple(f"q{i}" for i in range(20))
    assert found("x", *texts, rows=20) == {
        "any other unique number or code": "every row has a value of its own"
    }
    assert found("x", *texts[:5], rows=5) == {}


def test_a_suppressed_column_tells_nothing() -> None:
    """Whatever it is called."""
    assert found("name", "*") == {}
    assert found("name") == {}


def test_patterns_are_of_the_eighteen() -> None:
    """Each pattern names an identifier that names of columns lead to as well."""
    named = {
        identifier for column in ("mail", "url", "ssn", "phone", "ip") for identifier in found(column, "q")
    }
    assert named <= {pattern.identifier for pattern in PATTERNS}


def test_cells_are_sampled_evenly_and_the_same_from_a_frame_and_a_file(tmp_path: object) -> None:
    """Missing cells are none, and the number of distinct ones is exact."""
    table = pd.DataFrame({"x": [f"{i:03}" for i in range(100)] + [None, "007"]})
    path = f"{tmp_path}/x.csv"
    table.to_csv(path, index=False)
    with DuckDB() as engine:
        some = engine.sample(table, "x", 30)
        assert some == engine.sample(path, "x", 30)
        assert (some.distinct, some.texts) == (100, tuple(f"{i:03}" for i in range(100) if 30 * i % 100 < 30))
        assert len(some.texts) == 30
        assert len(engine.sample(path, "x", 1000).texts) == 100


@pytest.mark.parametrize(
    ("column", "text", "identifier"),
    [
        ("admit_dt", "20200131", "dates more exact than the year"),
        ("ts", "1580515200", "dates more exact than the year"),
        ("zip5", "2139", "places smaller than a state"),
        ("postcode", "SW1A 1AA", "places smaller than a state"),
        ("home_addr1", "12 Main St", "places smaller than a state"),
        ("fips", "25017", "places smaller than a state"),
        ("age_yrs", "91 years", "ages over 89"),
        ("age2", "90 to 94", "ages over 89"),
        ("lname", "Smith", "names"),
        ("ssn4", "6789", "Social Security numbers"),
        ("med_rec_no", "1", "medical record numbers"),
        ("acct_num", "1", "account numbers"),
        ("patientid", "1", "any other unique number or code"),
        ("USUBJID", "S-1", "any other unique number or code"),
        ("device_sn", "1", "device identifiers and serial numbers"),
        ("ipv4", "x", "Internet Protocol (IP) addresses"),
    ],
)
def test_names_as_people_write_them_are_understood(column: str, text: str, identifier: str) -> None:
    """Shortened, joined and numbered, and cells that mean something under such a name alone."""
    assert identifier in found(column, text)


@pytest.mark.parametrize(
    ("column", "text"),
    [
        ("zip3", "021"),
        ("age2", "85"),
        ("age", "90+"),
        ("admission", "1999"),
        ("rapid", "yes"),
        ("stage", "2"),
    ],
)
def test_what_may_be_told_is_no_finding(column: str, text: str) -> None:
    """Three digits of a ZIP code, ages to 89 and all above as one, years; and words that only sound alike."""
    assert not found(column, text)
