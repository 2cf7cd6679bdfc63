"""A recoding as DuckDB can apply it: interval of a cell, label of an interval, groups that are kept."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from shoal.engines import sql
from shoal.engines._base import Application, Counted
from shoal.engines.session import Session
from shoal.model.frequency import FrequencyTable
from shoal.model.policy import SuppressedRows
from shoal.model.recoding import CutRecoding

LARGEST_KEY = 2**62


@dataclass(frozen=True, kw_only=True)
class Column:
    """How one quasi-identifier is written.

    Parameters
    ----------
    name
        The column.
    interval
        SQL for the number of a cell's interval.
    labels
        The labels of the intervals.
    as_it_was
        Whether the cells are written as they were: every interval is one value, printed in one way.
    """

    name: str
    interval: str
    labels: tuple[str | None, ...]
    as_it_was: bool


@dataclass(frozen=True, kw_only=True)
class Plan:
    """Everything that writing needs.

    Parameters
    ----------
    columns
        The quasi-identifiers.
    kept
        From SQL for the interval numbers to SQL for whether the row's group is kept.
    suppressed, dropped
        As in `Application`.
    """

    columns: tuple[Column, ...]
    kept: KeptGroups
    suppressed: SuppressedRows
    dropped: tuple[str, ...]


@dataclass(frozen=True)
class KeptGroups:
    """The groups, as an ENUM type over their keys in which those that are kept come first.

    A key is one number per chunk of attributes, in mixed radix; chunks keep the numbers in 64 bits. The type
    has the suppressed groups too: a cast that fails is slow, and now means that the source has changed. There
    is no type when all groups are kept: the cast is a fifth to a quarter of the time that writing takes.

    Roads not taken, 10 million rows in 836,000 groups: bits at three hashes of a group (53 s against 12,
    intervals included: DuckDB seems to copy a large constant for every vector of rows), TRY_CAST to the kept
    groups alone (had not ended when stopped), shorter keys (no change). A semi-join would lose the row order.
    """

    type: str | None
    kept: int
    chunks: tuple[tuple[tuple[int, int], ...], ...]

    def test(self, intervals: Sequence[str]) -> str:
        """SQL for whether the group with these interval numbers is kept."""
        if self.type is None:
            return "true"
        numbers = [
            " + ".join(f"{intervals[attribute]}::BIGINT * {stride}" for attribute, stride in chunk)
            for chunk in self.chunks
        ]
        return f"enum_code(CAST({_key(numbers)} AS {self.type})) < {self.kept}"


def plan(session: Session, counted: Counted, application: Application) -> Plan:
    """Prepare the session for a recoding."""
    table, recoding = counted.frequencies, application.recoding
    kept, suppresses = _kept_groups(session, table, recoding, application.k)
    masks = suppresses and application.suppressed == "mask"
    released = released_codes(table, recoding, application.k)
    columns = []
    for attribute, (coding, index) in enumerate(zip(counted.codings, counted.indices, strict=True)):
        domain = coding.domain
        of_code = recoding.interval_of(attribute, len(domain))
        # The missing cell's code is -1 when no cell is missing; no row has it, and no interval is its.
        of_cell = np.where(coding.codes >= 0, of_code[coding.codes], -1).astype(np.int32)
        columns.append(
            Column(
                name=domain.name,
                interval=_interval(session, of_cell, index),
                labels=domain.labels(recoding.starts(attribute), released[attribute]),
                as_it_was=coding.faithful and len(recoding.cuts[attribute]) == len(domain) - 1 and not masks,
            )
        )
    return Plan(
        columns=tuple(columns), kept=kept, suppressed=application.suppressed, dropped=application.dropped
    )


def _interval(session: Session, of_cell: NDArray[np.int32], index: str) -> str:
    """SQL for the number of a cell's interval, from SQL for its index; the missing cell is the last."""
    last = len(of_cell) - 1
    same = of_cell == np.arange(len(of_cell))
    if same[:-1].all() and of_cell[last] < 0:
        return index
    position = f"coalesce({index}, {last})"
    return (
        position if same.all() else f"list_extract({session.set_list('intervals', of_cell)}, {position} + 1)"
    )


def _kept_groups(
    session: Session, table: FrequencyTable, recoding: CutRecoding, k: int
) -> tuple[KeptGroups, bool]:
    """The groups with at least k rows, and whether there are others."""
    groups = _groups(table, recoding)
    kept = int((groups.sizes >= k).sum())
    if kept == len(groups.sizes):
        return KeptGroups(None, kept, groups.chunks), False
    ordered = groups.keys[np.argsort(groups.sizes < k, kind="stable")]
    columns = {f"k{i}": np.ascontiguousarray(ordered[:, i]) for i in range(len(groups.chunks))}
    registered = session.register("keys", {"i": np.arange(len(ordered)), **columns})
    type_ = session.fresh("groups")
    key = _key(list(columns))
    session.execute(f"CREATE TYPE {type_} AS ENUM (SELECT {key} FROM {registered} ORDER BY i)", "the groups")
    session.unregister(registered)
    return KeptGroups(type_, kept, groups.chunks), kept < len(ordered)


@dataclass(frozen=True)
class Groups:
    """The groups that a recoding makes of a frequency table.

    Keys are made of `chunks`; there is one key and one number of rows per group, and `of_row` tells the group
    of each distinct row.
    """

    chunks: tuple[tuple[tuple[int, int], ...], ...]
    keys: NDArray[np.int64]
    sizes: NDArray[np.int64]
    of_row: NDArray[np.int64]


def _groups(table: FrequencyTable, recoding: CutRecoding) -> Groups:
    chunks = _chunks([len(recoding.starts(attribute)) for attribute in range(len(table.domains))])
    keys = np.zeros((len(table.counts), len(chunks)), np.int64)
    for column, chunk in enumerate(chunks):
        for attribute, stride in chunk:
            intervals = recoding.interval_of(attribute, len(table.domains[attribute]))
            keys[:, column] += intervals[table.codes[:, attribute]].astype(np.int64) * stride
    order = np.lexsort(keys.T)
    keys = keys[order]
    begins = np.ones(len(keys), np.bool_)
    begins[1:] = (keys[1:] != keys[:-1]).any(axis=1)
    first = np.flatnonzero(begins)
    of_row = np.empty(len(keys), np.int64)
    of_row[order] = np.cumsum(begins) - 1
    return Groups(chunks, keys[first], np.add.reduceat(table.counts[order], first), of_row)


def group_sizes(table: FrequencyTable, recoding: CutRecoding) -> NDArray[np.int64]:
    """The rows of each group that a recoding makes."""
    return _groups(table, recoding).sizes


def released_codes(table: FrequencyTable, recoding: CutRecoding, k: int) -> tuple[frozenset[int], ...]:
    """Per attribute the codes that rows of groups with at least k rows have."""
    groups = _groups(table, recoding)
    codes = table.codes[groups.sizes[groups.of_row] >= k]
    return tuple(frozenset(np.unique(column).tolist()) for column in codes.T)


def _chunks(sizes: Sequence[int]) -> tuple[tuple[tuple[int, int], ...], ...]:
    """Attributes with their strides, in chunks whose keys fit 64 bits."""
    chunks: list[list[tuple[int, int]]] = [[]]
    stride = 1
    for attribute, size in enumerate(sizes):
        if stride * size > LARGEST_KEY:
            chunks.append([])
            stride = 1
        chunks[-1].append((attribute, stride))
        stride *= size
    return tuple(tuple(chunk) for chunk in chunks)


def _key(numbers: Sequence[str]) -> str:
    return " || '-' || ".join(f"CAST({number} AS VARCHAR)" for number in numbers)


def label(column: Column, interval: str) -> str:
    """SQL for the label of an interval."""
    return f"list_extract({sql.listed(column.labels)}, {interval} + 1)"
