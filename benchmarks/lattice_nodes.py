"""Evaluating every node of the Adult lattice: the core against a NumPy group-by per node, in one run.

Both give groups, suppressed rows, DM, general loss and precision for k = 2, 5, 10, 50 and 100. NumPy takes
its time on a sample of the 17,920 nodes, in turns with the core, which evaluates them all; the ratio is of
the times per node.

    python benchmarks/lattice_nodes.py
"""

from __future__ import annotations

import statistics
import time

import numpy as np
from numpy.typing import NDArray

from shoal import datasets
from shoal.algorithms.levels._lattice import Lattice
from shoal.algorithms.levels._prices import priced
from shoal.cost import Discernibility, GeneralLoss, Precision
from shoal.engines.duckdb.engine import frequency_table
from shoal.model.recoding.level_recoding import LevelRecoding
from shoal.model.result.problem import Problem
from shoal.model.table.frequency_table import FrequencyTable

KS = (2, 5, 10, 50, 100)
METRICS = (Discernibility(), GeneralLoss(), Precision())
SAMPLE = 200
ROUNDS = 5


class NumPyNodes:
    """What a careful notebook would do: look up parts, group by a packed key, sum per k."""

    def __init__(self, table: FrequencyTable) -> None:
        self.table = table
        height = max(domain.hierarchy.height for domain in table.domains)
        everywhere = [LevelRecoding((level,) * len(table.domains)) for level in range(height + 1)]
        attributes = list(enumerate(table.domains))
        self.parts = [
            [everywhere[level].parts(a, domain) for level in range(domain.hierarchy.height + 1)]
            for a, domain in attributes
        ]
        self.units = [
            [
                [
                    np.array(metric.cell_units(table, everywhere[level], a))
                    for level in range(domain.hierarchy.height + 1)
                ]
                for a, domain in attributes
            ]
            for metric in METRICS[1:]
        ]
        self.row_units = [metric.row_units(table) for metric in METRICS[1:]]

    def node(self, levels: NDArray[np.uint8]) -> list[tuple[int, int, int, int, int]]:
        """Groups, suppressed rows, DM, and units of general loss and precision, for each k."""
        table = self.table
        key = np.zeros(len(table.counts), np.int64)
        columns = []
        for attribute, level in enumerate(levels):
            columns.append(self.parts[attribute][level][table.codes[:, attribute]])
            key = key * (int(columns[-1].max()) + 1) + columns[-1]
        _, first, inverse = np.unique(key, return_index=True, return_inverse=True)
        sizes = np.bincount(inverse, table.counts).astype(np.int64)
        losses = [
            sum(units[attribute][level][columns[attribute][first]] for attribute, level in enumerate(levels))
            for units in self.units
        ]
        answers = []
        for k in KS:
            kept = sizes >= k
            suppressed = int(sizes[~kept].sum())
            squares = int((sizes[kept] ** 2).sum()) + suppressed * table.rows
            sums = [
                int((sizes[kept] * loss[kept]).sum()) + suppressed * row_units
                for loss, row_units in zip(losses, self.row_units, strict=True)
            ]
            answers.append((int(kept.sum()), suppressed, squares, sums[0], sums[1]))
        return answers


def main() -> None:
    table = frequency_table(datasets.adult_path(), datasets.adult_level_attributes())
    lattice = Lattice(Problem(table=table, k=KS[0], cost=METRICS[0]))
    prices = [priced(metric, table).price for metric in METRICS]
    by_numpy = NumPyNodes(table)
    chosen = np.random.default_rng(0)
    ratios, ours = [], []
    for turn in range(ROUNDS):
        started = time.process_time()
        measured = lattice.core.measure_all(list(lattice.low), list(lattice.high), prices, list(KS), 1)
        ours.append(time.process_time() - started)
        levels = measured.levels
        sample = chosen.choice(len(levels), SAMPLE, replace=False)
        started = time.process_time()
        theirs = [by_numpy.node(levels[node]) for node in sample]
        spent = time.process_time() - started
        ratios.append(spent / SAMPLE / (ours[-1] / len(levels)))
        for number, k in enumerate(KS):
            columns = [measured.groups(number), measured.suppressed(number)]
            columns += [measured.costs(price, number) for price in range(len(METRICS))]
            for node, answers in zip(sample, theirs, strict=True):
                assert tuple(int(column[node]) for column in columns) == answers[number], (levels[node], k)
        print(
            f"turn {turn + 1}: core {ours[-1]:.2f} s for {len(levels):,} nodes, "
            f"NumPy {1000 * spent / SAMPLE:.2f} ms a node, ratio {ratios[-1]:.1f}"
        )
    print(
        f"median ratio {statistics.median(ratios):.1f}; core {statistics.median(ours):.2f} CPU s on one core"
    )


if __name__ == "__main__":
    main()
