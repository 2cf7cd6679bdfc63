"""Local recoding: every row is generalized only as far as it must be.

Equal values may be released differently in different rows, so far more detail survives than with one level
per column. Rows are released at the cheapest node of the level lattice at which enough matching rows are
left; then rows move, and groups are dissolved and split, while that helps. A lower bound shows how far from
the best the answer can be.

Proof and measurements: docs/algorithms/local.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from shoal import _core
from shoal.algorithms._answer import Reader, beyond_the_core
from shoal.algorithms._base import Algorithm
from shoal.algorithms._definitions import admissible, cost_of, made_by
from shoal.algorithms._rules import (
    least_rows,
    met_by_size,
    privacy,
    rows_at_risk,
    unknown_model,
    why_not_by_size,
)
from shoal.algorithms.cells._cells import (
    SPAN_METRICS,
    VALUES_WORDS,
    Values,
    by_node,
    check_values,
    is_exact,
    node_names,
    node_price,
    span_prices,
    vocabulary,
)
from shoal.algorithms.cells._labels import why_ambiguous, why_no_population
from shoal.algorithms.levels.lattice import LatticeSearch
from shoal.algorithms.rows._finishing import searching
from shoal.algorithms.rows._starts import groups_of, starts
from shoal.cost import METRICS, CellMetric
from shoal.cost.discernibility import Discernibility
from shoal.cost.ncp import Ncp
from shoal.model.description import Description
from shoal.model.policy.budget import Budget, ProgressCallback
from shoal.model.policy.recoding_model import RecodingModel
from shoal.model.recoding.groups import Groups
from shoal.model.recoding.local_recoding import SUPPRESSED_CELL, LocalRecoding, Vocabulary
from shoal.model.recoding.recoding import Recoding
from shoal.model.result.problem import Problem
from shoal.model.result.result import Cost, Result, Status
from shoal.model.result.searched_kind import ROWS
from shoal.model.table.frequency_table import FrequencyTable

_SUPPRESSED_ROW = 255


@dataclass(frozen=True, kw_only=True)
class Local(Algorithm):
    """Good released values for every distinct row.

    Parameters
    ----------
    values
        What rows may be released as: "given", labels of the hierarchies that the policy states, and intervals
        or sets elsewhere; "hierarchy", labels everywhere; or "sets", intervals of numbers and dates and sets
        of categories, which lose less and are harder to read.
    """

    name = "local"
    description = Description(
        title="Local",
        short="As coarse as each row needs",
        meaning="Chooses labels row by row, with a bound on what is lost at least. Loses far less, but one "
        "column holds labels of several levels.",
        when="When detail matters more than easy counting.",
    )
    searches = ROWS
    guarantee = Status.FEASIBLE
    recoding_models = (RecodingModel.CG_,)
    needs_hierarchies = True
    takes_start = True

    values: Values = field(default="given", metadata=VALUES_WORDS)

    def __post_init__(self) -> None:
        check_values(self.values)

    def supports(self, problem: Problem) -> str | None:
        beyond = beyond_the_core(problem.table.rows, len(problem.sets))
        if beyond is not None:
            return beyond
        unknown = unknown_model(problem, at_risk=True) or why_not_by_size(problem)
        if unknown is not None:
            return unknown
        priced = SPAN_METRICS if self.values == "sets" else (CellMetric,)
        if not isinstance(problem.cost, (*priced, Discernibility)):
            means = [name for name, metric in METRICS.items() if issubclass(metric, priced)]
            return f"it minimizes {', '.join(means)} and discernibility"
        if self.values == "sets" and problem.levels:
            return "sets and intervals are on no level; leave out min_level and max_level"
        words = zip(problem.table.domains, self._words(problem), strict=True)
        on_nodes = [domain for domain, own in words if own == "nodes"]
        return why_no_population(problem) or why_ambiguous(on_nodes, by_row=True)

    def _values(self, problem: Problem) -> Values:
        """What rows may be released as; labels where nothing else has a price."""
        priced = isinstance(problem.cost, (*SPAN_METRICS, Discernibility))
        return self.values if priced or self.values != "given" else "hierarchy"

    def _words(self, problem: Problem) -> list[Vocabulary]:
        """Per column what its values may be released as."""
        domains, values = problem.table.domains, self._values(problem)
        if values != "given":
            return vocabulary(domains, values)
        ranges = problem.levels or [(0, domain.hierarchy.height) for domain in domains]
        return [
            # Who limits the levels of a column speaks of its labels.
            "nodes" if by_node(domain, "given") or levels != (0, domain.hierarchy.height) else "spans"
            for domain, levels in zip(domains, ranges, strict=True)
        ]

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
            A recoding to begin with, such as that for another k: its groups that are still admitted stay,
            others are dissolved.
        """
        if rows_at_risk(problem):
            return self._with_larger_groups(problem, budget, threads, seed, on_progress, start)
        began = _core.now()
        found = starts(problem, self._values(problem), budget, threads=threads, seed=seed)
        if start is not None:
            found.partitions.append(groups_of(problem, start))
        left = _left(searching(budget, problem.table, found.pace), _core.now() - began, found.nodes)
        if found.interrupted:  # release what there is without improving it
            left = replace(left, seconds=0.0)
        result = self._improved(problem, left, found.partitions, threads, seed, on_progress)
        return replace(
            result,
            nodes=found.nodes + result.nodes,
            seconds=_core.now() - began,
            interrupted=found.interrupted or result.interrupted,
            beside=found.beside,
        )

    def _with_larger_groups(
        self,
        problem: Problem,
        budget: Budget,
        threads: int,
        seed: int,
        on_progress: ProgressCallback | None,
        start: Recoding | None,
    ) -> Result:
        """Groups so large that no row is at risk, where the policy limits how many may be; no bound follows.

        Suppressed rows are a group of `*` themselves, which may be too small: then none is suppressed.
        """
        strict, began, result = met_by_size(problem), _core.now(), None
        for limit in dict.fromkeys((strict.limit, 0)):
            result = self.solve(
                replace(strict, limit=limit),
                _left(budget, _core.now() - began, 0),
                threads=threads,
                seed=seed,
                on_progress=_without_bound(on_progress),
                start=start,
            )
            groups = None if result.recoding is None else made_by(problem, result.recoding)
            if result.recoding is not None and groups is not None and admissible(problem, groups):
                cost = problem.cost.of(problem.table, result.recoding, problem.k, problem.group_models)
                return replace(
                    result,
                    status=Status.FEASIBLE,
                    cost=cost,
                    bound=None,
                    suppressed=groups.suppressed,
                    trace=tuple(replace(each, bound=None) for each in result.trace),
                )
            if result.interrupted:
                break
        assert result is not None
        left = _left(budget, _core.now() - began, result.nodes)
        return self._one_level_per_column(problem, left, result, threads)

    def _improved(
        self,
        problem: Problem,
        budget: Budget,
        partitions: list[list[int]],
        threads: int,
        seed: int,
        on_progress: ProgressCallback | None,
    ) -> Result:
        """The best that the core can make of some partitions."""
        table = problem.table
        squares = isinstance(problem.cost, Discernibility)
        metric = problem.cost if isinstance(problem.cost, CellMetric) else Ncp()
        scale, offset = (1, 0) if squares else (metric.scale(table), metric.offset(table))
        reader = Reader(self.name, lambda units: _cost(units, scale, offset, squares=squares))
        heights = [domain.hierarchy.height for domain in table.domains]
        ranges = problem.levels or [(0, height) for height in heights]
        words = self._words(problem)
        answer = _core.local(
            [[list(parts) for parts in domain.hierarchy.parts] for domain in table.domains],
            np.ascontiguousarray(table.codes, np.int32),
            np.ascontiguousarray(table.counts, np.int64),
            price=node_price(metric, table),
            names=[node_names(domain.hierarchy) for domain in table.domains],
            spans=span_prices(metric, table, words),
            squares=squares,
            k=least_rows(problem),
            limit=problem.most_suppressed,
            low=[least for least, _ in ranges],
            high=[greatest for _, greatest in ranges],
            privacy=privacy(problem),
            starts=partitions,
            by_levels=not partitions or "spans" not in words,
            seconds=budget.seconds,
            nodes=budget.nodes,
            threads=threads,
            seed=seed,
            callback=reader.callback(on_progress),
        )

        def recoding() -> LocalRecoding:
            if not problem.levels:
                return LocalRecoding.from_groups(table, answer.groups, words)
            levels = answer.levels.reshape(table.codes.shape).astype(np.int64)
            levels[levels == _SUPPRESSED_ROW] = SUPPRESSED_CELL
            return _on_levels(table, answer.groups, levels, words)

        result = reader.result(answer, recoding)
        if result.recoding is not None:
            # Suppressed rows are a group themselves, whose cells all read `*`; together with a group that was
            # generalized as far, they may be one that a model refuses.
            groups = made_by(problem, result.recoding)
            if admissible(problem, groups):
                result = replace(result, suppressed=groups.suppressed)
                return self._as_defined(problem, result, groups) if squares or "spans" in words else result
        left = _left(budget, answer.seconds, answer.nodes)
        return self._one_level_per_column(problem, left, result, threads)

    def _as_defined(self, problem: Problem, result: Result, groups: Groups) -> Result:
        """The result with the cost of its recoding by definition: groups that print alike are one."""
        assert result.recoding is not None
        cost = cost_of(problem, result.recoding, groups)
        bound = result.bound
        if (
            bound is not None
            and isinstance(problem.cost, SPAN_METRICS)
            and not is_exact(problem.cost, problem.table)
        ):
            # The core takes the difference of two rounded ends, which is less than a unit off.
            bound = max(Fraction(0), bound - Fraction(1, problem.cost.units(problem.table)))
        proved = bound is not None and bound >= cost
        status = Status.OPTIMAL if proved else Status.FEASIBLE
        return replace(result, cost=cost, bound=cost if proved else bound, status=status)

    def _one_level_per_column(
        self, problem: Problem, budget: Budget, previous: Result, threads: int
    ) -> Result:
        """The best levels, if no recoding of single rows was found; finding no levels would prove nothing."""
        nothing = replace(previous, status=Status.UNKNOWN, recoding=None, cost=None, bound=None, suppressed=0)
        levels = LatticeSearch()
        if previous.interrupted or levels.supports(problem) is not None:
            return nothing
        result = levels.solve(problem, budget, threads=threads)
        if result.recoding is None:
            return replace(nothing, interrupted=result.interrupted)
        # What is proved of one level per column says nothing of levels row by row.
        return replace(
            result,
            algorithm=self.name,
            status=Status.FEASIBLE,
            bound=None,
            nodes=previous.nodes + result.nodes,
        )


def _without_bound(on_progress: ProgressCallback | None) -> ProgressCallback | None:
    """What is called with a search's progress, for a search whose bound is none of the problem's."""
    if on_progress is None:
        return None
    return lambda moment: on_progress(replace(moment, bound=None))


def _left(budget: Budget, seconds: float, nodes: int) -> Budget:
    """What a search leaves of a budget to the next one."""
    return replace(
        budget,
        seconds=None if budget.seconds is None else max(0.0, budget.seconds - seconds),
        nodes=None if budget.nodes is None else max(0, budget.nodes - nodes),
    )


def _on_levels(
    table: FrequencyTable,
    groups: NDArray[np.int32],
    levels: NDArray[np.int64],
    words: Sequence[Vocabulary],
) -> LocalRecoding:
    """The recoding of groups whose nodes may be above the least that cover their values."""
    as_spans = LocalRecoding.from_groups(table, groups, ["spans" for _ in words])
    on_levels = LocalRecoding.from_levels(table, levels)
    chosen = [on_levels if own == "nodes" else as_spans for own in words]
    return LocalRecoding(
        values=np.column_stack([each.values[:, a] for a, each in enumerate(chosen)]),
        nodes=tuple(each.nodes[a] for a, each in enumerate(chosen)),
    )


def _cost(units: int, scale: Cost, offset: int, *, squares: bool) -> Cost:
    return units if squares else Fraction(max(0, units - offset), scale)
