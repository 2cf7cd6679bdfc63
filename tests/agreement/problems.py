"""Small random problems for the agreement tests."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

from shoal.algorithms import costs_of_cuts
from shoal.cost import METRICS
from shoal.model.result.problem import Problem
from shoal.model.table.domain import Domain
from shoal.model.table.frequency_table import FrequencyTable


def table_of(sizes: list[int], rows: list[tuple[int, ...]], labels: list[int]) -> FrequencyTable:
    """The frequency table of coded rows; attribute 0 counts as a number with uneven gaps."""
    domains = tuple(
        Domain(name=f"a{a}", kind="number", values=tuple(v * v for v in range(size)))
        if a == 0
        else Domain(name=f"a{a}", kind="category", values=tuple(f"v{v}" for v in range(size)))
        for a, size in enumerate(sizes)
    )
    distinct = sorted(set(rows))
    counts = np.zeros((len(distinct), 3), np.int64)
    for row, label in zip(rows, labels, strict=True):
        counts[distinct.index(row), label] += 1
    return FrequencyTable(
        domains=domains,
        codes=np.array(distinct, np.int32).reshape(len(distinct), len(sizes)),
        counts=counts.sum(axis=1),
        labels=("x", "y", "z"),
        label_counts=counts,
    )


@st.composite
def problems(draw: st.DrawFn, max_rows: int = 14, max_cuts: int = 8) -> Problem:
    """Any table of up to `max_rows` rows and `max_cuts` cuts, any k, any suppression limit, any metric."""
    sizes: list[int] = []
    budget = draw(st.integers(0, max_cuts))
    for _ in range(draw(st.integers(1, 4))):
        size = draw(st.integers(1, min(5, budget + 1)))
        sizes.append(size)
        budget -= size - 1
    row = st.tuples(*(st.integers(0, size - 1) for size in sizes))
    rows = draw(st.lists(row, min_size=1, max_size=max_rows))
    # Copies make the large groups that a few distinct rows never would.
    rows += [rows[0]] * draw(st.sampled_from([0, 0, 3, 9]))
    labels = draw(st.lists(st.integers(0, 2), min_size=len(rows), max_size=len(rows)))
    return Problem(
        table=table_of(sizes, rows, labels),
        k=draw(st.integers(1, min(len(rows), 6))),
        cost=METRICS[draw(st.sampled_from(sorted(costs_of_cuts())))](),
        limit=draw(st.one_of(st.none(), st.integers(0, len(rows)))),
    )
