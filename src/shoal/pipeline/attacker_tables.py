"""The tables that an attacker has in addition to a release: earlier ones, views, and the rows in order."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from shoal.auditor.attacks import OtherTable
from shoal.engines.connection import engine_for, using
from shoal.engines.duckdb.file import file_digest
from shoal.engines.sql.engine import SqlEngine
from shoal.errors import AuditError, PolicyError
from shoal.ledger import Ledger
from shoal.model.result.listed_sets import NOT_LISTED, ListedSets
from shoal.model.result.manifest_facts import ManifestError
from shoal.model.table.coded_cells import CodedCells
from shoal.model.table.table_source import TableSource
from shoal.pipeline.check_manifest import sets_of
from shoal.pipeline.read_manifest import manifest_in_comment


def other_table(source: Any, name: str, *, in_order: bool = False) -> OtherTable:
    """A table with all its columns.

    Parameters
    ----------
    source
        A path, a data frame or a table behind a connection.
    name
        What to call it.
    in_order
        Whether its rows are read one by one as well, if they have an order.
    """
    with engine_for(source) as engine:
        cells, sets = engine.cells(source, engine.columns(source)), sets_of(engine, source)
        return OtherTable(
            name=name,
            cells=cells.spelled(sets),
            in_order=rows_in_order(engine, source, sets) if in_order else None,
        )


def rows_in_order(engine: SqlEngine, source: Any, sets: ListedSets = NOT_LISTED) -> CodedCells | None:
    """All rows of all columns of a table in their order; `None` where rows have none.

    Parameters
    ----------
    engine, source
        The table.
    sets
        What its short labels represent.
    """
    try:
        return engine.rows(source, engine.columns(source)).spelled(sets)
    except PolicyError:
        return None


def rows_of(source: Any) -> CodedCells | None:
    """All rows of a table in their order; `None` where rows have none."""
    with engine_for(source) as engine:
        return rows_in_order(engine, source)


def columns_of(sources: Iterable[Any]) -> set[str]:
    """The columns that some tables have."""
    columns: set[str] = set()
    for source in sources:
        with engine_for(source) as engine:
            columns.update(engine.columns(source))
    return columns


def earlier_files(
    ledger: str | Path | Ledger,
    release: Any,
    quasi_identifiers: Sequence[str],
    engine: SqlEngine | None = None,
) -> list[Path]:
    """The releases of a ledger that can be combined with a release and whose files are there, unchanged.

    `PolicyError` if there is one that cannot be read any more: an attack without it would report too little.

    Parameters
    ----------
    ledger
        The ledger or its file.
    release
        The release that is attacked; it is not an earlier release of itself.
    quasi_identifiers
        Its quasi-identifiers.
    engine
        An engine for the release with other limits than the default.
    """
    kept = ledger if isinstance(ledger, Ledger) else Ledger(ledger)
    own = Path(os.path.realpath(release)) if isinstance(release, str | os.PathLike) else None
    digest = file_digest(own) if own is not None and own.is_file() else None
    manifest = _manifest_on(release, engine) if isinstance(release, TableSource) else None
    files: list[Path] = []
    lost: list[int] = []
    for entry in kept.verify().entries:
        facts = entry.facts
        if not entry.counts or not set(entry.quasi_identifiers) & set(quasi_identifiers):
            continue
        if digest is not None and facts["release_digest"] == digest:
            continue
        if manifest is not None and _is_of(manifest, facts):
            continue
        path = None if facts["release"] is None else kept.path.parent / facts["release"]
        if path is None or not path.is_file() or file_digest(path) != facts["release_digest"]:
            lost.append(entry.serial)
        elif path not in files:
            files.append(path)
    if lost:
        lines = ", ".join(map(str, lost))
        raise PolicyError(
            f"the ledger {kept.path.name} has releases that were moved or have changed (line "
            f"{lines}); give copies of them as earlier releases (--earlier), and no ledger"
        )
    return files


def _manifest_on(release: TableSource, engine: SqlEngine | None) -> Mapping[str, Any] | None:
    """The manifest in the comment on a table of a database; `None` if there is none."""
    with using(engine, release) as opened:
        text = opened.comment(release)
    try:
        return manifest_in_comment(text)
    except ManifestError as error:
        raise AuditError(
            f"the manifest in the comment on {release.name} cannot be read: {error}. Restore it, or attack "
            "the release without a ledger"
        ) from None


def _is_of(manifest: Mapping[str, Any], facts: Mapping[str, Any]) -> bool:
    """Whether a ledger entry records the release of a manifest, or an equal one of the same rows."""
    same = ("release_digest", "source_digest", "policy_digest", "k", "rows", "suppressed", "recoding")
    return all(name in manifest and manifest[name] == facts[name] for name in same)
