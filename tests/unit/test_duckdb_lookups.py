"""What DuckDB looks up without a join is what is there."""

from __future__ import annotations

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
from shoal.engines.duckdb.lookups import EnumDictionary, ListDictionary
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
