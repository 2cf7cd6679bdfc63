"""Where `SHOAL_FOLDERS` names folders, DuckDB touches nothing else, whatever the views of a database say."""

from __future__ import annotations

from pathlib import Path

import duckdb
import pytest

import shoal
from shoal import EngineError, TableSource


@pytest.fixture
def opened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that may be used, with a database whose views read in it, beside it."""
    folder, other = tmp_path / "opened: it's", tmp_path / "other"
    folder.mkdir()
    other.mkdir()
    (other / "secret.csv").write_text("a\n1\n")
    (folder / "mine.csv").write_text("a\n1\n2\n")
    with duckdb.connect(folder / "people.db") as made:
        made.execute("CREATE TABLE people AS SELECT range AS a FROM range(3)")
        made.execute("CREATE VIEW few AS SELECT * FROM people WHERE a > 0")
        for name, path in (("inside", folder / "mine.csv"), ("outside", other / "secret.csv")):
            made.execute(
                f"CREATE VIEW {name} AS SELECT * FROM read_csv('{str(path).replace(chr(39), chr(39) * 2)}')"
            )
    monkeypatch.setenv("SHOAL_FOLDERS", str(folder))
    return folder


@pytest.mark.parametrize(("table", "rows"), [("people", 3), ("few", 2), ("inside", 2)])
def test_tables_and_views_of_opened_folders_are_read(opened: Path, table: str, rows: int) -> None:
    """Files too, and a release is written beside them."""
    source = TableSource(connection=f"duckdb:///{opened / 'people.db'}", table=table)
    assert shoal.inspect(source).rows == rows
    release = shoal.anonymize(opened / "mine.csv", quasi_identifiers=["a"], k=2, path=opened / "out.csv")
    assert release.verdict.meets


def test_a_view_on_a_file_elsewhere_is_refused(opened: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The words say so, and name no file; where no folders are named it is read as ever."""
    source = TableSource(connection=f"duckdb:///{opened / 'people.db'}", table="outside")
    with pytest.raises(EngineError, match="outside the allowed folders") as caught:
        shoal.preview(source)
    assert "secret" not in str(caught.value)
    with pytest.raises(EngineError, match="outside the allowed folders"):
        shoal.inspect(opened.parent / "other" / "secret.csv")
    monkeypatch.delenv("SHOAL_FOLDERS")
    assert shoal.preview(source).rows == (("1",),)
