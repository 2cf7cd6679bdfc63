"""Which released row each original row became, and of which rows that is certain.

Releases keep the order of rows and leave suppressed ones out. Where a row that was left out reads like its
neighbours, several pairings are in order; the earliest and the latest of them bound all others.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from shoal.auditor.original.column_check import Flags, KeptColumn
from shoal.auditor.original.paired_rows import PairedRows, untrue_rows
from shoal.auditor.original.pairing import NOBODY, TablePair, paired_by_order
from shoal.model.table.coded_cells import CodedCells


@dataclass(frozen=True, kw_only=True, eq=False)
class RowPairs:
    """The rows of a release beside those of its original.

    Parameters
    ----------
    partner
        Per original row the released row that it became; `NOBODY` if it was left out.
    certain
        Per original row whether every pairing in order says the same of it; of none, if there is no such
        pairing.
    rows
        Released rows.
    unpaired
        Those of them that are true of no original row that is left.
    matched_by
        How they were paired: by "position" or "order".
    changed
        Per column that both tables have, how many released cells differ from their original ones.
    """

    partner: NDArray[np.int64]
    certain: Flags
    rows: int
    unpaired: int
    matched_by: str
    changed: Mapping[str, int]


def row_pairs(paired: PairedRows) -> RowPairs:
    """The pairs of rows by original row, and which of them are certain."""
    beside, pairs = paired.beside, paired.pairs
    originals = len(beside.original.codes)
    released = np.flatnonzero(pairs != NOBODY)
    partner = np.full(originals, NOBODY, np.int64)
    partner[pairs[released]] = released
    unpaired = len(pairs) - len(released)
    certain: Flags = np.ones(originals, np.bool_)
    if paired.matched_by == "order":
        certain = _certain(pairs, latest_pairs(beside), originals)
    elif not _is_in_order(beside, pairs):
        certain[:] = False
    return RowPairs(
        partner=partner,
        certain=certain,
        rows=len(pairs),
        unpaired=unpaired,
        matched_by=paired.matched_by,
        changed={name: _changed(beside, name, released, pairs[released]) for name in beside.columns},
    )


def _is_in_order(beside: TablePair, pairs: NDArray[np.int64]) -> bool:
    """Whether rows at the same place can be the same: all cells that the release keeps are true.

    Labels are looked at only where it keeps none: means of a microaggregation are true of nobody.
    """
    return not any(len(untrue_rows(beside, pairs, name)) for name in beside.kept or beside.columns)


def latest_pairs(beside: TablePair) -> NDArray[np.int64]:
    """Per released row the latest original row that a pairing in order can give it."""
    turned = replace(
        beside,
        release=_turned(beside.release),
        original=_turned(beside.original),
        silent=beside.silent[::-1],
    )
    found = paired_by_order(turned)[::-1]
    return np.where(found == NOBODY, NOBODY, len(beside.original.codes) - 1 - found)


def _turned(table: CodedCells) -> CodedCells:
    return replace(table, codes=np.ascontiguousarray(table.codes[::-1]), counts=table.counts[::-1])


def _certain(earliest: NDArray[np.int64], latest: NDArray[np.int64], originals: int) -> Flags:
    """Rows between the earliest and the latest pair of no released row whose pairs differ.

    The pair of a released row lies between these two in every pairing. So a row that is in no such stretch
    has the same released row in all of them, or is left out in all of them.
    """
    if (earliest == NOBODY).any() or (latest == NOBODY).any():
        return np.zeros(originals, np.bool_)  # no pairing is whole
    open_rows = earliest < latest
    edges = np.zeros(originals + 1, np.int64)
    np.add.at(edges, earliest[open_rows], 1)
    np.add.at(edges, latest[open_rows] + 1, -1)
    found: Flags = np.cumsum(edges[:-1]) == 0
    return found


def _changed(beside: TablePair, name: str, released: NDArray[np.int64], originals: NDArray[np.int64]) -> int:
    texts = KeptColumn(beside.release.texts(name), beside.original.texts(name))
    cells = texts.of_cell[beside.release.column(name)[released]]
    return int((cells != texts.of_value[beside.original.column(name)[originals]]).sum())
