"""Files as people have them are read as they must be; README.md says how a file is added."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import shoal
from tests.real_files.readers import Rows, rows_by

FILES = Path(__file__).parent / "files"
EXPECTED = sorted(path for path in FILES.glob("*.json") if path.with_suffix("").exists())
NAMES = [path.with_suffix("").name for path in EXPECTED]
READABLE = [name for name in NAMES if not name.startswith("bad-")]
BROKEN = [name for name in NAMES if name.startswith("bad-")]


def expectation(name: str) -> dict[str, Any]:
    """What must be read from a file."""
    return json.loads((FILES / f"{name}.json").read_text(encoding="utf-8"))


def numbers_alike(cell: str | None) -> str | None:
    """A number without zeros at its end: readers differ in whether 34 is 34.0."""
    try:
        return repr(float(cell)) if cell is not None and cell.count(".") <= 1 and cell[:1] != "0" else cell
    except ValueError:
        return cell


def alike(rows: Rows) -> Rows:
    """Rows, with equal numbers written alike."""
    return [[numbers_alike(cell) for cell in row] for row in rows]


def test_the_folder_is_whole() -> None:
    """Every file has its expectation, and there are at least forty that can be read."""
    files = {path.name for path in FILES.iterdir()}
    assert files == {*NAMES, *(f"{name}.json" for name in NAMES)}
    assert len(READABLE) >= 40


@pytest.mark.parametrize("name", READABLE)
def test_a_real_file_is_read_cell_by_cell(name: str) -> None:
    """As expected, as another reader reads it, and with a statement of what was found."""
    expected = expectation(name)
    with shoal.DuckDB() as engine:
        table = engine.open(shoal.FileSource(FILES / name, **expected["options"]))
        reading = engine.reading(table)
        rows = [list(row) for row in engine.some_rows(table, table.columns, 0, 10_000)]
        kinds = {facts.name: facts.kind for facts in engine.inspect(table)[1]}
    assert reading is not None
    found = reading.to_dict()
    assert {key: found.get(key) for key in expected["reading"]} == expected["reading"]
    assert ("renamed" in found) == ("renamed" in expected["reading"])
    for part in expected.get("notes", []):
        assert part in " ".join(reading.notes)
    assert list(table.columns) == expected["columns"]
    assert rows == expected["cells"]
    assert {column: kinds[column] for column in expected.get("types", {})} == expected.get("types", {})
    if expected["reader"] is not None:
        other = rows_by(expected["reader"]["name"], FILES / name, expected["reader"]["options"])
        assert alike(other) == alike(expected["cells"])


@pytest.mark.parametrize("name", BROKEN)
def test_an_unreadable_file_gets_one_sentence(name: str) -> None:
    """With the file, the line and the option that helps; nothing else is raised."""
    expected = expectation(name)
    source = shoal.FileSource(FILES / name, **expected["options"])
    with shoal.DuckDB() as engine, pytest.raises(shoal.ShoalError) as caught:
        engine.inspect(source)
    assert str(caught.value) == expected["error"]
