"""A recoding as DuckDB can apply it: interval of a cell, label of an interval, groups that are kept."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from shoal.engines import sql
from shoal.engines._base import Application, Counted
from shoal.engines.session import Session
from shoal.model.groups import LARGEST_KEY, Groups, groups, released_codes
from shoal.model.policy import SuppressedRows


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
    made = groups(table, recoding, application.k, application.sets)
    masks = application.suppressed == "mask" and not made.kept.all()
    released = released_codes(table, made)
    columns = []
    for attribute, (coding, index) in enumerate(zip(counted.codings, counted.indices, strict=True)):
        domain = table.domains[attribute]
        of_code = recoding.parts(attribute, domain)
        # The missing cell's code is -1 when no cell is missing; no row has it, and no interval is its.
        of_cell = np.where(coding.codes >= 0, of_code[coding.codes], -1).astype(np.int32)
        columns.append(
            Column(
                name=domain.name,
                interval=_interval(session, of_cell, index),
                labels=recoding.labels(attribute, domain, released[attribute]),
                as_it_was=coding.faithful and int(of_code.max()) == len(domain) - 1 and not masks,
            )
        )
    return Plan(
        columns=tuple(columns),
        kept=_kept_groups(session, made, [len(column.labels) for column in columns]),
        suppressed=application.suppressed,
        dropped=application.dropped,
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


def _kept_groups(session: Session, made: Groups, sizes: Sequence[int]) -> KeptGroups:
    """The groups that are released, by keys of attributes with so many released values each."""
    chunks, kept = _chunks(sizes), int(made.kept.sum())
    if made.kept.all():
        return KeptGroups(None, kept, chunks)
    ordered = made.values[np.argsort(~made.kept, kind="stable")].astype(np.int64)
    columns = {
        f"k{number}": sum(
            (ordered[:, attribute] * stride for attribute, stride in chunk), np.zeros(len(ordered), np.int64)
        )
        for number, chunk in enumerate(chunks)
    }
    registered = session.register("keys", {"i": np.arange(len(ordered)), **columns})
    type_ = session.fresh("groups")
    key = _key(list(columns))
    session.execute(f"CREATE TYPE {type_} AS ENUM (SELECT {key} FROM {registered} ORDER BY i)", "the groups")
    session.unregister(registered)
    return KeptGroups(type_, kept, chunks)


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
