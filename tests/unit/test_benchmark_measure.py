"""The reader of released cells in benchmarks/real, by which all contenders are measured."""

from __future__ import annotations

import importlib
from pathlib import Path
from types import ModuleType

import numpy as np
import pandas as pd
import pytest

import shoal

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"
COLUMNS = ["age", "charge", "zip"]


@pytest.fixture
def reading(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The module, imported as the benchmark imports it."""
    monkeypatch.syspath_prepend(BENCHMARKS)
    return importlib.import_module("real.measure")


@pytest.fixture
def people() -> pd.DataFrame:
    """Numbers and categories with missing values, and categories that a set must quote."""
    chance = np.random.default_rng(0)
    charges = ["theft", "assault, armed", 'so-called "joy ride"', "missing", "{x}", "*", *"abcdefgh", None]
    return pd.DataFrame(
        {
            "age": pd.array(chance.integers(20, 60, 60), dtype="Int64"),
            "charge": chance.choice(np.array(charges, dtype=object), 60),
            "zip": chance.choice(["02115", "02116", "02118", "03101"], 60),
        }
    ).assign(age=lambda frame: frame["age"].mask(frame.index % 7 == 0))


@pytest.mark.parametrize(
    "arguments",
    [{}, {"consistent": True}, {"algorithm": "mondrian"}, {"algorithm": "lattice"}],
)
def test_the_loss_read_from_cells_is_the_loss_in_the_manifest(reading, people, tmp_path, arguments):
    """The reader of the benchmark and the cost of the search agree, for each kind of release."""
    source, target = tmp_path / "people.csv", tmp_path / "release.csv"
    people.to_csv(source, index=False)
    made = shoal.anonymize(
        source, quasi_identifiers=COLUMNS, types={"zip": "category"}, k=3, path=target, **arguments
    )
    released = pd.read_csv(target, dtype=str, keep_default_na=False)
    counts = pd.Series(1, index=released.index)
    found = reading.measure(people, released, counts, dict.fromkeys(COLUMNS, reading.shoal_cell))
    assert found.loss == pytest.approx(made.manifest.cost)
    assert found.lost == 0


def test_a_column_with_one_label_is_flattened(reading, people):
    """One label for all rows of a column of several values is counted, and loses what the label covers."""
    released = pd.DataFrame({"age": ["*"], "charge": ["{a, b}"], "zip": ["0211*"]})
    counts = pd.Series([len(people)])
    found = reading.measure(people, released, counts, dict.fromkeys(COLUMNS, reading.shoal_cell))
    assert found.flattened == ("age", "charge", "zip")
    assert found.columns == pytest.approx({"age": 1, "charge": 1 / 14, "zip": 2 / 3})


def test_rows_that_are_absent_lose_all_their_cells(reading, people):
    """Half of the rows, released as they are, lose half."""
    released = people.head(30).astype(object).where(people.head(30).notna(), "").astype(str)
    released["charge"] = released["charge"].replace("*", "{*}")
    found = reading.measure(
        people, released, pd.Series(1, index=released.index), dict.fromkeys(COLUMNS, reading.shoal_cell)
    )
    assert found.loss == pytest.approx(0.5)
    assert found.lost == 30


def test_a_short_label_counts_the_values_that_it_names(reading, people):
    """Twelve values of fifteen lose eleven fourteenths."""
    column = reading.Column.of(people["charge"])
    assert reading.shoal_cell(column, "{a, b, ... 12 #7}") == pytest.approx(11 / 14)


def test_cells_of_other_packages_are_read(reading, people):
    """A range of numbers, with or without spaces, and coded categories between commas or hyphens."""
    age, charge = (reading.Column.of(people[name]) for name in ("age", "charge"))
    width = float(people["age"].max() - people["age"].min())
    assert reading.peer_cell(age, "20.0-30.0") == pytest.approx(10 / width)
    assert reading.peer_cell(age, "20 - 30") == pytest.approx(10 / width)
    assert reading.peer_cell(charge, "v0,v3") == reading.peer_cell(charge, "v0-v3") == pytest.approx(1 / 14)


def test_a_cell_of_no_known_form_is_refused(reading, people):
    """A cell that cannot be read is an error, and never a loss of 0."""
    with pytest.raises(reading.UnreadableError):
        reading.shoal_cell(reading.Column.of(people["charge"]), "some charge")
