"""MDAV and k-member groups on ARX's own Adult table, released as sets and intervals, and as labels.

NCP by values, no row suppressed. The best figure of a peer for MDAV groups as sets is .0334 at k=5, in 114 s
and 17 GB. CPU seconds are those of the search, on one thread.

    python benchmarks/grouping.py ../arx/data
"""

from __future__ import annotations

import argparse
from pathlib import Path

from arx_queries import counted
from local_recoding import cpu_seconds
from shoal.algorithms import ALGORITHMS, Algorithm
from shoal.algorithms.rows.k_member import KMember
from shoal.algorithms.rows.microaggregate import Microaggregate
from shoal.cost import METRICS
from shoal.model.policy.budget import Budget
from shoal.model.recoding.groups import groups
from shoal.model.recoding.local_recoding import LocalRecoding
from shoal.model.result.problem import Problem

ASKED: dict[str, Algorithm] = {
    "mdav as sets": Microaggregate(),
    "v-mdav as sets": Microaggregate(method="v-mdav"),
    "k-member, sets": KMember(values="sets"),
    "k-member, labels": KMember(),
    "local, sets": ALGORITHMS["local"].with_options({"values": "sets"}),
    "local, labels": ALGORITHMS["local"].with_options({}),
}


def main() -> None:
    """Print one line per algorithm and k."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("folder", type=Path)
    folder = parser.parse_args().folder
    table = counted(folder, folder / "adult.csv")
    print("| groups | k | NCP | DM | groups | largest | CPU s |")
    print("|---|---|---|---|---|---|---|")
    for name, algorithm in ASKED.items():
        for k in (5, 10):
            problem = Problem(table=table, k=k, cost=METRICS["ncp"](), limit=0)
            started = cpu_seconds()
            if isinstance(algorithm, Microaggregate):
                own = algorithm.grouped(problem, Budget()).groups
                used = cpu_seconds() - started
                recoding = LocalRecoding.from_groups(table, own, ["spans"] * len(table.domains))
            else:
                found = algorithm.solve(problem, Budget()).recoding
                used = cpu_seconds() - started
                assert isinstance(found, LocalRecoding)
                recoding = found
            made = groups(table, recoding, k)
            ncp, squares = (METRICS[each]().of(table, recoding, k) for each in ("ncp", "discernibility"))
            print(
                f"| {name} | {k} | {float(ncp):.4f} | {squares:,} | {len(made.sizes):,} "
                f"| {made.sizes.max():,} | {used:.2f} |",
                flush=True,
            )


if __name__ == "__main__":
    main()
