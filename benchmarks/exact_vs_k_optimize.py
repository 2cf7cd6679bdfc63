"""`exact` against the repaired K-Optimize on Adult: processor seconds of both, case by case.

Both run on one thread with the same first incumbent from hill climbing; a run that reaches the cap counts as
the cap. Where both finish their costs must be equal: the script fails otherwise.

    python benchmarks/exact_vs_k_optimize.py [--cap 600] [--only DM|CM]
"""

from __future__ import annotations

import argparse
import json
import math
import resource
from pathlib import Path

from adult import adult_problem
from shoal.algorithms import ALGORITHMS
from shoal.model.policy.budget import Budget
from shoal.model.result.result import Status

CASES = [
    (metric, ages, k)
    for metric in ("DM", "CM")
    for ages, ks in (("one-year", (1000, 500, 250)), ("five-year", (250, 100, 50)))
    for k in ks
]
RESULTS = Path(__file__).parent / "results"


def processor_seconds() -> float:
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


def run(name: str, case: tuple[str, str, int], cap: float) -> dict[str, object]:
    metric, ages, k = case
    problem = adult_problem(ages, metric, k, "inf")
    before = processor_seconds()
    result = ALGORITHMS[name]().solve(problem, Budget(seconds=cap))
    proved = result.status is Status.OPTIMAL
    seconds = processor_seconds() - before
    return {
        "cost": int(result.cost or 0),
        "bound": int(result.bound or 0),
        "proved": proved,
        "nodes": result.nodes,
        "cpu": round(seconds if proved else cap, 2),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cap", type=float, default=600)
    parser.add_argument("--only", choices=("DM", "CM"))
    arguments = parser.parse_args()
    ratios = []
    for case in CASES:
        if arguments.only not in (None, case[0]):
            continue
        rows = {name: run(name, case, arguments.cap) for name in ("exact", "k-optimize")}
        if all(row["proved"] for row in rows.values()) and len({row["cost"] for row in rows.values()}) > 1:
            raise SystemExit(f"{case}: both claim the optimum and differ: {rows}")
        ratio = float(rows["k-optimize"]["cpu"]) / float(rows["exact"]["cpu"])
        ratios.append(ratio)
        RESULTS.mkdir(exist_ok=True)
        path = RESULTS / f"exact_vs_k_optimize_{case[0]}_{case[1]}_{case[2]}.json"
        path.write_text(json.dumps({"case": case, "cap": arguments.cap, **rows}, indent=1) + "\n")
        print(*case, *(f"{name}: {row}" for name, row in rows.items()), f"ratio {ratio:.1f}", flush=True)
    mean = math.exp(sum(map(math.log, ratios)) / len(ratios))
    print(f"geometric mean of the ratios: {mean:.1f} over {len(ratios)} cases")


if __name__ == "__main__":
    main()
