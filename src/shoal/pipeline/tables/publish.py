"""Writes several tables, audits them together, and only then gives them their names."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.auditor.tables.measured import MeasuredTables
from shoal.auditor.treated.check import failures_next_to_original
from shoal.engines.duckdb.engine import DuckDB
from shoal.engines.duckdb.folder import TablesStaging
from shoal.errors import AuditError, InfeasibleError
from shoal.model.policy.tables.tables_policy import TablesPolicy
from shoal.model.result.phases import AUDIT, WRITE
from shoal.model.table.new_cells import NewCells
from shoal.pipeline.phases import Phases
from shoal.pipeline.tables.audit import columns_of, measure_written
from shoal.pipeline.tables.manifest import manifest_of
from shoal.pipeline.tables.prepared import Prepared, PreparedTable
from shoal.pipeline.tables.recoded import RecodedTable
from shoal.pipeline.tables.release import TablesRelease
from shoal.pipeline.tables.search import Found
from shoal.pipeline.treating import treatment_hierarchies

Ints = NDArray[np.int64]


@dataclass(frozen=True, kw_only=True, eq=False)
class TablesDraft:
    """Several tables before they are written.

    Parameters
    ----------
    policy, prepared, found
        The request, the tables, and the answer of the search.
    phases
        What the run has taken so far.
    """

    policy: TablesPolicy
    prepared: Prepared
    found: Found
    phases: Phases

    @cached_property
    def rows(self) -> dict[str, Ints]:
        """For each table the rows to write, in the order in which they are written: rows of one parent
        together, in the order of the parents; otherwise in the secret order of the treated table.
        """
        written: dict[str, Ints] = {}
        for each in self.prepared.tables:
            name = each.linked.name
            kept = np.flatnonzero(self.found.recoded.kept[self.prepared.forest.place_of[name]])
            if each.linked.parent is not None and each.parent_of is not None:
                place = np.full(int(each.parent_of.max(initial=-1)) + 1, -1, np.int64)
                above = written[each.linked.parent]
                shown = above < len(place)
                place[above[shown]] = np.flatnonzero(shown)
                kept = kept[np.argsort(place[each.parent_of[kept]], kind="stable")]
            written[name] = kept
        return written

    def new_cells(self, each: PreparedTable, made: RecodedTable) -> dict[str, NewCells]:
        """The labels of the quasi-identifiers that change."""
        line = made.line_of[self.prepared.forest.place_of[each.linked.name]]
        found = {}
        for attribute, domain in enumerate(made.table.domains):
            labels = made.labels[attribute]
            choices = made.recoding.values[line, attribute].astype(np.int64)
            used = made.line_of[made.rows[self.found.recoded.kept[made.rows]]]
            pairs = np.unique(
                np.column_stack([made.recoding.values[used, attribute], made.table.codes[used, attribute]]),
                axis=0,
            )
            unchanged = each.counted.codings[attribute].faithful and all(
                labels[number] == (None if domain.values[code] is None else domain.text(code))
                for number, code in pairs.tolist()
            )
            if not unchanged:
                found[domain.name] = NewCells(texts=tuple(labels), choices=choices)
        return found

    @property
    def released_persons(self) -> int:
        """Persons with at least one released row."""
        histories = self.found.recoded.histories
        shown = np.unique(histories.history_of[self.found.recoded.kept])
        return int(histories.counts[shown].sum())


def file_name(each: PreparedTable) -> str:
    """The name of a released file: that of the table, of the kind that its source is."""
    suffixes = "" if each.path is None else "".join(each.path.suffixes).lower()
    for kind in (".parquet", ".tsv.gz", ".csv.gz", ".tsv"):
        if suffixes.endswith(kind):
            return f"{each.linked.name}{kind}"
    return f"{each.linked.name}.csv"


def publish_tables(engine: DuckDB, draft: TablesDraft, staged: TablesStaging | None) -> TablesRelease:
    """Write, audit and name a release; `AuditError`, and nothing is published, if the audit fails.

    Parameters
    ----------
    engine
        Where the tables are.
    draft
        What to release.
    staged
        The folder to write; without one the caller gets data frames.
    """
    if draft.released_persons == 0:
        rows = draft.found.recoded.histories.rows
        raise InfeasibleError(
            f"the release that was found suppresses all {rows:,} rows of all tables, and empty tables are no "
            "release. Generalize more (bins, a hierarchy), or choose a smaller k",
            k=draft.policy.k,
            limit=rows,
            suppressed=rows,
        )
    draft.phases.begin(WRITE)
    if staged is None:
        data = _write(engine, draft, None)
        draft.phases.begin(AUDIT)
        measured = audited(engine, data, draft)
        manifest = manifest_of(draft, measured, None, {})
        return TablesRelease(
            data=data,
            manifest=manifest,
            measured=measured,
            warnings=draft.prepared.warnings,
            interrupted=draft.found.result.interrupted,
        )
    names = {each.linked.name: file_name(each) for each in draft.prepared.tables}
    with staged:
        staged.place.mkdir()
        places = {name: staged.place / file for name, file in names.items()}
        _write(engine, draft, places)
        digest = staged.settle()
        draft.phases.begin(AUDIT)
        measured = audited(engine, places, draft)
        manifest = manifest_of(draft, measured, digest, names)
        staged.publish(manifest.to_json())
    assert draft.policy.release is not None
    return TablesRelease(
        path=draft.policy.release,
        paths={name: draft.policy.release / file for name, file in names.items()},
        manifest=manifest,
        measured=measured,
        warnings=draft.prepared.warnings,
        interrupted=draft.found.result.interrupted,
    )


def _write(engine: DuckDB, draft: TablesDraft, places: Mapping[str, Path] | None) -> dict[str, Any]:
    """Write all tables, or hand them out as frames."""
    return {
        each.linked.name: engine.write_rows(
            each.treated.table,
            draft.new_cells(each, made),
            draft.rows[each.linked.name],
            each.policy.identifiers,
            None if places is None else places[each.linked.name],
        )
        for each, made in zip(draft.prepared.tables, draft.found.recoded.tables, strict=True)
    }


def audited(engine: DuckDB, written: Mapping[str, Any], draft: TablesDraft) -> MeasuredTables:
    """Measure what was written; `AuditError` unless it is what was drafted, and k holds across the tables.

    Parameters
    ----------
    engine, written
        What was written, and alone is measured.
    draft
        What it should be.
    """
    policy = draft.policy
    described = [
        columns_of(policy, each.linked, engine.columns(written[each.linked.name]))
        for each in draft.prepared.tables
    ]
    measured = measure_written(engine, written, described, policy.k)
    failures = list(measured.failures(policy.k))
    for each in draft.prepared.tables:
        name = each.linked.name
        expected = tuple(
            column for column in each.treated.original.columns if column not in each.policy.identifiers
        )
        if engine.columns(written[name]) != expected:
            failures.append(f"table {name!r} was written with other columns than planned")
        elif measured.rows[name] != len(draft.rows[name]):
            failures.append(f"table {name!r} was written with other rows than planned")
        else:
            failures += _wrongly_treated(engine, written[name], each, draft.rows[name])
    if measured.persons != draft.released_persons:
        failures.append(
            f"the tables have {measured.persons:,} persons, and {draft.released_persons:,} were planned"
        )
    if failures:
        raise AuditError(f"the audit refused the release: {'. Also '.join(failures)}. Nothing was published")
    return measured


def _wrongly_treated(engine: DuckDB, written: Any, each: PreparedTable, rows: Ints) -> list[str]:
    """What is wrong with the keys and other treated columns of a written table, next to its original."""
    if not len(rows):
        return []
    failures = failures_next_to_original(
        engine,
        written,
        each.treated.original_rows(engine),
        each.treated.order[rows],
        each.treated.facts,
        None,
        treatment_hierarchies(each.policy),
        {attribute.name: attribute for attribute in each.policy.attributes},
    )
    return [f"table {each.linked.name!r}: {words}" for words in failures.values()]
