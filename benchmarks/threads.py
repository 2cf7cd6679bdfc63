"""One thread against two: the same answers, and how much sooner.

Every search does a fixed piece of work on Adult, limited by nodes where it would not end soon, so that both
runs look at the same nodes. Runs with one and with two threads are interleaved; the ratio is the median of
the paired ratios of wall time. `busy` is what both runs got of the processors, two threads over one: 2 if
both threads had work all the time, and 1 if only one of them had; unlike wall time it also says that on a
machine that others use. Recoding, cost, bound and nodes of both must be equal, or it fails.

    python benchmarks/threads.py [--repetitions 5] [--search mondrian]
"""

from __future__ import annotations

import argparse
import os
import statistics
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas

from shoal.algorithms import ALGORITHMS
from shoal.algorithms.rows.k_member import KMember
from shoal.algorithms.rows.mondrian import Mondrian
from shoal.cost import METRICS
from shoal.datasets import adult_level_attributes, adult_path
from shoal.engines.duckdb.engine import frequency_table
from shoal.model.hierarchy.with_hierarchies import with_hierarchies
from shoal.model.policy.attribute import Attribute, Role
from shoal.model.policy.budget import Budget
from shoal.model.recoding.local_recoding import LocalRecoding
from shoal.model.result.problem import Problem
from shoal.model.table.frequency_table import FrequencyTable

K = 10
BLOCK = 1_000
"""Rows of a block of k-member: as `local` cuts a large table."""

Answer = tuple[Any, ...]
Search = Callable[[int], Answer]


def searches(table: FrequencyTable) -> dict[str, Search]:
    """Each with the work that it does."""
    general = Problem(table=table, k=K, cost=METRICS["general-loss"]())
    squares = Problem(table=table, k=50, cost=METRICS["discernibility"]())
    blocks = Mondrian(values="hierarchy").partition(
        Problem(table=table, k=BLOCK, cost=METRICS["ncp"]()), Budget()
    )

    def solved(name: str, problem: Problem, budget: Budget, **options: Any) -> Search:
        def run(threads: int) -> Answer:
            found = ALGORITHMS[name](**options).solve(problem, budget, threads=threads)
            return (found.status, found.cost, found.bound, found.nodes, _comparable(found.recoding))

        return run

    def grown(threads: int) -> Answer:
        made = KMember(values="hierarchy").partition(
            general, Budget(), threads=threads, blocks=blocks.group_of.tolist()
        )
        return (made.cost, made.nodes, made.groups.tobytes())

    return {
        "exact, discernibility, k = 50": solved("exact", squares, Budget(nodes=400)),
        "exact, general loss": solved("exact", general, Budget(nodes=20)),
        "subtree, general loss": solved("subtree", general, Budget(nodes=2_000)),
        "hill-climb, general loss": solved("hill-climb", general, Budget(nodes=1_500)),
        "lattice, fourteen columns": solved("lattice", wide(), Budget(nodes=2_000)),
        "mondrian, by cost": solved("mondrian", general, Budget(), choice="cost"),
        "mondrian, by width": solved("mondrian", general, Budget()),
        "k-member, in blocks": grown,
        "local": solved("local", general, Budget(nodes=20_000)),
    }


def wide() -> Problem:
    """Random numbers in fourteen columns, of which some go together."""
    random = np.random.default_rng(14)
    base = random.integers(0, 16, (6_000, 5))
    codes = (base[:, np.arange(14) % 5] + random.integers(0, 3, (6_000, 14))) % 16
    frame = pandas.DataFrame({f"c{at}": codes[:, at] for at in range(14)})
    attributes = [Attribute(name=name, role=Role.QUASI_IDENTIFIER) for name in frame]
    table = with_hierarchies(frequency_table(frame, attributes), attributes, every=True)
    return Problem(table=table, k=K, cost=METRICS["general-loss"]())


def _comparable(recoding: object) -> object:
    if isinstance(recoding, LocalRecoding):
        return recoding.values.tobytes(), recoding.nodes
    return recoding


def timed(search: Search, threads: int) -> tuple[Answer, float, float]:
    """The answer, wall seconds and processor seconds."""
    wall, worked = time.monotonic(), time.process_time()
    answer = search(threads)
    return answer, time.monotonic() - wall, time.process_time() - worked


def compared(search: Search, repetitions: int) -> list[str]:
    """Seconds with one and two threads, their ratio, and how many threads were busy."""
    walls: dict[int, list[float]] = {1: [], 2: []}
    cores: dict[int, list[float]] = {1: [], 2: []}
    expected, _, _ = timed(search, 2)  # also warms up
    for _ in range(repetitions):
        for threads in (1, 2):
            answer, wall, worked = timed(search, threads)
            assert answer == expected, "the answer depends on the number of threads"
            walls[threads].append(wall)
            cores[threads].append(worked / wall)
    ratios = [one / two for one, two in zip(walls[1], walls[2], strict=True)]
    busy = [two / one for one, two in zip(cores[1], cores[2], strict=True)]
    return [
        *(f"{statistics.median(walls[threads]):.2f}" for threads in (1, 2)),
        f"{statistics.median(ratios):.2f}",
        f"{statistics.median(busy):.2f}",
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repetitions", type=int, default=5)
    parser.add_argument("--search", default="")
    options = parser.parse_args()
    table = frequency_table(adult_path(), adult_level_attributes())
    load = os.getloadavg()[0]
    print(f"Adult, {len(table.counts):,} distinct rows; {os.cpu_count()} cores, load {load:.1f}\n")
    print("| search | one thread, s | two, s | ratio | busy |\n|---|--:|--:|--:|--:|")
    for name, search in searches(table).items():
        if options.search in name:
            print("|", " | ".join([name, *compared(search, options.repetitions)]), "|", flush=True)


if __name__ == "__main__":
    main()
