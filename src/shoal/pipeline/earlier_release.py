"""The groups of an earlier release of the same source, read from its file.

For releases whose groups the ledger does not show: where equal values were released differently, or rows were
suppressed for other reasons than k. A row's group is then what somebody who knows its values finds: the
released lines that can represent them. The file must be the one that was released, by its digest.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from shoal.auditor.attacks.candidates import NO_CANDIDATE, Candidates, candidate_sets
from shoal.engines.connection import engine_for
from shoal.engines.duckdb.file import file_digest
from shoal.errors import ShoalError
from shoal.ledger import Entry
from shoal.model.policy.attribute import Attribute
from shoal.model.table.cell_meaning import CellReader
from shoal.model.table.coded_cells import CodedCells
from shoal.model.table.frequency_table import FrequencyTable
from shoal.pipeline.check_manifest import sets_of

MOST_ROWS = 200_000
"""Distinct rows that are looked up one by one."""


def groups_in_file(
    entry: Entry, folder: Path, table: FrequencyTable, attributes: Mapping[str, Attribute]
) -> NDArray[np.int64] | None:
    """Per distinct row its group in an earlier release, -1 for none; `None` if that is unknown.

    Parameters
    ----------
    entry, folder
        The release as the ledger records it, and the ledger's folder.
    table
        The counts of the source.
    attributes
        How columns are read, where a policy says something about them.
    """
    place, names = entry.facts["release"], list(entry.quasi_identifiers)
    domains = {domain.name: index for index, domain in enumerate(table.domains)}
    if place is None or entry.facts["release_digest"] is None or len(table.codes) > MOST_ROWS:
        return None
    if any(name not in domains or table.domains[domains[name]].bin is not None for name in names):
        return None
    path = folder / place
    try:
        if not path.is_file() or file_digest(path) != entry.facts["release_digest"]:
            return None
        with engine_for(path) as engine:
            released = engine.cells(path, names).spelled(sets_of(engine, path))
    except (OSError, ShoalError):
        return None
    released = released.lines(np.asarray(~released.stars().all(axis=1)))
    people = _people(table, [domains[name] for name in names])

    def reader(name: str) -> CellReader:
        return CellReader.of(attributes[name]) if name in attributes else CellReader()

    readers = {name: reader(name) for name in names}
    candidates = Candidates(released, people, names, readers.__getitem__)
    groups = candidate_sets(candidates)[candidates.line_of_person]
    # Labels that cannot be read would look like suppressed rows.
    if int(table.counts[groups == NO_CANDIDATE].sum()) > entry.facts["suppressed"]:
        return None
    return np.asarray(groups, np.int64)


def _people(table: FrequencyTable, chosen: list[int]) -> CodedCells:
    """The distinct rows of the source, as people whose values are known."""
    domains = [table.domains[index] for index in chosen]
    return CodedCells(
        columns=tuple(domain.name for domain in domains),
        cells=tuple(
            tuple(None if value is None else domain.text(code) for code, value in enumerate(domain.values))
            for domain in domains
        ),
        codes=table.codes[:, chosen],
        counts=table.counts,
    )
