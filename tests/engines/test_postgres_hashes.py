"""Written rows of PostgreSQL, which are found by a hash of their cells."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import shoal
from shoal.engines.connection import engine_for
from shoal.engines.postgres.session import PostgresSession
from shoal.model.policy.attribute import Attribute, Role
from tests.engines.postgres_server import Database

TYPES = {
    "age": "integer",
    "name": "text",
    "rank": "char(4)",
    "ratio": "double precision",
    "share": "numeric",
    "day": "date",
    "member": "boolean",
}
CELLS: dict[str, list[Any]] = {
    "age": [30, 31, 30, None, 31, 30, 31, 30],
    "name": ["Ann", "", None, "Bob", "ann", "Ann", None, "*"],
    "rank": ["a", "a ", "b", None, "b", "a", "b", "a"],
    "ratio": [0.0, -0.0, 0.1, float("nan"), None, 0.1, 0.1, 0.0],
    "share": ["1.0", "1.00", "2", None, "2", "1.0", "2", "1.0"],
    "day": ["2026-01-01", None, "2026-01-02", "2026-01-01", "2026-01-02", "2026-01-01", None, "2026-01-01"],
    "member": [True, False, None, True, False, True, None, True],
}
ASKED: dict[str, Any] = {"table": "people", "quasi_identifiers": list(TYPES), "k": 2}


def _released(database: Database, path: str, **more: Any) -> list[tuple[Any, ...]]:
    shoal.anonymize(database.url, path=path, **ASKED, **more)
    return sorted(database.rows(f"SELECT p::text FROM {path} AS p"))


@pytest.mark.parametrize("algorithm", ["mondrian", "lattice"])
@pytest.mark.parametrize("suppressed", ["drop", "mask"])
def test_rows_found_by_hashes_are_those_found_by_lookups(
    postgres: Database, monkeypatch: pytest.MonkeyPatch, algorithm: str, suppressed: str
) -> None:
    """Cells of every type, missing ones and those that equal each other in another spelling among them."""
    postgres.store("people", CELLS, TYPES)
    more = {"algorithm": algorithm, "suppressed": suppressed, "suppression": 3}
    found = _released(postgres, "by_hash", **more)
    monkeypatch.setattr(PostgresSession, "finds_by_hash", False)
    assert found == _released(postgres, "by_lookup", **more)


def test_a_hash_that_two_rows_share_is_not_used(postgres: Database) -> None:
    """A missing cell is hashed like this text, so neither can be found by its hash."""
    cells = ["\x1f", "\x1f", None, None, "a", "a"]
    postgres.store("people", {"name": cells, "age": [1, 2, 3, 4, 5, 6]}, {"name": "text", "age": "integer"})
    attributes = [Attribute(name="name", role=Role.QUASI_IDENTIFIER)]
    source = shoal.TableSource(connection=postgres.url, table="people")
    with engine_for(source) as engine:
        assert engine.count(source, attributes).hashed is None
    shoal.anonymize(postgres.url, table="people", path="released", quasi_identifiers=["name"], k=2)
    assert sorted(map(str, postgres.rows("SELECT name FROM released"))) == sorted(
        str((each,)) for each in cells
    )


def test_distinct_rows_have_different_hashes(postgres: Database) -> None:
    """Also where the hashes of whole numbers, which have 32 bits, would not."""
    postgres.execute(
        "CREATE TABLE people AS SELECT i AS age, i / 2 AS pair FROM generate_series(1, 150000) i"
    )
    attributes = [Attribute(name=name, role=Role.QUASI_IDENTIFIER) for name in ("age", "pair")]
    source = shoal.TableSource(connection=postgres.url, table="people")
    with engine_for(source) as engine:
        counted = engine.count(source, attributes)
    assert counted.hashed is not None
    assert len(np.unique(counted.hashed.hashes)) == len(counted.frequencies.counts) == 150_000


def test_a_view_of_random_cells_is_never_released_unseen(postgres: Database) -> None:
    """Rows that were not counted match no hash, and are not kept."""
    postgres.execute("CREATE VIEW people AS SELECT (random() * 1e9)::int AS age FROM generate_series(1, 40)")
    with pytest.raises(shoal.ShoalError):
        shoal.anonymize(postgres.url, table="people", path="released", quasi_identifiers=["age"], k=2)
    assert postgres.tables() == ["public.people"]


def test_the_same_rows_are_drawn_in_each_run(postgres: Database) -> None:
    """The server draws rows of a table; how well columns predict each other is estimated from them."""
    postgres.execute(
        "CREATE TABLE people AS SELECT i % 7 AS age, i % 7 / 2 AS stage, i % 5 AS other "
        "FROM generate_series(1, 30000) AS i"
    )
    source = shoal.TableSource(connection=postgres.url, table="people")
    with engine_for(source) as engine:
        one, two = (engine.sample_table(source, 30_000, ["stage", "other"], ["age"]) for _ in range(2))
    assert one.agreements == two.agreements
    assert one.texts == two.texts
    assert 9_000 < one.agreements["age", "stage"].rows < 11_000
    assert one.agreements["age", "stage"].chance == 1.0
    assert one.agreements["other", "age"].chance == pytest.approx(1 / 7, abs=0.02)
