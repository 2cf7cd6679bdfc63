"""Mondrian: multidimensional partitioning, top down.

All rows begin as one group. A group is cut in two at the median of an attribute, or a node of a hierarchy
into its children, as long as every side is large enough and admitted by all privacy models. No row is
suppressed.

Papers: LeFevre, DeWitt and Ramakrishnan, ICDE 2006; the choice by information gain: KDD 2006. Deviations and
measurements: docs/algorithms/mondrian.md.
"""

from __future__ import annotations

import datetime
import math
import time
from dataclasses import dataclass, replace
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from shoal import _core
from shoal.algorithms._answer import Reader, beyond_the_core
from shoal.algorithms._base import Algorithm
from shoal.algorithms._definitions import admissible, cost_of, made_by
from shoal.algorithms._labels import why_ambiguous, why_no_population
from shoal.algorithms._rules import least_rows, privacy, unknown_model
from shoal.cost import CellMetric, GeneralLoss, Height, Precision
from shoal.errors import PolicyError
from shoal.model.budget import Budget, ProgressCallback
from shoal.model.domain import Domain
from shoal.model.local_recoding import LocalRecoding, Vocabulary
from shoal.model.problem import Problem
from shoal.model.recoding_model import RecodingModel
from shoal.model.result import Result, Status
from shoal.privacy import AverageRisk
from shoal.privacy._base import SLACK

Partitioning = Literal["strict", "relaxed"]
Choice = Literal["width", "information-gain", "cost"]
Values = Literal["hierarchy", "sets", "intervals"]

_UNITS = 2**24
"""The width of a domain. Widths are whole numbers, so that sums of them are the same on every machine."""


@dataclass(frozen=True, kw_only=True)
class Mondrian(Algorithm):
    """Groups by multidimensional partitioning.

    Parameters
    ----------
    partitioning
        Strict: what two groups stand for never overlaps. Relaxed: rows with equal values may be on both sides
        of a cut, and children of a node that cannot be groups by themselves stay on the node together.
    choice
        Width: the widest attribute that has an allowable cut is cut nearest to the median. Information gain,
        cost: of all allowable cuts that one is taken that parts the class labels best, or that leaves the
        cells least wide.
    values
        Hierarchy: attributes with a hierarchy of the user's are cut and released by its nodes, others as with
        sets. Sets: numbers and dates are released as intervals, categories as sets of values, cut in the
        order of their frequency. Intervals: the same, categories cut in the order of their domain.
    """

    name = "mondrian"
    guarantee = Status.FEASIBLE
    recoding_models = (RecodingModel.CG_,)

    partitioning: Partitioning = "strict"
    choice: Choice = "width"
    values: Values = "hierarchy"

    def __post_init__(self) -> None:
        for name, words in (("partitioning", Partitioning), ("choice", Choice), ("values", Values)):
            if getattr(self, name) not in get_args(words):
                raise PolicyError(
                    f"[search]: {name} is one of {', '.join(get_args(words))}; it is {getattr(self, name)!r}"
                )

    def supports(self, problem: Problem) -> str | None:
        beyond = beyond_the_core(problem.table.rows, len(problem.sets))
        if beyond is not None:
            return beyond
        if problem.levels:
            return "it cuts groups and keeps to no levels; leave out min_level and max_level, or use 'local'"
        if self.choice == "information-gain" and not problem.table.labels:
            return 'choice = "information-gain" needs a class attribute; name one, or leave choice out'
        by_node = [domain for domain in problem.table.domains if self._by_node(domain)]
        on_levels = len(by_node) == len(problem.table.domains)
        if isinstance(problem.cost, Height) or (isinstance(problem.cost, Precision) and not on_levels):
            return f"cost {problem.cost.name!r} counts levels, which its values are not on; use 'lattice'"
        return unknown_model(problem) or why_no_population(problem) or why_ambiguous(by_node, by_row=True)

    def solve(
        self,
        problem: Problem,
        budget: Budget,
        *,
        threads: int = 1,
        seed: int = 0,  # noqa: ARG002  nothing is left to chance
        on_progress: ProgressCallback | None = None,
    ) -> Result:
        started, table = time.monotonic(), problem.table
        answer = self.partition(problem, budget, threads=threads, on_progress=on_progress)
        # Every release without suppressed rows has groups whose union is all rows.
        proved = problem.most_suppressed == 0 and all(model.unions_are_admitted for model in problem.models)
        result = Result(
            status=Status.INFEASIBLE if proved and not answer.found else Status.UNKNOWN,
            algorithm=self.name,
            nodes=answer.nodes,
            interrupted=answer.interrupted,
        )
        if answer.found:
            vocabulary = [self._words(domain) for domain in table.domains]
            recoding = LocalRecoding.from_groups(table, answer.group_of, vocabulary)
            made = made_by(problem, recoding)
            # Groups that are released alike are one: a union of admitted ones, which every model here admits.
            # A model that did not must not be broken unseen.
            if admissible(problem, made):
                result = replace(
                    result,
                    status=Status.FEASIBLE,
                    recoding=recoding,
                    cost=cost_of(problem, recoding, made),
                    suppressed=made.suppressed,
                )
        return replace(result, seconds=time.monotonic() - started)

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
            self._attributes(problem),
            np.ascontiguousarray(table.codes, np.int32),
            np.ascontiguousarray(table.counts, np.int64),
            labels=np.ascontiguousarray(labels, np.int64),
            k=max(least_rows(problem), _least_for_risk(problem)),
            relaxed=self.partitioning == "relaxed",
            choice=self.choice,
            privacy=privacy(problem),
            seconds=budget.seconds,
            nodes=budget.nodes,
            threads=threads,
            callback=Reader(self.name, lambda units: units).callback(on_progress),
        )

    def _by_node(self, domain: Domain) -> bool:
        return self.values == "hierarchy" and domain.tree is not None and domain.tree.given

    def _words(self, domain: Domain) -> Vocabulary:
        return "nodes" if self._by_node(domain) else "spans"

    def _attributes(self, problem: Problem) -> list[_core.MondrianAttribute]:
        """How each attribute is cut; widths are shares of the domain times the attribute's weight."""
        domains, metric = problem.table.domains, problem.cost
        weights = [1.0] * len(domains)
        if isinstance(metric, CellMetric) and metric.weights:
            weights = [float(weight) for weight in metric.weights]
        by_value = isinstance(metric, GeneralLoss)
        return [self._attribute(domain, weights[a], by_value) for a, domain in enumerate(domains)]

    def _attribute(self, domain: Domain, weight: float, by_value: bool) -> _core.MondrianAttribute:
        units = weight * _UNITS
        if self._by_node(domain):
            tree = domain.hierarchy
            shares = [domain.part_shares(level) for level in range(tree.height + 1)]
            return _core.MondrianAttribute.node(
                [list(parts) for parts in tree.parts],
                [[float(round(float(share) * units)) for share in of_level] for of_level in shares],
            )
        if domain.kind == "category" and self.values != "intervals":
            step = round(float(domain.share(0, 1)) * units) if len(domain) > 1 else 0
            return _core.MondrianAttribute.set(len(domain), float(step))
        positions = _positions(domain, by_value)
        return _core.MondrianAttribute.interval(np.rint(positions * units))


def _positions(domain: Domain, by_value: bool) -> NDArray[np.float64]:
    """Where the values lie between 0 and 1: by their places among the values or leaves, or by themselves.

    Widths only say where to cut first, so that rounding does no harm.
    """
    if domain.tree is not None and domain.tree.given and domain.kind != "category":
        positions = np.array(domain.tree.places, np.float64) / max(1, domain.tree.total - 1)
        # The user may order values in another way than the hierarchy's leaves.
        return np.maximum.accumulate(positions)
    if domain.kind == "category" or not by_value:
        return np.arange(len(domain)) / max(1, len(domain) - 1)
    known = np.array([_number(value) for value in domain.values if value is not None])
    if domain.has_missing:  # it widens an interval to the whole domain
        known = np.append(known, known[-1:] if len(known) else 0.0)
    return np.asarray((known - known[0]) / max(known[-1] - known[0], np.finfo(np.float64).tiny))


def _number(value: object) -> float:
    if isinstance(value, datetime.datetime):
        return value.replace(tzinfo=datetime.UTC).timestamp()
    if isinstance(value, datetime.date):
        return float(value.toordinal())
    return float(str(value))


def _least_for_risk(problem: Problem) -> int:
    """The size of groups that meets every limit on the average risk, however many groups there are."""
    sizes = [1]
    for model in problem.release_models:
        if isinstance(model, AverageRisk):
            size = math.ceil(1 / (model.greatest + SLACK))
            sizes.append(size if 1 / size <= model.greatest + SLACK else size + 1)
    return max(sizes)
