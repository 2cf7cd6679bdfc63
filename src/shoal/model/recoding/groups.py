"""The groups that a recoding forms in a frequency table, and which of them are released."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from shoal.model.recoding.attribute_set import AttributeSet
from shoal.model.recoding.recoding import Recoding
from shoal.model.table.frequency_table import FrequencyTable
from shoal.model.table.measured_groups import MeasuredGroups
from shoal.model.table.people import Demand

LARGEST_KEY = 2**62


@dataclass(frozen=True)
class Groups:
    """Rows with equal released values.

    Parameters
    ----------
    values
        For each group and attribute the number of the released value.
    sizes
        The rows of each group.
    of_row
        The group of each distinct row, or of each piece if a recoding divides rows.
    kept
        Whether each group is released.
    """

    values: NDArray[np.int32]
    sizes: NDArray[np.int64]
    of_row: NDArray[np.int64]
    kept: NDArray[np.bool_]

    @property
    def all_kept(self) -> bool:
        """Whether every row is released; groups with people of the population only have no rows."""
        return bool((self.kept | (self.sizes == 0)).all())

    @property
    def suppressed(self) -> int:
        """Rows that are not released."""
        return int(self.sizes[~self.kept].sum())


def groups(
    table: FrequencyTable,
    recoding: Recoding,
    k: int,
    sets: Sequence[AttributeSet] = (),
    models: Sequence[Demand] = (),
) -> Groups:
    """Group the rows of a table by their released values.

    Parameters
    ----------
    table, recoding
        What is recoded, and how.
    k
        Least size of a released group.
    sets
        Sets of attributes that others know independently of each other; all attributes together when empty. A
        row is released if it equals as many released rows as a set demands, on every one of them.
    models
        What else a released group must satisfy.
    """
    table, k, demanded = recoding.refined(table), recoding.smallest_kept(k), k
    released = recoding.released(table)
    first, of_row = distinct(released)
    values = released[first]
    sizes = np.bincount(of_row, table.counts, len(first)).astype(np.int64)
    kept = ~_also_suppressed(recoding, values)
    if models:
        kept &= sizes >= k
        kept &= _admitted(table, of_row, sizes, kept, models)
    views = (
        [
            (distinct(values[:, list(each.attributes)])[1], recoding.smallest_kept(max(each.k, demanded)))
            for each in sets
        ]
        if len(sets) > 1
        else []
    )
    if not views:
        return Groups(values, sizes, of_row, kept & (sizes >= k))
    while True:
        # Suppressing a group of one set takes rows from groups of the others, so repeat until nothing
        # changes.
        enough = np.ones(len(sizes), np.bool_)
        for of_group, least in views:
            enough &= np.bincount(of_group, sizes * kept)[of_group] >= least
        if (kept <= enough).all():
            return Groups(values, sizes, of_row, kept)
        kept &= enough


def _admitted(
    table: FrequencyTable,
    of_row: NDArray[np.int64],
    sizes: NDArray[np.int64],
    candidates: NDArray[np.bool_],
    models: Sequence[Demand],
) -> NDArray[np.bool_]:
    """Which of the candidate groups all models admit."""
    admitted, facts = candidates.copy(), table.facts
    of_entry, codes, counts = np.zeros(0, np.int64), np.zeros((0, 0), np.int32), np.zeros(0, np.int64)
    if facts is not None:
        row_of_entry = np.repeat(np.arange(len(of_row)), np.diff(facts.first))
        of_entry, codes, counts = of_row[row_of_entry], facts.combinations[facts.of_entry], facts.counts
    population = None
    if table.population is not None:
        population = np.zeros(len(sizes), np.int64)
        np.add.at(population, of_row, table.population)
    measured = MeasuredGroups(
        people=table.people,
        rows=sizes,
        of_entry=of_entry,
        codes=codes,
        counts=counts,
        population=population,
    )
    for model in models:
        columns = measured.columns_of(model)
        people = measured.of(columns)
        different, of_group = measured.alike(columns)
        needed = np.zeros(len(different), np.bool_)
        needed[of_group[admitted]] = True
        admitted &= np.array(
            [
                bool(need) and model.admits(group, people)
                for need, group in zip(needed, different, strict=True)
            ],
            np.bool_,
        )[of_group]
    return admitted


def alike(rows: NDArray[np.int32], counts: NDArray[np.int64]) -> NDArray[np.int64]:
    """For each row the number of source rows with the same values; a row represents `counts` of them."""
    first, of_row = distinct(rows)
    return np.bincount(of_row, counts, len(first)).astype(np.int64)[of_row]


def _also_suppressed(recoding: Recoding, values: NDArray[np.int32]) -> NDArray[np.bool_]:
    if not recoding.also_suppressed:
        return np.zeros(len(values), np.bool_)
    return np.array([recoding.suppresses(tuple(each)) for each in values.tolist()], np.bool_)


def distinct(rows: NDArray[np.int32]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """One index per distinct row, and the number of the distinct row for every row; sorted by the rows."""
    keys = np.column_stack(_keys(rows))
    order = np.lexsort(keys.T)
    ordered = keys[order]
    begins = np.ones(len(rows), np.bool_)
    begins[1:] = (ordered[1:] != ordered[:-1]).any(axis=1)
    number = np.empty(len(rows), np.int64)
    number[order] = np.cumsum(begins) - 1
    return order[np.flatnonzero(begins)], number


def places_among(known: NDArray[np.int32], rows: NDArray[np.int32]) -> NDArray[np.int64]:
    """The index of each row among known rows, no two of which are equal; -1 for an unknown one."""
    number = distinct(np.concatenate([known, rows]))[1]
    row_of = np.full(len(number), -1, np.int64)
    row_of[number[: len(known)]] = np.arange(len(known))
    return row_of[number[len(known) :]]


def _keys(rows: NDArray[np.int32]) -> list[NDArray[np.int64]]:
    """The columns packed into as few 64-bit numbers as possible, the last column most significant."""
    keys = [np.zeros(len(rows), np.int64)]
    stride = 1
    for column in rows.T:
        size = int(column.max(initial=0)) + 1
        if stride * size > LARGEST_KEY:
            keys.append(np.zeros(len(rows), np.int64))
            stride = 1
        keys[-1] += column.astype(np.int64) * stride
        stride *= size
    return keys


def released_codes(table: FrequencyTable, grouped: Groups, recoding: Recoding) -> tuple[frozenset[int], ...]:
    """For each attribute the codes that released rows have, in cells that are not suppressed.

    With a population, also the codes of people in released groups: a label must be true of everybody it hides
    a row among, or a reader who knows the population could exclude them.
    """
    table, kept, codes = recoding.refined(table), grouped.kept[grouped.of_row], []
    for attribute, domain in enumerate(table.domains):
        informative = np.array(recoding.informative(attribute, domain), np.bool_)[
            grouped.values[grouped.of_row, attribute]
        ]
        codes.append(frozenset(np.unique(table.codes[kept & informative, attribute]).tolist()))
    return tuple(codes)


def printed_sizes(
    grouped: Groups, attributes: Sequence[int], labels: Sequence[Sequence[str | None]], star: str
) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """The rows of each released group as a reader distinguishes groups, by labels; and whether all are stars.

    Parameters
    ----------
    grouped
        The groups.
    attributes
        The attributes that are read.
    labels
        For each of them the labels of its released values; two values can be printed alike.
    star
        The label of a suppressed cell.
    """
    kept = np.flatnonzero(grouped.kept)
    columns, stars = [], np.ones(len(kept), np.bool_)
    for attribute, printed in zip(attributes, labels, strict=True):
        number = {label: index for index, label in enumerate(dict.fromkeys(printed))}
        column = np.array([number[label] for label in printed], np.int32)[grouped.values[kept, attribute]]
        columns.append(column)
        stars &= column == number.get(star, -1)
    first, of_group = distinct(np.column_stack(columns))
    return np.bincount(of_group, grouped.sizes[kept], len(first)).astype(np.int64), stars[first]
