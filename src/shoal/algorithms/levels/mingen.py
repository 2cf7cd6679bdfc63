"""MinGen: a minimal distortion by examining every generalization.

Sweeney's theoretical yardstick, generalization enforced at the attribute level: among all nodes that are
k-anonymous those of the greatest precision, and of these the preferred one. Exhaustive as in the paper, but
in the core, where groups are rolled up and never made from rows again.

Paper: Sweeney, IJUFKS 10(5), 2002, section 3.4 and Fig. 5. Deviations: docs/algorithms/mingen.md.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from shoal.algorithms._giving_up import may_give_up
from shoal.algorithms.cells import mingen_cells
from shoal.algorithms.levels._lattice import Lattice, Levels, NodeSearch
from shoal.algorithms.levels._preference import PREFERENCE_WORDS, check_preference, preferred
from shoal.cost import Precision
from shoal.errors import PolicyError
from shoal.model.description import Description
from shoal.model.parameter import parameter
from shoal.model.policy.budget import Budget, ProgressCallback
from shoal.model.policy.recoding_model import RecodingModel
from shoal.model.result.problem import Problem
from shoal.model.result.result import Cost, Result, Status
from shoal.model.result.searched_kind import LEVELS

MOST_AT_ONCE = 1 << 14
"""Nodes whose measures are held at once."""


@dataclass(frozen=True, kw_only=True)
class MinGen(NodeSearch):
    """Levels of the greatest precision, by plain enumeration.

    Parameters
    ----------
    preference
        Which of the minimal distortions is released (preferred() in the paper): "least-cost", here the
        lexicographically smallest, "minimum-absolute-distance", "minimum-relative-distance",
        "maximum-distribution" or "minimum-suppression".
    cells
        Whether to generalize single cells instead of whole columns; for small tables.
    """

    name = "mingen"
    description = Description(
        title="MinGen",
        short="The levels of the greatest precision",
        meaning="Tries every choice of levels and takes the most precise (Sweeney).",
        when="To repeat a study; Levels finds the same with less work.",
    )
    searches = LEVELS
    guarantee = Status.OPTIMAL
    recoding_models = (RecodingModel.AG_TS, RecodingModel.AG_, RecodingModel.CG_)
    climbs = False  # it examines every node

    preference: str = field(default="least-cost", metadata=PREFERENCE_WORDS)
    cells: bool = field(
        default=False,
        metadata=parameter("Single cells instead of columns (tiny tables)", "At most 16 distinct rows."),
    )

    def __post_init__(self) -> None:
        check_preference(self.preference)
        if not isinstance(self.cells, bool):
            raise PolicyError(f"cells must be true or false; it is {self.cells!r}")

    @property
    def is_consistent(self) -> bool:
        return not self.cells

    def supports(self, problem: Problem) -> str | None:
        if self.cells:
            return mingen_cells.unsupported(problem)
        if not isinstance(problem.cost, Precision):
            return f"it supports only cost 'precision', not {problem.cost.name!r}; use 'lattice'"
        return super().supports(problem)

    def solve(
        self,
        problem: Problem,
        budget: Budget,
        *,
        threads: int = 1,
        seed: int = 0,
        on_progress: ProgressCallback | None = None,
    ) -> Result:
        if self.cells:
            return mingen_cells.cell_level(problem, budget, algorithm=self.name)
        return super().solve(problem, budget, threads=threads, seed=seed, on_progress=on_progress)

    def search(self, lattice: Lattice, threads: int) -> Result:
        if lattice.admits(lattice.low) and lattice.node(lattice.low).suppressed == 0:
            distortions = [lattice.low]  # step 1: the table itself is the solution
        else:
            distortions = minimal_distortions(lattice, threads)
        if not distortions:
            return lattice.result(self.name, Status.INFEASIBLE, None, lattice.watch.seconds)
        return lattice.result(
            self.name,
            Status.OPTIMAL if lattice.settled else Status.FEASIBLE,
            preferred(lattice, distortions, self.preference),
            lattice.watch.seconds,
            alternatives=tuple(lattice.recoding(levels) for levels in sorted(distortions)),
        )


def minimal_distortions(lattice: Lattice, threads: int) -> list[Levels]:
    """Steps 2.1 to 2.3: the admissible nodes with the least loss of precision."""
    if may_give_up(lattice.problem):
        return _one_by_one(lattice)
    least: int | None = None
    minimal: list[Levels] = []
    for low, high in slabs(lattice):
        lattice.watch.look(math.prod(most - least + 1 for least, most in zip(low, high, strict=True)))
        every = lattice.core.measure_all(
            list(low), list(high), [lattice.priced.price], [lattice.least_rows], threads
        )
        within = every.suppressed(0) <= lattice.problem.most_suppressed
        protected = np.flatnonzero(within & (every.holds(0) == 1))
        if not len(protected):
            continue
        costs = every.costs(0, 0)[protected]
        best = int(costs.min())
        if least is None or best < least:
            least, minimal = best, []
        if best == least:
            minimal += [tuple(map(int, levels)) for levels in every.levels[protected[costs == best]]]
            lattice.offer(minimal[0])
    return minimal


def _one_by_one(lattice: Lattice) -> list[Levels]:
    """The same where groups may be given up: the sweep of all nodes gives up none."""
    least: Cost | None = None
    minimal: list[Levels] = []
    for levels in lattice.all_nodes():
        if not lattice.admits(levels):
            continue
        cost = lattice.cost(levels)
        if least is None or cost < least:
            least, minimal = cost, []
            lattice.offer(levels)
        if cost == least:
            minimal.append(levels)
    return minimal


def slabs(lattice: Lattice) -> Iterator[tuple[Levels, Levels]]:
    """The lattice in boxes of at most `MOST_AT_ONCE` nodes: the budget is checked, and memory freed, between.

    The tallest attribute is always cut across, then the first ones as far as needed; the most general come
    first, so that a search that ends early has something admissible.
    """
    low, high = lattice.low, lattice.high
    tallest = max(range(len(low)), key=lambda attribute: high[attribute] - low[attribute])
    order = [tallest, *(attribute for attribute in range(len(low)) if attribute != tallest)]
    sizes = [high[attribute] - low[attribute] + 1 for attribute in order]
    cut = next(count for count in range(1, len(order) + 1) if math.prod(sizes[count:]) <= MOST_AT_ONCE)
    outer = [range(high[attribute], low[attribute] - 1, -1) for attribute in order[:cut]]
    for chosen in itertools.product(*outer):
        fixed = dict(zip(order, chosen, strict=False))
        yield (
            tuple(fixed.get(attribute, least) for attribute, least in enumerate(low)),
            tuple(fixed.get(attribute, most) for attribute, most in enumerate(high)),
        )


__all__ = ["MinGen", "minimal_distortions"]
