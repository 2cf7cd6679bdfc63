"""Rows as a reader sees them, one by one."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from shoal.engines.connection import engine_for
from shoal.engines.sql import reading
from shoal.model.table.coded_cells import CodedCells
from tests.unit.conftest import FILES, FRAMES, store

COLUMNS: dict[str, list[Any]] = {
    "id": [f"p{row}" for row in range(40)],
    "age": [None if row % 7 == 0 else 20 + row % 9 for row in range(40)],
    "half": [row % 13 / 2 for row in range(40)],
}


def texts(found: CodedCells) -> list[list[str | None]]:
    return [[found.cells[column][code] for column, code in enumerate(line)] for line in found.codes.tolist()]


@pytest.mark.parametrize("kind", [*FILES, *FRAMES])
@pytest.mark.parametrize("most", [reading.MOST_IN_DICTIONARY, 1])
def test_rows_are_read_in_their_order_however_many_cells_differ(
    kind: str, most: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Columns of many distinct cells are fetched in another way, and read the same."""
    monkeypatch.setattr(reading, "MOST_IN_DICTIONARY", most)
    source = store(kind, COLUMNS, tmp_path)
    with engine_for(source) as engine:
        found = engine.rows(source, ["half", "id", "age"])
    assert [line[1] for line in texts(found)] == COLUMNS["id"]
    ages = [None if line[2] is None else float(line[2]) for line in texts(found)]
    assert ages == COLUMNS["age"]
    assert [float(line[0] or 0) for line in texts(found)] == COLUMNS["half"]
    assert found.rows == 40
