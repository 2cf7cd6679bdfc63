"""Attribute suppression: the cheapest columns without which every row matches enough others.

Best first over sets of suppressed columns. Columns that cannot all be kept are a conflict, and a release must
suppress one of each conflict; so a set that misses a known conflict need not be examined, and grows by one
of its columns. Conflicts are made as small as possible. That is Reiter's tree of hitting sets in order of
cost: the first set that is admissible is the cheapest.

Paper: Ciriani et al., k-Anonymity, 2007, section 3 (_AS); Reiter, Artificial Intelligence 32(1), 1987,
section 4. Proof: docs/algorithms/suppress-columns.md.
"""

from __future__ import annotations

import heapq
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from shoal.algorithms._base import ONE_SET, Algorithm
from shoal.algorithms._definitions import admissible, made_by
from shoal.algorithms._watch import BudgetEnded, Watch
from shoal.algorithms.cells._labels import why_no_population
from shoal.cost import METRICS, CellMetric
from shoal.model.description import Description
from shoal.model.policy.budget import Budget, ProgressCallback
from shoal.model.policy.recoding_model import RecodingModel
from shoal.model.recoding.local_recoding import LocalRecoding, Span
from shoal.model.result.problem import Problem
from shoal.model.result.result import Cost, Result, Status
from shoal.model.result.searched_kind import COLUMNS

Columns = frozenset[int]


@dataclass(frozen=True, kw_only=True)
class SuppressColumns(Algorithm):
    """The cheapest columns to suppress, proved."""

    name = "suppress-columns"
    description = Description(
        title="Leave out columns",
        short="The cheapest columns to give up, proved",
        meaning="Leaves out whole columns and releases the others as they are.",
        when="When some columns can be given up.",
    )
    searches = COLUMNS
    guarantee = Status.OPTIMAL
    recoding_models = (RecodingModel.AS,)

    def supports(self, problem: Problem) -> str | None:
        if len(problem.sets) > 1:
            return ONE_SET
        if problem.levels:
            return "a column is released as it is or not at all; leave out min_level and max_level"
        if not isinstance(problem.cost, CellMetric):
            means = [name for name, metric in METRICS.items() if issubclass(metric, CellMetric)]
            return f"it minimizes costs that are means over cells: {', '.join(means)}"
        return why_no_population(problem)

    def solve(
        self,
        problem: Problem,
        budget: Budget,
        *,
        threads: int = 1,  # noqa: ARG002
        seed: int = 0,  # noqa: ARG002
        on_progress: ProgressCallback | None = None,
    ) -> Result:
        watch = Watch(budget, on_progress)
        search = _Search(problem, watch)
        interrupted = False
        try:
            columns, proved = search.cheapest(), True
        except (BudgetEnded, KeyboardInterrupt) as end:
            interrupted, proved = isinstance(end, KeyboardInterrupt), False
            every = frozenset(range(len(problem.table.domains)))
            columns = every if search.admits(every) else None
        if columns is None:
            return Result(
                status=Status.INFEASIBLE if proved else Status.UNKNOWN,
                algorithm=self.name,
                nodes=watch.nodes,
                seconds=watch.seconds,
                interrupted=interrupted,
                reason="even with every column suppressed, so that all rows are alike, the models are not "
                "met. Relax them",
            )
        cost = search.cost(search.units(columns))
        return Result(
            status=Status.OPTIMAL if proved else Status.FEASIBLE,
            algorithm=self.name,
            recoding=suppressing(problem, columns),
            cost=cost,
            bound=cost if proved else search.cost(search.least),
            nodes=watch.nodes,
            seconds=watch.seconds,
            interrupted=interrupted,
        )


class _Search:
    """The tree of hitting sets of one problem."""

    def __init__(self, problem: Problem, watch: Watch) -> None:
        self._problem = problem
        self._watch = watch
        self._metric = problem.cost
        assert isinstance(self._metric, CellMetric)
        table = problem.table
        self._attributes = range(len(table.domains))
        self._kept = [_column_units(problem, each, shown=True) for each in self._attributes]
        self._lost = [_column_units(problem, each, shown=False) for each in self._attributes]
        # Whether admitted groups stay admitted when they are joined; otherwise a conflict proves nothing.
        self._rises = all(model.unions_are_admitted for model in problem.models)
        self._conflicts: list[Columns] = []
        self.least = self.units(frozenset())

    def units(self, suppressed: Columns) -> int:
        """What a set costs, in the metric's units."""
        return sum(self._lost[a] if a in suppressed else self._kept[a] for a in self._attributes)

    def cost(self, units: int) -> Cost:
        """Units as the metric reports them."""
        assert isinstance(self._metric, CellMetric)
        table = self._problem.table
        return Fraction(units - self._metric.offset(table), self._metric.scale(table))

    def admits(self, suppressed: Columns) -> bool:
        """Whether every row may be released when these columns are suppressed."""
        groups = made_by(self._problem, suppressing(self._problem, suppressed))
        return groups.all_kept and admissible(self._problem, groups)

    def cheapest(self) -> Columns | None:
        """The cheapest admissible set; `None` if there is none."""
        start: Columns = frozenset()
        # Equal costs are taken in the order of the columns, so that the first found is always the same.
        heap: list[tuple[int, int, tuple[int, ...], Columns]] = [(self.units(start), 0, (), start)]
        queued = {start}
        while heap:
            self.least, _, _, suppressed = heapq.heappop(heap)
            conflict = self._conflict(suppressed)
            if conflict is None:
                return suppressed
            for column in sorted(conflict):
                more = suppressed | {column}
                if more not in queued:
                    queued.add(more)
                    heapq.heappush(heap, (self.units(more), len(more), tuple(sorted(more)), more))
        return None

    def _conflict(self, suppressed: Columns) -> Columns | None:
        """Kept columns, one of which must go; `None` if the set is admissible as it is."""
        for known in self._conflicts:
            if not known & suppressed:
                return known
        self._watch.look()
        if self.admits(suppressed):
            return None
        kept = frozenset(self._attributes) - suppressed
        if not self._rises:
            return kept
        for column in sorted(kept):
            self._watch.look()
            if not self.admits(frozenset(self._attributes) - kept | {column}):
                kept -= {column}
        self._conflicts.append(kept)
        return kept


def suppressing(problem: Problem, suppressed: Columns) -> LocalRecoding:
    """The recoding that suppresses some columns and leaves the others as they are."""
    table = problem.table
    values = table.codes.copy()
    nodes: list[tuple[Span | None, ...]] = []
    for attribute, domain in enumerate(table.domains):
        if attribute in suppressed:
            values[:, attribute] = 0
            nodes.append((None,))
        else:
            nodes.append(tuple(Span((code,)) for code in range(len(domain))))
    return LocalRecoding(values=np.ascontiguousarray(values), nodes=tuple(nodes))


def _column_units(problem: Problem, attribute: int, *, shown: bool) -> int:
    """What a column costs, in the metric's units, as it is or suppressed."""
    table, metric = problem.table, problem.cost
    assert isinstance(metric, CellMetric)
    recoding = suppressing(problem, frozenset() if shown else frozenset({attribute}))
    units = np.array(metric.cell_units(table, recoding, attribute), np.int64)
    return int(units[recoding.values[:, attribute]] @ table.counts)
