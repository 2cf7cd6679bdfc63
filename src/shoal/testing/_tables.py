"""Tiny tables on which everything can be tried."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterator

import numpy as np

from shoal.model.hierarchy.coded_tree import tree_of
from shoal.model.recoding.level_recoding import LevelRecoding
from shoal.model.recoding.recoding import CutRecoding
from shoal.model.table.domain import Domain
from shoal.model.table.frequency_table import FrequencyTable

AGES = (20, 21, 35, 60)
JOBS = ("baker", "cook", "smith")
CLASSES = ("yes", "no")
_AGES = [("20", "young", "*"), ("21", "young", "*"), ("35", "old", "*"), ("60", "old", "*")]
_JOBS = [("baker", "food", "*"), ("cook", "food", "*"), ("smith", "metal", "*")]

Row = tuple[int, int, int]
"""The codes of an age, a job and a class."""

TABLES: tuple[tuple[Row, ...], ...] = (
    ((0, 0, 0), (0, 1, 1), (1, 0, 0), (2, 2, 1), (2, 2, 0), (3, 1, 0), (3, 2, 1)),
    ((0, 0, 0),) * 3 + ((1, 1, 1),) * 2 + ((3, 2, 0), (3, 2, 1), (2, 0, 1)),
    ((0, 0, 0), (1, 0, 1), (2, 0, 0), (3, 0, 1), (0, 2, 1), (3, 2, 0)),
)


def small_tables() -> Iterator[FrequencyTable]:
    """Tables of a few rows: numbers and categories, with hierarchies and a class."""
    for rows in TABLES:
        yield table_of(rows)


def table_of(rows: tuple[Row, ...]) -> FrequencyTable:
    """The frequency table of some coded rows."""
    keys = sorted({row[:2] for row in rows})
    times = Counter(rows)
    labels = np.array([[times[(*key, label)] for label in range(len(CLASSES))] for key in keys], np.int64)
    ages, jobs = [str(age) for age in AGES], list(JOBS)
    return FrequencyTable(
        domains=(
            Domain(
                name="age",
                kind="number",
                values=AGES,
                tree=tree_of(_AGES, range(len(AGES)), ages, missing=False),
            ),
            Domain(
                name="job",
                kind="category",
                values=JOBS,
                tree=tree_of(_JOBS, range(len(JOBS)), jobs, missing=False),
            ),
        ),
        codes=np.array(keys, np.int32),
        counts=labels.sum(axis=1),
        labels=CLASSES,
        label_counts=labels,
    )


def every_levels(table: FrequencyTable) -> list[LevelRecoding]:
    """Every choice of levels."""
    heights = [range(domain.hierarchy.height + 1) for domain in table.domains]
    return [LevelRecoding(levels) for levels in itertools.product(*heights)]


def every_cuts(table: FrequencyTable) -> list[CutRecoding]:
    """Every choice of cuts."""
    per_attribute = [
        [cuts for many in range(len(domain)) for cuts in itertools.combinations(range(1, len(domain)), many)]
        for domain in table.domains
    ]
    return [CutRecoding(cuts) for cuts in itertools.product(*per_attribute)]
