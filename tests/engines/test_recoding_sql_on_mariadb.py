"""The printed view on a real MariaDB server, in the dialect of MySQL."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pyarrow
import pytest

import shoal
from tests.engines.conftest import missing
from tests.engines.mariadb_server import MariaServer
from tests.engines.postgres_server import MissingServerError
from tests.unit.test_recoding_sql import CASES, as_bits, made, people
from tests.unit.warehouses import multiset, policy_for, selected

TYPES = {
    "name": "text",
    "age": "integer",
    "pay": "double",
    "town": "text",
    "born": "date",
    "seen": "datetime",
    "smokes": "boolean",
    "rate": "decimal(8, 2)",
    "sick": "text",
}


@pytest.fixture(scope="module")
def mariadb() -> Iterator[MariaServer]:
    """A server with the people, which no test changes."""
    try:
        server = MariaServer()
    except MissingServerError as error:
        missing(str(error))
    store(server, "people", people(), TYPES)
    yield server
    server.stop()


def store(server: MariaServer, name: str, table: pyarrow.Table, types: dict[str, str]) -> None:
    declared = ", ".join(f"`{column}` {types[column]}" for column in table.column_names)
    server.execute(f"CREATE OR REPLACE TABLE {name} ({declared})")
    places = ", ".join(["%s"] * table.num_columns)
    rows = [tuple(row.values()) for row in table.to_pylist()]
    server.execute(f"INSERT INTO {name} VALUES ({places})", rows)


@pytest.mark.parametrize("case", CASES)
def test_views_on_mariadb_show_what_anonymize_releases(mariadb: MariaServer, case: str) -> None:
    """Every case of the other engines, with every type of column."""
    found = made(case)
    view = f"people_k{found.facts.k}"
    mariadb.execute(f"DROP VIEW IF EXISTS {view}")
    mariadb.execute(str(found.rewritten(dialect="mysql")))
    assert as_bits(multiset(mariadb.execute(f"SELECT * FROM {view}"))) == as_bits(selected(found, people()))


def test_a_label_is_not_given_to_what_mariadb_holds_for_equal(mariadb: MariaServer, tmp_path: Path) -> None:
    """Its collations take 'A' for 'a', 'é' for 'e' and pad with blanks; the view does not."""
    towns = pyarrow.table({"town": ["a", "a", "e", "e", "c", "c"]})
    policy = policy_for(towns, tmp_path, quasi_identifiers=["town"], k=2)
    found = shoal.recoding_sql(policy=policy)
    later = pyarrow.table({"town": ["a", "a", "A", "a ", "e", "é", "c", "C"]})
    store(mariadb, "later", later, {"town": "varchar(9)"})
    text = str(found.rewritten(dialect="mysql", form="select")).replace("`people`", "`later`")
    assert mariadb.execute(text) == [("a",), ("a",)]
