"""An engine against Shoal's own: results must not depend on where the rows live."""

from __future__ import annotations

import csv
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from shoal.api.anonymize import anonymize
from shoal.api.audit import audit
from shoal.engines.duckdb.engine import DuckDB
from shoal.engines.sql.engine import SqlEngine
from shoal.model.policy.attribute import Attribute, Role
from shoal.model.table.engine_entry import ENGINES
from shoal.model.table.table_source import TableSource
from shoal.testing._words import check_words

Table = Mapping[str, Sequence[str | int | None]]
Store = Callable[[Table], Any]

PEOPLE: Table = {
    "age": [20, 20, 21, 21, 35, 35, 60, 60, 60, None],
    "job": ["baker", "cook", "baker", "cook", "smith", "smith", "cook", None, "cook", "smith"],
    "illness": ["flu", "flu", "cold", "flu", "cold", "gout", "flu", "cold", "gout", "flu"],
}
"""Numbers and texts, copies of rows, and missing cells."""

_KNOWN: dict[str, Any] = {
    "quasi_identifiers": ["age", "job"],
    "sensitive": ["illness"],
    "k": 2,
    "algorithm": "exact",
}
_FACTS = ("status", "cost", "rows", "suppressed", "groups", "recoding", "audit")


def check_engine(engine: SqlEngine, store: Store, place: Any = None) -> None:
    """Raise `AssertionError`, with what differs, if an engine does not do what Shoal's own does.

    Puts a table of ten people into the engine and compares with DuckDB.

    1. The registry has the engine's name, with words.
    2. It has the columns in their order, and counts the same combinations, class labels and missing cells.
    3. A digest is the same twice, and differs when a cell that decides the release differs.
    4. It measures the groups of any table as they are.
    5. A release through it has the cost, the groups, the recoding and the audit of one through DuckDB, and an
       audit of what was written finds the same k.

    Parameters
    ----------
    engine
        The engine, open.
    store
        Puts a table, column -> cells, where the engine can read it and returns the source. It is called
        several times; later tables must not replace earlier ones.
    place
        Where a release goes: a path, or the name of a table that does not exist yet. Without it, the release
        is handed out as a data frame.
    """
    if engine.name not in ENGINES:
        raise AssertionError(f"no package registers the engine {engine.name!r}")
    check_words(ENGINES[engine.name])
    source = store(PEOPLE)
    if engine.columns(source) != tuple(PEOPLE):
        raise AssertionError(f"{engine.name}: the columns are {engine.columns(source)}, not {tuple(PEOPLE)}")
    _check_counts(engine, source)
    _check_digest(engine, source, store)
    _check_measure(engine, source)
    _check_release(engine, source, place)


def _check_counts(engine: SqlEngine, source: Any) -> None:
    attributes = [
        Attribute(name="age", role=Role.QUASI_IDENTIFIER),
        Attribute(name="job", role=Role.QUASI_IDENTIFIER),
        Attribute(name="illness", role=Role.CLASS),
    ]
    found = engine.count(source, attributes).frequencies
    counted = {
        (*(domain.values[code] for domain, code in zip(found.domains, codes, strict=True)), label): rows
        for codes, of_label in zip(found.codes.tolist(), found.label_counts.tolist(), strict=True)
        for label, rows in zip(found.labels, of_label, strict=True)
        if rows
    }
    expected: dict[tuple[Any, ...], int] = {}
    for row in zip(*PEOPLE.values(), strict=True):
        expected[row] = expected.get(row, 0) + 1
    if counted != expected:
        raise AssertionError(f"{engine.name}: it counts {counted}, and there are {expected}")


def _check_digest(engine: SqlEngine, source: Any, store: Store) -> None:
    def digest(of: Any) -> str:
        attributes = [Attribute(name=name, role=Role.QUASI_IDENTIFIER) for name in PEOPLE]
        return engine.digest(of, engine.count(of, attributes))

    if digest(source) != digest(source):
        raise AssertionError(f"{engine.name}: the digest of a table is not the same twice")
    changed = store({**PEOPLE, "age": [*list(PEOPLE["age"])[:-1], 61]})
    if digest(source) == digest(changed):
        raise AssertionError(f"{engine.name}: two tables that differ in a cell have the same digest")


def _check_measure(engine: SqlEngine, source: Any) -> None:
    found = engine.measure(source, ["job"], 3)
    seen = (found.rows, found.groups, found.smallest, found.rows_below)
    if seen != (10, 4, 1, 3):
        raise AssertionError(
            f"{engine.name}: by job there are 10 rows in 4 groups, the smallest of 1 row, and 3 rows in "
            f"groups below 3; it measures {seen}"
        )


def _check_release(engine: SqlEngine, source: Any, place: Any) -> None:
    request = {**_KNOWN, **({} if place is None else {"path": place})}
    through = anonymize(source, engine=engine, **request)
    with tempfile.TemporaryDirectory() as folder, DuckDB() as known:
        path = Path(folder) / "people.csv"
        with path.open("w", newline="", encoding="utf-8") as file:
            csv.writer(file).writerows([tuple(PEOPLE), *zip(*PEOPLE.values(), strict=True)])
        expected = anonymize(path, engine=known, path=Path(folder) / "release.csv", **_KNOWN)
    for name in _FACTS:
        one, two = getattr(through.manifest, name), getattr(expected.manifest, name)
        if one != two:
            raise AssertionError(f"{engine.name}: {name} of a release is {one!r}, and through DuckDB {two!r}")
    if place is None:
        written = through.data
    elif isinstance(source, TableSource) and isinstance(place, str):
        written = TableSource(connection=source.connection, table=place)
    else:
        written = place
    found = audit(written, quasi_identifiers=["age", "job"], k=2, engine=engine)
    if found.verdict.k != expected.verdict.k:
        raise AssertionError(
            f"{engine.name}: what it wrote has groups of {found.verdict.k} rows, not of {expected.verdict.k}"
        )
