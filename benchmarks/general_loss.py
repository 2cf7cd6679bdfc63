"""General loss over cuts on Adult, proved or with its gap: `exact` with one thread and with two.

Five-year ages; five, six and eight quasi-identifiers. Nodes are capped, so that a run is the same on every
machine; what one thread and two answer is compared, and their processor seconds are told.

    python benchmarks/general_loss.py [--nodes 20000] [--threads 1 2]
"""

from __future__ import annotations

import argparse

from exact_vs_k_optimize import processor_seconds
from shoal.algorithms import ALGORITHMS
from shoal.cost import METRICS
from shoal.datasets import adult_attributes, adult_path
from shoal.engines.duckdb.engine import frequency_table
from shoal.model.policy.budget import Budget
from shoal.model.result.problem import Problem
from shoal.model.result.result import Result, Status

FIVE = ("age", "education", "marital-status", "race", "sex")
SIX = (*FIVE, "occupation")
EIGHT = (*SIX, "workclass", "native-country")
CASES = (
    (FIVE, 10, None),
    (SIX, 50, None),
    (SIX, 10, None),
    (EIGHT, 1000, None),
    (EIGHT, 250, None),
    (EIGHT, 50, None),
    (EIGHT, 50, 300),
    *((EIGHT, k, 0) for k in (250, 50, 10)),
)


def problem_of(names: tuple[str, ...], k: int, limit: int | None) -> Problem:
    attributes = [each for each in adult_attributes(age_bin=5) if each.name in names]
    table = frequency_table(adult_path(), attributes)
    return Problem(table=table, k=k, cost=METRICS["general-loss"](), limit=limit)


def told(result: Result) -> str:
    cost, bound = float(result.cost or 0), float(result.bound or 0)
    state = "proved" if result.status is Status.OPTIMAL else f"bound {bound:.4f}, gap {1 - bound / cost:.1%}"
    return f"{cost:.6f} | {state} | {result.nodes:,}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--nodes", type=int, default=20_000)
    parser.add_argument("--threads", type=int, nargs="+", default=(1, 2))
    given = parser.parse_args()
    print("| columns | k | suppression | loss | | nodes | cpu seconds |")
    print("|--:|--:|---|--:|---|--:|--:|")
    for names, k, limit in CASES:
        problem = problem_of(names, k, limit)
        results, seconds = [], []
        for threads in given.threads:
            before = processor_seconds()
            results.append(ALGORITHMS["exact"]().solve(problem, Budget(nodes=given.nodes), threads=threads))
            seconds.append(f"{processor_seconds() - before:.1f}")
        if len({(each.cost, each.bound, each.nodes) for each in results}) > 1:
            raise SystemExit("the answer depends on the number of threads")
        allowed = "any" if limit is None else limit
        print(f"| {len(names)} | {k} | {allowed} | {told(results[0])} | {' / '.join(seconds)} |", flush=True)


if __name__ == "__main__":
    main()
