"""Local recoding on ARX's own Adult table and hierarchies, beside the figures measured for ARX and others.

ARX's table and hierarchies are not part of Shoal; give the folder `data` of a clone of arx-deidentifier/arx.
ARX's figures (NCP, discernibility and the least CPU seconds of its local recoding, no row suppressed) and
those of the best packages that release sets or intervals (NCP) were measured once and are written here. CPU
seconds of Shoal are the least of three searches on one thread; the release is found after the first number of
seconds, the rest is the proof of its bound, which ARX does not give.

    python benchmarks/local_recoding.py ../arx/data
"""

from __future__ import annotations

import argparse
import resource
from pathlib import Path
from typing import Literal

from arx_queries import counted
from shoal.algorithms.rows.local import Local
from shoal.cost import METRICS
from shoal.model.policy.budget import Budget
from shoal.model.result.problem import Problem
from shoal.model.result.result import Result
from shoal.model.table.frequency_table import FrequencyTable

# k -> NCP, discernibility, CPU seconds.
ARX = {
    2: (0.0286, 155_680, 0.29),
    5: (0.0569, 253_100, 0.65),
    10: (0.0790, 438_252, 0.91),
    50: (0.1503, 1_965_180, 2.2),
    100: (0.1925, 3_712_676, 3.1),
}
# k -> NCP of the best package, its seconds.
SETS = {5: (0.0288, "6 to 58"), 10: (0.0497, "6 to 58"), 50: (0.1404, "6 to 58")}
RUNS = 3


def cpu_seconds() -> float:
    """CPU time of this process so far."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def solved(
    table: FrequencyTable, k: int, cost: str, values: Literal["hierarchy", "sets"]
) -> tuple[Result, float, float, int]:
    """The result, the least CPU seconds of some runs, NCP and discernibility."""
    problem = Problem(table=table, k=k, cost=METRICS[cost](), limit=0)
    seconds = []
    for _ in range(RUNS):
        started = cpu_seconds()
        result = Local(values=values).solve(problem, Budget())
        seconds.append(cpu_seconds() - started)
    assert result.recoding is not None
    ncp, squares = (METRICS[name]().of(table, result.recoding, k) for name in ("ncp", "discernibility"))
    return result, min(seconds), float(ncp), int(squares)


def found_after(result: Result) -> float:
    """Seconds until the cost fell for the last time."""
    costs = [(moment.cost, moment.seconds) for moment in result.trace if moment.cost is not None]
    least = min(cost for cost, _ in costs)
    return min(seconds for cost, seconds in costs if cost == least)


def main() -> None:
    """Print one table for labels, one for discernibility, one for sets."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("folder", type=Path)
    folder = parser.parse_args().folder
    table = counted(folder, folder / "adult.csv")
    print("| k | NCP | bound | NCP of ARX | DM | DM of ARX | found after s | CPU s | of ARX |")
    print("|---|--:|--:|--:|--:|--:|--:|--:|--:|")
    for k, (theirs, their_squares, their_seconds) in ARX.items():
        result, used, ncp, squares = solved(table, k, "ncp", "hierarchy")
        print(
            f"| {k} | {ncp:.4f} | {float(result.bound or 0):.4f} | {theirs:.4f} | {squares:,} "
            f"| {their_squares:,} | {found_after(result):.2f} | {used:.2f} | {their_seconds:.2f} |"
        )
    print("\n| k | DM | bound | DM of ARX | NCP | CPU s |")
    print("|---|--:|--:|--:|--:|--:|")
    for k, (_, their_squares, _) in ARX.items():
        result, used, ncp, squares = solved(table, k, "discernibility", "hierarchy")
        print(
            f"| {k} | {squares:,} | {int(result.bound or 0):,} | {their_squares:,} | {ncp:.4f} | {used:.2f} |"
        )
    print("\n| k | NCP by sets | bound | best package | CPU s | of it |")
    print("|---|--:|--:|--:|--:|--:|")
    for k in ARX:
        result, used, ncp, _ = solved(table, k, "ncp", "sets")
        peer, taken = SETS.get(k, (None, "-"))
        told = "-" if peer is None else f"{peer:.4f}"
        print(f"| {k} | {ncp:.4f} | {float(result.bound or 0):.4f} | {told} | {used:.2f} | {taken} |")


if __name__ == "__main__":
    main()
