"""Level recoding plus cell suppression: a level for each column, then as few suppressed cells as possible.

Statistics offices work like this. The levels are the policy's or, where the cost says what a level loses, the
search finds them, from the least ones that are allowed. On its level a column is a hierarchy of height one.

A suppressed cell can be read in two ways. As a value, it matches other suppressed cells and nothing
else: rows are in groups of k for every reader. As a wildcard, it matches every value, and a row is released
once k rows of the source match what it still shows. That promises less, and the release says so.

Paper: Ciriani et al., k-Anonymity, 2007, section 3 (AG_CS). Proofs: docs/algorithms/levels-and-cells.md.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass, field, replace
from fractions import Fraction

import numpy as np

from shoal import _core
from shoal.algorithms._answer import Reader, beyond_the_core
from shoal.algorithms._base import Algorithm
from shoal.algorithms._definitions import admissible, made_by
from shoal.algorithms._rules import least_rows, privacy, unknown_model
from shoal.algorithms.cells._labels import why_no_population
from shoal.algorithms.cells._recoded import (
    READINGS,
    Reading,
    Recoded,
    greatest_levels,
    least_levels,
    neighbours,
)
from shoal.cost import METRICS, CellMetric, SuppressedCells
from shoal.errors import PolicyError
from shoal.model.description import Description
from shoal.model.parameter import parameter
from shoal.model.policy.budget import Budget, ProgressCallback
from shoal.model.policy.recoding_model import RecodingModel
from shoal.model.recoding.local_recoding import SUPPRESSED_CELL, LocalRecoding
from shoal.model.result.problem import Problem
from shoal.model.result.result import Result, Status
from shoal.model.result.searched_kind import LEVELS_AND_CELLS
from shoal.model.suggestion import suggestion
from shoal.model.table.domain import SUPPRESSED

Levels = tuple[int, ...]
MOST_TRIED = 3
"""Levels on which cells are suppressed, of those that the climb found most promising."""


@dataclass(frozen=True, kw_only=True)
class LevelsAndCells(Algorithm):
    """Levels, and few suppressed cells.

    Parameters
    ----------
    reading
        What a suppressed cell matches: "value" for other suppressed cells, "wildcard" for everything.
    """

    name = "levels-and-cells"
    description = Description(
        title="Levels, then cells",
        short="A level per column, then few blank cells",
        meaning="Chooses a level for each column and blanks single cells of what is left, with a bound.",
        when="When you come from sdcMicro.",
    )
    searches = LEVELS_AND_CELLS
    clock_share = 0.5
    guarantee = Status.FEASIBLE
    recoding_models = (RecodingModel.AG_CS,)
    needs_hierarchies = True

    reading: Reading = field(
        default="value",
        metadata=parameter(
            "What a suppressed cell matches",
            choices={"value": "other suppressed cells", "wildcard": "everything, which promises less"},
        ),
    )

    def __post_init__(self) -> None:
        if self.reading not in READINGS:
            raise PolicyError(
                f"there is no reading {self.reading!r}.{suggestion(str(self.reading), READINGS)}"
            )

    def supports(self, problem: Problem) -> str | None:
        table = problem.table
        beyond = beyond_the_core(table.rows, len(problem.sets)) or unknown_model(problem)
        if beyond is not None:
            return beyond
        if not isinstance(problem.cost, CellMetric):
            means = [name for name, metric in METRICS.items() if issubclass(metric, CellMetric)]
            return f"it minimizes costs that are means over cells: {', '.join(means)}"
        if self.reading == "wildcard" and problem.models:
            return (
                f"{problem.models[0].name!r} is a demand on groups, and suppressed cells that are read as "
                'wildcards make none; use reading = "value"'
            )
        tallest = max(table.domains, key=lambda domain: domain.hierarchy.height)
        if tallest.hierarchy.height >= _core.MOST_LEVELS:
            return f"the hierarchy of '{tallest.name}' has {_core.MOST_LEVELS} levels or more"
        most = _core.MOST_SUPPRESSIBLE
        if len(table.domains) > most and not problem.models:
            return f"it suppresses cells of at most {most} columns, and {len(table.domains)} are requested"
        return why_no_population(problem) or _why_starred(problem)

    def solve(
        self,
        problem: Problem,
        budget: Budget,
        *,
        threads: int = 1,
        seed: int = 0,
        on_progress: ProgressCallback | None = None,
    ) -> Result:
        search = _Search(self, problem, budget, threads, seed, on_progress)
        low, high = least_levels(problem), greatest_levels(problem)
        # Generalizing suppresses no cell, so where only those count the levels are the policy's.
        searched = low != high and not isinstance(problem.cost, SuppressedCells)
        tried = search.promising(low, high) if searched else [low]
        best = search.suppressed(tried[0])
        for levels in tried[1:]:
            if search.ended:
                break
            if best.cost is None or search.bounds[levels] < best.cost:
                result = search.suppressed(levels)
                if result.cost is not None and (best.cost is None or result.cost < best.cost):
                    best = result
        if searched:
            best = search.with_bound_of_all(best, low, high)
        return replace(best, nodes=search.nodes, seconds=search.seconds, interrupted=search.interrupted)


class _Search:
    """The levels of one problem, and what suppressing cells on them costs."""

    def __init__(
        self,
        algorithm: LevelsAndCells,
        problem: Problem,
        budget: Budget,
        threads: int,
        seed: int,
        on_progress: ProgressCallback | None,
    ) -> None:
        self._algorithm, self._problem, self._budget = algorithm, problem, budget
        self._threads, self._seed, self._on_progress = threads, seed, on_progress
        metric = problem.cost
        assert isinstance(metric, CellMetric)
        self._metric = metric
        self._scale, self._offset = metric.scale(problem.table), metric.offset(problem.table)
        self._recoded: dict[Levels, Recoded] = {}
        self._started = _core.now()
        self.bounds: dict[Levels, Fraction] = {}
        self.nodes = 0
        self.interrupted = False

    @property
    def seconds(self) -> float:
        """Wall time since the search began."""
        return _core.now() - self._started

    @property
    def left(self) -> float | None:
        """Seconds that are left; none once Ctrl-C has come."""
        if self.interrupted:
            return 0.0
        return None if self._budget.seconds is None else max(0.0, self._budget.seconds - self.seconds)

    @property
    def ended(self) -> bool:
        """Whether the time is over."""
        return self.left == 0.0

    @property
    def half_spent(self) -> bool:
        """Whether half of the time is over: levels without time left to suppress cells are no release."""
        return self.interrupted or (
            self._budget.seconds is not None and self.seconds > self._budget.seconds / 2
        )

    def cost(self, units: int) -> Fraction:
        """Units as the metric reports them."""
        return Fraction(max(0, units - self._offset), self._scale)

    def recoded(self, levels: Levels) -> Recoded:
        """The table on some levels."""
        if levels not in self._recoded:
            self._recoded[levels] = Recoded(self._problem, levels)
        return self._recoded[levels]

    def promising(self, low: Levels, high: Levels) -> list[Levels]:
        """The levels with the least bounds that a climb from the lowest finds, the best first."""
        here = low
        best = self._bound(low)
        while not self.half_spent:
            steps = [each for each in neighbours(here, low, high) if each not in self.bounds]
            # What is recoded before any cell is suppressed is a bound by itself.
            steps = [each for each in steps if self.cost(self.recoded(each).base) < best]
            bounds = {each: self._bound(each) for each in steps if not self.half_spent}
            if not bounds or min(bounds.values()) >= best:
                break
            here = min(bounds, key=lambda each: (bounds[each], each))
            best = bounds[here]
        return sorted(self.bounds, key=lambda each: (self.bounds[each], each))[:MOST_TRIED]

    def _bound(self, levels: Levels) -> Fraction:
        """A bound for every suppression on some levels: the cost with wildcards."""
        answer = self._cells(levels, wildcard=True, callback=None)
        self.bounds[levels] = self.cost(answer.bound + self.recoded(levels).base)
        self.nodes += answer.nodes
        self.interrupted |= answer.interrupted
        return self.bounds[levels]

    def with_bound_of_all(self, result: Result, low: Levels, high: Levels) -> Result:
        """The result with a bound on all levels that are allowed: that of levels and stars row by row."""
        if result.cost is None or self.ended:
            return replace(result, bound=None, status=_unproved(result.status))
        problem, table = self._problem, self._problem.table
        trees, units = [], []
        for attribute, domain in enumerate(table.domains):
            height = range(low[attribute], high[attribute] + 1)
            parts = [list(domain.hierarchy.parts[level]) for level in height]
            at = [self.recoded(tuple(min(level, high[a]) for a in range(len(low)))) for level in height]
            trees.append([*parts, [0] * len(domain)])
            stars = at[0].units[1]
            units.append([*(each.units[0][attribute].tolist() for each in at), [stars[attribute]]])
        answer = _core.local(
            trees,
            np.ascontiguousarray(table.codes, np.int32),
            np.ascontiguousarray(table.counts, np.int64),
            price=_core.Price("cells", suppressed_row=self._metric.row_units(table), fixed=[], units=units),
            k=problem.k,
            limit=problem.most_suppressed,  # a release with suppressed rows must not cost less than its bound
            low=[0] * len(trees),
            high=[len(tree) - 1 for tree in trees],
            privacy=None,
            # A star matches anything, so one row can make up the numbers of several groups.
            overlapping=self._algorithm.reading == "wildcard",
            seconds=self.left,
            nodes=0,  # the bound alone
            threads=self._threads,
            seed=0,
            callback=None,
        )
        bound = min(self.cost(answer.bound), result.cost)
        status = Status.OPTIMAL if bound >= result.cost else _unproved(result.status)
        self.interrupted |= answer.interrupted
        return replace(result, bound=bound, status=status)

    def suppressed(self, levels: Levels) -> Result:
        """Few suppressed cells on some levels."""
        recoded = self.recoded(levels)
        reader = Reader(self._algorithm.name, lambda units: self.cost(units + recoded.base))
        callback = reader.callback(self._on_progress)
        if self._problem.models:
            result = self._of_models(recoded, reader)
        else:
            wildcard = self._algorithm.reading == "wildcard"
            answer = self._cells(levels, wildcard=wildcard, callback=callback)
            result = reader.result(
                answer,
                lambda: recoded.released(answer.rows, answer.patterns, answer.copies, wildcard=wildcard),
            )
        self.nodes += result.nodes
        self.interrupted |= result.interrupted
        if result.recoding is None:
            return result
        groups = made_by(self._problem, result.recoding)
        if not admissible(self._problem, groups):
            return replace(result, status=Status.UNKNOWN, recoding=None, cost=None, bound=None, suppressed=0)
        return replace(result, suppressed=groups.suppressed)

    def _cells(self, levels: Levels, *, wildcard: bool, callback: object) -> _core.CellAnswer:
        recoded = self.recoded(levels)
        codes, counts, _ = recoded.lifted
        some = counts > 0  # the others only a population has
        return _core.suppress_cells(
            np.ascontiguousarray(codes[some]),
            np.ascontiguousarray(counts[some]),
            units=recoded.added,
            k=self._problem.k,
            wildcard=wildcard,
            seconds=self.left,
            nodes=self._budget.nodes,
            seed=self._seed,
            callback=callback,
        )

    def _of_models(self, recoded: Recoded, reader: Reader) -> Result:
        """By the search for single rows: it checks the models, and keeps the copies of a row together."""
        problem, table = self._problem, self._problem.table
        of_part, of_star = recoded.units
        units = [[part.tolist(), [star]] for part, star in zip(of_part, of_star, strict=True)]
        whole = Reader(reader.algorithm, self.cost)
        answer = _core.local(
            [[parts.tolist(), [0] * len(parts)] for parts in recoded.parts],
            np.ascontiguousarray(table.codes, np.int32),
            np.ascontiguousarray(table.counts, np.int64),
            price=_core.Price("cells", suppressed_row=self._metric.row_units(table), fixed=[], units=units),
            k=least_rows(problem),
            limit=problem.most_suppressed,
            low=[0] * len(units),
            high=[1] * len(units),
            privacy=privacy(problem),
            seconds=self.left,
            nodes=self._budget.nodes,
            threads=self._threads,
            seed=self._seed,
            callback=whole.callback(self._on_progress),
        )

        def recoding() -> LocalRecoding:
            chosen = answer.levels.reshape(table.codes.shape)
            levels = np.where(chosen == 0, np.array(recoded.levels), SUPPRESSED_CELL)
            return LocalRecoding.from_levels(table, levels)

        result = whole.result(answer, recoding)
        # That no recoding of single rows was found proves nothing.
        return replace(result, status=_unproved(result.status)) if result.recoding is None else result


def _unproved(status: Status) -> Status:
    return {Status.OPTIMAL: Status.FEASIBLE, Status.INFEASIBLE: Status.UNKNOWN}.get(status, status)


def _why_starred(problem: Problem) -> str | None:
    """Why a label could be mistaken for a suppressed cell, as the end of a sentence."""
    for domain in problem.table.domains:
        labels = itertools.chain.from_iterable(domain.hierarchy.labels[:-1])
        if SUPPRESSED in labels:
            return (
                f"'{SUPPRESSED}' is a label of column '{domain.name}' below the top of its hierarchy, and "
                "nobody could distinguish it from a suppressed cell; rename it"
            )
    return None
