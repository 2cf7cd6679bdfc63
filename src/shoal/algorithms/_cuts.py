"""What the searches over cuts share: handing a problem to the core and reading its answer."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import ClassVar

import numpy as np

from shoal import _core
from shoal.algorithms._base import Algorithm
from shoal.cost import GeneralLoss
from shoal.cost.general_loss import cell_units
from shoal.model.budget import Budget, Progress, ProgressCallback
from shoal.model.domain import Domain
from shoal.model.problem import Problem
from shoal.model.recoding import CutRecoding
from shoal.model.result import Cost, Result, Status


class CutSearch(Algorithm):
    """A search over cuts that runs in the core."""

    kernel: ClassVar[Callable[..., _core.Answer]]
    """The search of the core; all of them take the same arguments."""

    def climbs(self, problem: Problem, budget: Budget) -> int:  # noqa: ARG002
        """Starts of the hill climbing that finds the first incumbent: fewer, the larger the table."""
        return max(1, min(32, 1_000_000 // len(problem.table.counts)))

    def supports(self, problem: Problem) -> str | None:
        table = problem.table
        if table.rows > _core.MOST_ROWS:
            return f"it counts at most {_core.MOST_ROWS:,} rows; the source has {table.rows:,}"
        longest = max(table.domains, key=len)
        if isinstance(problem.cost, GeneralLoss) and len(longest) > _core.LONGEST_AXIS:
            return (
                f"'{longest.name}' has {len(longest):,} distinct values, and cost 'general-loss' prices all "
                f"intervals of at most {_core.LONGEST_AXIS:,}; put its numbers into bins (bin = WIDTH)"
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
    ) -> Result:
        table = problem.table
        scale = problem.cost.scale(table)

        def moment(cost: int, bound: int, nodes: int, seconds: float) -> Progress:
            return Progress(
                cost=None if cost >= _core.INFINITE else cost / scale,
                bound=bound / scale,
                nodes=nodes,
                seconds=seconds,
            )

        def forward(cost: int, bound: int, nodes: int, seconds: float) -> None:
            if on_progress is not None:
                on_progress(moment(cost, bound, nodes, seconds))

        losses, units = _losses(problem)
        counts = table.label_counts if problem.cost.name == "classification" else table.counts[:, None]
        answer = type(self).kernel(
            problem.cost.name,
            k=problem.k,
            limit=table.rows if problem.limit is None else problem.limit,
            sizes=table.sizes.tolist(),
            codes=np.ascontiguousarray(table.codes, np.int32),
            counts=np.ascontiguousarray(counts, np.int64),
            losses=losses,
            units=units,
            seconds=budget.seconds,
            nodes=budget.nodes,
            gap=budget.gap,
            threads=threads,
            seed=seed,
            climbs=self.climbs(problem, budget),
            callback=None if on_progress is None else forward,
        )
        trace = tuple(moment(m.cost, m.bound, m.nodes, m.seconds) for m in answer.trace)
        return self._result(answer, scale, trace)

    def _result(self, answer: _core.Answer, scale: int, trace: tuple[Progress, ...]) -> Result:
        if not answer.found:
            return Result(
                status=Status.INFEASIBLE if answer.proved else Status.UNKNOWN,
                algorithm=self.name,
                nodes=answer.nodes,
                seconds=answer.seconds,
                interrupted=answer.interrupted,
                trace=trace,
            )
        return Result(
            status=Status.OPTIMAL if answer.proved else Status.FEASIBLE,
            algorithm=self.name,
            recoding=CutRecoding(tuple(tuple(cuts) for cuts in answer.cuts)),
            cost=_exact(answer.cost, scale),
            bound=_exact(answer.bound, scale),
            suppressed=answer.suppressed,
            nodes=answer.nodes,
            seconds=answer.seconds,
            interrupted=answer.interrupted,
            trace=trace,
        )


def _exact(cost: int, scale: int) -> Cost:
    return cost if scale == 1 else Fraction(cost, scale)


def _losses(problem: Problem) -> tuple[list[list[int]], int]:
    """Units that each interval of each domain loses, for general loss; nothing for the other metrics."""
    if not isinstance(problem.cost, GeneralLoss):
        return [], 1
    units = problem.cost.units(problem.table)
    return [_interval_losses(domain, units) for domain in problem.table.domains], units


def _interval_losses(domain: Domain, units: int) -> list[int]:
    """Units of [first, last] at `first * len(domain) + last`."""
    size = len(domain)
    ends = [domain.loss(0, last) * units for last in range(size)]
    if domain.has_missing or any(end.denominator > 1 for end in ends):
        return [cell_units(domain, f, t, units) if f <= t else 0 for f in range(size) for t in range(size)]
    # Losses add up along the domain, so differences give all of them at once.
    positions = np.array([int(end) for end in ends], np.int64)
    losses: list[int] = np.maximum(positions[None, :] - positions[:, None], 0).ravel().tolist()
    return losses
