"""Groups of k persons who are released with the same rows, row by row.

Persons with similar histories form a group, and their rows are aligned: each member has one row in each slot
of the group, and the rows of a slot are released alike. Rows in no slot are suppressed. Groups are formed
greedily and improved while that helps; a lower bound shows how far from the best the answer can be.

Proofs and measurements: docs/algorithms/person-groups.md.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any

import numpy as np

from shoal import _core
from shoal.algorithms._answer import Reader, beyond_the_core
from shoal.algorithms.cells._cells import SPAN_METRICS, VALUES_WORDS, Values, check_values, vocabulary
from shoal.algorithms.cells._labels import why_ambiguous
from shoal.algorithms.histories._base import HistoryAlgorithm
from shoal.algorithms.histories._judged_groups import refused
from shoal.algorithms.histories._tables import CoreTables, cost_of
from shoal.algorithms.histories.fewest_suppressed import fewest_suppressed, fewest_suppressed_for_events
from shoal.cost import METRICS, CellMetric
from shoal.model.description import Description
from shoal.model.history.placement import SUPPRESSED_ROW, Placement
from shoal.model.history.problem import HistoryProblem, HistoryResult
from shoal.model.policy.budget import Budget, ProgressCallback
from shoal.model.recoding.local_recoding import Vocabulary
from shoal.model.result.result import Status
from shoal.model.result.searched_kind import ROWS
from shoal.privacy import SensitiveModel

_SHARE_OF_SEARCH = 0.75
"""Of the seconds; the rest is for the bound."""

_SHARE_BEFORE_CELLS = 0.4
"""The same where cells of rows are tried, too ..."""

_SHARE_BEFORE_CELLS_OF_ONE = 0.1
"""... and where one row is known, of which cells are better than groups throughout ..."""

_SHARE_OF_CELLS = 0.8
"""... and of what is left, for these."""

_TIMES_K = (1, 2, 4)
"""Sizes of groups that are tried, in multiples of k, where models refuse some."""

_MOST_PAIRS = 200_000_000
"""Pairs of histories that the bound looks at."""


@dataclass(frozen=True, kw_only=True)
class PersonGroups(HistoryAlgorithm):
    """Good groups of persons, and an alignment of their rows.

    Parameters
    ----------
    values
        What cells may be released as, as for `local`.
    """

    name = "person-groups"
    description = Description(
        title="Person groups",
        short="Groups of persons with similar histories",
        meaning="Puts persons with similar rows into groups, and releases the members of a group with the "
        "same rows. Loses far less than one level per column.",
        when="When rows of a person can be linked, and detail matters more than easy counting.",
    )
    searches = ROWS
    guarantee = Status.FEASIBLE
    needs_hierarchies = True

    values: Values = field(default="given", metadata=VALUES_WORDS)

    def __post_init__(self) -> None:
        check_values(self.values)

    def words(self, problem: HistoryProblem) -> list[list[Vocabulary]]:
        """Per table and column what its values are released as: labels where nothing else has a price."""
        return [
            vocabulary(
                table.domains,
                self.values if isinstance(metric, SPAN_METRICS) or self.values != "given" else "hierarchy",
            )
            for table, metric in zip(problem.histories.tables, problem.costs, strict=True)
        ]

    def supports(self, problem: HistoryProblem) -> str | None:
        beyond = beyond_the_core(problem.histories.rows, 1)
        if beyond is not None:
            return beyond
        priced = SPAN_METRICS if self.values == "sets" else (CellMetric,)
        if not all(isinstance(metric, priced) for metric in problem.costs):
            means = [name for name, metric in METRICS.items() if issubclass(metric, priced)]
            return f"it minimizes {', '.join(means)}"
        if problem.models and len(problem.histories.tables) > 1:
            return "it does not judge sensitive values of several tables"
        if not all(isinstance(model, SensitiveModel) for model in problem.models):
            return "of privacy models it judges those of sensitive values"
        if any(
            range_ != (0, domain.hierarchy.height)
            for table, ranges in zip(problem.histories.tables, problem.levels, strict=False)
            for domain, range_ in zip(table.domains, ranges, strict=True)
        ):
            return (
                "it does not support limits of levels; leave out min_level and max_level, "
                "or use 'person-levels'"
            )
        if problem.promise.whole_units and len(problem.histories.tables) > 1:
            return "households in several tables are not supported"
        on_nodes = [
            domain
            for table, words in zip(problem.histories.tables, self.words(problem), strict=True)
            for domain, own in zip(table.domains, words, strict=True)
            if own == "nodes"
        ]
        return why_ambiguous(on_nodes, by_row=True)

    def solve(
        self,
        problem: HistoryProblem,
        budget: Budget,
        *,
        threads: int = 1,
        seed: int = 0,
        on_progress: ProgressCallback | None = None,
    ) -> HistoryResult:
        if problem.models:
            return self._judged(problem, budget, threads, seed, on_progress)
        fewest = _fewest(problem)
        if fewest > problem.most_suppressed:
            return HistoryResult(
                status=Status.INFEASIBLE, algorithm=self.name, reason=_why_infeasible(problem, fewest)
            )
        words = self.words(problem)
        core = CoreTables.of(problem, words)
        reader = Reader(self.name, core.cost)
        given, limit = _given(problem), problem.most_suppressed
        began = _core.now()
        answers = []
        if problem.promise.known_events is None or _fewest_of_whole(problem) <= limit:
            share = _share_of_groups(problem)
            answers.append(
                _core.person_groups(
                    core.tables,
                    **given,
                    limit=limit,
                    seconds=None if budget.seconds is None else share * budget.seconds,
                    nodes=budget.nodes,
                    threads=threads,
                    seed=seed,
                    callback=reader.callback(on_progress),
                )
            )
        known = problem.promise.known_events
        if known is not None and _cells_are_possible(problem) and not any(a.interrupted for a in answers):
            left = _left(budget, began)
            seconds = None if left is None else _SHARE_OF_CELLS * left
            begun = next((answer for answer in answers if answer.found), None)
            answers.append(
                _core.event_cells(
                    core.tables,
                    **given,
                    limit=limit,
                    known=known,
                    place_of=np.zeros(0, np.int64) if begun is None else begun.place_of,
                    group_of=np.zeros(0, np.int32) if begun is None else begun.group_of,
                    seconds=seconds,
                    threads=threads,
                )
            )
        trace = tuple(
            reader.moment(each.cost, each.bound, each.nodes, each.seconds)
            for answer in answers
            for each in answer.trace
        )
        interrupted = any(answer.interrupted for answer in answers)
        best = min((answer for answer in answers if answer.found), key=lambda each: each.cost, default=None)
        nodes = sum(answer.nodes for answer in answers)
        if best is None:
            return HistoryResult(
                status=Status.UNKNOWN,
                algorithm=self.name,
                nodes=nodes,
                seconds=_core.now() - began,
                interrupted=interrupted,
                trace=trace,
                reason=f"no groups were found that suppress at most {limit:,} rows; "
                "allow more suppressed rows",
            )
        placement = _placement(problem, best)
        cost = core.cost(best.cost) if core.exact else cost_of(problem, placement, words)
        bounded = _core.person_bound(
            core.tables,
            **given,
            by_row=known is not None,
            most=0 if interrupted else _MOST_PAIRS // len(problem.histories.counts),
            seconds=_left(budget, began),
            threads=threads,
        )
        bound = min(core.bound(bounded.bound), cost)
        return HistoryResult(
            status=Status.OPTIMAL if bound >= cost else Status.FEASIBLE,
            algorithm=self.name,
            placement=placement,
            cost=cost,
            bound=bound,
            nodes=nodes,
            seconds=_core.now() - began,
            interrupted=interrupted or bounded.interrupted,
            trace=trace,
        )

    def _judged(
        self,
        problem: HistoryProblem,
        budget: Budget,
        threads: int,
        seed: int,
        on_progress: ProgressCallback | None,
    ) -> HistoryResult:
        """Groups of k and of more persons, without those that a model refuses; the cheapest answer counts.

        Whole histories are alike, which is enough for any number of known events.
        """
        whole = replace(problem.promise, known_events=None)
        plain = replace(problem, models=(), promise=whole, limit=None)
        sizes = [times for times in _TIMES_K if times == 1 or times * problem.k <= plain.histories.persons]
        share = replace(
            budget,
            seconds=None if budget.seconds is None else budget.seconds / len(sizes),
            nodes=None if budget.nodes is None else budget.nodes // len(sizes),
        )
        words, found, began = self.words(problem), [], _core.now()
        for times in sizes:
            result = self.solve(
                replace(plain, k=times * problem.k),
                share,
                threads=threads,
                seed=seed,
                on_progress=on_progress,
            )
            found.append(_without_refused(problem, result, words))
            if result.interrupted:
                break
        first, nodes = found[0], sum(each.nodes for each in found)
        able = [each for each in found if each.cost is not None]
        best = min(able, key=lambda each: Fraction(each.cost or 0), default=None)
        if best is None:
            return replace(
                first,
                status=Status.UNKNOWN,
                bound=None,
                nodes=nodes,
                seconds=_core.now() - began,
                reason="no groups of persons were found that all models admit; demand less of the sensitive "
                "values, or allow more suppressed rows",
            )
        # What is proved of groups without a model holds with one; of known events it says nothing.
        bound = None if problem.promise.known_events is not None else first.bound
        proved = bound is not None and best.cost is not None and bound >= best.cost
        return replace(
            best,
            status=Status.OPTIMAL if proved else Status.FEASIBLE,
            bound=best.cost if proved else bound,
            nodes=nodes,
            seconds=_core.now() - began,
        )


def _without_refused(
    problem: HistoryProblem, result: HistoryResult, words: list[list[Vocabulary]]
) -> HistoryResult:
    """The answer without the persons whose groups a model refuses; without a placement if too many go."""
    if result.placement is None:
        return result
    histories, place_of = problem.histories, result.placement.place_of.copy()
    place_of[refused(problem, place_of)[histories.history_of]] = SUPPRESSED_ROW
    gone = int(histories.counts[histories.history_of[place_of == SUPPRESSED_ROW]].sum())
    if gone > problem.most_suppressed:
        return replace(result, placement=None, cost=None)
    placement = Placement(place_of=place_of)
    return replace(result, placement=placement, cost=cost_of(problem, placement, words))


def _placement(problem: HistoryProblem, answer: _core.PeopleAnswer) -> Placement:
    """The places of an answer; in one table, what never changes within a person is released by groups."""
    histories = problem.histories
    if len(histories.tables) > 1:
        return Placement(place_of=answer.place_of)
    return Placement(
        place_of=answer.place_of,
        once=histories.unchanging,
        class_of=np.asarray(answer.group_of, np.int64),
    )


def _share_of_groups(problem: HistoryProblem) -> float:
    if not _cells_are_possible(problem):
        return _SHARE_OF_SEARCH
    return _SHARE_BEFORE_CELLS_OF_ONE if problem.promise.known_events == 1 else _SHARE_BEFORE_CELLS


def _left(budget: Budget, began: float) -> float | None:
    return None if budget.seconds is None else max(0.0, budget.seconds - (_core.now() - began))


def _cells_are_possible(problem: HistoryProblem) -> bool:
    """Whether rows can be put into cells one by one: of one table, and for few known rows."""
    known, promise = problem.promise.known_events, problem.promise
    return (
        known is not None
        and known <= _core.MOST_KNOWN_ROWS
        and len(problem.histories.tables) == 1
        and not promise.whole_units
    )


def _given(problem: HistoryProblem) -> dict[str, Any]:
    """The histories, and what is demanded of them, as the core has them."""
    histories = problem.histories
    return {
        "first": np.ascontiguousarray(histories.first, np.int64),
        "table_of": np.ascontiguousarray(histories.table_of, np.int32),
        "row_of": np.ascontiguousarray(histories.row_of, np.int32),
        "parent": np.ascontiguousarray(histories.parent, np.int32),
        "counts": np.ascontiguousarray(histories.counts, np.int64),
        "k": problem.k,
        "ordered": histories.ordered,
        "whole": problem.promise.whole_units,
    }


def _fewest_of_whole(problem: HistoryProblem) -> int:
    return fewest_suppressed(problem.histories, problem.k, problem.promise.whole_units)


def _fewest(problem: HistoryProblem) -> int:
    promise = problem.promise
    if promise.known_events is None or promise.whole_units:
        return _fewest_of_whole(problem)
    return fewest_suppressed_for_events(problem.histories, problem.k, promise.known_events)


def _why_infeasible(problem: HistoryProblem, fewest: int) -> str:
    rows, unit = problem.histories.rows, problem.promise.unit
    if problem.promise.whole_units:
        why = f"{unit}s of some sizes are fewer than {problem.k:,}, and are suppressed whole"
    else:
        why = f"too few {unit}s have as many rows as others"
    return (
        f"at least {fewest:,} of {rows:,} rows must be suppressed, because {why}; "
        f"the limit is {problem.most_suppressed:,}. State suppression = {fewest:,} or more, "
        "leave suppression out, or choose a smaller k"
    )
