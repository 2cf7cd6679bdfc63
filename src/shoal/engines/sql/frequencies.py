"""From the counted combinations, sorted by their codes, to a frequency table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from shoal.errors import PolicyError
from shoal.model.table.distinct_codes import distinct_codes
from shoal.model.table.domain import Domain
from shoal.model.table.frequency_table import Facts, FrequencyTable
from shoal.model.table.people import PARTS_OF_A_PERSON, SensitiveColumn

MOST_LABEL_COUNTS = 2**27
"""One gigabyte: a column with more labels than that is not a class."""

MOST_PEOPLE = 2**62 // PARTS_OF_A_PERSON


@dataclass(frozen=True, kw_only=True, eq=False)
class CountedLines:
    """Counted combinations, one line each, sorted by their codes.

    Parameters
    ----------
    codes
        The codes of the quasi-identifiers.
    counts
        Rows of the source per line; 0 for a line of the population.
    labels
        The class label of each line, if the policy has a class.
    facts
        The codes of the columns that privacy models read.
    people
        The people that each line adds to the population, in millionths, if a model needs them.
    """

    codes: NDArray[np.int32]
    counts: NDArray[np.int64]
    labels: NDArray[np.int32] | None = None
    facts: NDArray[np.int32] | None = None
    people: NDArray[np.int64] | None = None

    def with_population(self, codes: NDArray[np.int32], rows: NDArray[np.int64]) -> CountedLines:
        """The lines, and those of a population, with no rows of the source."""
        both = np.concatenate([self.codes, codes])
        order = np.lexsort(both.T[::-1])
        more = len(codes)

        def joined(column: NDArray[np.int32] | None) -> NDArray[np.int32] | None:
            if column is None:
                return None
            blank = np.zeros((more, *column.shape[1:]), np.int32)
            return np.ascontiguousarray(np.concatenate([column, blank])[order])

        return CountedLines(
            codes=np.ascontiguousarray(both[order]),
            counts=np.concatenate([self.counts, np.zeros(more, np.int64)])[order],
            labels=joined(self.labels),
            facts=joined(self.facts),
            people=np.concatenate([np.zeros(len(self.codes), np.int64), rows * PARTS_OF_A_PERSON])[order],
        )


def frequencies(
    domains: Sequence[Domain],
    lines: CountedLines,
    labels: Sequence[str],
    columns: Sequence[SensitiveColumn] = (),
) -> FrequencyTable:
    """The frequency table.

    Parameters
    ----------
    domains
        One per column of the lines' codes.
    lines
        Coded combinations, one line per combination and label and fact.
    labels
        The class labels, if the policy has a class attribute.
    columns
        The columns that privacy models read, without their counts.
    """
    codes, counts = lines.codes, lines.counts
    if lines.labels is None and lines.facts is None and lines.people is None:
        return FrequencyTable(domains=tuple(domains), codes=codes, counts=counts)
    begins = np.ones(len(codes), np.bool_)
    begins[1:] = (codes[1:] != codes[:-1]).any(axis=1)
    distinct = np.cumsum(begins) - 1
    combinations = int(begins.sum())
    histogram = np.zeros((0, 0), np.int64)
    if lines.labels is not None:
        if combinations * len(labels) > MOST_LABEL_COUNTS:
            raise PolicyError(
                f"the class attribute has {len(labels):,} distinct labels, too many for a class"
            )
        histogram = np.zeros((combinations, len(labels)), np.int64)
        np.add.at(histogram, (distinct, lines.labels), counts)
    return FrequencyTable(
        domains=tuple(domains),
        codes=np.ascontiguousarray(codes[begins]),
        counts=_sums(distinct, counts, combinations),
        labels=tuple(labels),
        label_counts=histogram,
        facts=None if lines.facts is None else _facts(columns, lines, lines.facts, distinct, combinations),
        population=None if lines.people is None else _sums(distinct, lines.people, combinations),
    )


def _facts(
    columns: Sequence[SensitiveColumn],
    lines: CountedLines,
    facts: NDArray[np.int32],
    distinct: NDArray[np.int64],
    combinations: int,
) -> Facts:
    own = lines.counts > 0
    distinct_facts, of_line = distinct_codes(facts[own])
    keys, of_key = np.unique(distinct[own] * len(distinct_facts) + of_line, return_inverse=True)
    counts = _sums(of_key.reshape(-1), lines.counts[own], len(keys))
    return Facts(
        columns=tuple(columns),
        combinations=np.ascontiguousarray(distinct_facts),
        first=np.searchsorted(keys // len(distinct_facts), np.arange(combinations + 1)).astype(np.int64),
        of_entry=(keys % len(distinct_facts)).astype(np.int32),
        counts=counts,
    )


def _sums(of_line: NDArray[np.int64], values: NDArray[np.int64], size: int) -> NDArray[np.int64]:
    """Exact sums of whole numbers: floats would round sums of millionths."""
    sums = np.zeros(size, np.int64)
    np.add.at(sums, of_line, values)
    return sums
