"""The compiled twin of the independent checker, which follows long proofs; it gives the same verdicts."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from shoal import _checker
from shoal.checker.checker import Problem


def compiled_tree(
    problem: Problem,
    axis: int | None,
    bound: int,
    lines: Sequence[str],
    progress: Callable[[int], None] | None = None,
) -> tuple[int, str] | None:
    """As `check_tree` of the checker: `None` if the lines prove the bound, else a line and the reason."""
    text = "".join(f"{line}\n" for line in lines)
    demands = [(each.kind, each.l, each.rows) for each in problem.demands]
    if problem.levels:
        return _checker.check_levels(
            text,
            metric=problem.metric,
            k=problem.k,
            limit=problem.limit,
            codes=problem.codes,
            counts=problem.counts,
            demands=demands,
            levels=list(problem.levels),
            units=list(problem.units),
            row_units=problem.row_units,
            low=list(problem.low),
            high=list(problem.high),
            bound=bound,
            callback=progress,
        )
    return _checker.check_cuts(
        text,
        metric=problem.metric,
        k=problem.k,
        limit=problem.limit,
        sizes=list(problem.sizes),
        codes=problem.codes,
        counts=problem.counts,
        demands=demands,
        losses=list(problem.losses),
        row_units=problem.row_units,
        axis=-1 if axis is None else axis,
        bound=bound,
        callback=progress,
    )
