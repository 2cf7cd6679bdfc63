"""What flexibility buys: the least loss of levels, of subtrees and of free cuts on Adult, for k = 1000 .. 5.

All three search the same table with the bundled hierarchies, whose leaves stand in the order of the cuts, so
every recoding by levels is one by subtrees and every one by subtrees is one by cuts. Each cost is a proved
optimum unless a gap is told.

    python benchmarks/flexibility.py [--metric general-loss] [--suppression 0] [--picture FILE.png]
"""

from __future__ import annotations

import argparse
from pathlib import Path

from shoal import datasets
from shoal.algorithms import ALGORITHMS
from shoal.cost import METRICS
from shoal.engines.duckdb.engine import frequency_table
from shoal.model.policy.attribute import Attribute, Role
from shoal.model.policy.budget import Budget
from shoal.model.result.problem import Problem
from shoal.model.result.result import Result

KS = (1000, 500, 250, 100, 50, 25, 10, 5)
SPACES = {"lattice": "levels", "subtree": "subtrees", "exact": "cuts"}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--metric", default="discernibility", choices=sorted(METRICS))
    parser.add_argument("--suppression", type=int)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--picture", type=Path)
    arguments = parser.parse_args()
    attributes = [
        Attribute(name=name, role=Role.QUASI_IDENTIFIER, hierarchy=datasets.adult_hierarchy_path(name))
        for name in datasets.ADULT_QUASI_IDENTIFIERS
    ]
    table = frequency_table(datasets.adult_path(), [*attributes, Attribute(name="income", role=Role.CLASS)])
    found: dict[str, list[Result]] = {space: [] for space in SPACES.values()}
    print("| k | levels | subtrees | cuts | subtrees / levels | cuts / levels |")
    print("|---|---|---|---|---|---|")
    for k in KS:
        problem = Problem(table=table, k=k, cost=METRICS[arguments.metric](), limit=arguments.suppression)
        budget = Budget(seconds=arguments.seconds)
        for name, space in SPACES.items():
            found[space].append(ALGORITHMS[name]().solve(problem, budget, threads=arguments.threads))
        costs = [float(found[space][-1].cost or 0) for space in SPACES.values()]
        cells = [told(found[space][-1]) for space in SPACES.values()]
        ratios = [f"{cost / costs[0]:.2f}" for cost in costs[1:]]
        print(f"| {k} | {' | '.join([*cells, *ratios])} |", flush=True)
    if arguments.picture:
        draw(found, arguments.metric, arguments.picture)


def told(result: Result) -> str:
    """The cost, the gap if there is one, and the time."""
    cost = float(result.cost or 0)
    text = f"{cost:,.0f}" if cost >= 10 else f"{cost:.4f}"
    gap = f", gap {100 * result.gap:.1f} %" if result.gap else ""
    return f"{text} ({result.seconds:.1f} s{gap})"


def draw(found: dict[str, list[Result]], metric: str, path: Path) -> None:
    import matplotlib as mpl

    mpl.use("Agg")
    from matplotlib import pyplot as plt

    figure, axes = plt.subplots(figsize=(7, 4.2))
    for (space, results), colour in zip(found.items(), ("#b5652b", "#2b7a78", "#17252a"), strict=True):
        axes.plot(KS, [float(result.cost or 0) for result in results], "o-", color=colour, label=space)
    axes.set_xscale("log")
    axes.set_xticks(KS, [str(k) for k in KS])
    axes.minorticks_off()
    if metric == "discernibility":
        axes.set_yscale("log")
    axes.set_xlabel("k")
    axes.set_ylabel(f"least {metric} on Adult")
    axes.spines[["top", "right"]].set_visible(False)
    axes.legend(frameon=False)
    figure.tight_layout()
    figure.savefig(path, dpi=150)


if __name__ == "__main__":
    main()
