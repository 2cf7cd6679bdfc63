"""Cell suppression on Adult: how far `cells` proves, and what the approximations are worth.

Run: python benchmarks/cell_suppression.py [--seconds 60] [--forest]
"""

from __future__ import annotations

import argparse
import time
from dataclasses import replace

import numpy as np

from adult import adult_table
from shoal.algorithms import Algorithm
from shoal.algorithms.cells.cells import Cells
from shoal.algorithms.rows.forest import Forest
from shoal.algorithms.rows.matching import Matching
from shoal.algorithms.rows.meyerson_williams import MeyersonWilliams
from shoal.cost import SuppressedCells
from shoal.model.policy.budget import Budget
from shoal.model.result.problem import Problem
from shoal.model.table.frequency_table import FrequencyTable

SAMPLES = ((100, 2), (100, 3), (100, 5), (300, 2), (300, 3), (300, 5), (1000, 2), (1000, 5))


def plain(table: FrequencyTable) -> FrequencyTable:
    """The table without class labels."""
    return replace(table, labels=(), label_counts=np.zeros((0, 0), np.int64))


def sample(table: FrequencyTable, rows: int) -> FrequencyTable:
    """Some rows of a table, always the same."""
    every = np.repeat(np.arange(len(table.counts)), table.counts)
    chosen = np.random.default_rng(0).choice(every, rows, replace=False)
    distinct, counts = np.unique(chosen, return_counts=True)
    return replace(table, codes=table.codes[distinct], counts=counts.astype(np.int64))


def line(algorithm: Algorithm, table: FrequencyTable, k: int, seconds: float) -> str:
    """A line of the table: cells, bound, gap and wall time."""
    problem = Problem(table=table, k=k, cost=SuppressedCells(), limit=0)
    said = f"| {table.rows:,} | {k} | `{algorithm.name}` |"
    if algorithm.supports(problem) is not None:
        return f"{said} - | - | - | - |"
    started = time.perf_counter()
    result = algorithm.solve(problem, Budget(seconds=seconds))
    spent = time.perf_counter() - started
    if result.cost is None or result.bound is None:
        return f"{said} none | - | - | {spent:.1f} |"
    gap = f"{result.gap:.1%}" if result.gap else "0, proved"
    return f"{said} {int(result.cost):,} | {int(result.bound):,} | {gap} | {spent:.1f} |"


def main() -> None:
    """Print the tables of docs/algorithms/cells.md and forest.md."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--forest", action="store_true")
    asked = parser.parse_args()
    table = plain(adult_table("one-year"))
    print("| rows | k | algorithm | cells | bound | gap | s |\n|--:|--:|---|--:|--:|--:|--:|")
    if asked.forest:
        for k in (2, 3, 5, 10, 50):
            for each in (Forest(), Cells()):
                print(line(each, table, k, asked.seconds), flush=True)
        return
    for rows, k in SAMPLES:
        for algorithm in (Cells(), Matching(), Forest(), MeyersonWilliams()):
            print(line(algorithm, sample(table, rows), k, asked.seconds), flush=True)


if __name__ == "__main__":
    main()
