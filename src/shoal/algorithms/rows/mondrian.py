"""Mondrian: multidimensional partitioning, top down.

All rows begin as one group. A group is cut in two at the median of an attribute, or a node of a hierarchy
into its children, as long as every side is large enough and admitted by all privacy models. No row is
suppressed.

Papers: LeFevre, DeWitt and Ramakrishnan, ICDE 2006; the choice by information gain: KDD 2006. Deviations and
measurements: docs/algorithms/mondrian.md.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Literal, get_args

import numpy as np

from shoal import _core
from shoal.algorithms._answer import Reader, beyond_the_core
from shoal.algorithms._base import Algorithm
from shoal.algorithms._definitions import admissible, cost_of, made_by
from shoal.algorithms._rules import (
    least_rows,
    met_by_size,
    privacy,
    risk_limits,
    rows_at_risk,
    size_at_risk,
    unknown_model,
    why_not_by_size,
)
from shoal.algorithms.cells._cells import by_node, vocabulary
from shoal.algorithms.cells._labels import why_ambiguous, why_no_population
from shoal.algorithms.rows._finishing import searching
from shoal.algorithms.rows._mondrian_cutting import Values, cuttings
from shoal.errors import PolicyError
from shoal.model.description import Description
from shoal.model.parameter import parameter
from shoal.model.policy.budget import Budget, ProgressCallback
from shoal.model.policy.recoding_model import RecodingModel
from shoal.model.recoding.distributed import DistributedRows
from shoal.model.recoding.local_recoding import LocalRecoding, Vocabulary
from shoal.model.result.problem import Problem
from shoal.model.result.result import Result, Status
from shoal.model.result.searched_kind import ROWS
from shoal.model.table.domain import Domain
from shoal.privacy import SLACK

Partitioning = Literal["strict", "relaxed"]
Choice = Literal["width", "information-gain", "cost"]


@dataclass(frozen=True, kw_only=True)
class Mondrian(Algorithm):
    """Groups by multidimensional partitioning.

    Parameters
    ----------
    partitioning
        Strict: what two groups cover never overlaps. Relaxed: rows with equal values may be on both sides
        of a cut, and children of a node that cannot be groups by themselves stay on the node together.
    choice
        Width: the widest attribute that has an allowable cut is cut nearest to the median. Information gain,
        cost: of all allowable cuts it takes the one that separates the class labels best, or that leaves the
        cells least wide.
    values
        Hierarchy: attributes are cut and released by the nodes of their hierarchies. Sets: numbers and dates
        are released as intervals, categories as sets of values, cut in the order of their frequency.
        Intervals: the same, categories cut in the order of their domain. Given: attributes whose hierarchy
        the policy states as with hierarchy, others as with sets.
    distributed
        Whether the rows stay in the engine, and many of its workers cut them. Only Spark can do that.
    fragment
        Distributed: most distinct rows that are left to one worker.
    """

    name = "mondrian"
    description = Description(
        title="Mondrian",
        short="Row by row, a million rows in about a second",
        meaning="Halves the table again and again as long as both halves are large enough. Proves nothing.",
        when="When the table is very large.",
    )
    searches = ROWS
    guarantee = Status.FEASIBLE
    recoding_models = (RecodingModel.CG_,)

    partitioning: Partitioning = field(
        default="strict",
        metadata=parameter(
            "Whether the values of two groups may overlap",
            choices={"strict": "never", "relaxed": "yes: equal values may be on both sides of a cut"},
            in_form=False,
        ),
    )
    choice: Choice = field(
        default="width",
        metadata=parameter(
            "Which cut is made",
            choices={
                "width": "the widest column, at its median",
                "information-gain": "the one that separates the class labels best",
                "cost": "the one that leaves the cells least wide",
            },
            in_form=False,
        ),
    )
    values: Values = field(
        default="given",
        metadata=parameter(
            "What cells are released as",
            choices={
                "given": "labels of the hierarchies that are given; other columns as intervals and sets",
                "hierarchy": "labels of the hierarchies; those that are not given are built",
                "sets": "intervals and sets of values",
                "intervals": "intervals, of categories too",
            },
        ),
    )
    distributed: bool = field(
        default=False,
        metadata=parameter("Leave the rows in Spark and let its workers cut them", in_form=False),
    )
    fragment: int = field(
        default=200_000,
        metadata=parameter("Most distinct rows that one worker of Spark cuts", in_form=False),
    )

    def __post_init__(self) -> None:
        for name, words in (("partitioning", Partitioning), ("choice", Choice), ("values", Values)):
            if getattr(self, name) not in get_args(words):
                raise PolicyError(
                    f"[search]: {name} is one of {', '.join(get_args(words))}; it is {getattr(self, name)!r}"
                )

        if not isinstance(self.distributed, bool):
            raise PolicyError(f"[search]: distributed is true or false; it is {self.distributed!r}")
        if isinstance(self.fragment, bool) or not isinstance(self.fragment, int) or self.fragment < 1:
            raise PolicyError(f"[search]: fragment is a number of distinct rows; it is {self.fragment!r}")

    @property
    def needs_hierarchies(self) -> bool:  # type: ignore[override]
        """Whether every attribute is cut by nodes."""
        return self.values == "hierarchy"

    @property
    def is_distributed(self) -> bool:
        return self.distributed

    @property
    def may_be_distributed(self) -> bool:
        return self.choice == "width"

    def solve_distributed(
        self,
        problem: Problem,
        rows: DistributedRows,
        budget: Budget,
        on_progress: ProgressCallback | None,
    ) -> Result:
        from shoal.algorithms.rows.distributed_mondrian import DistributedMondrian

        return DistributedMondrian(
            algorithm=self, problem=problem, rows=rows, budget=budget, on_progress=on_progress
        ).solve()

    def supports(self, problem: Problem) -> str | None:
        beyond = beyond_the_core(problem.table.rows, len(problem.sets))
        if beyond is not None:
            return beyond
        if problem.levels:
            return "it cuts groups and ignores levels; leave out min_level and max_level, or use 'local'"
        if self.choice == "information-gain" and not problem.table.labels:
            return 'choice = "information-gain" needs a class attribute; name one, or leave choice out'
        on_nodes = [domain for domain in problem.table.domains if by_node(domain, self.values)]
        on_levels = len(on_nodes) == len(problem.table.domains)
        needs = problem.cost.needs_levels
        if needs == "column" or (needs == "cell" and not on_levels):
            return f"cost {problem.cost.name!r} counts levels, which its values are not on; use 'lattice'"
        too_large = why_not_by_size(problem)
        if too_large is not None:
            return too_large
        return (
            unknown_model(problem, at_risk=True)
            or why_no_population(problem)
            or why_ambiguous(on_nodes, by_row=True)
        )

    def solve(
        self,
        problem: Problem,
        budget: Budget,
        *,
        threads: int = 1,
        seed: int = 0,  # noqa: ARG002  nothing is left to chance
        on_progress: ProgressCallback | None = None,
    ) -> Result:
        started, table = _core.now(), problem.table
        within = searching(budget, table)
        answer = self.partition(problem, within, threads=threads, on_progress=on_progress)
        # Every release without suppressed rows has groups whose union is all rows.
        proved = problem.most_suppressed == 0 and all(model.unions_are_admitted for model in problem.models)
        result = Result(
            status=Status.INFEASIBLE if proved and not answer.found else Status.UNKNOWN,
            algorithm=self.name,
            nodes=answer.nodes,
            interrupted=answer.interrupted,
        )
        if answer.found:
            recoding = LocalRecoding.from_groups(table, answer.group_of, self.vocabulary(table.domains))
            groups = made_by(problem, recoding)
            # Groups that are released alike are one: a union of admitted ones, which every model here admits.
            # A model that does not must not be broken unnoticed.
            if admissible(problem, groups):
                result = replace(
                    result,
                    status=Status.FEASIBLE,
                    recoding=recoding,
                    cost=cost_of(problem, recoding, groups),
                    suppressed=groups.suppressed,
                )
        return replace(result, seconds=_core.now() - started)

    def partition(
        self,
        problem: Problem,
        budget: Budget,
        *,
        threads: int = 1,
        on_progress: ProgressCallback | None = None,
    ) -> _core.MondrianAnswer:
        """The groups, before they are released; those that are released alike are still apart."""
        table = problem.table
        by_class = self.choice == "information-gain"
        labels = table.label_counts if by_class else np.zeros((len(table.counts), 0), np.int64)
        return _core.mondrian(
            [each.core for each in cuttings(table.domains, problem.cost, self.values)],
            np.ascontiguousarray(table.codes, np.int32),
            np.ascontiguousarray(table.counts, np.int64),
            labels=np.ascontiguousarray(labels, np.int64),
            k=least_side(problem),
            relaxed=self.partitioning == "relaxed",
            choice=self.choice,
            privacy=privacy(met_by_size(problem)),
            seconds=budget.seconds,
            nodes=budget.nodes,
            threads=threads,
            callback=Reader(self.name, lambda units: units).callback(on_progress),
        )

    def vocabulary(self, domains: Sequence[Domain]) -> list[Vocabulary]:
        """Per attribute what its values may be released as."""
        return vocabulary(domains, self.values)


def least_side(problem: Problem) -> int:
    """Least rows of a side. Groups of this size meet k, and every limit on the release as a whole."""
    sizes = [least_rows(problem), *map(size_at_risk, rows_at_risk(problem))]
    for limit in risk_limits(problem):
        size = math.ceil(1 / (limit + SLACK))
        sizes.append(size if 1 / size <= limit + SLACK else size + 1)
    return max(sizes)
