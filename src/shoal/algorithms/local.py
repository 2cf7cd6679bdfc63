"""Local recoding by levels: every row is generalized only as far as it must be.

Equal values may be released on different levels in different rows, so far more detail survives than with one
level per column. Rows are released at the cheapest node of the level lattice at which enough others like
them are left; then rows move, and groups are dissolved and split, while that helps. A lower bound says how
far from the best the answer can be.

Proof and measurements: docs/algorithms/local.md.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from shoal import _core
from shoal.algorithms._answer import Reader, beyond_the_core
from shoal.algorithms._base import Algorithm
from shoal.algorithms._definitions import admissible, made_by
from shoal.algorithms._labels import why_ambiguous, why_no_population
from shoal.algorithms._rules import least_rows, privacy, unknown_model
from shoal.algorithms.lattice import LatticeSearch
from shoal.cost import METRICS, CellMetric
from shoal.model.budget import Budget, ProgressCallback
from shoal.model.frequency import FrequencyTable
from shoal.model.local_recoding import SUPPRESSED_CELL, LocalRecoding
from shoal.model.problem import Problem
from shoal.model.recoding_model import RecodingModel
from shoal.model.result import Result, Status

_SUPPRESSED_ROW = 255


@dataclass(frozen=True, kw_only=True)
class Local(Algorithm):
    """Good levels for every distinct row."""

    name = "local"
    guarantee = Status.FEASIBLE
    recoding_models = (RecodingModel.CG_,)
    needs_hierarchies = True

    def supports(self, problem: Problem) -> str | None:
        beyond = beyond_the_core(problem.table.rows, len(problem.sets))
        if beyond is not None:
            return beyond
        unknown = unknown_model(problem)
        if unknown is not None:
            return unknown
        if not isinstance(problem.cost, CellMetric):
            means = [name for name, metric in METRICS.items() if issubclass(metric, CellMetric)]
            return f"it minimizes costs that are means over cells: {', '.join(means)}"
        return why_no_population(problem) or why_ambiguous(problem)

    def solve(
        self,
        problem: Problem,
        budget: Budget,
        *,
        threads: int = 1,
        seed: int = 0,
        on_progress: ProgressCallback | None = None,
    ) -> Result:
        table, metric = problem.table, problem.cost
        assert isinstance(metric, CellMetric)
        scale, offset = metric.scale(table), metric.offset(table)
        reader = Reader(self.name, lambda units: Fraction(max(0, units - offset), scale))
        heights = [domain.hierarchy.height for domain in table.domains]
        ranges = problem.levels or [(0, height) for height in heights]
        answer = _core.local(
            [[list(parts) for parts in domain.hierarchy.parts] for domain in table.domains],
            np.ascontiguousarray(table.codes, np.int32),
            np.ascontiguousarray(table.counts, np.int64),
            price=_price(metric, table),
            k=least_rows(problem),
            limit=problem.most_suppressed,
            low=[least for least, _ in ranges],
            high=[greatest for _, greatest in ranges],
            privacy=privacy(problem),
            seconds=budget.seconds,
            nodes=budget.nodes,
            threads=threads,
            seed=seed,
            callback=reader.callback(on_progress),
        )

        def recoding() -> LocalRecoding:
            levels = answer.levels.reshape(table.codes.shape).astype(np.int64)
            levels[levels == _SUPPRESSED_ROW] = SUPPRESSED_CELL
            return LocalRecoding.from_levels(table, levels)

        found = reader.result(answer, recoding)
        if found.recoding is not None:
            # Suppressed rows are a group themselves, whose cells all read `*`; together with a group that was
            # generalized as far, they may be one that a model refuses.
            made = made_by(problem, found.recoding)
            if admissible(problem, made):
                return replace(found, suppressed=made.suppressed)
        return self._one_level_per_column(problem, budget, found, threads)

    def _one_level_per_column(self, problem: Problem, budget: Budget, found: Result, threads: int) -> Result:
        """The best levels, where no rows of their own were found; that there are none would prove nothing."""
        nothing = replace(found, status=Status.UNKNOWN, recoding=None, cost=None, bound=None, suppressed=0)
        levels = LatticeSearch()
        if found.interrupted or levels.supports(problem) is not None:
            return nothing
        result = levels.solve(problem, budget, threads=threads)
        if result.recoding is None:
            return replace(nothing, interrupted=result.interrupted)
        # What is proved of one level per column says nothing of levels row by row.
        return replace(
            result, algorithm=self.name, status=Status.FEASIBLE, bound=None, nodes=found.nodes + result.nodes
        )


def _price(metric: CellMetric, table: FrequencyTable) -> _core.Price:
    units = level_units(metric, table)
    return _core.Price("cells", suppressed_row=metric.row_units(table), fixed=[], units=units)


def level_units(metric: CellMetric, table: FrequencyTable) -> list[list[list[int]]]:
    """What a cell costs on each level, released row by row: a top that reads `*` is a suppressed cell."""
    heights = np.array([domain.hierarchy.height for domain in table.domains], np.int64)
    units: list[list[list[int]]] = [[] for _ in table.domains]
    for level in range(int(heights.max()) + 1):
        recoding = LocalRecoding.from_levels(
            table, np.tile(np.minimum(level, heights), (len(table.counts), 1))
        )
        for attribute, domain in enumerate(table.domains):
            if level > heights[attribute]:
                continue
            parts = np.array(domain.hierarchy.parts[level])[table.codes[:, attribute]]
            of_number = np.array(metric.cell_units(table, recoding, attribute), np.int64)
            of_part = np.zeros(int(parts.max()) + 1, np.int64)
            of_part[parts] = of_number[recoding.values[:, attribute]]
            units[attribute].append(of_part.tolist())
    return units
