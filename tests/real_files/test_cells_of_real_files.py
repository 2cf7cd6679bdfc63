"""What the cells of real files mean: types, formats, missing markers and values, typed by hand."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyarrow
import pytest

import shoal

FOLDER = Path(__file__).parent / "files"
FILES = sorted(path.with_suffix("") for path in FOLDER.glob("cells-*.json"))


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_each_column_is_read_as_typed_by_hand(path: Path) -> None:
    """By inspect and by a release alike, value by value; with k = 1 nothing is generalized."""
    expected: dict[str, Any] = json.loads(Path(f"{path}.json").read_text(encoding="utf-8"))
    names = expected["columns"]
    found = {each.name: each for each in shoal.inspect(path).columns}
    assert {name: each.kind for name, each in found.items()} == expected["types"]
    assert {name: each.reading.format for name, each in found.items()} == {
        **dict.fromkeys(names),
        **expected["formats"],
    }
    missing = {name: dict(each.reading.missing) for name, each in found.items() if each.reading.missing}
    assert missing == expected["missing"]
    cells = dict(zip(names, zip(*expected["cells"], strict=True), strict=True))
    table = pyarrow.table({name: pyarrow.array(cells[name], pyarrow.string()) for name in names})
    release = shoal.anonymize(table, quasi_identifiers=names, k=1)
    for name, values in expected["values"].items():
        assert release.data.column(name).to_pylist() == values
    for name in names:
        read, inspected = release.readings[name], found[name].reading
        assert (read.type, read.format, read.missing) == (inspected.type, inspected.format, inspected.missing)
