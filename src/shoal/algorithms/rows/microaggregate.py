"""Microaggregation: rows that lie close together are released as their centroid.

Means of numbers and dates, medians of ordered categories, modes of others. Analysts get columns of their own
types back, but a cell is not its row's value: the manifest says that the release is not truthful.

Papers: Hansen and Mukherjee, TKDE 15(4), 2003 (optimal); Domingo-Ferrer and Torra, DMKD 11(2), 2005 (mdav);
Solanas and Martinez-Balleste, COMPSTAT 2006 (v-mdav). Proofs, deviations: docs/algorithms/microaggregate.md.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Literal, Self, get_args

import numpy as np

from shoal import _core
from shoal.algorithms._answer import beyond_the_core
from shoal.algorithms._base import Algorithm
from shoal.algorithms._rules import least_rows, why_more_than_size
from shoal.algorithms._watch import Watch
from shoal.algorithms.rows._shortest_path import optimal_runs
from shoal.cost import Sse
from shoal.errors import PolicyError
from shoal.model.description import Description
from shoal.model.parameter import parameter
from shoal.model.policy.budget import Budget, Progress, ProgressCallback
from shoal.model.policy.policy import Policy
from shoal.model.recoding.centroid_recoding import Center, CentroidRecoding
from shoal.model.recoding.pieces import Pieces
from shoal.model.result.problem import Problem
from shoal.model.result.result import Result, Status
from shoal.model.result.searched_kind import CENTROIDS
from shoal.model.table.number_text import is_finite

Method = Literal["mdav", "v-mdav", "optimal"]


@dataclass(frozen=True, kw_only=True)
class Microaggregate(Algorithm):
    """Centroids of groups of at least k rows.

    Parameters
    ----------
    method
        "mdav", groups of k rows; "v-mdav", groups of k to 2k - 1; or "optimal", the least sum of squares of
        one column of numbers or dates.
    gamma
        v-mdav: a group takes one row more if that is closer to it than gamma times to the rows that are left.
    ordered
        Columns whose categories have an order, and so a median; in a policy those with `order`.
    """

    name = "microaggregate"
    description = Description(
        title="Microaggregation",
        short="Numbers replaced by means of their groups",
        meaning="Forms groups of similar rows and releases their means: no cell is true of its own row.",
        when="When analysts need columns of numbers.",
    )
    searches = CENTROIDS
    guarantee = Status.FEASIBLE
    recoding_models = ()
    makes_centroids = True

    method: Method = field(
        default="mdav",
        metadata=parameter(
            "How groups are formed",
            choices={
                "mdav": "MDAV: groups of k",
                "v-mdav": "V-MDAV: groups that may grow",
                "optimal": "optimal",
            },
        ),
    )
    gamma: float = field(
        default=0.2, metadata=parameter("How readily the groups of V-MDAV grow", least=0, in_form=False)
    )
    ordered: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.method not in get_args(Method):
            names = ", ".join(map(repr, get_args(Method)))
            raise PolicyError(f"[search]: method is one of {names}; it is {self.method!r}")
        if not (is_finite(self.gamma) and self.gamma >= 0):
            raise PolicyError(f"[search]: gamma is a number of at least 0; it is {self.gamma!r}")

    @classmethod
    def of(cls, policy: Policy) -> Self:
        ordered = tuple(each.name for each in policy.quasi_identifiers if each.listed is not None)
        return replace(cls.with_options(policy.options), ordered=ordered)

    def supports(self, problem: Problem) -> str | None:
        if least_rows(problem) > problem.table.rows:
            return f"a model demands groups of {least_rows(problem):,} rows, and there are fewer"
        reason = beyond_the_core(problem.table.rows, len(problem.sets)) or why_more_than_size(problem)
        if reason is not None:
            return reason
        if problem.levels:
            return "centroids are on no level; leave out min_level and max_level"
        if problem.cost.needs_levels is not None:
            return f"centroids are on no level, so {problem.cost.name!r} is not defined; choose 'sse'"
        for domain in problem.table.domains:
            if domain.bin is not None:
                return f"it averages the values of '{domain.name}' themselves; leave out its bin"
        return self._why_not_optimal(problem) if self.method == "optimal" else None

    def _why_not_optimal(self, problem: Problem) -> str | None:
        use = 'use method = "mdav"'
        if len(problem.table.domains) > 1:
            return f'method = "optimal" takes one quasi-identifier, and there are several; {use}'
        domain = problem.table.domains[0]
        if domain.kind == "category":
            return f"method = \"optimal\" takes numbers or dates, and '{domain.name}' has categories; {use}"
        if domain.has_missing:
            return f"method = \"optimal\" cannot place the missing values of '{domain.name}'; {use}"
        if problem.cost.needs_class:
            return (
                'method = "optimal" can release equal rows differently, and which of them has which class '
                f"label is not counted; {use}, or another cost"
            )
        return None

    def solve(
        self,
        problem: Problem,
        budget: Budget,
        *,
        threads: int = 1,  # noqa: ARG002
        seed: int = 0,  # noqa: ARG002  nothing is left to chance
        on_progress: ProgressCallback | None = None,
    ) -> Result:
        if self.method == "optimal":
            return self._optimal(problem, budget, on_progress)
        answer = self.grouped(problem, budget, on_progress)
        table = problem.table
        recoding = CentroidRecoding.from_groups(table, answer.groups, self._centers(problem))
        return Result(
            status=Status.FEASIBLE,
            algorithm=self.name,
            recoding=recoding,
            cost=problem.cost.of(table, recoding, problem.k, problem.group_models),
            nodes=answer.nodes,
            seconds=answer.seconds,
            interrupted=answer.interrupted,
        )

    def grouped(
        self, problem: Problem, budget: Budget, on_progress: ProgressCallback | None = None
    ) -> _core.MicroaggregationAnswer:
        """The groups of mdav or v-mdav, before they become centroids."""
        table, centers = problem.table, self._centers(problem)

        def report(cost: int, bound: int, nodes: int, seconds: float) -> None:  # noqa: ARG001
            assert on_progress is not None
            on_progress(Progress(cost=None, bound=None, nodes=nodes, seconds=seconds))

        return _core.microaggregation(
            [_positions(problem, attribute, center) for attribute, center in enumerate(centers)],
            np.ascontiguousarray(table.codes, np.int32),
            np.ascontiguousarray(table.counts, np.int64),
            k=least_rows(problem),
            variable=self.method == "v-mdav",
            gamma=float(self.gamma),
            seconds=budget.seconds,
            nodes=budget.nodes,
            callback=None if on_progress is None else report,
        )

    def _centers(self, problem: Problem) -> list[Center]:
        return [
            "mean" if domain.kind != "category" else "median" if domain.name in self.ordered else "mode"
            for domain in problem.table.domains
        ]

    def _optimal(self, problem: Problem, budget: Budget, on_progress: ProgressCallback | None) -> Result:
        table, watch = problem.table, Watch(budget, on_progress)
        codes, counts = table.codes[:, 0], table.counts
        order = np.argsort(codes, kind="stable").tolist()
        numbers = table.domains[0].places[0]
        runs = optimal_runs(
            [numbers[codes[row]] for row in order],
            [int(counts[row]) for row in order],
            least_rows(problem),
            watch,
        )
        own = sorted(zip(order, runs.pieces, strict=True))
        pieces = Pieces(
            of_row=np.array([row for row, groups in own for _ in groups], np.int64),
            counts=np.array([copies for _, groups in own for copies in groups.values()], np.int64),
        )
        group_of = np.array([group for _, groups in own for group in groups], np.int64)
        divided = len(group_of) > len(counts)
        recoding = CentroidRecoding.from_groups(table, group_of, ["mean"], pieces if divided else None)
        cost = problem.cost.of(table, recoding, problem.k, problem.group_models)
        bound = None
        if runs.squares is not None and isinstance(problem.cost, Sse):
            bound = min(_share(numbers, problem, runs.squares), cost)
        return Result(
            status=Status.FEASIBLE if bound is None or bound < cost else Status.OPTIMAL,
            algorithm=self.name,
            recoding=recoding,
            cost=cost,
            bound=bound,
            nodes=watch.nodes,
            seconds=watch.seconds,
            interrupted=runs.interrupted,
        )


def _share(numbers: Sequence[int], problem: Problem, squares: Fraction) -> Fraction:
    """A sum of squares as a share of that of the whole column."""
    rows = problem.table.rows
    pairs = list(zip(problem.table.codes[:, 0].tolist(), problem.table.counts.tolist(), strict=True))
    total = sum(count * numbers[code] for code, count in pairs)
    whole = sum(count * numbers[code] ** 2 for code, count in pairs) - Fraction(total * total, rows)
    return squares / whole if whole else Fraction(0)


def _positions(problem: Problem, attribute: int, center: Center) -> _core.Positions:
    """Where an attribute's values lie, in standard deviations of the table's rows."""
    table, domain = problem.table, problem.table.domains[attribute]
    if center == "mode":
        return _core.Positions(center, of_code=[], missing=-1)
    known = len(domain) - domain.has_missing
    whole = domain.places[0] if center == "mean" else range(known)
    widest = max([1, *whole])
    # Shares of the width first: squares of large numbers would leave the range of a double.
    places = np.array([float(Fraction(each, widest)) for each in whole])
    rows = np.bincount(table.codes[:, attribute], table.counts, len(domain))[:known]
    if rows.sum() > 0:
        mean = float(rows @ places) / float(rows.sum())
        deviation = math.sqrt(float(rows @ (places - mean) ** 2) / float(rows.sum()))
        places = places / deviation if deviation > 0 else places * 0
    return _core.Positions(center, of_code=places.tolist(), missing=known if domain.has_missing else -1)
