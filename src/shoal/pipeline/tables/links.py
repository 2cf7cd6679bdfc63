"""Which row of which table belongs to which: the keys of all tables, checked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from shoal.errors import PolicyError
from shoal.model.policy.tables.linked_table import LinkedTable
from shoal.model.policy.tables.tables_policy import PERSONS, TablesPolicy
from shoal.model.table.coded_cells import CodedCells

Ints = NDArray[np.int64]


@dataclass(frozen=True, kw_only=True, eq=False)
class Links:
    """The links of all rows of all tables.

    Parameters
    ----------
    persons
        The number of persons.
    person_of
        For each table the person of each row.
    parent_of
        For each table with a parent the row of the parent's table.
    """

    persons: int
    person_of: Mapping[str, Ints]
    parent_of: Mapping[str, Ints]


def links_of(policy: TablesPolicy, cells: Mapping[str, CodedCells]) -> Links:
    """The links between rows; `PolicyError` where keys repeat, are missing, or lead nowhere.

    Parameters
    ----------
    policy
        Says which columns link.
    cells
        For each table the columns that link, row by row.
    """
    person_of: dict[str, Ints] = {}
    parent_of: dict[str, Ints] = {}
    numbers = _Numbers()
    persons = 0
    for table in policy.ordered:
        rows = cells[table.name]
        for column in policy.linking(table, rows.columns):
            _check_present(table, rows, column)
        if table.key is not None:
            own = numbers.of(table.name, rows, table.key)
            _check_unique(table, own)
        up = policy.parent_key(table)
        if table.parent is not None and up is not None:
            parent_of[table.name] = _parents(policy, table, cells, numbers, up)
            person_of[table.name] = person_of[table.parent][parent_of[table.name]]
        elif up is not None:
            person_of[table.name] = numbers.of(PERSONS, rows, up)
        else:
            person_of[table.name] = np.arange(len(rows.codes), dtype=np.int64)
            persons = len(rows.codes)
        _check_repeated(policy, table, cells, numbers, person_of, parent_of)
    return Links(persons=persons or numbers.count(PERSONS), person_of=person_of, parent_of=parent_of)


class _Numbers:
    """Keys as numbers, the same in all tables that refer to one."""

    def __init__(self) -> None:
        self._known: dict[str, dict[str, int]] = {}

    def of(self, owner: str, rows: CodedCells, column: str) -> Ints:
        """The number of the key of each row; new keys get new numbers."""
        known = self._known.setdefault(owner, {})
        # Only keys that some row has: a frame may list others.
        codes, of_row = np.unique(rows.column(column), return_inverse=True)
        texts = rows.texts(column)
        numbers = [known.setdefault(str(texts[code]), len(known)) for code in codes.tolist()]
        return np.array(numbers, np.int64)[of_row.reshape(-1)]

    def count(self, owner: str) -> int:
        """How many different keys there are."""
        return len(self._known.get(owner, {}))


def _parents(
    policy: TablesPolicy, table: LinkedTable, cells: Mapping[str, CodedCells], numbers: _Numbers, up: str
) -> Ints:
    """The parent's row of each row."""
    assert table.parent is not None
    parent = policy.table(table.parent)
    assert parent.key is not None
    theirs = numbers.of(parent.name, cells[parent.name], parent.key)
    row_of = np.full(numbers.count(parent.name), -1, np.int64)
    row_of[theirs] = np.arange(len(theirs))
    own = numbers.of(parent.name, cells[table.name], up)
    lost = own >= len(row_of)
    if lost.any():
        raise PolicyError(
            f"table {table.name!r}: {int(lost.sum()):,} row(s) have a value in column {up!r} that no row of "
            f"{parent.name!r} has in {parent.key!r}; add those rows to {parent.name!r}, or remove these"
        )
    return row_of[own]


def _check_present(table: LinkedTable, rows: CodedCells, column: str) -> None:
    absent = np.array([text is None or not text.strip() for text in rows.texts(column)], np.bool_)
    missing = int(absent[rows.column(column)].sum()) if len(rows.codes) else 0
    if missing:
        raise PolicyError(
            f"table {table.name!r}: {missing:,} row(s) have no value in column {column!r}, which links the "
            "tables; remove those rows, or give each a value"
        )


def _check_unique(table: LinkedTable, own: Ints) -> None:
    counts = np.bincount(own)
    repeated = int((counts > 1).sum())
    if repeated:
        raise PolicyError(
            f"table {table.name!r}: {repeated:,} value(s) of its key {table.key!r} are in several rows, "
            f"{int(counts[counts > 1].sum()):,} in all, so that nobody knows which one other tables mean; "
            "keep one row of each, or name another column as the key"
        )


def _check_repeated(
    policy: TablesPolicy,
    table: LinkedTable,
    cells: Mapping[str, CodedCells],
    numbers: _Numbers,
    person_of: Mapping[str, Ints],
    parent_of: Mapping[str, Ints],
) -> None:
    """Raise `PolicyError` if a column repeats the key of a row further up, and names another one."""
    rows = cells[table.name]
    direct = (table.key, policy.parent_key(table))
    for column, owner in policy.linking(table, rows.columns).items():
        if column in direct:
            continue
        meant = numbers.of(owner, rows, column)
        if owner == PERSONS:
            found = person_of[table.name]
        else:
            above, at = table, np.arange(len(rows.codes))
            while above.name != owner:
                assert above.parent is not None
                at = parent_of[above.name][at]
                above = policy.table(above.parent)
            assert above.key is not None
            found = numbers.of(owner, cells[owner], above.key)[at]
        wrong = int((meant != found).sum())
        if wrong:
            raise PolicyError(
                f"table {table.name!r}: in {wrong:,} row(s) column {column!r} names another row of "
                f"{owner or 'the persons'!r} than the one that they belong to; correct them, or drop the "
                f"column (role identifier)"
            )
