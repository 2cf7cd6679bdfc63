"""A release and its original, read row by row and paired."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from shoal.auditor.original.column_check import Flags, KeptColumn, ReadColumn
from shoal.auditor.original.pairing import NOBODY, TablePair, paired_by_key, paired_by_order
from shoal.errors import PolicyError
from shoal.model.policy.attribute import Attribute, Role
from shoal.model.policy.policy import Policy
from shoal.model.result.listed_sets import NOT_LISTED, ListedSets
from shoal.model.suggestion import suggestion
from shoal.model.table.coded_cells import CodedCells


class Reads(Protocol):
    """What a comparison needs from an engine."""

    def columns(self, source: Any) -> tuple[str, ...]: ...

    def cells(self, source: Any, columns: Sequence[str]) -> CodedCells: ...

    def rows(self, source: Any, columns: Sequence[str]) -> CodedCells: ...


@dataclass(frozen=True, kw_only=True, eq=False)
class PairedRows:
    """Released rows and the original ones that they were made from.

    Parameters
    ----------
    tables
        Both tables.
    pairs
        Per released row its original row; `NOBODY` if there is none.
    matched_by
        How they were paired: by "key", "position" or "order".
    ordered
        Whether released rows are in the order of their table.
    absent, added
        Quasi-identifiers that the release does not have, and columns that the original does not have.
    """

    tables: TablePair
    pairs: NDArray[np.int64]
    matched_by: str
    ordered: bool
    absent: tuple[str, ...]
    added: tuple[str, ...]


def paired_rows(
    engine: Reads,
    release: Any,
    original: Any,
    policy: Policy,
    *,
    key: str | None = None,
    original_engine: Reads | None = None,
    also: Sequence[str] = (),
    sets: ListedSets = NOT_LISTED,
    treated: Collection[str] = (),
    shuffled: bool = False,
) -> PairedRows:
    """Read both tables and pair their rows.

    Parameters
    ----------
    engine, release, original, policy, key, original_engine
        As in `comparison`.
    also
        Columns of the original to read in addition to those that both tables have.
    sets
        What the short labels of the release represent.
    treated
        Columns whose cells changed by a treatment, and so are not compared here.
    shuffled
        Whether the manifest says that the rows are in another order; they are then paired by a key alone.
    """
    if shuffled and key is None:
        raise PolicyError(
            "the rows of the release were shuffled, so they cannot be compared with the original in order; "
            "name a column that both have and that differs in every row as the key (flag: --key)"
        )
    source = engine if original_engine is None else original_engine
    names, originals = engine.columns(release), source.columns(original)
    _check_columns(policy, names, originals, key)
    common = [name for name in names if name in originals and name not in treated]
    released, ordered = _read(engine, release, common, key)
    held, _ = _read(source, original, [*common, *(name for name in also if name not in common)], key)
    if len(held.codes) == 0:
        raise PolicyError("the original has no rows; there is nothing to compare with")
    tables = _tables(policy, released, held, key, sets)
    pairs, matched_by = _paired(tables, key)
    return PairedRows(
        tables=tables,
        pairs=pairs,
        matched_by=matched_by,
        ordered=ordered,
        absent=tuple(each.name for each in policy.quasi_identifiers if each.name not in names),
        added=tuple(name for name in names if name not in originals),
    )


def _check_columns(policy: Policy, names: Sequence[str], originals: Sequence[str], key: str | None) -> None:
    for each in policy.quasi_identifiers:
        if each.name not in originals:
            raise PolicyError(f"the original has no column {each.name!r}.{suggestion(each.name, originals)}")
    for what, columns in (("release", names), ("original", originals)):
        if key is not None and key not in columns:
            raise PolicyError(f"the {what} has no column {key!r} to be the key.{suggestion(key, columns)}")
    if key in [each.name for each in policy.quasi_identifiers]:
        raise PolicyError(f"{key!r} is a quasi-identifier, and its cells are labels; name another key")
    if not set(names) & set(originals):
        raise PolicyError("the release and the original have no column in common; do they belong together?")


def _read(engine: Reads, source: Any, columns: Sequence[str], key: str | None) -> tuple[CodedCells, bool]:
    """All rows of a table, and whether they are in its order; with a key they need not be."""
    try:
        return engine.rows(source, columns), True
    except PolicyError:
        if key is None:
            raise
    cells = engine.cells(source, columns)
    rows = np.repeat(np.arange(len(cells.counts)), cells.counts)
    return replace(cells, codes=cells.codes[rows], counts=np.ones(len(rows), np.int64)), False


def _tables(
    policy: Policy, released: CodedCells, held: CodedCells, key: str | None, sets: ListedSets
) -> TablePair:
    labelled = {each.name: each for each in policy.attributes if _has_labels(each)}
    columns: dict[str, KeptColumn | ReadColumn] = {}
    for name in released.columns:
        cells, values = released.texts(name), held.texts(name)
        if name in labelled and name != key:
            rows = np.bincount(held.column(name), minlength=len(values)).astype(np.int64)
            columns[name] = ReadColumn(labelled[name], cells, values, rows, sets.get(name))
        else:
            columns[name] = KeptColumn(cells, values)
    quasi = [each.name for each in policy.quasi_identifiers if each.name in released.columns]
    chosen = [released.position(name) for name in quasi]
    silent: Flags = np.zeros(len(released.codes), np.bool_)
    if quasi:
        silent = np.logical_and.reduce(released.stars()[:, chosen], axis=1)
    return TablePair(released, held, columns, silent)


def _has_labels(attribute: Attribute) -> bool:
    return attribute.role is Role.QUASI_IDENTIFIER or attribute.hierarchy is not None


def _paired(tables: TablePair, key: str | None) -> tuple[NDArray[np.int64], str]:
    if key is not None:
        return paired_by_key(tables, key), "key"
    if len(tables.release.codes) == len(tables.original.codes):
        return np.arange(len(tables.release.codes)), "position"
    pairs = paired_by_order(tables)
    lonely = int((pairs == NOBODY).sum())
    if not lonely:
        return pairs, "order"
    # Something is untrue, whatever the pairs. If labels are to blame, kept cells show which row is which.
    by_kept = paired_by_order(replace(tables, columns=tables.kept))
    mismatched = by_kept == NOBODY
    for name in tables.columns:
        mismatched[untrue_rows(tables, by_kept, name)] = True
    return (by_kept if int(mismatched.sum()) <= lonely else pairs), "order"


def untrue_rows(tables: TablePair, pairs: NDArray[np.int64], name: str) -> NDArray[np.int64]:
    """The released rows whose cell of a column is not true of their pair."""
    rows = np.flatnonzero(pairs != NOBODY)
    return rows[~tables.true(name, rows, pairs[rows])]
