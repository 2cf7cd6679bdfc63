"""Greedy k-member groups: start far away, and add the row that loses least until there are k.

Rows of a group are released as the least labels, or sets and intervals, that cover their values. There is no
bound: use `local` where one is wanted, or where privacy models demand more than k.

Paper: Byun, Kamra, Bertino and Li, DASFAA 2007. Deviations: docs/algorithms/k-member.md.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction

import numpy as np

from shoal import _core
from shoal.algorithms._answer import Reader, beyond_the_core
from shoal.algorithms._base import Algorithm
from shoal.algorithms._rules import least_rows, why_more_than_size
from shoal.algorithms.cells._cells import (
    VALUES_WORDS,
    Values,
    by_node,
    check_values,
    node_names,
    node_price,
    span_prices,
    vocabulary,
)
from shoal.algorithms.cells._labels import why_ambiguous
from shoal.algorithms.rows._finishing import searching
from shoal.cost import Height, Ncp, Precision
from shoal.model.description import Description
from shoal.model.policy.budget import Budget, ProgressCallback
from shoal.model.policy.recoding_model import RecodingModel
from shoal.model.recoding.local_recoding import LocalRecoding
from shoal.model.result.problem import Problem
from shoal.model.result.result import Result, Status
from shoal.model.result.searched_kind import ROWS


@dataclass(frozen=True, kw_only=True)
class KMember(Algorithm):
    """Groups of about k rows, each grown around one row; the seed chooses the first.

    Parameters
    ----------
    values
        What rows may be released as: "given", labels of the hierarchies that the policy states, and intervals
        or sets elsewhere; "hierarchy", labels everywhere; or "sets", intervals of numbers and dates and sets
        of categories.
    """

    name = "k-member"
    description = Description(
        title="k-member",
        short="Row by row, by greedy groups",
        meaning="Puts similar rows into groups of k, one after the other. Proves nothing.",
        when="For small tables, or to repeat a study.",
    )
    searches = ROWS
    guarantee = Status.FEASIBLE
    recoding_models = (RecodingModel.CG_,)
    needs_hierarchies = True

    values: Values = field(default="given", metadata=VALUES_WORDS)

    def __post_init__(self) -> None:
        check_values(self.values)

    def supports(self, problem: Problem) -> str | None:
        reason = beyond_the_core(problem.table.rows, len(problem.sets)) or why_more_than_size(problem)
        if reason is not None:
            return reason
        if problem.levels:
            return "it does not support limits of levels; leave out min_level and max_level, or use 'local'"
        domains = problem.table.domains
        on_nodes = [domain for domain in domains if by_node(domain, self.values)]
        levels = (Height,) if len(on_nodes) == len(domains) else (Height, Precision)
        if isinstance(problem.cost, levels):
            return f"{problem.cost.name!r} is not defined on what it releases; choose 'ncp' or 'general-loss'"
        return why_ambiguous(on_nodes, by_row=True)

    def solve(
        self,
        problem: Problem,
        budget: Budget,
        *,
        threads: int = 1,
        seed: int = 0,
        on_progress: ProgressCallback | None = None,
    ) -> Result:
        table, metric = problem.table, _metric(problem)
        scale = metric.scale(table)
        reader = Reader(self.name, lambda units: Fraction(units, scale))
        answer = self.partition(
            problem,
            searching(budget, table),
            threads=threads,
            seed=seed,
            callback=reader.callback(on_progress),
        )
        words = vocabulary(table.domains, self.values)
        result = reader.result(answer, lambda: LocalRecoding.from_groups(table, answer.groups, words))
        if result.recoding is None:  # a model demands more rows than there are
            return result
        cost = problem.cost.of(table, result.recoding, problem.k, problem.group_models)
        return replace(result, status=Status.FEASIBLE, cost=cost, bound=None)

    def partition(
        self,
        problem: Problem,
        budget: Budget,
        *,
        threads: int = 1,
        seed: int = 0,
        callback: Callable[[int, int, int, float], None] | None = None,
        blocks: Sequence[int] = (),
    ) -> _core.LocalAnswer:
        """The groups, before they are released; those of each block by itself, if rows have blocks.

        Threads share the blocks: within one, a group begins where the last one ended.
        """
        table, metric = problem.table, _metric(problem)
        return _core.k_member(
            [[list(parts) for parts in domain.hierarchy.parts] for domain in table.domains],
            np.ascontiguousarray(table.codes, np.int32),
            np.ascontiguousarray(table.counts, np.int64),
            price=node_price(metric, table),
            names=[node_names(domain.hierarchy) for domain in table.domains],
            spans=span_prices(metric, table, vocabulary(table.domains, self.values)),
            k=least_rows(problem),
            blocks=blocks,
            seconds=budget.seconds,
            nodes=budget.nodes,
            threads=threads,
            seed=seed,
            callback=callback,
        )


def _metric(problem: Problem) -> Ncp:
    return problem.cost if isinstance(problem.cost, Ncp) else Ncp()
