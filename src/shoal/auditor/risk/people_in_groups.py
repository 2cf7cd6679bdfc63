"""How many people of a population table belong to each group of another table.

A person belongs to a group if every cell of the group can represent her value. In a table that was not
recoded that is equality. Where cells of mixed levels or `*` overlap, one person can belong to several groups:
an attacker may assign her to each of them.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from shoal.model.table.cell_meaning import CellReader
from shoal.model.table.coded_cells import CodedCells
from shoal.model.table.distinct_codes import distinct_codes

Ints = NDArray[np.int64]


def people_in_groups(table: CodedCells, population: CodedCells, readers: Sequence[CellReader]) -> Ints:
    """Per line of the table the people of the population whom it can represent.

    Parameters
    ----------
    table
        Distinct rows.
    population
        Distinct rows of the same columns.
    readers
        Per column how its cells are read.
    """
    covering = [
        reader.covering(table.texts(name), population.texts(name))
        for name, reader in zip(table.columns, readers, strict=True)
    ]
    used = [np.unique(column) for column in table.codes.T]
    for place, codes in enumerate(used):
        unused = np.ones(len(covering[place]), np.bool_)
        unused[codes] = False
        covering[place][unused] = False
    if all((each.sum(axis=0) <= 1).all() for each in covering):
        return _by_recoding(table, population, covering)
    return _by_descent(table, population, covering)


def _by_recoding(table: CodedCells, population: CodedCells, covering: list[NDArray[np.bool_]]) -> Ints:
    """Each value has at most one cell, so the population is recoded and counted."""
    of_value = [np.where(each.any(axis=0), each.argmax(axis=0), -1) for each in covering]
    recoded = np.column_stack(
        [cells[codes] for cells, codes in zip(of_value, population.codes.T, strict=True)]
    ).astype(np.int32)
    inside = (recoded >= 0).all(axis=1)
    lines, number = distinct_codes(np.concatenate([table.codes, recoded[inside]]))
    people = np.bincount(number[len(table.codes) :], population.counts[inside], len(lines))
    return people[number[: len(table.codes)]].astype(np.int64)


def _by_descent(table: CodedCells, population: CodedCells, covering: list[NDArray[np.bool_]]) -> Ints:
    """Column by column: groups with equal cells so far share the people who are left."""
    totals = np.zeros(len(table.codes), np.int64)
    left: list[tuple[int, Ints, Ints]] = [(0, np.arange(len(table.codes)), np.arange(len(population.codes)))]
    while left:
        column, lines, people = left.pop()
        if column == len(covering):
            totals[lines] = population.counts[people].sum()
            continue
        codes = table.codes[lines, column]
        order = np.argsort(codes, kind="stable")
        cells, first = np.unique(codes[order], return_index=True)
        values = population.codes[people, column]
        for cell, same in zip(cells, np.split(lines[order], first[1:]), strict=True):
            inside = people[covering[column][cell][values]]
            if len(inside):
                left.append((column + 1, same, inside))
    return totals
