"""What the searches over cuts share: handing a problem to the core and reading its answer."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from shoal import _core
from shoal.algorithms._answer import Reader, beyond_the_core
from shoal.algorithms._base import Algorithm
from shoal.algorithms._giving_up import result_with_given_up
from shoal.algorithms._rules import least_rows, privacy, unknown_model
from shoal.algorithms.cuts._level_start import WIDE, CutProblem, LevelStart, level_start
from shoal.cost import METRICS, CellMetric, CostMetric
from shoal.errors import InternalError
from shoal.model.policy.budget import Budget, ProgressCallback
from shoal.model.recoding.recoding import CutRecoding, Recoding
from shoal.model.result.problem import Problem
from shoal.model.result.result import Cost, Result
from shoal.model.table.frequency_table import FrequencyTable

_KERNELS = {"squares": "discernibility", "minority": "classification", "cells": "general-loss"}
"""What the core calls the costs of cuts."""


def costs_of_cuts() -> tuple[str, ...]:
    """The costs that searches over cuts can minimize."""
    return tuple(name for name, metric in METRICS.items() if metric.of_cuts is not None)


class CutSearch(Algorithm):
    """A search over cuts that runs in the core."""

    takes_start = True

    begins_with_levels: ClassVar[bool] = False
    """Whether it looks for a first recoding among levels, if there are many columns."""

    kernel: ClassVar[Callable[..., _core.Answer]]
    """The search of the core; all of them take the same arguments, except for `shape`."""

    @classmethod
    def minimizes(cls, cost: type[CostMetric]) -> bool:
        """Whether it can minimize a cost."""
        return cost.of_cuts is not None

    def climbs(self, problem: Problem, budget: Budget) -> int:  # noqa: ARG002
        """Starts of the hill climbing that finds the first incumbent: fewer, the larger the table."""
        if self.begins_with_levels and len(problem.table.domains) >= WIDE:
            return 1
        return max(1, min(32, 1_000_000 // len(problem.table.counts)))

    def supports(self, problem: Problem) -> str | None:
        table = problem.table
        beyond = beyond_the_core(table.rows, len(problem.sets))
        if beyond is not None:
            return beyond
        unknown = unknown_model(problem)
        if unknown is not None:
            return unknown
        if not self.minimizes(type(problem.cost)):
            known = [name for name, metric in METRICS.items() if self.minimizes(metric)]
            return (
                f"it minimizes {', '.join(known)}; for cost {problem.cost.name!r} use an algorithm "
                "over levels, such as 'lattice'"
            )
        longest = max(table.domains, key=len)
        if isinstance(problem.cost, CellMetric) and len(longest) > _core.LONGEST_AXIS:
            advice = "bin its numbers (bin = WIDTH)" if longest.kind == "number" else "use 'lattice'"
            return (
                f"'{longest.name}' has {len(longest):,} distinct values, and cost {problem.cost.name!r} "
                f"prices all intervals of at most {_core.LONGEST_AXIS:,}; {advice}, or cost 'discernibility'"
            )
        return None

    def solve(
        self,
        problem: Problem,
        budget: Budget,
        *,
        threads: int = 1,
        seed: int = 0,
        on_progress: ProgressCallback | None = None,
        start: Recoding | None = None,
    ) -> Result:
        """Solve within the budget. Ctrl-C ends the search early with the best so far.

        Parameters
        ----------
        start
            A recoding to begin with, of the kind that the search finds: if it is admissible, the answer costs
            no more. Good for problems that differ a little, such as a range of k.
        """
        table = problem.table
        reader = Reader(self.name, _unscaled(problem))
        stated = self.stated(problem)
        callback = reader.callback(on_progress)
        first = LevelStart()
        if start is not None:
            first = LevelStart(cuts=self.cuts_of(table, start))
        elif self.begins_with_levels and len(table.domains) >= WIDE:
            first = level_start(table, stated, budget, threads, seed, callback)
        answer = type(self).kernel(
            _KERNELS[stated.kind],
            **stated.arguments,
            seconds=first.left(budget),
            nodes=budget.nodes,
            gap=budget.gap,
            threads=threads,
            seed=seed,
            climbs=self.climbs(problem, budget),
            start=first.cuts,
            **self.shape(table),
            callback=first.later(callback),
        )

        def recoding() -> Recoding:
            return self.recoding(table, CutRecoding(tuple(tuple(cuts) for cuts in answer.cuts)))

        result = replace(reader.result(answer, recoding), axis=None if answer.axis < 0 else answer.axis)
        if first.seconds > 0:
            interrupted = result.interrupted or first.interrupted
            result = replace(result, seconds=result.seconds + first.seconds, interrupted=interrupted)
        return result_with_given_up(problem, result)

    def stated(self, problem: Problem) -> CutProblem:
        """What the core is given."""
        table = problem.table
        cells = problem.cost if isinstance(problem.cost, CellMetric) else None
        kind = problem.cost.of_cuts or "cells"
        counts = table.label_counts if kind == "minority" else table.counts[:, None]
        attributes = range(len(table.domains))
        return CutProblem(
            kind=kind,
            k=least_rows(problem),
            limit=problem.most_suppressed,
            sizes=table.sizes.tolist(),
            codes=np.ascontiguousarray(table.codes, np.int32),
            counts=np.ascontiguousarray(counts, np.int64),
            losses=[] if cells is None else [self.interval_units(cells, table, a) for a in attributes],
            row_units=1 if cells is None else cells.row_units(table),
            privacy=privacy(problem),
        )

    def prove(
        self, problem: Problem, bound: int, axis: int | None, on_progress: ProgressCallback | None = None
    ) -> _core.Answer:
        """The lines of a proof that no cuts cost less than a bound, in units: docs/proofs.md.

        Parameters
        ----------
        problem, bound
            What is proved.
        axis
            The attribute that the search solved apart, which keeps the proof short; any other when absent.
        on_progress
            Called now and then.
        """
        stated, reader = self.stated(problem), Reader(self.name, _unscaled(problem))
        return _core.prove_cuts(
            _KERNELS[stated.kind],
            **stated.arguments,
            seconds=None,
            nodes=None,
            gap=None,
            threads=1,
            seed=0,
            climbs=0,
            axis=-1 if axis is None else axis,
            bound=bound,
            callback=reader.callback(on_progress),
        )

    def shape(self, table: FrequencyTable) -> dict[str, Any]:  # noqa: ARG002
        """What else the kernel must know about the domains."""
        return {}

    def interval_units(self, metric: CellMetric, table: FrequencyTable, attribute: int) -> NDArray[np.int64]:
        """Units that a cell of an interval loses: of [first, last] in row `first`, column `last`."""
        return np.ascontiguousarray(metric.interval_units(table, attribute), np.int64)

    def cuts_of(self, table: FrequencyTable, recoding: Recoding) -> list[list[int]]:  # noqa: ARG002
        """The kernel's cuts of a recoding."""
        if not isinstance(recoding, CutRecoding):
            raise InternalError(f"{self.name!r} begins with cuts, not with a {type(recoding).__name__}")
        return [list(cuts) for cuts in recoding.cuts]

    def recoding(self, table: FrequencyTable, cuts: CutRecoding) -> Recoding:  # noqa: ARG002
        """The recoding that the kernel's cuts describe."""
        return cuts


def _unscaled(problem: Problem) -> Callable[[int], Cost]:
    """From the core's units to the metric's reported number."""
    metric, scale = problem.cost, problem.cost.scale(problem.table)
    offset = metric.offset(problem.table) if isinstance(metric, CellMetric) else 0
    return lambda units: units if scale == 1 else Fraction(max(0, units - offset), scale)
