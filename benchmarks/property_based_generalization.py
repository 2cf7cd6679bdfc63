"""Tables 1(b), 2(a) and 2(b) of Dewri, Ray, Ray and Whitley (DBSec 2010) on Adult: a campaign of seeded runs.

For each set of objectives: the exact front of the bundled hierarchies' lattice, then runs of PBG-EA, plain as
in the paper and with `fresh` under the paper's own number of evaluations. Told are the means of
representation ratio (RR), convergence error (CE) and different nodes looked at, and processor seconds.

General loss is summed over cells here, as in the paper: an epsilon of one is one cell.

    python benchmarks/property_based_generalization.py [--runs 20] [--pictures docs/images]
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

from shoal import datasets
from shoal.algorithms._watch import Watch
from shoal.algorithms.levels._lattice import Levels
from shoal.algorithms.levels._profiles import MeasuredNode, MeasuredNodes, Measurer
from shoal.algorithms.levels.front_of_levels import FrontAnswer, front_of_levels
from shoal.algorithms.levels.pbg_ea import PbgEa
from shoal.engines.duckdb.engine import frequency_table
from shoal.model.policy.attribute import Attribute, Role
from shoal.model.policy.budget import Budget
from shoal.model.policy.evidence import Evidence
from shoal.model.table.frequency_table import FrequencyTable
from shoal.objectives import Quality, convergence_error, objectives_of, representation_ratio

SUPPRESSION = Fraction(1, 100)


@dataclass(frozen=True)
class Case:
    """A line of the paper's tables: objectives, epsilons, and what the paper reports.

    Epsilons are in the paper's units: rows for k, values for l, cells for general loss.
    """

    objectives: tuple[str, ...]
    epsilons: tuple[int, ...]
    ratio: float | None = None
    error: float | None = None
    evaluations: int | None = None
    income_is_a_class: bool = False


K, L = ("k", "general-loss"), ("k", "l", "general-loss")
CASES = (
    Case(K, (1, 1), 0.94, 3.7e-4, 916),
    Case(L, (1, 1, 1), 0.93, 3.3e-4, 946),
    Case(("spread-k", "general-loss"), (1, 1), 0.84, 5.7e-4, 1136),
    Case(("spread-k", "spread-l", "general-loss"), (1, 1, 1), 0.83, 6.6e-4, 1197),
    Case(("k", "general-loss", "classification"), (1, 1, 1), None, None, 1073, income_is_a_class=True),
)
DISCRETIZED = (
    Case(K, (5, 100), 0.95, 4.3e-4, 916),
    Case(K, (10, 1000), 0.98, 1.6e-4, 916),
    Case(K, (50, 10000), 1.0, 1.7e-4, 916),
    Case(L, (5, 2, 100), 0.92, 4.9e-3, 946),  # these epsilons are not legible in our copy
    Case(L, (10, 4, 1000), 0.92, 7.4e-3, 946),
    Case(L, (50, 6, 10000), 0.88, 1.8e-2, 946),
)


class KnownNodes(Measurer):
    """Nodes that were all measured before, so that twenty runs cost what one does."""

    def learn(self, measured: MeasuredNodes) -> None:
        self.known = {tuple(levels): index for index, levels in enumerate(measured.levels.tolist())}
        self.measured = measured

    def node(self, levels: Levels) -> MeasuredNode:
        return self.measured.node(self.known[levels])


def table_of(*, income_is_a_class: bool) -> FrequencyTable:
    """Adult with the bundled hierarchies, and occupation as the sensitive column."""
    names = datasets.ADULT_LEVEL_QUASI_IDENTIFIERS[: -1 if income_is_a_class else None]
    quasi = [
        Attribute(name=name, role=Role.QUASI_IDENTIFIER, hierarchy=datasets.adult_hierarchy_path(name))
        for name in names
    ]
    if income_is_a_class:
        return frequency_table(datasets.adult_path(), [*quasi, Attribute(name="income", role=Role.CLASS)])
    evidence = Evidence(sensitive=(Attribute(name="occupation", role=Role.SENSITIVE),))
    return frequency_table(datasets.adult_path(), quasi, evidence)


def epsilons_of(case: Case, measurer: Measurer) -> list[Fraction]:
    """The epsilons in the objectives' own units: general loss is a mean over cells there."""
    cells = measurer.table.rows * len(measurer.table.domains)
    return [
        Fraction(epsilon, cells if name == "general-loss" else 1)
        for name, epsilon in zip(case.objectives, case.epsilons, strict=True)
    ]


@dataclass(frozen=True)
class Runs:
    """What some runs found, against the exact front."""

    ratios: list[float]
    errors: list[float]
    evaluations: list[int]
    held: list[int]

    def told(self) -> str:
        means = [statistics.mean(each) for each in (self.ratios, self.errors, self.evaluations)]
        per_point = statistics.mean(e / n for e, n in zip(self.errors, self.held, strict=True))
        variance = statistics.pvariance(self.ratios)
        return f"{means[0]:.3f} ({variance:.0e}) | {means[1]:.1e} | {per_point:.1e} | {means[2]:,.0f}"


def qualities(answer: FrontAnswer) -> list[Quality]:
    return [each.node.quality for each in answer.nodes]


def campaign(
    case: Case, measurer: KnownNodes, exact: FrontAnswer, search: PbgEa, runs: int, most: int | None
) -> tuple[Runs, FrontAnswer]:
    """Runs of one algorithm; the first one's front is kept for a picture."""
    epsilons = epsilons_of(case, measurer)
    found = Runs([], [], [], [])
    first: FrontAnswer | None = None
    for seed in range(runs):
        answer = front_of_levels(
            measurer,
            Watch(Budget(nodes=most)),
            algorithm="pbg-ea",
            epsilons=epsilons,
            pbg_ea=search,
            seed=seed,
        )
        first = first or answer
        found.ratios.append(representation_ratio(qualities(exact), qualities(answer), answer.epsilons))
        found.errors.append(convergence_error(qualities(exact), qualities(answer)))
        found.evaluations.append(answer.evaluated)
        found.held.append(len(answer.nodes))
    assert first is not None
    return found, first


def seconds_of(measurer: Measurer, **asked: Any) -> tuple[float, FrontAnswer]:
    started = time.process_time()
    answer = front_of_levels(measurer, Watch(), threads=1, **asked)
    return time.process_time() - started, answer


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--runs", type=int, default=20)
    parser.add_argument("--pictures", type=Path)
    arguments = parser.parse_args()
    tables = {each: table_of(income_is_a_class=each) for each in (False, True)}
    pictures: list[tuple[Case, FrontAnswer, FrontAnswer]] = []
    print("| objectives | epsilons | front | algorithm | RR (variance) | CE | CE per point | evaluations |")
    print("|---|---|--:|---|--:|--:|--:|--:|")
    times = []
    exact_fronts: dict[tuple[str, ...], tuple[KnownNodes, FrontAnswer]] = {}
    for case in (*CASES, *DISCRETIZED):
        if case.objectives not in exact_fronts:
            table = tables[case.income_is_a_class]
            objectives = objectives_of(case.objectives, ["occupation"])
            measurer = KnownNodes(table, objectives, int(table.rows * SUPPRESSION))
            spent, exact = seconds_of(Measurer(table, objectives, measurer.limit), algorithm="exact")
            plain, once = seconds_of(
                Measurer(table, objectives, measurer.limit),
                algorithm="pbg-ea",
                pbg_ea=PbgEa(),
                epsilons=epsilons_of(case, measurer),
            )
            times.append((case, exact, spent, once, plain))
            measurer.learn(measurer.sweep(measurer.low, measurer.high, 1))
            exact_fronts[case.objectives] = (measurer, exact)
        measurer, exact = exact_fronts[case.objectives]
        named = f"{', '.join(case.objectives)} | {', '.join(map(str, case.epsilons))} | {len(exact.nodes)}"
        if case.ratio is not None:
            print(f"| {named} | paper | {case.ratio} | {case.error:.1e} | | {case.evaluations:,} |")
        else:
            print(f"| {named} | paper | | | | {case.evaluations:,} |")
        plain_runs, first = campaign(case, measurer, exact, PbgEa(), arguments.runs, None)
        print(f"| {named} | plain | {plain_runs.told()} |", flush=True)
        fresh_runs, _ = campaign(case, measurer, exact, PbgEa(fresh=True), arguments.runs, case.evaluations)
        print(f"| {named} | fresh | {fresh_runs.told()} |", flush=True)
        if case in CASES:
            pictures.append((case, exact, first))
    print("\n| objectives | lattice | exact front, seconds | PBG-EA, seconds | nodes looked at | ratio |")
    print("|---|--:|--:|--:|--:|--:|")
    for case, exact, spent, once, plain in times:
        print(
            f"| {', '.join(case.objectives)} | {exact.lattice:,} | {spent:.2f} | {plain:.2f} | "
            f"{once.evaluated:,} | {spent / plain:.1f} |"
        )
    if arguments.pictures:
        draw(pictures, arguments.pictures)


def draw(pictures: Sequence[tuple[Case, FrontAnswer, FrontAnswer]], folder: Path) -> None:
    """Figures 1 to 3: the exact front, and one run of PBG-EA on it."""
    import matplotlib as mpl

    mpl.use("Agg")
    mpl.rcParams["svg.hashsalt"] = "shoal"  # the same picture, the same bytes
    from matplotlib import pyplot as plt

    for number, chosen in enumerate((pictures[0:2], pictures[2:4], pictures[4:5]), start=1):
        figure, panels = plt.subplots(1, len(chosen), figsize=(5.2 * len(chosen), 4), squeeze=False)
        for axes, (case, exact, found) in zip(panels[0], chosen, strict=True):
            names = case.objectives
            loss = names.index("general-loss")
            third = next((place for place in range(len(names)) if place not in (0, loss)), None)
            points = [[float(value) for value in each.node.values] for each in exact.nodes]
            held = [[float(value) for value in each.node.values] for each in found.nodes]
            shades: dict[str, Any] = {"color": "#9fb8b7"}
            if third is not None:
                shades = {"c": [point[third] for point in points], "cmap": "viridis"}
            dots = axes.scatter(
                [point[0] for point in points],
                [point[loss] for point in points],
                s=38,
                label="exact front",
                zorder=2,
                **shades,
            )
            axes.plot(
                [point[0] for point in held],
                [point[loss] for point in held],
                "x",
                color="#b5652b",
                markersize=5,
                label="PBG-EA, seed 0",
                zorder=3,
            )
            if third is not None:
                figure.colorbar(dots, ax=axes, label=names[third])
            axes.set_xscale("log")
            axes.set_xlabel(names[0])
            axes.set_ylabel(names[loss])
            axes.set_title(", ".join(names), fontsize=10)
            axes.spines[["top", "right"]].set_visible(False)
            axes.grid(color="#eeeeee", zorder=0)
            axes.legend(frameon=False, fontsize=9)
        figure.tight_layout()
        figure.savefig(folder / f"pbg-figure-{number}.svg", metadata={"Date": None})


if __name__ == "__main__":
    main()
