"""Levels under privacy models on Adult: what a model costs beside k alone, in the same run.

The lattice of 17,920 nodes; `occupation` with its 14 values is the sensitive column. First every node is
evaluated, under k alone and with models; then `lattice` proves the optimum. Ratios are to k alone.

    python benchmarks/private_levels.py             # a few minutes
    python benchmarks/private_levels.py --quick     # one k
"""

from __future__ import annotations

import argparse
import statistics
import time

from shoal import datasets
from shoal.algorithms import ALGORITHMS
from shoal.algorithms.levels._lattice import Lattice
from shoal.cost import Discernibility, GeneralLoss
from shoal.engines.duckdb.engine import frequency_table
from shoal.model.policy.attribute import Attribute, Role
from shoal.model.policy.budget import Budget
from shoal.model.policy.evidence import Evidence
from shoal.model.result.problem import Problem
from shoal.model.result.result import Result
from shoal.model.table.frequency_table import FrequencyTable
from shoal.privacy import (
    BetaLikeness,
    DistinctLDiversity,
    EntropyLDiversity,
    PrivacyModel,
    RecursiveLDiversity,
    TCloseness,
)

OCCUPATION = "occupation"
MODELS: dict[str, tuple[PrivacyModel, ...]] = {
    "k alone": (),
    **{f"distinct l = {least}": (DistinctLDiversity(attribute=OCCUPATION, l=least),) for least in (2, 4, 6)},
    "entropy l = 4": (EntropyLDiversity(attribute=OCCUPATION, l=4),),
    "recursive c = 3, l = 3": (RecursiveLDiversity(attribute=OCCUPATION, c=3, l=3),),
    "t-closeness 0.4, equal": (TCloseness(attribute=OCCUPATION, t=0.4),),
    "t-closeness 0.3, hierarchical": (TCloseness(attribute=OCCUPATION, t=0.3, ground="hierarchical"),),
    "beta-likeness 2": (BetaLikeness(attribute=OCCUPATION, beta=2),),
    "distinct, t-closeness, beta": (
        DistinctLDiversity(attribute=OCCUPATION, l=4),
        TCloseness(attribute=OCCUPATION, t=0.5),
        BetaLikeness(attribute=OCCUPATION, beta=3),
    ),
}
ROUNDS = 3
SECONDS = 60.0


def adult() -> FrequencyTable:
    """Adult with the occupations as facts."""
    levels = [each for each in datasets.adult_level_attributes() if each.role is Role.QUASI_IDENTIFIER]
    path = datasets.adult_hierarchy_path(OCCUPATION)
    evidence = Evidence(sensitive=(Attribute(name=OCCUPATION, role=Role.SENSITIVE, hierarchy=path),))
    return frequency_table(datasets.adult_path(), levels, evidence)


def evaluate_all(table: FrequencyTable) -> None:
    """Every node under each set of models, in turns; medians."""
    lattices = {
        name: Lattice(Problem(table=table, k=5, cost=GeneralLoss(), models=models))
        for name, models in MODELS.items()
    }
    spent: dict[str, list[float]] = {name: [] for name in MODELS}
    for _ in range(ROUNDS):
        for name, lattice in lattices.items():
            price, low, high = lattice.priced.price, list(lattice.low), list(lattice.high)
            core, least = lattice.core, lattice.least_rows
            started = time.process_time()
            every = core.measure_all(low, high, [price], [least], 1)
            spent[name].append(time.process_time() - started)
    print(f"\n| all {len(every.levels):,} nodes, k = 5 | CPU seconds | ratio |\n|---|--:|--:|")
    alone = statistics.median(spent["k alone"])
    for name, seconds in spent.items():
        median = statistics.median(seconds)
        print(f"| {name} | {median:.2f} | {median / alone:.2f} |")


def solved(problem: Problem) -> tuple[Result, float]:
    """The result, and CPU seconds."""
    started = time.process_time()
    result = ALGORITHMS["lattice"]().solve(problem, Budget(seconds=SECONDS))
    return result, time.process_time() - started


def search(table: FrequencyTable, k: int, share: float | None) -> None:
    """The optimum under each set of models."""
    limit = None if share is None else int(share * table.rows)
    for cost in (GeneralLoss(), Discernibility()):
        allowed = "any number of rows" if limit is None else f"{limit:,} rows"
        print(
            f"\n| {cost.name}, k = {k}, {allowed} suppressed | CPU seconds | ratio | nodes | status | cost |"
        )
        print("|---|--:|--:|--:|---|--:|")
        alone = 0.0
        for name, models in MODELS.items():
            problem = Problem(table=table, k=k, cost=cost, limit=limit, models=models)
            result, seconds = solved(problem)
            alone = alone or seconds
            told = "" if result.cost is None else f"{float(result.cost):,.4g}"
            if result.cost is not None and result.gap:
                told += f", gap {100 * result.gap:.1f} %"
            print(
                f"| {name} | {seconds:.2f} | {seconds / alone:.1f} | {result.nodes:,} | "
                f"{result.status.value} | {told} |",
                flush=True,
            )


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--quick", action="store_true")
    quick = arguments.parse_args().quick
    table = adult()
    evaluate_all(table)
    for k in (5,) if quick else (5, 20, 100):
        for share in (0.05, None):
            search(table, k, share)


if __name__ == "__main__":
    main()
