"""The printed view on a real PostgreSQL server."""

from __future__ import annotations

from tests.engines.postgres_server import Database
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


def test_views_on_postgres_show_what_anonymize_releases(postgres: Database) -> None:
    """Every case of the other engines, with every type of column."""
    columns = {name: people()[name].to_pylist() for name in people().column_names}
    postgres.store("people", columns, TYPES)
    for case in CASES:
        found = made(case)
        postgres.execute(str(found.rewritten(dialect="postgres")))
        view = f"people_k{found.facts.k}"
        # A new text each time: the driver remembers the columns of one that it has seen.
        seen = postgres.rows(f"SELECT * FROM {view} /* {case} */")
        assert multiset(seen) == selected(found, people()), case
        postgres.execute(f"DROP VIEW {view}")
