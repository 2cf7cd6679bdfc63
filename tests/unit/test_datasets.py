"""The bundled data."""

from __future__ import annotations

import gzip
import importlib.util
from pathlib import Path

import pytest

import shoal
from shoal.datasets import (
    ADULT_ORDERS,
    ADULT_QUASI_IDENTIFIERS,
    adult,
    adult_attributes,
    adult_path,
    adult_policy,
)
from shoal.engines.duckdb.engine import frequency_table


def test_adult_has_its_complete_rows_and_columns() -> None:
    """30,162 rows without an unknown value."""
    with gzip.open(adult_path(), "rt") as file:
        header, *rows = file.read().splitlines()
    assert len(rows) == 30162
    assert header.split(",")[-1] == "income"
    assert not any("?" in row or ", " in row for row in rows)


def test_orders_name_every_value_of_adult_once() -> None:
    """Each category has an order, and counting would refuse one that lacks a value."""
    table = frequency_table(adult_path(), adult_attributes())
    assert table.rows == 30162
    assert table.sizes.tolist() == [72, 7, 16, 7, 14, 5, 2, 41]
    assert table.label_counts.sum(axis=0).tolist() == [22654, 7508]
    assert set(ADULT_ORDERS) == set(ADULT_QUASI_IDENTIFIERS) - {"age"}


@pytest.mark.parametrize("kind", ["pandas", "polars", "pyarrow"])
def test_adult_is_the_same_table_in_every_library(kind: str) -> None:
    """The same domains and counts as from the file."""
    from_file = frequency_table(adult_path(), adult_attributes(age_bin=5))
    from_frame = frequency_table(adult(kind), adult_attributes(age_bin=5))  # type: ignore[arg-type]
    assert from_frame.domains == from_file.domains
    assert (from_frame.codes == from_file.codes).all()
    assert (from_frame.label_counts == from_file.label_counts).all()


def test_an_unknown_kind_and_no_library_at_all_are_explained(monkeypatch: pytest.MonkeyPatch) -> None:
    """The message names the kinds that exist."""
    with pytest.raises(shoal.PolicyError, match="pandas, polars, pyarrow"):
        adult("dask")  # type: ignore[arg-type]
    monkeypatch.setattr(importlib.util, "find_spec", lambda _: None)
    with pytest.raises(shoal.PolicyError, match="adult_path"):
        adult()


def test_the_attribution_lies_beside_the_file() -> None:
    """The license asks for it."""
    text = Path(adult_path()).with_name("ADULT.md").read_text()
    assert "10.24432/C5XW20" in text
    assert "CC BY 4.0" in text
    assert adult_policy(k=5).k == 5
