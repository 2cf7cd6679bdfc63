"""The consistent search for rows that readers can link: one level per column, the promise kept by histories.

A node, a level for each quasi-identifier of each table, determines what every row is released as. Persons
whose released histories too few others share are suppressed, or lose some of their rows. Branch and bound
over boxes of the lattice: what must go at the upper node of a box must go everywhere in it.

Proofs and measurements: docs/algorithms/person-levels.md.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np

from shoal import _core
from shoal.algorithms._answer import Reader
from shoal.algorithms.histories._base import HistoryAlgorithm
from shoal.algorithms.histories._level_models import LevelModels, why_not_models
from shoal.algorithms.histories._level_units import LevelUnits
from shoal.model.description import Description
from shoal.model.history.placement import SUPPRESSED_ROW, Placement
from shoal.model.history.problem import HistoryProblem, HistoryResult
from shoal.model.parameter import parameter
from shoal.model.policy.budget import Budget, ProgressCallback
from shoal.model.result.result import Status
from shoal.model.result.searched_kind import LEVELS
from shoal.model.table.domain import Domain
from shoal.model.table.frequency_table import FrequencyTable
from shoal.model.table.marks import SUPPRESSED

MOST_COMBINATIONS = 1_000_000_000
"""Of rows that may be known, over all distinct histories. More would take minutes for each node."""


@dataclass(frozen=True, kw_only=True)
class PersonLevels(HistoryAlgorithm):
    """One level per column, so that k persons share what can be linked."""

    name = "person-levels"
    description = Description(
        title="Levels for persons",
        short="One level per column, persons as units",
        meaning="Chooses one level of each hierarchy for the whole column, so that of every released person "
        "the rows that can be linked are shared by enough others; persons, or some of their rows, are "
        "suppressed where that loses less.",
        when="When rows must stay linkable and rules demand one scale per column.",
    )
    searches = LEVELS
    guarantee = Status.FEASIBLE
    needs_hierarchies = True
    is_consistent = True

    single_rows: bool = field(
        default=True,
        metadata=parameter(
            "Leave out single rows",
            "Otherwise a person is released with all rows or not at all, and the optimum is proved.",
        ),
    )

    def supports(self, problem: HistoryProblem) -> str | None:
        histories = problem.histories
        if histories.rows > _core.MOST_ROWS:
            return f"it counts at most {_core.MOST_ROWS:,} rows; the source has {histories.rows:,}"
        for table in histories.tables:
            for domain in table.domains:
                if domain.hierarchy.height > _core.MOST_LEVELS:
                    return (
                        f"the hierarchy of '{domain.name}' has {domain.hierarchy.height:,} levels, and at "
                        f"most {_core.MOST_LEVELS} are searched; leave some out"
                    )
                if _shows_again(domain):
                    return (
                        f"the hierarchy of '{domain.name}' has the label '{SUPPRESSED}' below another one; "
                        "give that label another name"
                    )
        return why_not_models(problem) or _why_not_events(problem)

    def solve(
        self,
        problem: HistoryProblem,
        budget: Budget,
        *,
        threads: int = 1,
        seed: int = 0,  # noqa: ARG002
        on_progress: ProgressCallback | None = None,
    ) -> HistoryResult:
        histories, units, models = problem.histories, LevelUnits(problem), LevelModels(problem)
        reader = Reader(self.name, units.cost)
        ranges = [
            each
            for number, table in enumerate(histories.tables)
            for each in (
                problem.levels[number]
                if problem.levels and problem.levels[number]
                else [(0, domain.hierarchy.height) for domain in table.domains]
            )
        ]
        answer = _core.person_levels(
            [
                _core.PersonTable(
                    np.ascontiguousarray(table.codes, np.int32),
                    parts=[[list(parts) for parts in domain.hierarchy.parts] for domain in table.domains],
                    units=units.of_codes(number),
                    stars=[_stars(domain) for domain in table.domains],
                    suppressed=units.suppressed(number),
                    privacy=models.privacy[number],
                )
                for number, table in enumerate(histories.tables)
            ],
            first=np.ascontiguousarray(histories.first, np.int64),
            table_of=np.ascontiguousarray(histories.table_of, np.int32),
            row_of=np.ascontiguousarray(histories.row_of, np.int32),
            parent=np.ascontiguousarray(histories.parent, np.int32),
            counts=np.ascontiguousarray(histories.counts, np.int64),
            facts=models.facts,
            beliefs=models.beliefs,
            k=problem.k,
            known=problem.promise.known_events or 0,
            ordered=problem.promise.ordered,
            whole_units=problem.promise.whole_units,
            single_rows=self.single_rows,
            limit=problem.most_suppressed,
            low=[least for least, _ in ranges],
            high=[most for _, most in ranges],
            seconds=budget.seconds,
            nodes=budget.nodes,
            gap=budget.gap,
            threads=threads,
            callback=reader.callback(on_progress),
        )
        return self._result(problem, units, reader, answer)

    def _result(
        self, problem: HistoryProblem, units: LevelUnits, reader: Reader, answer: _core.PersonLevelsAnswer
    ) -> HistoryResult:
        trace = tuple(reader.moment(each.cost, each.bound, each.nodes, each.seconds) for each in answer.trace)
        if not answer.found:
            return HistoryResult(
                status=Status.INFEASIBLE if answer.proved else Status.UNKNOWN,
                algorithm=self.name,
                nodes=answer.nodes,
                seconds=answer.seconds,
                interrupted=answer.interrupted,
                trace=trace,
                reason=_why_infeasible(problem) if answer.proved else _NOTHING_FOUND,
            )
        places = answer.places.astype(np.int64)
        levels = _by_table(answer.levels, problem.histories.tables)
        cost = units.exact(levels, places != SUPPRESSED_ROW)
        # Where units were rounded down, a proof in units may lack the last digits.
        bound = min(units.cost(answer.bound), cost)
        return HistoryResult(
            status=Status.OPTIMAL if bound == cost else Status.FEASIBLE,
            algorithm=self.name,
            placement=Placement(place_of=places, levels=levels),
            cost=cost,
            bound=bound,
            nodes=answer.nodes,
            seconds=answer.seconds,
            interrupted=answer.interrupted,
            trace=trace,
        )


def _why_infeasible(problem: HistoryProblem) -> str:
    unit = problem.promise.unit
    return (
        f"no levels of the columns let {problem.k:,} {unit}s look the same if at most "
        f"{problem.most_suppressed:,} of {problem.histories.rows:,} rows are suppressed. Leave suppression "
        "out or allow more, give hierarchies with coarser levels, or choose a smaller k"
    )


_NOTHING_FOUND = (
    "no levels were found within the limit of suppressed rows, and it is not proved that there are none; "
    "allow more suppression, or a smaller k"
)


def _stars(domain: Domain) -> list[list[int]]:
    """For each level and code whether it is printed as a star; a value that is itself one is a value."""
    found = []
    for level, parts in enumerate(domain.hierarchy.parts):
        labels = domain.level_labels(level)
        found.append([int(level > 0 and labels[part] == SUPPRESSED) for part in parts])
    return found


def _shows_again(domain: Domain) -> bool:
    """Whether a code that is a star on some level is something else further up."""
    stars = _stars(domain)
    return any(
        lower > upper for below, above in pairwise(stars) for lower, upper in zip(below, above, strict=True)
    )


def _why_not_events(problem: HistoryProblem) -> str | None:
    known = problem.promise.known_events
    if known is None:
        return None
    if len(problem.histories.tables) > 1:
        return (
            "it counts the rows that somebody may know in one table, and there are several; choose "
            'known_events = "all"'
        )
    lengths, many = np.unique(problem.histories.lengths, return_counts=True)
    combinations = _combinations(zip(lengths.tolist(), many.tolist(), strict=True), known)
    if combinations <= MOST_COMBINATIONS:
        return None
    fewer = next(
        (
            m
            for m in range(known - 1, 0, -1)
            if _combinations(zip(lengths.tolist(), many.tolist(), strict=True), m) <= MOST_COMBINATIONS
        ),
        None,
    )
    way = "" if fewer is None else f"; choose known_events = {fewer}, or"
    return (
        f"with known_events = {known} there are {combinations:,} combinations of rows to count, and at most "
        f'{MOST_COMBINATIONS:,} are{way or "; choose"} known_events = "all"'
    )


def _combinations(lengths: Iterable[tuple[int, int]], known: int) -> int:
    """Combinations of at most so many rows, given how many histories have each length."""
    return sum(
        many * sum(math.comb(length, size) for size in range(1, min(known, length) + 1))
        for length, many in lengths
    )


def _by_table(levels: list[int], tables: tuple[FrequencyTable, ...]) -> tuple[tuple[int, ...], ...]:
    rest = iter(levels)
    return tuple(tuple(next(rest) for _ in table.domains) for table in tables)
