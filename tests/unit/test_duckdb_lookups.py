"""What DuckDB looks up is what is there, and rows keep their order."""

from __future__ import annotations

import json
from pathlib import Path

import duckdb
import numpy as np
import pandas
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sqlglot import exp

import shoal
from shoal.engines.duckdb.engine import DuckDB, frequency_table
from shoal.engines.duckdb.lookups import EnumDictionary, JoinRegister, ListDictionary
from shoal.engines.sql import pieces as sql
from shoal.model.policy.attribute import Attribute, Role
from tests.agreement.thoroughness import examples

CELLS = "SELECT DISTINCT c AS t FROM (VALUES ('a'), ('b'), ('c''s'), ('')) v(c) ORDER BY t"


@pytest.mark.parametrize("longest", [0, 4096])
@pytest.mark.parametrize(
    "numbers", [None, [3, 1, 1, 0, 7], [3, 1, -1, 0, -1], [0, 1, 2, 3, -1], [0, 1, -1, 3, 4]]
)
def test_lists_and_enums_find_the_same(
    monkeypatch: pytest.MonkeyPatch, longest: int, numbers: list[int] | None
) -> None:
    """The number of each cell and of the missing one; none for a negative number."""
    monkeypatch.setattr(ListDictionary, "LONGEST", longest)
    with DuckDB() as engine:
        cells = exp.maybe_parse(CELLS, dialect="duckdb")
        dictionary, texts = engine.session.dictionary(cells, "a test")
        assert isinstance(dictionary, ListDictionary if longest else EnumDictionary)
        of_cell = None if numbers is None else np.array(numbers, np.int32)
        value = engine.session.rendered(dictionary.value(exp.column("c"), of_cell).value)
        rows = f"SELECT * FROM ({CELLS}) v(c) UNION ALL SELECT NULL"
        found = dict(engine.session.fetched(f"SELECT c, {value} FROM ({rows})", "a test"))
    expected = [0, 1, 2, 3, 4] if numbers is None else numbers
    for text, number in zip([*texts, None], expected, strict=True):
        assert found[text] == (None if number < 0 else number)


@given(sizes=st.lists(st.integers(1, 30), min_size=1, max_size=60), k=st.integers(1, 30))
@settings(max_examples=examples(30), deadline=None)
def test_a_register_keeps_what_is_kept(sizes: list[int], k: int) -> None:
    """Also where all keys are at one bit of the sieve, and most are held back for nothing."""
    keys = np.arange(len(sizes), dtype=np.int64)[:, None] * 8_191 * 65_521 + 5
    kept = np.array(sizes) >= k
    with DuckDB() as engine:
        register = engine.session.register(keys, None, kept)
        rows = engine.session.upload("rows", {"key": keys[:, 0]})
        query = register.joined(exp.select("*").from_(rows), [exp.column("key")], kept="kept")
        found = engine.session.rows(query, "a test")
    assert [row[-1] for row in found] == kept.tolist()


@pytest.mark.parametrize("type_", ["TINYINT", "USMALLINT", "INTEGER", "UINTEGER", "BIGINT"])
def test_integers_of_every_width_are_numbers_and_stay_so(tmp_path: Path, type_: str) -> None:
    """A column of 32-bit integers was once a category, and released as text."""
    source, target = tmp_path / "people.parquet", tmp_path / "release.parquet"
    people = duckdb.sql(f"SELECT (i // 2)::{type_} AS age, i % 2 AS sick FROM range(20) t(i)")
    people.write_parquet(str(source))
    assert shoal.anonymize(source, quasi_identifiers=["age"], k=2, path=target).manifest.groups == 10
    assert duckdb.sql(f"DESCRIBE SELECT * FROM '{target}'").fetchall()[0][1] == type_
    shoal.anonymize(source, quasi_identifiers=["age"], k=10, consistent=True, path=target)
    ages = duckdb.sql(f"SELECT DISTINCT age FROM '{target}' ORDER BY age").fetchall()
    assert ages == [("[0, 4]",), ("[5, 9]",)]


def test_combinations_are_counted_alike_by_one_key_or_several(monkeypatch: pytest.MonkeyPatch) -> None:
    """Codes that fit no number of 64 bits together are counted by several keys; the order is theirs."""
    people = pandas.DataFrame(
        {"a": [3, 1, 2, 1, 3, 3], "b": list("xyxyxz"), "c": [1] * 6, "d": [5, None, 5, None, 5, 6]}
    )
    attributes = [Attribute(name=name, role=Role.QUASI_IDENTIFIER, order="sorted") for name in people]
    found = []
    for largest in (2**62, 7, 1):
        monkeypatch.setattr("shoal.engines.sql.recoding.LARGEST_KEY", largest)
        table = frequency_table(people, attributes)
        found.append((table.codes.tolist(), table.counts.tolist()))
    assert found[0] == found[1] == found[2]
    assert found[0] == ([[0, 1, 0, 2], [1, 0, 0, 0], [2, 0, 0, 0], [2, 2, 0, 1]], [2, 1, 2, 1])


@pytest.mark.parametrize("most", [0, 64])
def test_a_cell_that_is_new_since_the_rows_were_counted_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, most: int
) -> None:
    """A view can read other rows the second time; a new cell in a list was once released as a missing one."""
    monkeypatch.setattr(ListDictionary, "MOST", most)
    file = tmp_path / "people.csv"
    file.write_text("town\n" + "\n".join("aabbccdd"))
    apply = DuckDB.apply

    def applied(*given: object) -> object:
        file.write_text("town\n" + "\n".join("zzyyccdd"))
        return apply(*given)  # type: ignore[arg-type]

    monkeypatch.setattr(DuckDB, "apply", applied)
    with duckdb.connect() as connection:
        connection.execute(f"CREATE VIEW people AS SELECT * FROM read_csv('{file}', all_varchar = true)")
        with pytest.raises(shoal.ShoalError, match="new since the rows were counted"):
            shoal.anonymize(
                shoal.TableSource(connection=connection, table="people"),
                quasi_identifiers=["town"],
                k=3,
                suppression=0,
                hierarchies={"town": shoal.Hierarchy.from_dict({"*": {"ab": ["a", "b"], "cd": ["c", "d"]}})},
                algorithm="flash",
                cost="height",
                path="released",
            )
        assert connection.execute("SELECT table_name FROM duckdb_tables()").fetchall() == []


@given(
    numbers=st.lists(st.integers(0, 4), min_size=1, max_size=20),
    rows=st.lists(st.integers(0, 19), max_size=30),
    chunks=st.integers(1, 2),
)
@settings(max_examples=examples(20), deadline=None)
def test_a_register_finds_numbers_texts_and_what_is_kept(
    numbers: list[int], rows: list[int], chunks: int
) -> None:
    """By one key or two, whether a text is looked up in the register or not; a missing text is none."""
    labels = ["a", "b's", None, "{c, d}", ""]
    places = np.arange(len(numbers), dtype=np.int64)
    keys = np.column_stack([places % 3, places // 3])[:, :chunks] if chunks == 2 else places[:, None]
    kept = np.array(numbers) % 2 == 0
    rows = [row % len(numbers) for row in rows]
    with pytest.MonkeyPatch.context() as patch, DuckDB() as engine:
        patch.setattr(JoinRegister, "FEW", 0)
        session = engine.session
        values = np.column_stack([numbers, numbers[::-1]])
        register = session.labelled_register(keys, values, kept, {1: labels})
        text = register.text(1)
        assert text is not None
        assert register.text(0) is None
        uploaded = session.upload("rows", {f"q{at}": keys[rows, at] for at in range(chunks)})
        query = exp.select("*", sql.fragment("row_number() OVER () AS o_")).from_(uploaded)
        found = register.joined(query, [exp.column(f"q{at}") for at in range(chunks)], ["a", "b"], "kept")
        shown = exp.select("a", "b", "kept", text).from_(found.subquery("f")).order_by("o_")
        assert session.rows(shown, "a test") == [
            (numbers[row], numbers[::-1][row], kept[row], labels[numbers[::-1][row]]) for row in rows
        ]


def test_a_combination_that_is_new_since_the_rows_were_counted_is_refused() -> None:
    """Its cells are known, so that only the register can notice."""
    with DuckDB() as engine:
        session = engine.session
        register = session.register(np.array([[1], [2]]), np.array([[0, 1], [1, 0]]), np.array([True, True]))
        rows = session.upload("rows", {"q": np.array([1, 3])})
        found = register.joined(exp.select("*").from_(rows), [exp.column("q")], ["a", "b"], "kept")
        with pytest.raises(shoal.EngineError, match="new since the rows were counted"):
            session.rows(found, "a test")


@pytest.mark.parametrize("name", ["mark", "file_row_number", "shoal_place"])
def test_rows_recoded_one_by_one_keep_their_order(tmp_path: Path, name: str) -> None:
    """A join loses it; Parquet numbers its rows, unless a column has the name of that number."""
    source, target = tmp_path / "people.parquet", tmp_path / "release.parquet"
    cells = "(i * i * 7 + i) % 53 AS age, (i * i * 11 + i // 3) % 31 AS size"
    people = f"SELECT i AS {name}, {cells} FROM range(20000) t(i)"
    duckdb.execute(f"COPY ({people}) TO '{source}' (FORMAT parquet, ROW_GROUP_SIZE 2048)")
    shoal.anonymize(source, quasi_identifiers=["age", "size"], k=30, algorithm="mondrian", path=target)
    found = duckdb.sql(f"SELECT {name}, age, size FROM '{target}'").fetchall()
    assert [row[0] for row in found] == list(range(20000))
    wide = 0
    for (_, *values), (_, *labels) in zip(duckdb.sql(people).fetchall(), found, strict=True):
        for value, label in zip(values, labels, strict=True):
            span = json.loads(str(label))
            low, high = span if isinstance(span, list) else (span, span)
            wide += low < high
            assert low <= value <= high
    assert wide


@pytest.mark.parametrize("algorithm", ["lattice", "mondrian"])
def test_a_file_that_is_parsed_once_gives_the_same_release(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, algorithm: str
) -> None:
    """Also empty cells with and without quotes, line ends and quotes in cells, codes that begin with 0."""
    notes = ('""', "", '"a;b"', '"say ""x""\nand y"')
    rows = [f"{20 + i % 7};{'' if i % 5 == 0 else f'0{i % 3}'};{notes[i % 4]}" for i in range(60)]
    source = tmp_path / "people.csv"
    source.write_text("age;code;note\n" + "\n".join(rows) + "\n")
    written = []
    for least in (0, 1 << 30):
        monkeypatch.setattr("shoal.engines.duckdb.files.read_once.LEAST", least)
        target = tmp_path / f"release-{least}.csv"
        shoal.anonymize(source, quasi_identifiers=["age", "code"], k=4, algorithm=algorithm, path=target)
        written.append(target.read_bytes())
    assert written[0] == written[1]
    assert b'"a;b"' in written[0]


def test_a_full_disk_is_no_reason_to_refuse(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without room for a second copy, the text is parsed each time."""
    source, target = tmp_path / "people.csv", tmp_path / "release.csv"
    source.write_text("age\n" + "20\n30\n" * 5)
    monkeypatch.setattr("shoal.engines.duckdb.files.read_once.LEAST", 0)
    monkeypatch.setattr("shoal.engines.duckdb.files.read_once.ROOM", 1 << 60)
    written: list[object] = []
    monkeypatch.setattr("shoal.engines.duckdb.files.read_once.with_places", lambda *_: written.append(1))
    assert shoal.anonymize(source, quasi_identifiers=["age"], k=5, path=target).manifest.groups == 2
    assert not written


def test_a_file_is_parsed_again_only_after_a_change(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An engine that releases a file twice makes one copy of it, and another one of a new version."""
    monkeypatch.setattr("shoal.engines.duckdb.files.read_once.LEAST", 0)
    source = tmp_path / "people.csv"
    source.write_text("age\n" + "20\n" * 5)
    with DuckDB() as engine:
        first = engine.read_once(source)
        assert engine.read_once(source) is first
        source.write_text("age\n" + "30\n" * 60)
        again = engine.read_once(source)
        assert again is not first
        assert engine.some_rows(again, ["age"], 0, 1) == (("30",),)
