"""Small tables with hierarchies and sensitive values, for the tests of fronts."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from hypothesis import strategies as st

from shoal.model.table.frequency_table import Facts, FrequencyTable
from shoal.model.table.people import SensitiveColumn

from .level_problems import level_problems


def with_facts(table: FrequencyTable, columns: dict[str, Sequence[int]]) -> FrequencyTable:
    """The table with sensitive columns; their values are given per row, rows in the table's order."""
    row_of = np.repeat(np.arange(len(table.counts)), table.counts).tolist()
    lines = list(zip(*columns.values(), strict=True))
    combinations = sorted(set(lines))
    entries = Counter(zip(row_of, (combinations.index(line) for line in lines), strict=True))
    ordered = sorted(entries)
    first = np.searchsorted([row for row, _ in ordered], np.arange(len(table.counts) + 1))
    return replace(
        table,
        facts=Facts(
            columns=tuple(
                SensitiveColumn(
                    name=name,
                    counts=tuple(np.bincount(values).tolist()),
                    values=tuple(str(code) for code in range(max(values) + 1)),
                )
                for name, values in columns.items()
            ),
            combinations=np.array(combinations, np.int32),
            first=first.astype(np.int64),
            of_entry=np.array([fact for _, fact in ordered], np.int32),
            counts=np.array([entries[each] for each in ordered], np.int64),
        ),
    )


@st.composite
def sensitive_tables(draw: st.DrawFn, max_rows: int = 14) -> FrequencyTable:
    """Any small table with hierarchies, class labels and two sensitive columns."""
    table = draw(level_problems(max_rows=max_rows, max_nodes=40)).table
    values = st.lists(st.integers(0, 3), min_size=table.rows, max_size=table.rows)
    return with_facts(table, {"disease": draw(values), "drug": draw(values)})


def every_node_of(table: FrequencyTable) -> list[tuple[int, ...]]:
    """All nodes of a table's lattice."""
    return list(itertools.product(*(range(domain.hierarchy.height + 1) for domain in table.domains)))
