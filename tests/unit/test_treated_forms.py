"""Treatments of numbers and dates in the form of their source: decimal commas, percent signs, other dates."""

from __future__ import annotations

import csv
import random
import warnings
from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import Any

import pytest

import shoal
from shoal.errors import AuditError, PolicyError, ShoalWarning
from shoal.model.policy.policy import Policy
from shoal.model.policy.policy_arguments import policy_of
from tests.unit.test_treated_releases import _tamper, write

NUMBERS: dict[str, dict[str, Any]] = {
    "rounded": {"name": "round", "to": 100},
    "topped": {"name": "top-code", "at": 60000},
    "bottomed": {"name": "bottom-code", "at": 5000, "written": "bound"},
    "noisy": {"name": "noise", "scale": 50},
    "averaged": {"name": "microaggregate", "k": 4},
    "swapped": {"name": "swap", "within": 10},
}
DATES: dict[str, dict[str, Any]] = {
    "truncated": {"name": "truncate", "to": "quarter"},
    "shifted": {"name": "shift", "days": 30, "by": "id"},
    "late": {"name": "top-code", "at": "2020-01-01"},
    "moved": {"name": "swap", "within": 10},
}
TREATED = NUMBERS | DATES
DRAWN = {"noisy", "swapped", "moved"}
"""What a key draws for the cells as they are written; the audit judges it."""


@pytest.fixture(autouse=True)
def _quiet() -> Iterator[None]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ShoalWarning)
        yield


def german(amount: int) -> str:
    """Hundredths with a decimal comma and points between thousands."""
    return f"{amount / 100:,.2f}".translate(str.maketrans(",.", ".,"))


FORMS: dict[str, tuple[Any, str, str]] = {
    "German": (german, "%d.%m.%Y", "NA"),
    "American": (lambda amount: f"${amount / 100:,.2f}", "%m/%d/%Y", "."),
    "per cent": (lambda amount: f"{german(amount)} %", "%d-%b-%Y", "?"),
}
"""How amounts and days are written, and which marker means "missing"."""


def table(folder: Path, name: str, amount: Any, day: str, missing: str) -> Path:
    """Sixty rows of people; the same amounts and days for each form."""
    chance = random.Random(3)
    rows = []
    for row in range(60):
        number = amount(chance.randint(100_000, 9_000_000)) if row % 13 != 5 else missing
        when = date(chance.randint(2010, 2024), chance.randint(1, 12), chance.randint(1, 28)).strftime(day)
        when = missing if row % 17 == 3 else when
        rows.append(
            {"id": f"P{row % 20:03}", "age": chance.choice(["20", "21", "50", "51", "90"])}
            | dict.fromkeys(NUMBERS, number)
            | dict.fromkeys(DATES, when)
        )
    write(folder / f"{name}.csv", rows)
    return folder / f"{name}.csv"


def policy(source: Path, **more: Any) -> Policy:
    """Every treatment, next to one quasi-identifier."""
    return policy_of(
        source=source,
        quasi_identifiers=["age"],
        treatments=TREATED,
        path=source.with_suffix(".released.csv"),
        **{"k": 5, "algorithm": "k-optimize", **more},
    )


def cells(path: Path) -> list[dict[str, str]]:
    """The rows of a file, amounts as numbers: 5 and 5.0 are one."""
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


@pytest.mark.parametrize("form", FORMS)
def test_a_table_in_another_form_gives_the_same_treated_cells(tmp_path: Path, form: str) -> None:
    """In plain form, with missing cells empty; and whoever has the original finds nothing wrong."""
    key = tmp_path / "key"
    key.write_text("a key that both releases share")
    plain = policy(table(tmp_path, "plain", lambda amount: f"{amount / 100:.2f}", "%Y-%m-%d", ""))
    odd = policy(table(tmp_path, "odd", *FORMS[form]))
    for each in (plain, odd):
        shoal.anonymize(policy=each, key_file=key)
    wanted, found = (cells(tmp_path / f"{name}.released.csv") for name in ("plain", "odd"))
    for name in TREATED.keys() - DRAWN:
        assert [_read(row[name]) for row in found] == [_read(row[name]) for row in wanted], name
    audited = shoal.audit(tmp_path / "odd.released.csv", policy=odd, original=tmp_path / "odd.csv")
    assert (audited.holds, audited.failures) == (True, [])


def _read(text: str) -> object:
    try:
        return float(text)
    except ValueError:
        return text


def test_a_cell_left_in_the_form_of_the_source_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The audit reads the original in its own form, and the release in plain form."""
    source = table(tmp_path, "odd", *FORMS["German"])

    def change(place: Path) -> None:
        rows, originals = cells(place), cells(source)
        for name in TREATED:
            at = next(at for at, row in enumerate(rows) if row[name])
            rows[at][name] = originals[at][name]
        write(place, rows)

    _tamper(monkeypatch, change)
    with pytest.raises(AuditError, match="Nothing was published") as error:
        shoal.anonymize(policy=policy(source))
    assert all(f"column {name!r}" in str(error.value) for name in TREATED)


def test_a_stated_marker_is_missing_in_every_treatment(tmp_path: Path) -> None:
    """A pseudonym for "unknown" would be one person whom many rows share."""
    path = tmp_path / "people.csv"
    write(path, [{"age": "20", "id": f"P{row}" if row % 3 else "unknown", "dx": "a"} for row in range(12)])
    asked = policy_of(
        source=path,
        quasi_identifiers=["age"],
        treatments={"id": "pseudonym", "dx": "pram"},
        missing=["unknown"],
        k=5,
        path=tmp_path / "out.csv",
    )
    shoal.anonymize(policy=asked)
    assert [bool(row["id"]) for row in cells(tmp_path / "out.csv")] == [bool(row % 3) for row in range(12)]
    assert shoal.audit(tmp_path / "out.csv", policy=asked, original=path).holds


def test_a_marker_in_a_frame_of_whole_numbers_is_missing() -> None:
    """A column of 64-bit numbers has no place for a missing cell, so it becomes one that has."""
    import pandas as pd

    frame = pd.DataFrame({"age": [20] * 12, "pay": [999 if row % 3 == 0 else 100 + row for row in range(12)]})
    for treatment in ({"name": "round", "to": 10}, {"name": "swap", "within": 50}):
        made = shoal.anonymize(
            frame, quasi_identifiers=["age"], k=5, treatments={"pay": treatment}, missing={"pay": ["999"]}
        )
        assert made.data["pay"].isna().tolist() == [row % 3 == 0 for row in range(12)]


def test_days_that_can_be_read_in_two_ways_are_refused_until_stated(tmp_path: Path) -> None:
    """The sentence names both formats; the stated one decides."""
    path = tmp_path / "people.csv"
    write(path, [{"age": "20", "visit": f"0{1 + row % 9}/05/2020"} for row in range(12)])
    asked: dict[str, Any] = {
        "quasi_identifiers": ["age"],
        "k": 5,
        "treatments": {"visit": "truncate"},
        "path": tmp_path / "out.csv",
    }
    with pytest.raises(PolicyError, match=r"'visit'.*DD/MM/YYYY.*MM/DD/YYYY.*\[attributes.visit\]"):
        shoal.anonymize(path, **asked)
    shoal.anonymize(path, **asked, formats={"visit": "DD/MM/YYYY"})
    assert {row["visit"] for row in cells(tmp_path / "out.csv")} == {"2020-05"}


def test_a_cell_that_is_no_number_is_refused_with_the_way_out(tmp_path: Path) -> None:
    """One cell is counted, not all that are in another form; its text is not printed."""
    path = tmp_path / "people.csv"
    write(path, [{"age": "20", "pay": f"1.{row + 100},5" if row else "a lot"} for row in range(12)])
    with pytest.raises(
        PolicyError, match=r"needs numbers, and 1 of its different cells.*missing = "
    ) as error:
        shoal.anonymize(
            path,
            quasi_identifiers=["age"],
            k=5,
            treatments={"pay": {"name": "round", "to": 10}},
            path=tmp_path / "out.csv",
        )
    assert "a lot" not in str(error.value)
