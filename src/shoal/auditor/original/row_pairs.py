"""Which released row each original row became, and for which rows that is certain.

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
    """The rows of a release next to those of its original.

    Parameters
    ----------
    partner
        Per original row the released row that it became; `NOBODY` if it was left out.
    certain
        Per original row whether every pairing in order agrees on it; false for all if there is no such
        pairing.
    rows
        Released rows.
    unpaired
        How many of them are true of no original row that is left.
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
    tables, pairs = paired.tables, paired.pairs
    originals = len(tables.original.codes)
    released = np.flatnonzero(pairs != NOBODY)
    partner = np.full(originals, NOBODY, np.int64)
    partner[pairs[released]] = released
    unpaired = len(pairs) - len(released)
    certain: Flags = np.ones(originals, np.bool_)
    if paired.matched_by == "order":
        certain = _certain(pairs, latest_pairs(tables), originals)
    elif not _is_in_order(tables, pairs):
        certain[:] = False
    return RowPairs(
        partner=partner,
        certain=certain,
        rows=len(pairs),
        unpaired=unpaired,
        matched_by=paired.matched_by,
        changed={name: _changed(tables, name, released, pairs[released]) for name in tables.columns},
    )


def _is_in_order(tables: TablePair, pairs: NDArray[np.int64]) -> bool:
    """Whether rows at the same place can be the same: all cells that the release keeps are true.

    Labels are used only where it keeps none: means of a microaggregation are true of nobody.
    """
    return not any(len(untrue_rows(tables, pairs, name)) for name in tables.kept or tables.columns)


def latest_pairs(tables: TablePair) -> NDArray[np.int64]:
    """Per released row the latest original row that a pairing in order can give it."""
    turned = replace(
        tables,
        release=_turned(tables.release),
        original=_turned(tables.original),
        silent=tables.silent[::-1],
    )
    pairs = paired_by_order(turned)[::-1]
    return np.where(pairs == NOBODY, NOBODY, len(tables.original.codes) - 1 - pairs)


def _turned(table: CodedCells) -> CodedCells:
    return replace(table, codes=np.ascontiguousarray(table.codes[::-1]), counts=table.counts[::-1])


def _certain(earliest: NDArray[np.int64], latest: NDArray[np.int64], originals: int) -> Flags:
    """Rows between the earliest and the latest pair of no released row whose pairs differ.

    The pair of a released row lies between these two in every pairing. So a row outside all these stretches
    has the same released row in all of them, or is left out in all of them.
    """
    if (earliest == NOBODY).any() or (latest == NOBODY).any():
        return np.zeros(originals, np.bool_)  # no pairing is whole
    open_rows = earliest < latest
    edges = np.zeros(originals + 1, np.int64)
    np.add.at(edges, earliest[open_rows], 1)
    np.add.at(edges, latest[open_rows] + 1, -1)
    certain: Flags = np.cumsum(edges[:-1]) == 0
    return certain


def _changed(tables: TablePair, name: str, released: NDArray[np.int64], originals: NDArray[np.int64]) -> int:
    texts = KeptColumn(tables.release.texts(name), tables.original.texts(name))
    cells = texts.of_cell[tables.release.column(name)[released]]
    return int((cells != texts.of_value[tables.original.column(name)[originals]]).sum())
