"""The recoding as SQL: run, it releases what `anonymize` releases; it stays k-anonymous when rows change."""

from __future__ import annotations

import datetime
import hashlib
import random
import sqlite3
import tempfile
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from decimal import Decimal
from functools import cache
from pathlib import Path
from typing import Any

import duckdb
import pyarrow
import pyarrow.csv
import pytest
import sqlglot
from sqlglot import exp

import shoal
from shoal import RecodingSql
from shoal.errors import PolicyError
from shoal.model.policy.policy import Policy
from shoal.warehouse import DIALECTS, plan
from tests.unit.warehouses import Rows, connected, multiset, policy_for, released, selected, smallest_group

NASTY = [
    "a'b",
    "a\\",
    "a\\'b",
    'say "x"',
    "`tick`",
    "line\nbreak",
    "*/ x",
    "-- x",
    "{{ x }}",
    "{# c",
    "é😀",
    "A",
    "a",
]
TOWNS = shoal.Hierarchy(
    tuple((town, "first\\'s" if place < 6 else "others", "*") for place, town in enumerate(NASTY))
)


@cache
def people(rows: int = 240) -> pyarrow.Table:
    """People with columns of every type, some cells missing."""
    day = datetime.date(2020, 1, 1)
    return pyarrow.table(
        {
            "name": [f"n{i}" for i in range(rows)],
            "age": [None if i % 29 == 0 else 20 + i * i % 31 for i in range(rows)],
            "pay": [None if i % 37 == 0 else (i * 7 % 40) / 10 for i in range(rows)],
            "town": [None if i % 23 == 0 else NASTY[i * i % len(NASTY)] for i in range(rows)],
            "born": [day + datetime.timedelta(days=i * 11 % 90) for i in range(rows)],
            "seen": [datetime.datetime(2021, 1, 1, i % 24, 30) for i in range(rows)],
            "smokes": [None if i % 31 == 0 else i % 3 == 0 for i in range(rows)],
            "rate": pyarrow.array([Decimal(i % 9) / 4 for i in range(rows)], pyarrow.decimal128(8, 2)),
            "sick": [f"d{i * i % 7}" for i in range(rows)],
        }
    )


LEVELS = {"age": shoal.Recipe(widths=(5, 10)), "town": TOWNS}
BY_LEVELS = {"algorithm": "lattice", "cost": "precision", "suppression": "30%"}
RISKY = {
    "k": 1,
    "models": [{"name": "average-risk", "threshold": 0.03}],
    "cost": "general-loss",
    "suppression": "30%",
}

CASES: dict[str, dict[str, Any]] = {
    "cuts": {"quasi_identifiers": ["age", "town"], "k": 5},
    "cuts masked": {
        "quasi_identifiers": ["age", "town"],
        "k": 5,
        "cost": "general-loss",
        "suppression": "20%",
        "suppressed": "mask",
    },
    "no suppression": {"quasi_identifiers": ["age", "smokes"], "k": 7, "suppression": 0},
    "all types": {
        "quasi_identifiers": ["born", "seen", "smokes", "rate"],
        "k": 4,
        "algorithm": "hill-climb",
    },
    "bins": {"quasi_identifiers": ["age", "pay"], "k": 5, "bins": {"age": 5, "pay": 0.3}},
    "numbers as they are": {"quasi_identifiers": ["pay"], "k": 2},
    "truth values": {"quasi_identifiers": ["smokes"], "k": 2},
    "decimals": {"quasi_identifiers": ["rate", "smokes"], "k": 12},
    "codes": {"quasi_identifiers": ["age"], "k": 6, "types": {"age": "category"}},
    "levels": {"quasi_identifiers": ["age", "town"], "k": 6, "hierarchies": LEVELS, **BY_LEVELS},
    "subtree": {
        "quasi_identifiers": ["age", "town"],
        "k": 6,
        "algorithm": "subtree",
        "cost": "general-loss",
        "hierarchies": LEVELS,
    },
    "datafly": {
        "quasi_identifiers": ["age", "town"],
        "k": 4,
        "algorithm": "datafly",
        "hierarchies": LEVELS,
    },
    "sets": {
        "quasi_identifiers": ["age", "town"],
        "k": 4,
        "sets": [["age"], ["town"]],
        "algorithm": "datafly",
        "hierarchies": LEVELS,
    },
    "rows": {"quasi_identifiers": ["age", "smokes"], "k": 4, "algorithm": "suppress-rows"},
    "mondrian": {"quasi_identifiers": ["age", "town"], "k": 5, "algorithm": "mondrian"},
    "mondrian masked": {
        "quasi_identifiers": ["age", "pay"],
        "k": 5,
        "algorithm": "mondrian",
        "suppressed": "mask",
    },
    "local": {"quasi_identifiers": ["age", "smokes"], "k": 5, "algorithm": "local", "nodes": 200},
    "cells": {
        "quasi_identifiers": ["age", "smokes"],
        "k": 5,
        "algorithm": "cells",
        "cost": "suppressed-cells",
        "nodes": 200,
    },
    "means": {"quasi_identifiers": ["pay"], "k": 4, "algorithm": "microaggregate", "cost": "sse"},
    "diverse": {
        "quasi_identifiers": ["age", "town"],
        "k": 3,
        "sensitive": ["sick"],
        "models": [{"name": "distinct-l-diversity", "attribute": "sick", "l": 3}],
        "hierarchies": LEVELS,
        **BY_LEVELS,
    },
    "close": {
        "quasi_identifiers": ["age", "smokes"],
        "k": 5,
        "sensitive": ["sick"],
        "models": [{"name": "t-closeness", "attribute": "sick", "t": 0.2}],
        "cost": "general-loss",
        "suppression": "40%",
    },
    "given up": {
        "quasi_identifiers": ["age", "town"],
        "hierarchies": LEVELS,
        **RISKY,
        "algorithm": "lattice",
    },
    "given up of cuts": {"quasi_identifiers": ["age", "smokes"], **RISKY, "suppressed": "mask"},
    "persons": {
        "quasi_identifiers": ["age", "smokes"],
        "k": 3,
        "entity": "town",
        "hierarchies": {"age": LEVELS["age"]},
        **BY_LEVELS,
    },
}
SUPPRESSING = {"cuts masked", "levels", "subtree", "datafly", "rows", "cells", "diverse", "close", "persons"}
SUPPRESSING |= {"given up", "given up of cuts"}  # where k = 1 refuses no group


@pytest.fixture
def people_policy(tmp_path: Path) -> Policy:
    """The first case."""
    return policy_for(people(), tmp_path, identifiers=["name"], **CASES["cuts"])


@pytest.fixture(scope="module")
def warehouse() -> Iterator[duckdb.DuckDBPyConnection]:
    """A warehouse with the people, which no test changes."""
    with connected(people()) as connection:
        yield connection


@cache
def made(case: str) -> RecodingSql:
    """The SQL of a case."""
    with tempfile.TemporaryDirectory() as folder:
        return shoal.recoding_sql(
            policy=policy_for(people(), Path(folder), identifiers=["name"], **CASES[case])
        )


@pytest.mark.parametrize("case", CASES)
def test_the_query_selects_what_anonymize_releases(case: str, tmp_path: Path) -> None:
    """Row for row, whatever the recoding, the types and what becomes of suppressed rows."""
    policy = policy_for(people(), tmp_path, identifiers=["name"], **CASES[case])
    found = shoal.recoding_sql(policy=policy)
    assert (found.facts.suppressed > 0) == (case in SUPPRESSING)
    assert selected(found, people()) == released(policy, tmp_path)


@pytest.mark.parametrize("case", ["cuts masked", "all types", "bins", "mondrian", "diverse"])
def test_every_dialect_reads_back_as_the_same_query(case: str, warehouse: duckdb.DuckDBPyConnection) -> None:
    """sqlglot parses what was printed, and DuckDB finds the same rows by it."""
    found = made(case)
    rows = selected(found, warehouse)
    for dialect in DIALECTS:
        again = found.rewritten(dialect=dialect)
        if (case, dialect) != ("all types", "sqlite"):  # whose moments are texts; they run on SQLite below
            assert selected(again, warehouse) == rows, dialect
        view = sqlglot.parse_one(str(again), read=dialect)
        assert isinstance(view, exp.Create)


@pytest.mark.parametrize("case", [case for case in CASES if case not in ("all types", "decimals")])
def test_sqlite_selects_the_same_rows(case: str, warehouse: duckdb.DuckDBPyConnection) -> None:
    """A second engine runs what was printed for it."""
    found = made(case)
    names = people().column_names
    with closing(sqlite3.connect(":memory:")) as connection:
        types = {"age": "INTEGER", "pay": "REAL", "smokes": "INTEGER"}
        declared = [f"{name} {types.get(name, 'TEXT')}" for name in names]
        connection.execute(f"CREATE TABLE people ({', '.join(declared)})")
        # SQLite knows no dates and decimals; these cases leave them as they are.
        rows = [
            [None if name in ("born", "seen", "rate") else row[name] for name in names]
            for row in people().to_pylist()
        ]
        connection.executemany(f"INSERT INTO people VALUES ({', '.join('?' * len(names))})", rows)
        connection.execute(str(found.rewritten(dialect="sqlite")))
        shown = [*CASES[case]["quasi_identifiers"], "sick"]
        seen = connection.execute(f"SELECT {', '.join(shown)} FROM people_k{found.facts.k}").fetchall()
    assert as_bits(multiset(seen)) == as_bits(projected(selected(found, warehouse), found, shown))


def as_bits(rows: Rows) -> Rows:
    """Rows as SQLite and MySQL show them, where a truth value is 1 or 0."""
    bits = {"true": "1", "false": "0"}
    found: Rows = Counter()
    for row, count in rows.items():
        found[tuple(bits.get(cell or "", cell) for cell in row)] += count
    return found


def projected(rows: Rows, found: RecodingSql, names: list[str]) -> Rows:
    """Some columns of released rows."""
    columns = [name for name in found.columns if name not in found.dropped]
    some: Rows = Counter()
    for row, count in rows.items():
        some[tuple(row[columns.index(name)] for name in names)] += count
    return some


def test_adult_is_released_by_sql_as_by_anonymize(tmp_path: Path) -> None:
    """Thirty thousand rows, by intervals, sets and suppressed rows, from a CSV file whose cells are text."""
    table = shoal.datasets.adult("pyarrow")
    source = tmp_path / "people.csv"
    pyarrow.csv.write_csv(table, source)
    policy = replace(
        shoal.datasets.adult_policy(k=50), source=source, budget=shoal.Budget(nodes=200), consistent=True
    )
    found = shoal.recoding_sql(policy=policy)
    rows = selected(found, table)
    assert rows == released(policy, tmp_path)
    quasi = [each.name for each in policy.quasi_identifiers]
    assert (smallest_group(projected(rows, found, quasi), range(len(quasi))) or 0) >= 50


@pytest.mark.parametrize("case", ["cuts", "cuts masked", "bins", "levels", "mondrian", "local", "close"])
def test_every_group_has_k_rows_after_the_table_changed(case: str) -> None:
    """Rows come and go, with values that were never seen; the view counts again."""
    found = made(case)
    quasi = [column.domain.name for column in found.plan.columns]
    for seed in range(5):
        drawn = random.Random(seed)
        rows = [row for row in people().to_pylist() if drawn.random() < 0.7]
        for _ in range(60):
            row = {name: drawn.choice(rows)[name] for name in rows[0]}
            row["age"] = drawn.choice([row["age"], 1, 23, 200, None])
            row["town"] = drawn.choice([row["town"], "new", "", None])
            rows.append(row)
        changed = selected(found, pyarrow.Table.from_pylist(rows, people().schema))
        smallest = smallest_group(projected(changed, found, quasi), range(len(quasi)))
        assert smallest is None or smallest >= found.facts.k


def test_counted_demands_hold_after_the_table_changed() -> None:
    """Distinct values are counted again, too."""
    found = made("diverse")
    rows = people().to_pylist()
    for row in rows[::2]:
        row["sick"] = "d0"
    changed = selected(found, pyarrow.Table.from_pylist(rows, people().schema))
    groups: dict[tuple[str | None, ...], set[str | None]] = {}
    for age, town, sick in projected(changed, found, ["age", "town", "sick"]):
        groups.setdefault((age, town), set()).add(sick)
    assert groups
    assert all(len(values) >= 3 for values in groups.values())


def test_a_value_that_no_released_row_had_is_suppressed_and_not_told(tmp_path: Path) -> None:
    """Neither the labels nor the branches name it."""
    ages = [30] * 5 + [40] * 8 + [77]
    table = pyarrow.table({"age": ages})
    policy = policy_for(table, tmp_path, quasi_identifiers=["age"], k=5, suppression=1)
    found = shoal.recoding_sql(policy=policy)
    assert "77" not in "".join(line for line in str(found).splitlines() if not line.startswith("--"))
    grown = pyarrow.table({"age": ages + [77] * 9})
    assert set(selected(found, grown)) == {("30",), ("40",)}


def test_the_text_is_the_same_each_time(people_policy: Policy, tmp_path: Path) -> None:
    """No date, time or path is in it."""
    first = str(shoal.recoding_sql(policy=people_policy))
    assert str(shoal.recoding_sql(policy=people_policy)) == first
    assert str(tmp_path) not in first


def test_names_that_would_break_out_are_quoted(tmp_path: Path) -> None:
    """Of columns and of the table, in every dialect; the comment above has none of them."""
    names = ['a"; DROP TABLE people; --', "b`x", "c]y", "d\\", "e'f", "g\n h", "*/ */", "select", "shoal_q1"]
    table = pyarrow.table({name: [place % 2 for place in range(8)] for name in names})
    policy = policy_for(table, tmp_path, quasi_identifiers=names[:4], k=2)
    found = shoal.recoding_sql(policy=policy, exact_names=True)
    rows = released(policy, tmp_path)
    assert selected(found, table) == rows
    for dialect in DIALECTS:
        again = found.rewritten(dialect=dialect)
        assert selected(again, table) == rows, dialect
        (_,) = sqlglot.parse(str(again), read=dialect)
        comment = [line for line in str(again).splitlines() if line.startswith("--")]
        assert all(line.isascii() and "DROP" not in line for line in comment)
    quoted = shoal.recoding_sql(policy=policy, table='"x; --".people', name='"v""w"')
    (view,) = sqlglot.parse(str(quoted), read="duckdb")
    assert view is not None
    assert next(each.name for each in view.find_all(exp.Table)) == 'v"w'


@pytest.mark.parametrize(
    "name", ["", "a b", "a; DROP TABLE b", "read_csv('x')", "a.b.c.d", "(SELECT 1)", "a AS b"]
)
def test_what_is_no_name_of_a_table_is_refused(name: str, people_policy: Policy) -> None:
    """Nothing but names can stand after FROM."""
    with pytest.raises(PolicyError, match="is not a name of a table"):
        shoal.recoding_sql(policy=people_policy, table=name)


def test_plain_names_mean_what_they_mean_without_quotes(people_policy: Policy) -> None:
    """AGE in Snowflake, age in PostgreSQL; exactly as spelled on request."""
    found = shoal.recoding_sql(policy=people_policy, dialect="snowflake", table="Raw.People")
    assert 's."AGE"' in str(found)
    assert '"RAW"."PEOPLE"' in str(found)
    assert 's."age"' in str(found.rewritten(dialect="postgres"))
    exact = shoal.recoding_sql(policy=people_policy, dialect="snowflake", exact_names=True)
    assert 's."age"' in str(exact)


def test_a_dbt_model_refers_to_its_table_and_hides_templates(tmp_path: Path) -> None:
    """Rendered by Jinja it is the query; values that read like templates stay values."""
    jinja2 = pytest.importorskip("jinja2")
    policy = policy_for(people(), tmp_path, identifiers=["name"], **CASES["cuts"])
    for table, called in (("people", "ref('people')"), ("raw.people", "source('raw', 'people')")):
        found = shoal.recoding_sql(policy=policy, form="dbt", table=table)
        assert f"FROM {{{{ {called} }}}} AS s" in str(found)
        assert not str(found).rstrip().endswith(";")
        rendered = jinja2.Template(str(found)).render(
            ref=lambda name: name, source=lambda _, name: name, config=lambda **_: ""
        )
        with connected(people()) as connection:
            rows = multiset(connection.execute(rendered).fetchall())
        assert rows == selected(shoal.recoding_sql(policy=policy, table="people"), people())


def test_a_dbt_model_refuses_names_that_read_like_templates(tmp_path: Path) -> None:
    """dbt would run them."""
    table = pyarrow.table({"a": [1, 1], "{{ x }}": [1, 2]})
    policy = policy_for(table, tmp_path, quasi_identifiers=["a"], k=2)
    with pytest.raises(PolicyError, match="reads like a template"):
        shoal.recoding_sql(policy=policy, form="dbt")
    with pytest.raises(PolicyError, match="plain words"):
        shoal.recoding_sql(policy=policy, form="dbt", table="a'b")


def test_unknown_dialects_and_forms_are_refused(people_policy: Policy) -> None:
    """With the names that exist."""
    with pytest.raises(PolicyError, match="Did you mean 'postgres'"):
        shoal.recoding_sql(policy=people_policy, dialect="postgress")
    with pytest.raises(PolicyError, match="view, select, dbt"):
        shoal.recoding_sql(policy=people_policy, form="table")  # type: ignore[arg-type]
    with pytest.raises(PolicyError, match="the name of its table"):
        shoal.recoding_sql(policy=people_policy, table="people", name="PEOPLE")
    with pytest.raises(PolicyError, match="a data frame has no name"):
        shoal.recoding_sql(people(), people_policy)


@pytest.mark.parametrize(
    ("limit", "case", "words"),
    [
        ("MOST_ROWS", "mondrian", "depends on whole rows"),
        ("MOST_GROUPS", "close", "depends on more than counting"),
        ("MOST_VALUES", "cuts", "one by one"),
    ],
)
def test_sql_that_would_be_too_long_is_refused(
    limit: str, case: str, words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With the number that was found and the one that is allowed."""
    monkeypatch.setattr(plan, limit, 2)
    policy = policy_for(people(), tmp_path, identifiers=["name"], **CASES[case])
    with pytest.raises(PolicyError, match=words):
        shoal.recoding_sql(policy=policy)


def test_recodings_that_sql_cannot_promise_are_refused(tmp_path: Path) -> None:
    """Wildcards are not counted by groups."""
    policy = policy_for(
        people(),
        tmp_path,
        quasi_identifiers=["age", "town"],
        k=3,
        algorithm="levels-and-cells",
        cost="suppressed-cells",
        options={"reading": "wildcard"},
        hierarchies=LEVELS,
        nodes=100,
    )
    with pytest.raises(PolicyError, match="wildcards"):
        shoal.recoding_sql(policy=policy)


def test_the_comment_says_what_is_not_checked() -> None:
    """A model that SQL does not count held when the rows were counted, and nothing more is claimed."""
    close = made("close")
    assert close.unchecked == ("t-closeness",)
    assert "NOT checked here: t-closeness" in str(close)
    assert "NOT checked" not in str(made("diverse"))
    sets = made("sets")
    assert sets.plan.k is None
    assert "Holds whatever rows" not in str(sets)


def test_no_row_is_written_and_the_manifest_says_so(people_policy: Policy, tmp_path: Path) -> None:
    """Its digest is that of the text."""
    before = sorted(tmp_path.iterdir())
    found = shoal.recoding_sql(policy=people_policy)
    assert sorted(tmp_path.iterdir()) == before
    assert found.manifest.release_digest == hashlib.sha256(str(found).encode()).hexdigest()
    assert found.manifest.audit == {}
    assert "nothing was audited" in found.manifest.notes[-1]


@pytest.mark.parametrize("kind", ["number", "category"])
def test_a_number_that_is_none_is_no_second_missing_value(tmp_path: Path, kind: str) -> None:
    """Shoal takes NaN and NULL for one value, so a group of them is not diverse."""

    def table(pay: list[float | None]) -> pyarrow.Table:
        return pyarrow.table(
            {"age": [1] * 4, "pay": pyarrow.array(pay, pyarrow.float64(), from_pandas=False)}
        )

    policy = policy_for(
        table([1.0, 2.5, None, 1.0]),
        tmp_path,
        quasi_identifiers=["age"],
        k=2,
        sensitive=["pay"],
        types={"pay": kind},
        models=[{"name": "distinct-l-diversity", "attribute": "pay", "l": 2}],
    )
    found = shoal.recoding_sql(policy=policy)
    assert sum(selected(found, table([1.0, float("nan"), 1.0, None])).values()) == 4
    assert not selected(found, table([float("nan"), None, float("nan"), None]))


def test_a_label_is_not_given_to_what_a_collation_holds_for_equal(tmp_path: Path) -> None:
    """A column can have a collation by which 'A' is 'a'; numbers that were counted as codes have none."""
    towns = ["a", "a", "b", "b", "c", "c"]
    policy = policy_for(pyarrow.table({"town": towns}), tmp_path, quasi_identifiers=["town"], k=2)
    found = shoal.recoding_sql(policy=policy)
    assert multiset([("a",)] * 2) == selected(found, pyarrow.table({"town": ["a", "a", "A", "b", "B", "a "]}))
    later, query = [("a",), ("a",), ("A",), ("b",), ("B",)], str(found.rewritten(form="select"))
    with connected(pyarrow.table({"x": [1]})) as connection:
        connection.execute("CREATE OR REPLACE TABLE people (town VARCHAR COLLATE NOCASE)")
        connection.executemany("INSERT INTO people VALUES (?)", later)
        assert connection.execute(query).fetchall() == [("a",)] * 2
        connection.execute("CREATE OR REPLACE TABLE people (town ENUM ('a', 'A', 'b', 'B'))")
        connection.executemany("INSERT INTO people VALUES (?)", later)
        assert connection.execute(query).fetchall() == [("a",)] * 2
    with closing(sqlite3.connect(":memory:")) as other:
        other.execute("CREATE TABLE people (town TEXT COLLATE NOCASE)")
        other.executemany("INSERT INTO people VALUES (?)", later)
        text = str(found.rewritten(form="select", dialect="sqlite"))
        assert other.execute(text).fetchall() == [("a",)] * 2


def test_a_decimal_beyond_an_end_is_not_rounded_into_the_interval(tmp_path: Path) -> None:
    """Beside a double of sixteen digits, a later decimal of seventeen would pass for the end."""
    place = tmp_path / "w.duckdb"
    with duckdb.connect(str(place)) as database:
        database.execute("CREATE TABLE t (x DECIMAL(20, 17))")
        for cell in ("0.1234567890123456", "0.1234567890123457", "0.1234567890123459", "0.5"):
            database.execute(f"INSERT INTO t SELECT {cell} FROM range(3)")
    (tmp_path / "p.toml").write_text(
        '[source]\nconnection = "duckdb:///w.duckdb"\ntable = "t"\n'
        '[attributes.x]\nrole = "quasi-identifier"\n'
        "[privacy]\nk = 6\n"
    )
    text = shoal.recoding_sql(policy=shoal.read_policy(tmp_path / "p.toml")).text
    with duckdb.connect(str(place)) as database:
        database.execute("INSERT INTO t SELECT 0.12345678901234571 FROM range(6)")
        database.execute(text)
        found = database.execute("SELECT x, count(*) FROM t_k6 GROUP BY x ORDER BY x").fetchall()
    assert found == [("[0.1234567890123456, 0.1234567890123457]", 6), ("[0.1234567890123459, 0.5]", 6)]
