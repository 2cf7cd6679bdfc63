"""How near `genetic`, `anneal`, `tds` and `bug` come to the proved optimum of `subtree` on Adult.

Bundled hierarchies, income as the class. Ratios and looks are the same on every machine; seconds inform.

Run: python benchmarks/stochastic.py [--looks 20000] [--k 5,50] [--seeds 1]
"""

from __future__ import annotations

import argparse
import itertools

from adult import LIMITS, METRIC
from shoal import Role
from shoal.algorithms import ALGORITHMS
from shoal.cost import METRICS
from shoal.datasets import adult_level_attributes, adult_path
from shoal.engines.duckdb.engine import frequency_table
from shoal.model.policy.attribute import Attribute
from shoal.model.policy.budget import Budget
from shoal.model.result.problem import Problem
from shoal.model.result.result import Status

DRAWN = ("genetic", "anneal")
STEPPED = ("tds", "bug")


def with_class(attribute: Attribute) -> Attribute:
    """Income tells the class and is no quasi-identifier."""
    return Attribute(name="income", role=Role.CLASS) if attribute.name == "income" else attribute


def compared(problem: Problem, looks: int, seeds: int) -> list[str]:
    """The cells of one line: the optimum, then per search the cost over it, looks and seconds."""
    optimum = ALGORITHMS["subtree"]().solve(problem, Budget(), threads=2)
    assert optimum.status is Status.OPTIMAL
    assert optimum.cost is not None
    cells = [f"{float(optimum.cost):.6g}"]
    for name, seed in [*itertools.product(DRAWN, range(seeds)), *((name, 0) for name in STEPPED)]:
        budget = Budget(nodes=looks) if name in DRAWN else Budget()
        result = ALGORITHMS[name]().solve(problem, budget, seed=seed)
        ratio = "-" if result.cost is None else f"{float(result.cost / optimum.cost):.4f}"
        cells.append(f"{ratio} / {result.nodes:,} / {result.seconds:.1f}")
    return cells


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--looks", type=int, default=20_000)
    parser.add_argument("--k", default="5,50")
    parser.add_argument("--seeds", type=int, default=1)
    options = parser.parse_args()
    table = frequency_table(adult_path(), [with_class(each) for each in adult_level_attributes()])
    heads = [
        "metric",
        "suppression",
        "k",
        "optimum",
        *(n for n in DRAWN for _ in range(options.seeds)),
        *STEPPED,
    ]
    print("|", " | ".join(heads), "|\n|" + "---|" * len(heads))
    for metric, limit, k in itertools.product(METRIC, ("inf", "0"), map(int, options.k.split(","))):
        problem = Problem(table=table, k=k, cost=METRICS[METRIC[metric]](), limit=LIMITS[limit])
        cells = compared(problem, options.looks, options.seeds)
        print("|", " | ".join([metric, limit, str(k), *cells]), "|", flush=True)


if __name__ == "__main__":
    main()
