"""Optimal queries over levels on ARX's own Adult table and hierarchies, beside the figures measured for ARX.

ARX's table and hierarchies are not part of Shoal; give the folder `data` of a clone of arx-deidentifier/arx.
ARX's figures are CPU seconds of warmed-up queries with k = 5 (6,480 nodes), measured once and written here;
Shoal's are the median of several runs on one thread, without counting and then with it.

    python benchmarks/arx_queries.py ../arx/data            # the table as it is
    python benchmarks/arx_queries.py ../arx/data --rows 1000000   # jittered copies of its rows
"""

from __future__ import annotations

import argparse
import csv
import random
import statistics
import tempfile
import time
from pathlib import Path

from shoal.algorithms import ALGORITHMS
from shoal.cost import METRICS
from shoal.engines.duckdb.engine import frequency_table
from shoal.model.policy.attribute import Attribute, Role
from shoal.model.policy.budget import Budget
from shoal.model.result.problem import Problem
from shoal.model.table.frequency_table import FrequencyTable

COLUMNS = ("sex", "age", "race", "marital-status", "education", "native-country", "workclass", "occupation")
K = 5
RUNS = 5
# (metric, suppression) -> CPU seconds of ARX, the least that was seen.
ARX = {
    ("general-loss", 0.05): 0.25,
    ("discernibility", 0.05): 0.65,
    ("general-loss", 1.0): 0.9,
    ("discernibility", 1.0): 2.0,
}


def counted(folder: Path, path: Path) -> FrequencyTable:
    """The table as the search sees it."""
    attributes = [
        Attribute(name=name, role=Role.QUASI_IDENTIFIER, hierarchy=folder / f"adult_hierarchy_{name}.csv")
        for name in COLUMNS
    ]
    return frequency_table(path, attributes)


def jittered(folder: Path, rows: int, path: Path) -> None:
    """Copies of the rows: the age moved by up to two years, one cell in twenty taken from another row."""
    chance = random.Random(0)
    with (folder / "adult.csv").open(newline="") as source:
        table = list(csv.DictReader(source, delimiter=";"))
    with path.open("w", newline="") as target:
        writer = csv.DictWriter(target, COLUMNS, delimiter=";", extrasaction="ignore")
        writer.writeheader()
        for number in range(rows):
            row = dict(table[number % len(table)])
            row["age"] = str(min(90, max(17, int(row["age"]) + chance.randint(-2, 2))))
            for name in COLUMNS:
                if chance.random() < 0.05:
                    row[name] = chance.choice(table)[name]
            writer.writerow(row)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--rows", type=int)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        path = arguments.folder / "adult.csv"
        if arguments.rows:
            path = Path(scratch) / "jittered.csv"
            jittered(arguments.folder, arguments.rows, path)
        started = time.process_time()
        table = counted(arguments.folder, path)
        counting = time.process_time() - started
    print(f"{table.rows:,} rows, {len(table.counts):,} combinations, counted in {counting:.2f} CPU s")
    search = ALGORITHMS["lattice"]()
    for (metric, share), theirs in ARX.items():
        problem = Problem(table=table, k=K, cost=METRICS[metric](), limit=int(share * table.rows))
        spent = []
        for _ in range(RUNS):
            started = time.process_time()
            result = search.solve(problem, Budget(), threads=1)
            spent.append(time.process_time() - started)
        ours = statistics.median(spent)
        beside = (
            f"{ours / counting:.2f} of counting"
            if arguments.rows
            else f"ARX {theirs:.2f} s, ratio {theirs / ours:.1f}"
        )
        print(
            f"{metric:15} {share:4.0%} suppression: {ours:.3f} CPU s, {result.nodes} of 6,480 nodes, "
            f"{result.status}, cost {float(result.cost or 0):.6g}; {beside}"
        )


if __name__ == "__main__":
    main()
