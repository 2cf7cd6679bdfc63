"""Local recoding on ARX's own Adult table and hierarchies, beside the figures measured for ARX.

ARX's table and hierarchies are not part of Shoal; give the folder `data` of a clone of arx-deidentifier/arx.
ARX's figures (NCP, discernibility and the least CPU seconds of its local recoding, no row suppressed) were
measured once and are written here. Shoal's CPU seconds are those of the search, on one thread, its bound
included.

    python benchmarks/local_recoding.py ../arx/data
"""

from __future__ import annotations

import argparse
import resource
from pathlib import Path

from arx_queries import counted
from shoal.algorithms.local import Local
from shoal.cost import METRICS
from shoal.model.budget import Budget
from shoal.model.problem import Problem

# k -> NCP, discernibility, CPU seconds.
ARX = {
    2: (0.0286, 155_680, 0.29),
    5: (0.0569, 253_100, 0.65),
    10: (0.0790, 438_252, 0.91),
    50: (0.1503, 1_965_180, 2.2),
    100: (0.1925, 3_712_676, 3.1),
}


def cpu_seconds() -> float:
    """CPU time of this process so far."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def main() -> None:
    """Print one line per k."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("folder", type=Path)
    folder = parser.parse_args().folder
    table = counted(folder, folder / "adult.csv")
    print("| k | NCP | bound | NCP of ARX | DM | DM of ARX | CPU s | of ARX |")
    print("|---|---|---|---|---|---|---|---|")
    for k, (ncp, discernibility, seconds) in ARX.items():
        problem = Problem(table=table, k=k, cost=METRICS["ncp"](), limit=0)
        started = cpu_seconds()
        result = Local().solve(problem, Budget())
        used = cpu_seconds() - started
        assert result.recoding is not None
        assert result.cost is not None
        assert result.bound is not None
        squares = METRICS["discernibility"]().of(table, result.recoding, k)
        print(
            f"| {k} | {float(result.cost):.4f} | {float(result.bound):.4f} | {ncp:.4f} | {squares:,} "
            f"| {discernibility:,} | {used:.2f} | {seconds:.2f} |"
        )


if __name__ == "__main__":
    main()
