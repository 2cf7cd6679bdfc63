"""The printed view on a real PostgreSQL server, where the tests have one."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.unit.test_recoding_sql import CASES, made, people
from tests.unit.warehouses import multiset, selected

TYPES = {
    "name": "text",
    "age": "integer",
    "pay": "double precision",
    "town": "text",
    "born": "date",
    "seen": "timestamp",
    "smokes": "boolean",
    "rate": "numeric(8, 2)",
    "sick": "text",
}


def test_views_on_postgres_show_what_anonymize_releases(
    request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    """Every case of the other engines, with every type of column."""
    try:
        database = request.getfixturevalue("postgres")
    except pytest.FixtureLookupError:
        pytest.skip("these tests have no server")
    columns = {name: people()[name].to_pylist() for name in people().column_names}
    database.store("people", columns, TYPES)
    for case in CASES:
        found = made(case, tmp_path)
        database.execute(str(found.rewritten(dialect="postgres")))
        view = f"people_k{found.facts.k}"
        # A new text each time: the driver remembers the columns of one that it has seen.
        seen = database.rows(f"SELECT * FROM {view} /* {case} */")
        assert multiset(seen) == selected(found, people()), case
        database.execute(f"DROP VIEW {view}")
