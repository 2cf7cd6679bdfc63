"""How a file is written is found in all of it, stated, and can be overridden."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import openpyxl
import pandas
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import shoal
from shoal.engines.duckdb.files.encoding import CHUNK, text_facts
from shoal.engines.duckdb.files.names import distinct_names
from shoal.model.table.release_name import release_beside
from tests.cli.command import shoal as command

GERMAN = "Alter;Ort\n" + "34;Köln\n35;Düren\n51;Köln\n52;Gießen\n" * 3
Write = Callable[..., Path]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Writes a file."""

    def written(content: bytes | str, name: str = "people.csv") -> Path:
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return written


@pytest.fixture(scope="module")
def engine() -> Iterator[shoal.DuckDB]:
    """One for many files."""
    with shoal.DuckDB() as opened:
        yield opened


def read(
    engine: shoal.DuckDB, path: Path, **options: Any
) -> tuple[tuple[str, ...], list[tuple[str | None, ...]]]:
    """Names and cells of a file."""
    table = engine.open(shoal.FileSource(path, **options))
    return table.columns, list(engine.some_rows(table, table.columns, 0, 1000))


TEXTS = st.text(st.characters(codec="latin-1", categories=("L", "N", "P", "S", "Zs")), min_size=1, max_size=8)
NUMBERS = st.integers(-999, 9999).map(str)


@given(
    rows=st.lists(st.tuples(NUMBERS, TEXTS, TEXTS), min_size=3, max_size=12),
    delimiter=st.sampled_from([",", ";", "\t", "|"]),
    encoding=st.sampled_from(["utf-8", "utf-8-sig", "utf-16", "latin-1"]),
    end=st.sampled_from(["\n", "\r\n"]),
)
@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_what_python_writes_is_read_back_with_what_is_stated(
    tmp_path: Path,
    engine: shoal.DuckDB,
    rows: list[tuple[str, str, str]],
    delimiter: str,
    encoding: str,
    end: str,
) -> None:
    """Any cells, delimiter, encoding and line end, if the user states them."""
    path = tmp_path / "random.csv"
    with path.open("w", encoding=encoding, newline="") as file:
        writer = csv.writer(file, delimiter=delimiter, lineterminator=end, quoting=csv.QUOTE_ALL)
        writer.writerows([("id", "first name", "note"), *rows])
    stated = "utf-8" if encoding == "utf-8-sig" else encoding
    names, found = read(engine, path, encoding=stated, delimiter=delimiter, quote='"', header=True, skip=0)
    assert names == ("id", "first name", "note")
    assert found == rows


@given(
    rows=st.lists(
        st.tuples(
            NUMBERS, st.sampled_from(["Köln", "Düren", "Gießen", "Bonn"]), st.text("ab ;,|'\"", max_size=6)
        ),
        min_size=4,
        max_size=12,
    ),
    delimiter=st.sampled_from([",", ";", "\t", "|"]),
    encoding=st.sampled_from(["utf-8", "utf-16", "utf-16-le", "cp1252", "mac_roman"]),
)
@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_what_python_writes_is_found_by_itself(
    tmp_path: Path, engine: shoal.DuckDB, rows: list[tuple[str, str, str]], delimiter: str, encoding: str
) -> None:
    """Delimiter, quote, header and encoding, if some letter shows it."""
    path = tmp_path / "random.csv"
    rows = [("1", "Köln", "x"), ("2", "Düren", "y"), *rows]
    text = io.StringIO(newline="")
    csv.writer(text, delimiter=delimiter, quoting=csv.QUOTE_NONNUMERIC).writerows(
        [("id", "town", "note"), *rows]
    )
    path.write_bytes(text.getvalue().encode(encoding))
    names, found = read(engine, path)
    assert names == ("id", "town", "note")
    assert [tuple(cell or "" for cell in row) for row in found] == rows


@pytest.mark.parametrize("quote", ['"', "'"])
def test_a_delimiter_in_every_quoted_cell_does_not_split_it(
    write: Write, engine: shoal.DuckDB, quote: str
) -> None:
    """`"Doe, Jane"` in each row is as regular with one cell more, and still one cell."""
    rows = "".join(f"{quote}Doe, J{row}{quote},ATL,{20 + row % 30}\n" for row in range(300))
    names, cells = read(engine, write("name,team,age\n" + rows))
    assert names == ("name", "team", "age")
    assert cells[0] == ("Doe, J0", "ATL", "20")
    assert {len(row) for row in cells} == {3}


def test_an_encoding_is_judged_by_the_whole_file(tmp_path: Path) -> None:
    """A file whose first megabytes are ASCII is not half-read: the last line decides."""
    path = tmp_path / "late.csv"
    line = b"1,Bonn\n"
    path.write_bytes(b"id,town\n" + line * (CHUNK // len(line) + 10) + "2,Köln\n3,Düren\n".encode("cp1252"))
    with shoal.DuckDB() as engine:
        table = engine.open(path)
        assert engine.reading(table).encoding == "latin-1"  # type: ignore[union-attr]
        towns = {str(cell) for cell in engine.sample(table, "town", 10).texts}
    assert towns == {"Bonn", "Köln", "Düren"}


def test_a_sign_across_two_chunks_is_one_sign(tmp_path: Path) -> None:
    """UTF-8 is checked as a stream."""
    path = tmp_path / "cut.csv"
    path.write_bytes(b"x" * (CHUNK - 1) + "é\r\nb".encode())
    facts = text_facts("cut.csv", lambda: path.open("rb"), None)
    assert (facts.encoding, facts.ends) == ("utf-8", {"\r\n"})


def test_the_manifest_and_the_terminal_say_how_a_file_was_read(write: Write, tmp_path: Path) -> None:
    """One line for people, and `reading.file` for programs; the release is UTF-8 with the same delimiter."""
    write(GERMAN.encode("cp1252"))
    found = command(tmp_path, "anonymize", "people.csv", "-q", "Alter", "-k", "2", "-o", "out.csv")
    assert found.returncode == 0, found.stderr
    assert found.stderr.startswith("people.csv: encoding latin-1, delimiter semicolon\n")
    facts = json.loads((tmp_path / "out.csv.manifest.json").read_text())["reading"]["file"]
    assert facts == {
        "format": "csv",
        "encoding": "latin-1",
        "delimiter": ";",
        "quote": '"',
        "header": True,
        "skip": 0,
    }
    assert "Köln" in (tmp_path / "out.csv").read_text(encoding="utf-8")
    assert (tmp_path / "out.csv").read_text(encoding="utf-8").startswith("Alter;Ort\n")
    audited = command(tmp_path, "audit", "out.csv", "-q", "Alter", "-k", "2")
    assert audited.returncode == 0, audited.stderr


def test_a_usual_file_is_not_talked_about(write: Write, tmp_path: Path) -> None:
    """UTF-8, commas and a header."""
    write("age,town\n" + "34,a\n35,b\n" * 3)
    found = command(tmp_path, "inspect", "people.csv")
    assert "people.csv" not in found.stderr


def test_a_headerless_file_keeps_its_first_row(write: Write, tmp_path: Path) -> None:
    """In Python and on the command line; columns are named by their places."""
    path = write("34,a\n35,b\n51,a\n52,b\n")
    inspected = shoal.inspect(path)
    assert inspected.rows == 4
    assert inspected.reading is not None
    assert inspected.reading.header is False
    assert "no header" in command(tmp_path, "inspect", "people.csv").stderr
    released = shoal.anonymize(path, quasi_identifiers=["column_1"], k=2, path=tmp_path / "out.csv")
    assert (released.manifest.rows, released.verdict.k) == (4, 2)


def test_what_is_stated_comes_before_what_is_found(write: Write, tmp_path: Path) -> None:
    """In the policy, by flags, by keywords, and with a file as a source."""
    path = write("34,a\n35,b\n51,a\n52,b\n")
    policy = tmp_path / "people.toml"
    policy.write_text(
        '[source]\npath = "people.csv"\nheader = true\ndelimiter = ","\n[attributes.34]\n'
        'role = "quasi-identifier"\n[privacy]\nk = 3\n[release]\npath = "out.csv"\n'
    )
    released = shoal.anonymize(policy=policy)
    assert released.manifest.rows == 3
    assert released.manifest.reading["file"]["stated"] == ["delimiter", "header"]
    assert shoal.inspect(path, header=True).rows == 3
    assert shoal.inspect(shoal.FileSource(path, header=True)).rows == 3
    assert shoal.audit(path, quasi_identifiers=["34"], header=True).verdict.measured.rows == 3
    flagged = command(tmp_path, "inspect", "people.csv", "--header", "--json")
    assert json.loads(flagged.stdout)["rows"] == 3
    by_flag = command(tmp_path, "anonymize", "people.toml", "--no-header")
    assert "the source has no column '34'" in by_flag.stderr


def test_options_change_the_digest_of_a_policy() -> None:
    """The same policy must give the same release."""
    plain = shoal.Policy(attributes=(shoal.Attribute(name="a", role=shoal.Role.QUASI_IDENTIFIER),), k=2)
    from shoal.model.table.file_options import FileOptions

    assert plain.with_file(FileOptions()).digest == plain.digest
    assert plain.with_file(FileOptions(header=False)).digest != plain.digest


def test_a_release_is_audited_as_it_was_written(write: Write, tmp_path: Path) -> None:
    """Names that look like data are names, because Shoal wrote them."""
    path = write("7,12\n" + "34,5\n35,6\n51,5\n52,6\n")
    released = shoal.anonymize(path, header=True, quasi_identifiers=["7"], k=2, path=tmp_path / "out.csv")
    assert released.verdict.holds
    assert shoal.audit(tmp_path / "out.csv", quasi_identifiers=["7"], k=2).meets


def test_equal_and_empty_names_become_distinct() -> None:
    """Whatever their case, and without taking a name that exists."""
    names, renamed = distinct_names(["age", "Age", "age_2", "", " b ", "column_4"])
    assert names == ["age", "Age_3", "age_2", "column_4_2", "b", "column_4"]
    assert renamed == {"Age_3": "Age", "column_4_2": "", "b": " b "}


@given(st.lists(st.sampled_from(["a", "A", "a_2", "", " ", " a", "column_1"]), max_size=8))
@settings(max_examples=60)
def test_names_are_distinct(found: list[str]) -> None:
    """None is empty, and no two are equal without case."""
    names, _ = distinct_names(found)
    assert len({name.lower() for name in names}) == len(found)
    assert all(names)


def test_a_quoted_flag_names_a_column_exactly(tmp_path: Path) -> None:
    """Spaces around a name of a Parquet file are part of it; without quotes the nearest name is suggested."""
    pandas.DataFrame({" age": [34, 35, 51, 52] * 2}).to_parquet(tmp_path / "people.parquet")
    found = command(tmp_path, "anonymize", "people.parquet", "-q", '" age"', "-k", "2")
    assert found.returncode == 0, found.stderr
    wrong = command(tmp_path, "anonymize", "people.parquet", "-q", "age", "-k", "2")
    assert "Did you mean ' age'?" in wrong.stderr


def test_files_of_a_pattern_are_one_table(write: Write, tmp_path: Path) -> None:
    """In the order of their names, whatever their encodings; releases are not read again."""
    write("age;town\n34;Köln\n35;x\n".encode("cp1252"), "stays-1.csv")
    write("age;town\n51;Zürich\n52;y\n", "stays-2.csv")
    for _ in range(2):
        released = shoal.anonymize(
            tmp_path / "stays-*.csv", quasi_identifiers=["age"], k=2, path=tmp_path / "stays-out.csv"
        )
        assert released.manifest.rows == 4
        assert released.manifest.reading["file"]["files"] == 2
    written = (tmp_path / "stays-out.csv").read_text(encoding="utf-8")
    assert written == "age;town\n[34, 35];Köln\n[34, 35];x\n[51, 52];Zürich\n[51, 52];y\n"
    with pytest.raises(shoal.PolicyError, match=r"stays-1\.csv"):
        shoal.anonymize(
            tmp_path / "stays-*.csv", quasi_identifiers=["age"], k=2, path=tmp_path / "stays-1.csv"
        )
    write("age;city\n51;x\n", "stays-3.csv")
    with pytest.raises(
        shoal.EngineError, match=r"stays-3\.csv does not have the same columns as stays-1\.csv"
    ):
        shoal.inspect(tmp_path / "stays-*.csv")


def test_a_workbook_is_released_as_text(tmp_path: Path) -> None:
    """Next to it, under a name that Shoal writes."""
    book = openpyxl.Workbook()
    for row in (["age", "town"], [34, "a"], [35, "b"], [51, "a"], [52, "b"]):
        book.active.append(row)
    book.save(tmp_path / "people.xlsx")
    found = command(tmp_path, "anonymize", "people.xlsx", "-q", "age", "-k", "2")
    assert found.returncode == 0, found.stderr
    written = (tmp_path / "people-k2.csv").read_text()
    assert written.startswith('age,town\n"[34, 35]",a\n')


@pytest.mark.parametrize(
    ("source", "release"),
    [
        ("a.csv", "a-k5.csv"),
        ("a.csv.gz", "a-k5.csv.gz"),
        ("a.csv.zip", "a-k5.csv"),
        ("a.tsv.xz", "a-k5.tsv"),
        ("a.sav", "a-k5.parquet"),
        ("a.txt", "a-k5.csv"),
        ("stays-*.csv", "stays-k5.csv"),
        ("folder", "folder-k5"),
    ],
)
def test_a_release_has_a_name_that_shoal_writes(source: str, release: str) -> None:
    """Text as text, and what has types as Parquet."""
    assert release_beside(Path(source), 5) == Path(release)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"encoding": "klingon"}, "there is no encoding 'klingon'"),
        ({"encoding": "rot13"}, "there is no encoding 'rot13'"),
        ({"delimiter": ";;"}, "delimiter is one sign"),
        ({"quote": "''"}, "quote is one sign"),
        ({"delimiter": "'", "quote": "'"}, "they must differ"),
        ({"skip": -1}, "skip is a whole number"),
        ({"skip": 50}, "no line after the 50 to skip"),
        ({"sheet": 0}, "sheet is the name of a sheet"),
        ({"sheet": "A"}, "sheet is for workbooks"),
    ],
)
def test_an_option_that_cannot_be_is_refused(write: Write, arguments: dict[str, Any], words: str) -> None:
    """With what it takes."""
    with pytest.raises(shoal.PolicyError, match=words):
        shoal.inspect(write("age\n1\n"), **arguments)


def test_options_are_for_files(tmp_path: Path) -> None:
    """A data frame and a table of a database have no encoding; the network is not read."""
    with pytest.raises(shoal.PolicyError, match="encoding says how to read a file, and the source is a data"):
        shoal.inspect(pandas.DataFrame({"a": [1]}), encoding="utf-8")
    policy = tmp_path / "people.toml"
    policy.write_text(
        '[source]\nconnection = "postgres://host/db"\ntable = "people"\nencoding = "utf-8"\n[attributes.a]\n'
        'role = "quasi-identifier"\n[privacy]\nk = 3\n'
    )
    with pytest.raises(shoal.PolicyError, match="the source is a table of a database; leave it out"):
        shoal.read_policy(policy)
    for address in ("https://example.org/people.csv", "s3://bucket/people.csv"):
        with pytest.raises(shoal.PolicyError, match="reads no file over the network"):
            shoal.inspect(address)
        assert "reads no file over the network" in command(tmp_path, "inspect", address).stderr


def test_nothing_is_left_of_a_copy(write: Write, tmp_path: Path) -> None:
    """A file in another encoding is copied into a private folder, which goes with the engine."""
    spill = tmp_path / "spill"
    spill.mkdir()
    path = write(GERMAN.encode("cp1252"))
    with shoal.DuckDB(temp_directory=spill) as engine:
        engine.open(path)
        assert list(spill.glob("*/*.csv"))
    assert not list(spill.iterdir())


@pytest.mark.parametrize("cells", [["1.234,5", "1.250,0", "NA"], ["2,345", "6,789"]])
def test_one_column_of_quoted_cells_is_one_column(tmp_path: Path, cells: list[str]) -> None:
    """Commas inside of quotes are not between cells, and the quotes are no part of them."""
    lines = [f'"{cell}"' if "," in cell else cell for cell in cells]
    (tmp_path / "one.csv").write_text("\n".join(["income", *lines]) + "\n")
    found = shoal.inspect(tmp_path / "one.csv")
    assert [column.name for column in found.columns] == ["income"]
    assert found.reading is not None
    assert found.reading.quote == '"'
