"""The forest of Aggarwal et al.: rows in trees of light edges, and every tree a group.

An approximation for cells that are suppressed, or generalized, one by one: the release costs at most
max(2k - 1, 3k - 5) times the best one, and the search returns the bound that this is measured by.

Paper: Aggarwal et al., ICDT 2005. Deviations, proof and measurements: docs/algorithms/forest.md.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np

from shoal import _core
from shoal.algorithms.cells._cells import node_units
from shoal.algorithms.cells._labels import why_ambiguous
from shoal.algorithms.rows._partition import Partition, PartitionAlgorithm, charges, reported
from shoal.cost import CellMetric
from shoal.errors import PolicyError
from shoal.model.description import Description
from shoal.model.parameter import parameter
from shoal.model.policy.budget import Budget, ProgressCallback
from shoal.model.policy.recoding_model import RecodingModel
from shoal.model.result.problem import Problem
from shoal.model.result.result import Result
from shoal.model.result.searched_kind import CELLS
from shoal.model.suggestion import suggestion

SUPPRESS, HIERARCHY = "suppress", "hierarchy"


@dataclass(frozen=True, kw_only=True)
class Forest(PartitionAlgorithm):
    """Groups that are trees of a light forest.

    Parameters
    ----------
    values
        "suppress": a cell is released as it is or suppressed; "hierarchy": as the least label over its group.
    """

    name = "forest"
    description = Description(
        title="Forest",
        short="Few blank cells, for large tables",
        meaning="Blanks or generalizes single cells within a known factor of the least (Aggarwal and "
        "others).",
        when="When Cells takes too long.",
    )
    searches = CELLS
    recoding_models = (RecodingModel.CS, RecodingModel.CG_)

    values: str = field(
        default=SUPPRESS,
        metadata=parameter(
            "What cells are released as",
            choices={"suppress": "themselves, or a star", "hierarchy": "labels of the hierarchies"},
        ),
    )

    def __post_init__(self) -> None:
        if self.values not in (SUPPRESS, HIERARCHY):
            hint = suggestion(str(self.values), [SUPPRESS, HIERARCHY])
            raise PolicyError(f"values must be 'suppress' or 'hierarchy'; it is {self.values!r}.{hint}")
        if self.values == HIERARCHY:
            object.__setattr__(self, "recoding_models", (RecodingModel.CG_,))

    @property
    def needs_hierarchies(self) -> bool:  # type: ignore[override]
        """Whether cells climb hierarchies."""
        return self.values == HIERARCHY

    def supports(self, problem: Problem) -> str | None:
        reason = super().supports(problem)
        if reason is not None or self.values == SUPPRESS:
            return reason
        heights = [domain.hierarchy.height for domain in problem.table.domains]
        if any(high < height for (_, high), height in zip(problem.levels, heights, strict=False)):
            return "its groups may need the top of a hierarchy; leave out max_level"
        return why_ambiguous(problem.table.domains, by_row=True)

    def solve(
        self,
        problem: Problem,
        budget: Budget,
        *,
        threads: int = 1,
        seed: int = 0,  # noqa: ARG002
        on_progress: ProgressCallback | None = None,  # noqa: ARG002
    ) -> Result:
        climbs = self.values == HIERARCHY
        answer = climbed(problem, budget, threads) if climbs else suppressed(problem, budget, threads)
        if not answer.found:
            return self.nothing(nodes=answer.nodes, seconds=answer.seconds, interrupted=answer.interrupted)
        return self.answer(
            problem,
            partition_of(answer).recoding(problem.table, "nodes" if climbs else "cells"),
            bound=Fraction(answer.bound, problem.cost.scale(problem.table))
            if climbs
            else reported(problem, answer.bound),
            nodes=answer.nodes,
            seconds=answer.seconds,
            interrupted=answer.interrupted,
        )


def suppressed(problem: Problem, budget: Budget, threads: int) -> _core.ForestAnswer:
    """The forest where rows are as far apart as the number of cells in which they differ."""
    sizes = [len(domain) for domain in problem.table.domains]
    parts = [[list(range(size)), [0] * size] for size in sizes]
    units = [[[0] * size, [charge]] for size, charge in zip(sizes, charges(problem), strict=True)]
    return _grown(problem, parts, units, budget, threads)


def climbed(problem: Problem, budget: Budget, threads: int) -> _core.ForestAnswer:
    """The forest where rows are as far apart as the loss of the least labels over both."""
    assert isinstance(problem.cost, CellMetric)
    parts = [[list(each) for each in domain.hierarchy.parts] for domain in problem.table.domains]
    return _grown(problem, parts, node_units(problem.cost, problem.table), budget, threads)


def _grown(
    problem: Problem,
    parts: list[list[list[int]]],
    units: list[list[list[int]]],
    budget: Budget,
    threads: int,
) -> _core.ForestAnswer:
    return _core.forest(
        parts,
        units,
        np.ascontiguousarray(problem.table.codes, np.int32),
        np.ascontiguousarray(problem.table.counts, np.int64),
        k=problem.k,
        seconds=budget.seconds,
        threads=threads,
    )


def partition_of(answer: _core.ForestAnswer) -> Partition:
    """The trees as groups."""
    return Partition(np.asarray(answer.row), np.asarray(answer.count), np.asarray(answer.group))
