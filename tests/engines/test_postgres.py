"""PostgreSQL releases what DuckDB releases, from the same rows, and leaves the database as it should."""

from __future__ import annotations

import datetime
import json
from collections.abc import Sequence
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import Any

import psycopg
import pyarrow
import pyarrow.parquet
import pytest

import shoal
from shoal.engines.duckdb.engine import DuckDB
from shoal.engines.postgres.engine import Postgres
from shoal.errors import EngineError, PolicyError
from shoal.model.policy.policy_arguments import policy_of
from shoal.model.table.table_source import TableSource
from shoal.pipeline.release import Release
from shoal.pipeline.run import run
from tests.engines.postgres_server import READER, Database, PostgresServer

Columns = dict[str, list[Any]]

PEOPLE: Columns = {
    "name": ["Ann", "Bob", "Cid", "Dee", "Eve", "Fay", "Gil", "Hal"],
    "age": [30, 31, 30, 45, 46, 45, None, None],
    "zip": ["02139", "02139", "02138", "10001", "10001", "10001", "", None],
    "ill": ["flu", "flu", "cold", "flu", "gout", "gout", "cold", "flu"],
}
TYPES = {"name": "text", "age": "int", "zip": "text", "ill": "text"}


def asked(**more: Any) -> dict[str, Any]:
    """What most tests ask."""
    return {"quasi_identifiers": ["age", "zip"], "identifiers": ["name"], "k": 2, **more}


def by_postgres(
    database: Database, table: str, target: str | Path, *, connection: Any = None, **request: Any
) -> Release:
    """A release as a table."""
    connection = database.url if connection is None else connection
    policy = replace(policy_of(**request), release=target)
    with Postgres(connection) as engine:
        return run(TableSource(connection=connection, table=table), policy, engine=engine)


def by_duckdb(columns: Columns, folder: Path, **request: Any) -> tuple[Release, list[tuple[Any, ...]]]:
    """A release of the same rows as a file, and its rows."""
    source, target = folder / "source.parquet", folder / "release.parquet"
    pyarrow.parquet.write_table(pyarrow.table(columns), source)
    with DuckDB() as engine:
        made = run(str(source), replace(policy_of(**request), release=target), engine=engine)
    found = pyarrow.parquet.read_table(target).to_pydict()
    return made, list(zip(*found.values(), strict=True))


def in_any_order(rows: Sequence[tuple[Any, ...]]) -> list[str]:
    """Rows such that equal tables are equal; a number is one whether it is a DOUBLE or a text."""
    return sorted(repr([_number(cell) for cell in row]) for row in rows)


def _number(cell: Any) -> Any:
    try:
        return float(cell) if isinstance(cell, str) else cell
    except ValueError:
        return cell


def facts(made: Release) -> dict[str, Any]:
    """What a manifest says, but for times and for what was read."""
    told = json.loads(made.manifest.to_json())
    for name in ("seconds", "trace", "phases", "source_digest", "release_digest", "policy_digest"):
        del told[name]
    told["reading"].pop("file", None)
    return dict(told)


def check_alike(
    database: Database, columns: Columns, types: dict[str, str], folder: Path, **request: Any
) -> list[tuple[Any, ...]]:
    """Both engines release the same rows with the same verdict; these are the rows."""
    database.store("source", columns, types)
    ours = by_postgres(database, "source", "released", **request)
    theirs, rows = by_duckdb(columns, folder, **request)
    found = database.rows("SELECT * FROM released")
    assert in_any_order(found) == in_any_order(rows)
    assert facts(ours) == facts(theirs)
    assert database.tables() == ["public.released", "public.source"]
    return found


@pytest.mark.parametrize("suppressed", ["drop", "mask"])
@pytest.mark.parametrize(
    ("algorithm", "cost"), [("auto", None), ("mondrian", None), ("cells", "ncp"), ("k-member", None)]
)
def test_releases_equal_those_of_duckdb(
    postgres: Database, tmp_path: Path, algorithm: str, cost: str | None, suppressed: str
) -> None:
    """The same rows and the same manifest, missing and empty cells included."""
    request = asked(algorithm=algorithm, cost=cost, suppressed=suppressed, sensitive=["ill"])
    check_alike(postgres, PEOPLE, TYPES, tmp_path, **request)


MODELS: list[dict[str, Any]] = [
    {"models": [{"name": "distinct-l-diversity", "l": 2, "attribute": "ill"}], "sensitive": ["ill"]},
    {"entity": "name"},
    {"class_attribute": "ill", "cost": "classification"},
]


@pytest.mark.parametrize("more", MODELS, ids=lambda more: next(iter(more)))
def test_privacy_models_find_the_same_at_the_server(
    postgres: Database, tmp_path: Path, more: dict[str, Any]
) -> None:
    """What models look at, the class and persons that are dropped."""
    check_alike(postgres, PEOPLE, TYPES, tmp_path, **asked(**more))


TYPED: dict[str, tuple[str, list[Any]]] = {
    "smallint": ("smallint", [1, 2, 1, 2, None, 3]),
    "bigint": ("bigint", [2**60, 2**60 + 1, 2**60, 2**60 + 1, None, 0]),
    "numeric(9,2)": (
        "numeric(9,2)",
        [Decimal("1.50"), Decimal("2.00"), Decimal("1.50"), Decimal("2.00"), None, None],
    ),
    "double": ("double precision", [0.1 + 0.2, 1e300, 0.1 + 0.2, 1e300, -0.0, 0.0]),
    "double with nan": ("double precision", [float("nan"), None, 1.5, 1.5, 2.0, 2.0]),
    "boolean": ("boolean", [True, False, True, False, None, None]),
    "date": ("date", [datetime.date(2020, 1, day) for day in (1, 2, 1, 2, 3)] + [None]),
    "timestamp": (
        "timestamp",
        [datetime.datetime(2020, 1, 1, hour, 0, 0, 5) for hour in (1, 2, 1, 2, 3)] + [None],
    ),
    "timestamptz": (
        "timestamptz",
        [datetime.datetime(2020, 1, 1, hour, tzinfo=datetime.UTC) for hour in (1, 2, 1, 2, 3)] + [None],
    ),
    "unicode": ("text", ["ä", "日本", "ä", "日本", "🐟", "🐟"]),
    "sql signs": ("varchar(20)", ["a'b", 'a"b', "a'b", 'a"b', "\\", "%s"]),
    "long": ("text", ["x" * 100_000, "y" * 100_000, "x" * 100_000, "y" * 100_000, "x" * 99_999, None]),
    "stars": ("text", ["*", "*", "**", "**", "-", None]),
}


@pytest.mark.parametrize("kind", TYPED)
@pytest.mark.parametrize("k", [2, 3])
def test_cells_of_every_type_are_released_as_by_duckdb(
    postgres: Database, tmp_path: Path, kind: str, k: int
) -> None:
    """As they were where the group allows it, and in intervals or sets where not."""
    type_, cells = TYPED[kind]
    columns = {"q": cells, "other": list("abcdef")}
    check_alike(postgres, columns, {"q": type_, "other": "text"}, tmp_path, quasi_identifiers=["q"], k=k)


def test_numbers_without_a_fixed_scale_are_read_as_numbers(postgres: Database) -> None:
    """1.5 and 1.50 are one value; NaN is a missing one."""
    postgres.execute(
        "CREATE TABLE source AS SELECT CAST(x AS NUMERIC) AS q FROM (VALUES ('1.5'), ('1.50'), "
        "('NaN'), (NULL), ('100000000000000000000'), ('1e20')) v(x)"
    )
    made = by_postgres(postgres, "source", "released", quasi_identifiers=["q"], k=2)
    assert (made.manifest.groups, made.manifest.suppressed) == (3, 0)


def test_columns_of_other_types_are_grouped_by_their_texts(postgres: Database) -> None:
    """Enums, domains, UUIDs, JSON, arrays, padded texts and intervals can all be quasi-identifiers."""
    postgres.execute("CREATE TYPE mood AS ENUM ('sad', 'ok')")
    postgres.execute("CREATE DOMAIN years AS int CHECK (VALUE > 0)")
    postgres.execute("CREATE DOMAIN adult AS years CHECK (VALUE > 17)")
    rows = [
        f"('{mood}', {age}, '0a0b0c0d-0000-0000-0000-0000000000{age}', '{{\"a\": {age}}}', '{{{age}}}', "
        f"'x{age}', '{span}', '10.0.0.{age}')"
        for mood, age, span in (("sad", 20, "1 month"), ("ok", 30, "30 days"))
    ]
    types = "m mood, y adult, u uuid, j json, a int[], c char(9), i interval, n inet"
    postgres.execute(f"CREATE TABLE source ({types})")
    postgres.execute(f"INSERT INTO source VALUES {', '.join(rows * 2)}")
    names = list("myujacin")
    made = by_postgres(postgres, "source", "released", quasi_identifiers=names, k=2)
    assert (made.manifest.groups, made.manifest.suppressed) == (2, 0)
    assert len(set(postgres.rows("SELECT CAST(r AS TEXT) FROM released AS r"))) == 2


@pytest.mark.parametrize(
    "type_", ["text COLLATE loose", "citext", "citext COLLATE loose", "char(3) COLLATE loose"]
)
def test_texts_that_the_server_takes_for_equal_are_different(postgres: Database, type_: str) -> None:
    """A reader tells `a` and `A` apart, and so must counting and the audit."""
    postgres.execute("CREATE EXTENSION citext")
    loose = "provider = icu, locale = 'und-u-ks-level1-ka-shifted', deterministic = false"
    postgres.execute(f"CREATE COLLATION loose ({loose})")
    postgres.execute(f"CREATE TABLE source (q {type_})")
    postgres.execute("INSERT INTO source VALUES ('a'), ('A'), ('b'), ('b'), ('-'), ('*')")
    assert postgres.rows("SELECT count(DISTINCT q) < 5 FROM source") == [(True,)]
    with Postgres(postgres.url) as engine:
        source = TableSource(connection=postgres.url, table="source")
        found = engine.measure(source, ["q"], 2)
        assert (found.groups, found.groups_below, found.suppressed) == (4, 3, 1)
    made = by_postgres(postgres, "source", "released", quasi_identifiers=["q"], k=2)
    assert made.verdict.holds
    printed = [text for (text,) in postgres.rows('SELECT CAST(q AS TEXT) COLLATE "C" FROM released')]
    assert min(printed.count(text) for text in printed) >= 2


def test_a_label_that_the_database_cannot_store_is_named(postgres_server: PostgresServer) -> None:
    """Latin-1 has no fish; its own signs are read as what they are."""
    with postgres_server.database("LATIN1") as database:
        database.execute("CREATE TABLE source AS SELECT chr(252) AS q FROM generate_series(1, 4)")
        made = by_postgres(database, "source", "released", quasi_identifiers=["q"], k=2)
        assert "ü" in made.manifest.to_json()
        tree = shoal.Hierarchy((("ü", "🐟"),))
        with pytest.raises(EngineError, match="a character that the database's encoding cannot store"):
            by_postgres(
                database,
                "source",
                "released",
                quasi_identifiers=["q"],
                k=2,
                algorithm="lattice",
                cost="precision",
                hierarchies={"q": tree},
                levels={"q": (1, None)},
            )


NAMES = ['Big "Table"', "with.dot", "ü ber", "select", "a" * 63, "x'; DROP TABLE people; --"]


@pytest.mark.parametrize("name", NAMES)
def test_names_of_any_signs_are_quoted(postgres: Database, name: str) -> None:
    """Schemas, tables and columns; sources and targets."""
    quoted = '"' + name.replace('"', '""') + '"'
    postgres.execute(f"CREATE SCHEMA {quoted}")
    postgres.execute(f"CREATE TABLE {quoted}.{quoted} ({quoted} int, cell text, n int, c0 int)")
    postgres.execute(
        f"INSERT INTO {quoted}.{quoted} VALUES (1, 'a', 1, 1), (1, 'a', 1, 1), (2, 'b', 2, 2), (2, 'b', 2, 3)"
    )
    target = f'{quoted}."re.leased"'
    made = by_postgres(postgres, f"{quoted}.{quoted}", target, quasi_identifiers=[name, "cell", "n"], k=2)
    assert made.manifest.groups == 2
    assert len(postgres.rows(f"SELECT {quoted}, cell, n, c0 FROM {target}")) == 4


@pytest.mark.parametrize(
    ("text", "schema"),
    [
        ("people", "public"),
        ("public.people", "public"),
        ('"public"."people"', "public"),
        ("other.people", "other"),
    ],
)
def test_names_are_taken_as_they_are(postgres: Database, text: str, schema: str) -> None:
    """With quotes or without; a schema that is not said is looked for on the search path."""
    postgres.store("people", PEOPLE, TYPES)
    postgres.execute("CREATE SCHEMA other")
    postgres.execute("CREATE VIEW other.people AS SELECT * FROM public.people")
    with Postgres(postgres.url) as engine:
        table = engine.open(TableSource(connection=postgres.url, table=text))
        assert table.about == f"{schema}.people"
        assert table.columns == tuple(PEOPLE)


@pytest.mark.parametrize("text", ["", ".", "a.", ".a", "a.b.c.d", 'a"b', '"a', '"a"b', '""'])
def test_a_broken_name_is_a_policy_error(postgres_for_all: Database, text: str) -> None:
    """The message shows how names are written."""
    with (
        Postgres(postgres_for_all.url) as engine,
        pytest.raises(PolicyError, match="is not the name of a table"),
    ):
        engine.staging(text, {})


def test_a_table_that_differs_by_case_is_hinted_at(postgres: Database) -> None:
    """With the quotes that it needs."""
    postgres.store("People", PEOPLE, TYPES)
    with pytest.raises(EngineError, match=r'did you mean "public"\."People"'):
        by_postgres(postgres, "people", "released", **asked())


def test_views_are_sources(postgres: Database) -> None:
    """What can be selected from can be released."""
    postgres.store("people", PEOPLE, TYPES)
    postgres.execute("CREATE VIEW grown AS SELECT * FROM people WHERE age > 40")
    assert by_postgres(postgres, "grown", "released", **asked()).manifest.rows == 3


def test_a_table_without_rows_is_refused(postgres: Database) -> None:
    """There is nothing to release, and nothing is made."""
    postgres.store("people", {name: [] for name in PEOPLE}, TYPES)
    with pytest.raises(PolicyError, match=r"public\.people has no rows"):
        by_postgres(postgres, "people", "released", **asked())
    assert postgres.tables() == ["public.people"]


def test_the_manifest_is_the_tables_comment(postgres: Database) -> None:
    """It says what the release object says, and nothing of how the server was reached."""
    postgres.store("people", PEOPLE, TYPES)
    made = by_postgres(postgres, "people", "released", **asked())
    ((comment,),) = postgres.rows("SELECT obj_description('released'::regclass, 'pg_class')")
    assert json.loads(comment) == json.loads(made.manifest.to_json())
    assert made.path == "released"
    for text in (comment, repr(made), str(made), repr(made.manifest)):
        assert postgres.server.password not in text


def test_a_release_is_replaced_by_the_next(postgres: Database) -> None:
    """The new rows and the new manifest come together."""
    postgres.store("people", PEOPLE, TYPES)
    by_postgres(postgres, "people", "released", **asked())
    postgres.execute("DELETE FROM people WHERE age > 40")
    made = by_postgres(postgres, "people", "released", **asked())
    assert len(postgres.rows("SELECT FROM released")) == made.manifest.rows == 5
    assert postgres.tables() == ["public.people", "public.released"]


@pytest.mark.parametrize(
    "existing",
    [
        "CREATE TABLE released AS SELECT 1 AS theirs",
        "CREATE VIEW released AS SELECT 1 AS theirs",
        "CREATE SEQUENCE released",
        "CREATE TABLE released AS SELECT 1 AS theirs; COMMENT ON TABLE released IS '{\"shoal\": 1}'",
    ],
)
def test_what_is_no_release_is_not_replaced(postgres: Database, existing: str) -> None:
    """It is refused before any work, with a way out."""
    postgres.store("people", PEOPLE, TYPES)
    postgres.execute(existing)
    before = postgres.tables()
    with pytest.raises(PolicyError, match=r"exists and is not a release of Shoal.*another name"):
        by_postgres(postgres, "people", "released", **asked())
    assert postgres.tables() == before
    by_postgres(postgres, "people", "another", **asked())


def test_a_release_that_views_depend_on_is_not_replaced(postgres: Database) -> None:
    """It is refused before any work, and stays."""
    postgres.store("people", PEOPLE, TYPES)
    by_postgres(postgres, "people", "released", **asked())
    postgres.execute("CREATE VIEW report AS SELECT * FROM released")
    with pytest.raises(EngineError, match="views or constraints depend on the old release"):
        by_postgres(postgres, "people", "released", **asked())
    assert len(postgres.rows("SELECT FROM report")) == len(PEOPLE["age"])


def test_a_release_does_not_replace_its_source(postgres: Database) -> None:
    """Even if the source is a release itself."""
    postgres.store("people", PEOPLE, TYPES)
    by_postgres(postgres, "people", "released", **asked())
    with pytest.raises(PolicyError, match="the release is the source itself"):
        by_postgres(postgres, "released", "public.released", quasi_identifiers=["age", "zip"], k=3)


def test_a_users_connection_publishes_and_stays_open(postgres: Database) -> None:
    """The release is committed, and the connection is idle."""
    postgres.store("people", PEOPLE, TYPES)
    with psycopg.connect(postgres.url) as connection:
        by_postgres(postgres, "people", "released", connection=connection, **asked())
        assert connection.info.transaction_status == psycopg.pq.TransactionStatus.IDLE
        assert len(postgres.rows("SELECT FROM released")) == len(PEOPLE["age"])


def test_columns_that_are_kept_keep_their_types_in_a_file(postgres: Database, tmp_path: Path) -> None:
    """Those that Parquet has; a UUID and an array are text."""
    cells = (
        "1 AS q, CAST(1.5 AS NUMERIC(9, 2)) AS n, DATE '2020-01-01' AS d, "
        "TIMESTAMPTZ '2020-01-01 00:00+01' AS t, ARRAY[1, 2] AS a, CAST('x' AS CHAR(3)) AS c, "
        "CAST('0a0b0c0d-0000-0000-0000-000000000001' AS UUID) AS u"
    )
    postgres.execute(f"CREATE TABLE source AS SELECT {cells} FROM generate_series(1, 2)")
    target = tmp_path / "released.parquet"
    by_postgres(postgres, "source", target, quasi_identifiers=["q"], k=2)
    found = pyarrow.parquet.read_table(target)
    moment = datetime.datetime(2019, 12, 31, 23, tzinfo=datetime.UTC)
    assert found.to_pylist()[0] == {
        "q": 1,
        "n": Decimal("1.50"),
        "d": datetime.date(2020, 1, 1),
        "t": moment,
        "u": "0a0b0c0d-0000-0000-0000-000000000001",
        "a": "{1,2}",
        "c": "x",
    }


def test_tables_of_two_connections_are_not_mixed(postgres: Database) -> None:
    """A population behind another connection would be another state of another database."""
    with Postgres(postgres.url) as engine, pytest.raises(PolicyError, match="a different connection"):
        engine.open(TableSource(connection=postgres.url_of(READER), table="people"))
