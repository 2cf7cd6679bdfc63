"""A cost metric against its own claims, on every recoding of tiny tables.

Searches prune by prices that a metric states as plain data, and every bound rests on two facts: a suppressed
row never costs less than a released one, and without suppression a coarser recoding never costs less. A
metric that breaks one of them makes searches miss the optimum.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

import numpy as np

from shoal.algorithms.cuts.exact import Exact
from shoal.algorithms.levels._prices import priced
from shoal.algorithms.levels.lattice import LatticeSearch
from shoal.algorithms.rows.microaggregate import Microaggregate
from shoal.cost import CostMetric
from shoal.model.policy.budget import Budget
from shoal.model.recoding.groups import Groups, groups
from shoal.model.recoding.level_recoding import LevelRecoding
from shoal.model.recoding.recoding import CutRecoding, Recoding
from shoal.model.result.problem import Problem
from shoal.model.result.result import Cost
from shoal.model.table.frequency_table import FrequencyTable
from shoal.testing._tables import every_cuts, every_levels, small_tables
from shoal.testing._words import check_line, check_words


def check_cost_metric(metric: CostMetric) -> None:
    """Raise `AssertionError`, with the recodings that show it, if a metric does not keep what it claims.

    Looks at every choice of levels and, unless the metric needs levels, of cuts, of three tiny tables.

    1. It has words, and its costs are exact numbers of at least 0 that `scale` turns into whole numbers.
    2. To suppress a group never costs less than to release it, and `worth` puts groups in that order.
    3. Without suppression, a coarser recoding never costs less; with suppression, where `monotone` says so.
    4. `of_sizes`, the prices of levels and the prices of cuts agree with `of_groups`: the searches of the
       core find the least cost that plain enumeration finds.

    Parameters
    ----------
    metric
        The metric.
    """
    check_words(type(metric))
    check_line(metric.name, "measures", getattr(metric, "measures", None))
    for table in small_tables():
        metric.check(table)
        if metric.of_centroids:
            _check_centroids(metric, table)
            continue
        levels = every_levels(table)
        cuts = every_cuts(table) if metric.needs_levels is None else []
        for recoding, k in itertools.product((*levels, *cuts), (1, 2, 3)):
            made = groups(table, recoding, k)
            _check_number(metric, table, metric.of_groups(table, recoding, made), recoding)
            _check_suppression(metric, table, recoding, made)
            _check_sizes(metric, table, recoding, made)
        _check_levels_rise(metric, table, levels)
        _check_searches(metric, table, levels, cuts)


def _check_number(metric: CostMetric, table: FrequencyTable, cost: Cost, recoding: Recoding) -> None:
    if isinstance(cost, bool) or not isinstance(cost, int | Fraction) or cost < 0:
        raise AssertionError(f"{metric.name}: a cost is an int or a Fraction of at least 0; it is {cost!r}")
    if metric.of_centroids or metric.level_price(table) is None:
        return
    units = cost * metric.scale(table)
    # A cost that is no sum, such as a mean over groups, has units of its own in `LevelPrice.cost`.
    if metric.scale(table) != 1 and units.denominator != 1:
        raise AssertionError(
            f"{metric.name}: scale must turn every cost into a whole number, and makes {units} of {recoding}"
        )


def _check_suppression(metric: CostMetric, table: FrequencyTable, recoding: Recoding, made: Groups) -> None:
    kept = np.flatnonzero(made.kept).tolist()
    now = metric.of_groups(table, recoding, made)
    after: dict[int, Cost] = {}
    for group in kept:
        left = made.kept.copy()
        left[group] = False
        after[group] = metric.of_groups(table, recoding, replace(made, kept=left))
        if after[group] < now:
            raise AssertionError(
                f"{metric.name}: to suppress a group of {int(made.sizes[group])} row(s) of {recoding} costs "
                f"{after[group]}, and to release it {now}"
            )
    if type(metric).worth is CostMetric.worth:
        return
    worth = metric.worth(table, recoding, made)
    for one, two in itertools.permutations(kept, 2):
        if worth[one] <= worth[two] and after[one] > after[two]:
            raise AssertionError(
                f"{metric.name}: worth says that group {one} of {recoding} is no dearer to suppress than "
                f"group {two}, but it costs {after[one]} and not {after[two]}"
            )


def _check_sizes(metric: CostMetric, table: FrequencyTable, recoding: Recoding, made: Groups) -> None:
    cost = metric.of_sizes(table.rows, Counter(made.sizes.tolist()))
    if cost is not None and made.all_kept and cost != metric.of_groups(table, recoding, made):
        raise AssertionError(f"{metric.name}: of_sizes and of_groups differ on {recoding}")


def _check_levels_rise(metric: CostMetric, table: FrequencyTable, levels: Sequence[LevelRecoding]) -> None:
    for k in (1, 2, 3) if metric.monotone else (1,):
        costs = {each.levels: metric.of(table, each, k) for each in levels}
        for fine, coarse in itertools.permutations(costs, 2):
            above = all(low <= high for low, high in zip(fine, coarse, strict=True))
            if above and costs[coarse] < costs[fine]:
                raise AssertionError(
                    f"{metric.name}: levels {coarse} generalize {fine} and cost less, {costs[coarse]} and "
                    f"not {costs[fine]}"
                )


def _check_searches(
    metric: CostMetric,
    table: FrequencyTable,
    levels: Sequence[LevelRecoding],
    cuts: Sequence[CutRecoding],
) -> None:
    for k, limit in itertools.product((1, 2, 3), (0, 2, None)):
        problem = Problem(table=table, k=k, cost=metric, limit=limit)
        if type(metric).level_price is not CostMetric.level_price:
            priced(metric, table)
            _check_optimum(problem, levels, LatticeSearch())
        if metric.of_cuts is not None:
            _check_optimum(problem, cuts, Exact())


def _check_optimum(problem: Problem, recodings: Sequence[Recoding], algorithm: LatticeSearch | Exact) -> None:
    table, metric = problem.table, problem.cost
    made = {recoding: groups(table, recoding, problem.k) for recoding in recodings}
    costs = [
        metric.of_groups(table, recoding, each)
        for recoding, each in made.items()
        if each.suppressed <= problem.most_suppressed
    ]
    found = algorithm.solve(problem, Budget())
    if found.cost != min(costs, default=None):
        raise AssertionError(
            f"{metric.name}: by its prices {algorithm.name!r} finds a cost of {found.cost} at k = "
            f"{problem.k}, and by its definition the least is {min(costs, default=None)}"
        )


def _check_centroids(metric: CostMetric, table: FrequencyTable) -> None:
    for k in (1, 2, 3):
        problem = Problem(table=table, k=k, cost=metric, limit=0)
        recoding = Microaggregate().solve(problem, Budget()).recoding
        assert recoding is not None
        cost = metric.of_groups(table, recoding, groups(table, recoding, k))
        _check_number(metric, table, cost, recoding)
