"""PBG-EA: an evolutionary search for minimal property based generalizations.

Nodes of the level lattice are crossed and mutated; those that no other node dominates are kept in an archive
with one node in each box. It measures few nodes and proves nothing.

Paper: Dewri, Ray, Ray and Whitley, DBSec 2010, Algorithm 2. Deviations: docs/algorithms/pbg-ea.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random

import numpy as np
from numpy.typing import NDArray

from shoal.algorithms._watch import BudgetEnded, Watch
from shoal.algorithms.levels._lattice import Levels
from shoal.algorithms.levels._profiles import MeasuredNode, Measurer
from shoal.errors import PolicyError
from shoal.objectives import Archive, Epsilon, Number

TRIES = 16
"""How often a node within reach of the archive is drawn before searching a step further."""

FURTHEST = 3
"""Steps from the archive at which the search for an unmeasured node gives up."""


@dataclass(frozen=True, kw_only=True)
class PbgEa:
    """The algorithm with its parameters, by default the paper's.

    Parameters
    ----------
    population
        Nodes in a generation.
    iterations
        Generations after the first.
    crossover
        How likely two nodes exchange their tails.
    mutation
        How likely a level goes up or down by one; one over the number of quasi-identifiers when absent.
    fresh
        Replace a node that was examined before by one near the archive that was not. The paper does not; it
        finds more of the front with as many nodes.
    """

    population: int = 25
    iterations: int = 100
    crossover: float = 0.8
    mutation: float | None = None
    fresh: bool = False

    def __post_init__(self) -> None:
        if self.population < 2:
            raise PolicyError(
                f"population must be at least 2: the top and the bottom are in it; it is {self.population}"
            )
        if self.iterations < 0:
            raise PolicyError(f"iterations must not be negative; it is {self.iterations}")
        for name, share in (("crossover", self.crossover), ("mutation", self.mutation)):
            if share is not None and not 0 <= share <= 1:
                raise PolicyError(f"{name} is a probability, from 0 to 1; it is {share}")

    def search(
        self, measurer: Measurer, epsilons: Sequence[Epsilon], watch: Watch, seed: int
    ) -> tuple[list[MeasuredNode], bool]:
        """The final archive, sorted by levels, and whether Ctrl-C ended the search.

        Parameters
        ----------
        measurer
            Measures nodes.
        epsilons
            The discretization vector, in units of quality.
        watch
            Counts the different nodes that were examined, and ends the search with its budget.
        seed
            The same seed gives the same answer.
        """
        run = _Run(self, measurer, Archive(epsilons), watch, Random(seed))
        interrupted = False
        try:
            run.evolve()
        except BudgetEnded:
            pass
        except KeyboardInterrupt:
            interrupted = True
        return sorted(
            (run.measured[levels] for levels, _ in run.archive), key=lambda node: node.levels
        ), interrupted


class _Run:
    """One run: the archive, and every node that was examined."""

    def __init__(
        self, settings: PbgEa, measurer: Measurer, archive: Archive[Levels], watch: Watch, random: Random
    ) -> None:
        self.settings, self.measurer, self.archive, self.watch, self.random = (
            settings,
            measurer,
            archive,
            watch,
            random,
        )
        self.low, self.high = measurer.low, measurer.high
        self.measured: dict[Levels, MeasuredNode] = {}
        free = sum(low < high for low, high in zip(self.low, self.high, strict=True))
        self.mutation = settings.mutation if settings.mutation is not None else 1 / max(1, free)

    def evolve(self) -> None:
        population = [self.low, self.high]
        population += [self._anywhere() for _ in range(self.settings.population - 2)]
        self._look_at(population)
        for _ in range(self.settings.iterations):
            if len(self.measured) == self.measurer.nodes:  # nothing is left to find
                return
            population = self._recombined(self._selected(population))
            self._look_at(population)

    def _look_at(self, population: Sequence[Levels]) -> None:
        for levels in population:
            if levels not in self.measured:  # offering a node again changes nothing
                self.watch.look()
                self.measured[levels] = self.measurer.node(levels)
                self.archive.offer(levels, self.measured[levels].quality)

    def _selected(self, population: Sequence[Levels]) -> list[Levels]:
        """Winners of tournaments of two, in the population and the archive."""
        held = [levels for levels, _ in self.archive]
        union = list(dict.fromkeys([*held, *population]))
        fitness = fitness_of([self.measured[levels].quality for levels in union])
        chosen = []
        for _ in range(self.settings.population):
            one, other = self.random.randrange(len(union)), self.random.randrange(len(union))
            chosen.append(union[one if fitness[one] <= fitness[other] else other])
        return chosen

    def _recombined(self, selected: list[Levels]) -> list[Levels]:
        self.random.shuffle(selected)
        children: list[Levels] = []
        for one, other in zip(selected[::2], selected[1::2], strict=False):
            if len(one) > 1 and self.random.random() < self.settings.crossover:
                point = self.random.randrange(1, len(one))
                one, other = (*one[:point], *other[point:]), (*other[:point], *one[point:])
            children += [one, other]
        children += selected[len(children) :]  # if their number is odd, the last stays alone
        mutated = [self._mutated(child) for child in children]
        return self._freshened(mutated) if self.settings.fresh else mutated

    def _mutated(self, levels: Levels) -> Levels:
        return tuple(
            self._step(attribute, level) if self.random.random() < self.mutation else level
            for attribute, level in enumerate(levels)
        )

    def _step(self, attribute: int, level: int) -> int:
        """A level up or down, within the hierarchy."""
        moved = level + self.random.choice((-1, 1))
        return min(self.high[attribute], max(self.low[attribute], moved))

    def _freshened(self, children: Sequence[Levels]) -> list[Levels]:
        """The children; known ones are replaced by unknown nodes near the archive."""
        held = [levels for levels, _ in self.archive]
        chosen: dict[Levels, None] = {}
        for child in children:
            if child in self.measured or child in chosen:
                tries = (self._near(held, 1 + draw // TRIES) for draw in range(FURTHEST * TRIES))
                child = next(
                    (each for each in tries if each not in self.measured and each not in chosen), child
                )
            chosen[child] = None
        return list(chosen)

    def _near(self, held: Sequence[Levels], steps: int) -> Levels:
        levels = list(self.random.choice(held))
        for _ in range(steps):
            attribute = self.random.randrange(len(levels))
            levels[attribute] = self._step(attribute, levels[attribute])
        return tuple(levels)

    def _anywhere(self) -> Levels:
        return tuple(
            self.random.randint(least, most) for least, most in zip(self.low, self.high, strict=True)
        )


def fitness_of(qualities: Sequence[Sequence[Number]]) -> NDArray[np.int64]:
    """Per vector the sum, over those that dominate it, of how many each of them dominates; 0 is best."""
    # Ranks compare as the qualities do, and fit an array whatever the numbers are.
    columns = []
    for values in zip(*qualities, strict=True):
        rank = {value: place for place, value in enumerate(sorted(set(values)))}
        columns.append(np.array([rank[value] for value in values]))
    no_worse = np.ones((len(qualities), len(qualities)), np.bool_)
    better = np.zeros_like(no_worse)
    for column in columns:
        no_worse &= column[:, None] >= column[None, :]
        better |= column[:, None] > column[None, :]
    dominated = (no_worse & better).astype(np.int64)
    fitness: NDArray[np.int64] = dominated.sum(axis=1) @ dominated
    return fitness
