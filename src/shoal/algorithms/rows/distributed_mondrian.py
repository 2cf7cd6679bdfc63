"""Mondrian where the rows are in many places: first cuts from histograms, the rest by the core on workers.

In rounds, every region with more distinct rows than a fragment may have is cut by the histograms of its
attributes, one pass over the rows for all regions of a round. Then each fragment is cut to the end by one
worker. Regions are never joined again once they are cut, so strict groups are those of `mondrian` on one
machine.

Paper: LeFevre, DeWitt and Ramakrishnan, ICDE 2006. What differs here: docs/algorithms/mondrian.md.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from shoal.algorithms._rules import size_alone
from shoal.algorithms.rows._histogram_cut import histogram_cut
from shoal.algorithms.rows._mondrian_cutting import cuttings
from shoal.algorithms.rows.mondrian import Mondrian, least_side
from shoal.cost import (
    CellMetric,
    CostMetric,
)
from shoal.errors import InternalError, PolicyError
from shoal.model.policy.budget import Budget, Progress, ProgressCallback
from shoal.model.recoding.cut_tree import Cut, CutTree
from shoal.model.recoding.distributed import (
    DistributedGroups,
    DistributedRecoding,
    DistributedRows,
    Fragment,
    Histogram,
    KnownFacts,
    marginal_table,
)
from shoal.model.recoding.local_recoding import LocalRecoding
from shoal.model.recoding.released_keys import Released, key_of
from shoal.model.result.problem import Problem
from shoal.model.result.result import Cost, Result, Status
from shoal.model.table.domain import Domain
from shoal.model.table.frequency_table import FrequencyTable
from shoal.model.table.people import Group
from shoal.privacy import GroupModel


def why_not_distributed(algorithm: Mondrian, problem: Problem) -> str | None:
    """Why the problem must be solved in one place, as the end of a sentence; `None` if it need not be."""
    if algorithm.choice != "width":
        return f"choice = {algorithm.choice!r} needs whole rows, which stay in the engine here; leave it out"
    for model in _examining(problem):
        if model.person_columns or model.needs_population:
            return f"persons and populations are not counted in the engine, and {model.name!r} needs them"
        if not model.unions_are_admitted:
            return f"groups that are released alike are joined, which {model.name!r} may not admit"
    if not isinstance(problem.cost, CellMetric) and problem.cost.of_sizes(problem.table.rows, {}) is None:
        return f"cost {problem.cost.name!r} needs whole rows, which stay in the engine here; choose 'ncp'"
    return algorithm.supports(problem)


@dataclass(frozen=True, kw_only=True, eq=False)
class FragmentSolver:
    """What a worker does with a fragment.

    Parameters
    ----------
    algorithm, domains, cost, k
        How to cut it.
    models, facts
        What else is demanded of groups, and what that depends on.
    deadline
        When to stop, by a clock that all machines should share; `None` for never.
    """

    algorithm: Mondrian
    domains: tuple[Domain, ...]
    cost: CostMetric
    k: int
    models: tuple[GroupModel, ...] = ()
    facts: KnownFacts | None = None
    deadline: float | None = None

    def __call__(
        self,
        codes: NDArray[np.int32],
        counts: NDArray[np.int64],
        facts: NDArray[np.int64] | None = None,
    ) -> Fragment:
        table, row_of_line = self._table(codes, counts, facts)
        problem = Problem(table=table, k=self.k, cost=self.cost, models=self.models)
        left = None if self.deadline is None else max(0.0, self.deadline - time.time())
        answer = self.algorithm.partition(problem, Budget(seconds=left))
        if not answer.found:
            raise InternalError("a fragment has too few rows to be a group")
        recoding = LocalRecoding.from_groups(table, answer.group_of, self.algorithm.vocabulary(self.domains))
        return Fragment(
            group_of=answer.group_of[row_of_line],
            values=recoding.values[row_of_line],
            keys=tuple(
                [key_of(value, domain) for value in values]
                for values, domain in zip(recoding.nodes, self.domains, strict=True)
            ),
            nodes=answer.nodes,
        )

    def _table(
        self, codes: NDArray[np.int32], counts: NDArray[np.int64], facts: NDArray[np.int64] | None
    ) -> tuple[FrequencyTable, NDArray[np.int64]]:
        """The lines as a table, and the row that each line is in; lines of a row differ in their facts."""
        # The order in which the lines arrive is the engine's; relaxed cuts must not depend on it.
        order = np.lexsort(codes.T[::-1] if facts is None else (facts, *codes.T[::-1]))
        codes, counts = codes[order], counts[order]
        begins = np.ones(len(codes), np.bool_)
        begins[1:] = (codes[1:] != codes[:-1]).any(axis=1)
        row = np.cumsum(begins) - 1
        row_of_line = np.empty(len(order), np.int64)
        row_of_line[order] = row
        table = FrequencyTable(
            domains=self.domains,
            codes=np.ascontiguousarray(codes[begins]),
            counts=np.add.reduceat(counts, np.flatnonzero(begins)),
            facts=None
            if facts is None or self.facts is None
            else self.facts.of_lines(row, facts[order], counts),
        )
        return table, row_of_line


@dataclass(kw_only=True, eq=False)
class DistributedMondrian:
    """One run of `mondrian` over distributed rows.

    Parameters
    ----------
    algorithm
        Its options.
    problem
        Its table is the marginal table of the rows.
    rows
        The rows.
    budget
        How long the search may go on. There is no limit on nodes here.
    on_progress
        Called after each round.
    """

    algorithm: Mondrian
    problem: Problem
    rows: DistributedRows
    budget: Budget = field(default_factory=Budget)
    on_progress: ProgressCallback | None = None

    def __post_init__(self) -> None:
        reason = why_not_distributed(self.algorithm, self.problem)
        if reason is not None:
            raise PolicyError(f"algorithm 'mondrian' cannot solve this where the rows are: {reason}")
        if self.budget.nodes is not None:
            raise PolicyError(
                "a limit on nodes does not work where workers run independently; limit the seconds"
            )
        self._started, self._nodes, self._interrupted = time.monotonic(), 0, False
        self._tree = CutTree()
        self._lines = {0: self.rows.whole.lines}
        self._finished: dict[int, Sequence[Released]] = {}
        self._left_to_workers: set[int] = set()
        self._models = _examining(self.problem)
        if self._models and self.rows.facts is None:
            raise InternalError("what models read was not counted")

    def solve(self) -> Result:
        """The result; its recoding has the groups."""
        k = least_side(self.problem)
        whole = self.rows.whole
        if whole.rows < k or (whole.facts is not None and not self._admits(whole.rows, whole.facts)):
            status = Status.INFEASIBLE if self.problem.most_suppressed == 0 else Status.UNKNOWN
            return Result(status=status, algorithm=self.algorithm.name)
        self._cut_regions(k)
        groups = self._grouped(k)
        self._check(groups)
        recoding = DistributedRecoding.of(groups)
        return Result(
            status=Status.FEASIBLE,
            algorithm=self.algorithm.name,
            recoding=recoding,
            cost=_cost(self.problem, recoding, groups),
            nodes=self._nodes + groups.nodes,
            seconds=time.monotonic() - self._started,
            interrupted=self._interrupted,
        )

    def _cut_regions(self, k: int) -> None:
        """Cut regions in rounds until each is finished, or small enough for a worker."""
        large = self._large()
        try:
            while large and not self._late():
                self._round(large, k)
                self._report()
                large = self._large()
        except KeyboardInterrupt:
            self._interrupted = True
        # Out of time, the remaining regions are released uncut; a worker may have no room for them.
        for region, histogram in self._histograms(self._large()).items():
            self._finished[region] = self._released(histogram)

    def _large(self) -> list[int]:
        """The regions that must be cut, or finished, before the workers start."""
        return [
            leaf
            for leaf in self._tree.leaves()
            if self._lines[leaf] > self.algorithm.fragment
            and leaf not in self._finished
            and leaf not in self._left_to_workers
        ]

    def _round(self, regions: Sequence[int], k: int) -> None:
        relaxed = self.algorithm.partitioning == "relaxed"
        ways = cuttings(self.rows.domains, self.problem.cost, self.algorithm.values)
        # Where there is no cut between values, there may be one through the rows of a value.
        through_values = relaxed and any(way.kind != "node" for way in ways)
        for region, histogram in self._histograms(regions).items():
            cut = histogram_cut(histogram, ways, k, self._admits, relaxed=relaxed)
            if cut is not None:
                sides = self._tree.cut(region, cut)
                self._lines.update(zip(sides, _lines(cut, histogram), strict=True))
            elif through_values:
                self._left_to_workers.add(region)
                continue
            else:
                self._finished[region] = self._released(histogram)
            self._nodes += 1

    def _admits(self, rows: int, facts: NDArray[np.int64]) -> bool:
        """Whether the models admit a group, by their definitions."""
        if not self._models:
            return True
        assert self.rows.facts is not None
        codes, people = self.rows.facts.combinations, self.problem.table.people
        counted = {tuple(codes[fact].tolist()): int(facts[fact]) for fact in np.flatnonzero(facts).tolist()}
        group = Group(rows=rows, facts=counted)
        return all(model.admits(group, people) for model in self._models)

    def _histograms(self, regions: Sequence[int]) -> dict[int, Histogram]:
        if list(regions) == [0]:
            return {0: self.rows.whole}
        return self.rows.histograms(self._tree, regions) if regions else {}

    def _released(self, histogram: Histogram) -> Sequence[Released]:
        """What a region is released as if it is a group."""
        domains = self.rows.domains
        codes = marginal_table(domains, histogram)
        group_of = np.zeros(len(codes.counts), np.int64)
        nodes = LocalRecoding.from_groups(codes, group_of, self.algorithm.vocabulary(domains)).nodes
        return [released for (released,) in nodes]

    def _grouped(self, k: int) -> DistributedGroups:
        if not self._interrupted:
            with contextlib.suppress(KeyboardInterrupt):
                seconds = self.budget.seconds
                return self._requested(k, None if seconds is None else time.time() + seconds - self._spent())
            self._interrupted = True
        return self._requested(k, 0.0)

    def _requested(self, k: int, deadline: float | None) -> DistributedGroups:
        solver = FragmentSolver(
            algorithm=self.algorithm,
            domains=self.rows.domains,
            cost=self.problem.cost,
            k=k,
            models=self._models,
            facts=self.rows.facts,
            deadline=deadline,
        )
        vocabulary = self.algorithm.vocabulary(self.rows.domains)
        return self.rows.grouped(self._tree, self._finished, solver, vocabulary)

    def _check(self, groups: DistributedGroups) -> None:
        """Check that the engine's own count of the released groups keeps the promises about sizes.

        What models read of each group stays in the engine, too; the audit measures it there.
        """
        problem, sizes = self.problem, groups.sizes
        if min(sizes) < problem.k:
            raise InternalError(f"a group of {min(sizes)} rows was made, and k is {problem.k}")
        if sum(size * many for size, many in sizes.items()) != problem.table.rows:
            raise InternalError("the groups have other rows than the table")
        listed = [size for size, many in sizes.items() for _ in range(many)]
        if not problem.admits(listed, 0):
            raise InternalError("the groups break a limit on the average risk")

    def _spent(self) -> float:
        return time.monotonic() - self._started

    def _late(self) -> bool:
        return self.budget.seconds is not None and self._spent() >= self.budget.seconds

    def _report(self) -> None:
        if self.on_progress is not None:
            self.on_progress(Progress(cost=None, bound=None, nodes=self._nodes, seconds=self._spent()))


def _examining(problem: Problem) -> tuple[GroupModel, ...]:
    """The models that look at more than the size of a group."""
    return tuple(model for model in problem.group_models if not size_alone(model))


def _lines(cut: Cut, histogram: Histogram) -> list[int]:
    """The distinct rows of each side."""
    codes = histogram.attributes[cut.attribute]
    lines = np.zeros(cut.sides, np.int64)
    np.add.at(lines, cut.side(codes.codes), codes.lines)
    return [int(each) for each in lines]


def _cost(problem: Problem, recoding: DistributedRecoding, groups: DistributedGroups) -> Cost:
    """The cost by its definition, where no row is suppressed."""
    metric, table = problem.cost, problem.table
    if isinstance(metric, CellMetric):
        units = sum(
            int(rows) * unit
            for attribute, rows_of_value in enumerate(groups.rows_of_value)
            for rows, unit in zip(rows_of_value, metric.cell_units(table, recoding, attribute), strict=True)
        )
        return Fraction(units - metric.offset(table), metric.scale(table))
    cost = metric.of_sizes(table.rows, groups.sizes)
    if cost is None:
        raise InternalError(f"cost {metric.name!r} needs whole rows, and they are in the engine")
    return cost
