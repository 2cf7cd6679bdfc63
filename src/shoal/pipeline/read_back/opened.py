"""A release and its manifest, opened for reading."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from shoal.engines.connection import engine_for
from shoal.engines.duckdb.file import file_digest
from shoal.engines.sql.engine import SqlEngine
from shoal.engines.sql.table import FrameTable
from shoal.errors import EngineError, PolicyError
from shoal.model.result.manifest import Manifest, manifest_path
from shoal.model.result.manifest_facts import ManifestError, manifest_facts
from shoal.model.table.coded_cells import CodedCells
from shoal.pipeline.audit import table_name
from shoal.pipeline.check_manifest import manifest_of
from shoal.pipeline.release import Release


@dataclass(frozen=True, kw_only=True, eq=False)
class OpenedRelease:
    """The cells of a release, and its manifest.

    Parameters
    ----------
    name
        What to call it.
    facts
        The manifest.
    cells
        All rows in their order, as texts.
    texts
        The columns that are text by their type.
    delimiter
        The sign between the cells of a text file; `None` for anything else.
    """

    name: str
    facts: Mapping[str, Any]
    cells: CodedCells
    texts: frozenset[str]
    delimiter: str | None = None

    @property
    def recoded(self) -> Mapping[str, Any]:
        """The quasi-identifiers, each with its recoding."""
        recoding: Mapping[str, Any] = self.facts["recoding"]
        return recoding


def opened_release(release: Any, manifest: Manifest | str | os.PathLike[str] | None) -> OpenedRelease:
    """Open a release.

    Parameters
    ----------
    release
        A `Release`, the path of its file, or a data frame.
    manifest
        Its manifest, or the file of it; for a path the one next to it, unless given.
    """
    source, stated, name = release, manifest, None
    if isinstance(release, Release):
        source = release.data if release.data is not None else release.path
        stated = release.manifest if manifest is None else manifest
        name = release.path.name if isinstance(release.path, Path) else None
        if isinstance(source, str):
            raise PolicyError(
                f"the release is the table {source!r} of a database; pass shoal.TableSource(connection=..., "
                f"table={source!r})"
            )
    source = os.fspath(source) if isinstance(source, os.PathLike) else source
    if isinstance(source, str) and "://" not in source and not os.path.lexists(source):
        raise EngineError(f"the release {source} does not exist")
    name = name or table_name(source)
    with engine_for(source) as engine:
        facts = _facts(engine, source, stated, name)
        table = engine.written(source)
        missing = [column for column in facts["recoding"] if column not in table.columns]
        if missing:
            raise PolicyError(
                f"the manifest is not that of {name}: it describes column {missing[0]!r}, which is not there"
            )
        texts = [each for each in table.columns if _is_text(table, each)]
        reading = engine.reading(table)
        return OpenedRelease(
            name=name,
            facts=facts,
            cells=_rows(engine, table),
            texts=frozenset(texts),
            delimiter=None if reading is None else reading.delimiter,
        )


def _rows(engine: SqlEngine, table: Any) -> CodedCells:
    """All rows; those of a database, which have no order, one after another as they are counted."""
    try:
        return engine.rows(table, table.columns)
    except PolicyError:
        cells = engine.cells(table, table.columns)
    lines = np.repeat(np.arange(len(cells.counts)), cells.counts)
    return replace(cells, codes=cells.codes[lines], counts=np.ones(len(lines), np.int64))


def _facts(engine: SqlEngine, source: Any, stated: Any, name: str) -> Mapping[str, Any]:
    try:
        facts = _stated(stated) if stated is not None else manifest_of(engine, source)
    except ManifestError as error:
        raise PolicyError(f"the manifest of {name} cannot be read: {error}") from None
    if facts is None:
        next_to = f" ({manifest_path(Path(source)).name})" if isinstance(source, str) else ""
        raise PolicyError(
            f"{name} has no manifest next to it{next_to}, which says how its labels are to be read; pass it: "
            "manifest=..."
        )
    if "recoding" not in facts:
        raise PolicyError(
            f"the manifest of {name} has no `recoding`, which says how its labels are to be read; pass a "
            "manifest that has it: manifest=..."
        )
    digest = facts.get("release_digest")
    if stated is None and digest is not None and isinstance(source, str) and Path(source).is_file():
        _check_digest(source, digest, name)
    return facts


def _stated(manifest: Any) -> Mapping[str, Any]:
    if isinstance(manifest, Manifest):
        return asdict(manifest)
    try:
        return manifest_facts(Path(manifest).read_bytes())
    except OSError as error:
        raise EngineError(f"cannot read the manifest {manifest}: {error.strerror}") from None


def _check_digest(source: str, digest: str, name: str) -> None:
    """Labels like `{A, B, ... 12 #7}` have another meaning in another release."""
    if file_digest(Path(source)) != digest:
        raise PolicyError(
            f"{name} is not the file that its manifest describes: it was changed, or replaced by another "
            f"release. If the labels are still those of the manifest, pass it: "
            f'manifest="{manifest_path(Path(source)).name}"'
        )


def _is_text(table: Any, column: str) -> bool:
    if isinstance(table, FrameTable):
        return any(isinstance(cell, str) for cell in table.factorized(column).cells)
    return not table.is_text and table.kind(column) is None
