"""Frequency tables with fewer lines: distinct rows merged, together with their counts.

It has two uses. Without one quasi-identifier, rows that differ only in it become one distinct row. And while
the recoding of all columns but one is fixed, the finer steps of that column need only one line per group and
value.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from shoal.model.recoding.groups import distinct
from shoal.model.recoding.recoding import DomainRecoding
from shoal.model.table.domain import Domain
from shoal.model.table.frequency_table import Facts, FrequencyTable


def projected(table: FrequencyTable, attributes: Sequence[int]) -> FrequencyTable:
    """The table as if counted on only some of its quasi-identifiers."""
    chosen = list(attributes)
    codes = np.ascontiguousarray(table.codes[:, chosen])
    domains = tuple(table.domains[each] for each in chosen)
    first, of_row = distinct(codes[:, ::-1])  # in the order of the first column, as tables are counted
    return _joined(table, domains, codes[first], of_row)


def settled(table: FrequencyTable, recoding: DomainRecoding, attribute: int) -> FrequencyTable:
    """The table with one line for all rows that no change of one attribute's recoding separates.

    A line has the codes of one of its rows: the recoding forms the same groups, but the table no longer shows
    how many rows have a value of another attribute.
    """
    keys = recoding.released(table)
    keys[:, attribute] = table.codes[:, attribute]
    first, of_row = distinct(keys)
    return _joined(table, table.domains, table.codes[first], of_row)


def _joined(
    table: FrequencyTable, domains: tuple[Domain, ...], codes: NDArray[np.int32], of_row: NDArray[np.int64]
) -> FrequencyTable:
    """The table with a line for each number of `of_row`."""
    lines = len(codes)
    label_counts = table.label_counts
    if table.labels:
        label_counts = np.zeros((lines, len(table.labels)), np.int64)
        np.add.at(label_counts, of_row, table.label_counts)
    return replace(
        table,
        domains=domains,
        codes=codes,
        counts=_sums(of_row, table.counts, lines),
        label_counts=label_counts,
        facts=None if table.facts is None else _joined_facts(table.facts, of_row, lines),
        population=None if table.population is None else _sums(of_row, table.population, lines),
    )


def _joined_facts(facts: Facts, of_row: NDArray[np.int64], lines: int) -> Facts:
    line_of_entry = of_row[np.repeat(np.arange(len(of_row)), np.diff(facts.first))]
    keys = line_of_entry * len(facts.combinations) + facts.of_entry
    present, of_entry = np.unique(keys, return_inverse=True)
    entries = np.bincount(present // len(facts.combinations), minlength=lines)
    return replace(
        facts,
        first=np.concatenate(([0], np.cumsum(entries))).astype(np.int64),
        of_entry=(present % len(facts.combinations)).astype(np.int32),
        counts=_sums(of_entry.reshape(-1), facts.counts, len(present)),
    )


def _sums(of_each: NDArray[np.int64], counts: NDArray[np.int64], size: int) -> NDArray[np.int64]:
    sums = np.zeros(size, np.int64)
    np.add.at(sums, of_each, counts)
    return sums
