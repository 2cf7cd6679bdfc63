"""The distinct persons of several tables: each a tree of rows, as `Histories` have them.

Two persons are alike if they have the same distinct rows, and rows with the same distinct rows below them.
The kind of a row is the number of its distinct row together with the kinds of the rows that belong to it, as
a multiset; kinds are numbered table by table, from the last to the first, so that equal trees have equal
numbers. Nothing is hashed: equal numbers mean equal trees.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from shoal.model.history.histories import NO_PARENT, Histories
from shoal.model.policy.tables.tables_policy import TablesPolicy
from shoal.model.table.frequency_table import FrequencyTable
from shoal.pipeline.tables.links import Links

Ints = NDArray[np.int64]


@dataclass(frozen=True, kw_only=True, eq=False)
class Forest:
    """The persons, and where each row of the tables is in them.

    Parameters
    ----------
    names
        The tables, in the order of `histories.tables`.
    histories
        The distinct persons.
    history_of
        For each person the history.
    place_of
        For each table and row its position among the rows of all histories.
    """

    names: tuple[str, ...]
    histories: Histories
    history_of: Ints
    place_of: Mapping[str, Ints]


def forest_of(
    policy: TablesPolicy, links: Links, tables: Mapping[str, FrequencyTable], row_of: Mapping[str, Ints]
) -> Forest:
    """The distinct persons of some tables.

    Parameters
    ----------
    policy, links
        The tables, and which rows belong together.
    tables
        The distinct rows of each table.
    row_of
        For each table the distinct row of each row.
    """
    names = tuple(each.name for each in policy.ordered)
    kinds = _kinds(policy, names, links, row_of)
    places, lengths = _places(policy, names, links, kinds)
    history_of, examples = _histories(names, links, kinds)
    sizes = lengths[examples]
    first = np.concatenate(([0], np.cumsum(sizes))).astype(np.int64)
    example_of = np.full(links.persons, -1, np.int64)
    example_of[examples] = np.arange(len(examples))
    total = int(first[-1])
    table_of, rows = np.zeros(total, np.int32), np.zeros(total, np.int32)
    parent = np.full(total, NO_PARENT, np.int32)
    place_of: dict[str, Ints] = {}
    for number, name in enumerate(names):
        person = links.person_of[name]
        place_of[name] = first[history_of[person]] + places[name]
        shown = np.flatnonzero(example_of[person] >= 0)
        at = place_of[name][shown]
        table_of[at], rows[at] = number, row_of[name][shown]
        above = policy.table(name).parent
        if above is not None:
            parent[at] = places[above][links.parent_of[name][shown]]
    histories = Histories(
        tables=tuple(tables[name] for name in names),
        first=first,
        table_of=table_of,
        row_of=rows,
        parent=parent,
        counts=np.bincount(history_of, minlength=len(examples)).astype(np.int64),
    )
    return Forest(names=names, histories=histories, history_of=history_of, place_of=place_of)


def _kinds(
    policy: TablesPolicy, names: Sequence[str], links: Links, row_of: Mapping[str, Ints]
) -> dict[str, Ints]:
    """The kind of each row: its distinct row, and the kinds of the rows that belong to it."""
    kinds: dict[str, Ints] = {}
    for name in reversed(names):
        kind = row_of[name].astype(np.int64)
        for child in names:
            if policy.table(child).parent == name:
                kind = with_members(kind, links.parent_of[child], kinds[child])
        kinds[name] = kind
    return kinds


def with_members(of_owner: Ints, owner: Ints, kind: Ints) -> Ints:
    """The number of each owner together with the kinds of its members, as a multiset.

    Members are sorted by kind, and taken in one by one: after r steps two owners have the same number if they
    had the same one before, and the same first r members. A step looks at those owners alone that have so
    many, so all steps together look at each member once.
    """
    order = np.lexsort((kind, owner))
    owners, kinds = owner[order], kind[order]
    begins = np.flatnonzero(np.concatenate(([True], owners[1:] != owners[:-1]))) if len(owners) else owners
    counts = np.diff(np.concatenate((begins, [len(owners)]))).astype(np.int64)
    number = _numbered(of_owner)
    members = np.zeros(len(of_owner), np.int64)
    members[owners[begins]] = counts
    number = _paired(number, members)
    by_count = np.argsort(-counts, kind="stable")
    begins, counts = begins[by_count], counts[by_count]
    for rank in range(int(counts[0]) if len(counts) else 0):
        active = begins[: int(np.searchsorted(-counts, -rank, side="left"))]
        taken = owners[active]
        joined = _paired(number[taken], kinds[active + rank])
        # Numbers of owners that are complete stay below those that are given out now.
        number[taken] = int(number.max()) + 1 + joined
    return _numbered(number)


def _numbered(keys: Ints) -> Ints:
    """Equal keys as equal numbers from 0 on, in the order of the keys."""
    numbers: Ints = np.unique(keys, return_inverse=True)[1].reshape(-1).astype(np.int64)
    return numbers


def _paired(first: Ints, second: Ints) -> Ints:
    """The number of each pair, in the order of the pairs."""
    if not len(first):
        return first
    width = int(second.max()) + 1
    keys = first * width + second  # both are numbers of rows, so their product fits into 64 bits
    return _numbered(keys)


def _places(
    policy: TablesPolicy, names: Sequence[str], links: Links, kinds: Mapping[str, Ints]
) -> tuple[dict[str, Ints], Ints]:
    """The position of each row within its person, in an order that depends on kinds alone; and the rows
    of each person.
    """
    lengths = np.zeros(links.persons, np.int64)
    places: dict[str, Ints] = {}
    for name in names:
        person, above = links.person_of[name], policy.table(name).parent
        of_parent = np.zeros(len(person), np.int64) if above is None else places[above][links.parent_of[name]]
        order = np.lexsort((kinds[name], of_parent, person))
        counts = np.bincount(person, minlength=links.persons).astype(np.int64)
        begins = np.cumsum(counts) - counts
        place = np.empty(len(person), np.int64)
        place[order] = np.arange(len(person)) - np.repeat(begins, counts)
        places[name] = place + lengths[person]
        lengths += counts
    return places, lengths


def _histories(names: Sequence[str], links: Links, kinds: Mapping[str, Ints]) -> tuple[Ints, Ints]:
    """The history of each person, and for each history a person who has it."""
    number = np.zeros(links.persons, np.int64)
    for name in names:
        if name in links.parent_of:
            continue  # part of the kinds of the rows that it belongs to
        number = with_members(number, links.person_of[name], kinds[name])
    _, examples, history_of = np.unique(number, return_index=True, return_inverse=True)
    return history_of.reshape(-1).astype(np.int64), examples.astype(np.int64)
