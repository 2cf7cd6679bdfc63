"""What privacy models cost `exact` on Adult: time, nodes and cost, as ratios to k alone.

Seven quasi-identifiers; `occupation`, with 14 values, is the sensitive column. One thread, processor seconds;
a search that runs out of nodes is told with its gap. `--table` prints rows for docs/benchmarks.md.

    python benchmarks/private_cuts.py [--cost general-loss] [--ages one-year] [--nodes 20000] [--k 100 50]
"""

from __future__ import annotations

import argparse
import resource

from shoal.algorithms import ALGORITHMS
from shoal.cost import METRICS
from shoal.datasets import adult_attributes, adult_path
from shoal.engines.duckdb.engine import frequency_table
from shoal.model.policy.attribute import Attribute, Role
from shoal.model.policy.budget import Budget
from shoal.model.policy.evidence import Evidence
from shoal.model.result.problem import Problem
from shoal.model.result.result import Result, Status
from shoal.model.table.frequency_table import FrequencyTable
from shoal.privacy import (
    AlphaKAnonymity,
    AverageRisk,
    DistinctLDiversity,
    EntropyLDiversity,
    PrivacyModel,
    RecursiveLDiversity,
    TCloseness,
)

SENSITIVE = "occupation"
MODELS: dict[str, PrivacyModel] = {
    **{f"distinct l={least}": DistinctLDiversity(attribute=SENSITIVE, l=least) for least in (2, 4, 6)},
    **{f"entropy l={least}": EntropyLDiversity(attribute=SENSITIVE, l=least) for least in (2, 4, 6)},
    "recursive c=3 l=3": RecursiveLDiversity(attribute=SENSITIVE, c=3, l=3),
    **{f"t-closeness t={t}": TCloseness(attribute=SENSITIVE, t=t) for t in (0.5, 0.3, 0.2)},
    "alpha=0.5": AlphaKAnonymity(attribute=SENSITIVE, alpha=0.5),
    "average risk 0.005": AverageRisk(threshold=0.005),
}


def adult_table(ages: str) -> FrequencyTable:
    """Adult with occupations counted per distinct row."""
    attributes = [
        each
        for each in adult_attributes(age_bin=5 if ages == "five-year" else None)
        if each.role is Role.QUASI_IDENTIFIER and each.name != SENSITIVE
    ]
    evidence = Evidence(sensitive=(Attribute(name=SENSITIVE, role=Role.SENSITIVE),))
    return frequency_table(adult_path(), attributes, evidence)


def processor_seconds() -> float:
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


def run(
    table: FrequencyTable, cost: str, k: int, models: tuple[PrivacyModel, ...], budget: Budget
) -> tuple[Result, float]:
    problem = Problem(table=table, k=k, cost=METRICS[cost](), models=models)
    before = processor_seconds()
    result = ALGORITHMS["exact"]().solve(problem, budget)
    return result, processor_seconds() - before


def told(result: Result, seconds: float) -> str:
    if result.status is Status.OPTIMAL:
        return f"{result.nodes:>7,} nodes {seconds:6.1f} s"
    if result.cost is None or result.bound is None:
        return f"nothing found in {seconds:.0f} s"
    gap = float(1 - result.bound / result.cost)
    return f"open, gap {gap:.1%} after {seconds:.0f} s"


def cell(result: Result, seconds: float) -> str:
    """The same for a table: nodes and seconds of a proof, or the gap that is left."""
    if result.status is Status.OPTIMAL:
        return f"{result.nodes:,} / {seconds:.1f}"
    if result.cost is None or result.bound is None:
        return "nothing found"
    return f"**{float(1 - result.bound / result.cost):.1%}**"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cost", choices=("discernibility", "general-loss", "ncp"), default="discernibility")
    parser.add_argument("--nodes", type=int, default=20_000)
    parser.add_argument("--seconds", type=float, help="wall time of one search at most")
    parser.add_argument("--ages", choices=("one-year", "five-year"), default="five-year")
    parser.add_argument("--k", type=int, nargs="+", default=[100, 50, 25, 10])
    parser.add_argument("--model", help="only models whose name contains this")
    parser.add_argument("--table", action="store_true", help="one line per model, one column per k")
    arguments = parser.parse_args()
    table = adult_table(arguments.ages)
    budget = Budget(nodes=arguments.nodes, seconds=arguments.seconds)
    wanted = [name for name in MODELS if arguments.model is None or arguments.model in name]
    lines = {name: [] for name in ("k alone", *wanted)}
    for k in arguments.k:
        alone, seconds = run(table, arguments.cost, k, (), budget)
        cost = f"cost {float(alone.cost or 0):,.6g}"
        print(f"k={k}, {arguments.ages} ages, {arguments.cost}: {told(alone, seconds)}, {cost}", flush=True)
        lines["k alone"] += [cell(alone, seconds), "1"]
        for name in wanted:
            result, more = run(table, arguments.cost, k, (MODELS[name],), budget)
            ratio = f"{float(result.cost / alone.cost):.3f}" if result.cost is not None and alone.cost else ""
            lines[name] += [cell(result, more), ratio]
            ratios = f"time x{more / seconds:.2f}, cost x{ratio}, suppressed {result.suppressed:,}"
            print(f"  {name:<20} {told(result, more)}   {ratios}", flush=True)
    if arguments.table:
        for name, cells in lines.items():
            print(f"| {name} | {' | '.join(cells)} |")


if __name__ == "__main__":
    main()
