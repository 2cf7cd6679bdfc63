"""The level lattice of a problem: what every algorithm over levels walks on.

A node has a level per attribute; going up joins groups. Its groups are rolled up in the core from those of a
more specific node. Most of these algorithms assume that what is above an admissible node is admissible, too:
`Problem.rises` says whether that holds for the problem's privacy models, and `supports` refuses other
problems.
"""

from __future__ import annotations

import itertools
from abc import abstractmethod
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from shoal import _core
from shoal.algorithms._answer import beyond_the_core
from shoal.algorithms._base import Algorithm
from shoal.algorithms._giving_up import may_give_up, with_given_up
from shoal.algorithms._rules import least_rows, privacy, unknown_model, why_several_together
from shoal.algorithms._watch import BudgetEnded, Watch
from shoal.algorithms.levels._prices import Priced, by_groups, priced, why_no_price
from shoal.algorithms.levels._remote_nodes import Measure, remote_measure
from shoal.cost import CostMetric
from shoal.errors import InternalError
from shoal.model.policy.budget import Budget, ProgressCallback
from shoal.model.recoding.level_recoding import LevelRecoding
from shoal.model.result.problem import Problem
from shoal.model.result.result import Cost, Result, Status
from shoal.model.table.remote_table import RemoteTable

Levels = tuple[int, ...]


@dataclass(frozen=True, kw_only=True)
class LevelAlgorithm(Algorithm):
    """An algorithm that chooses a level per attribute."""

    needs_hierarchies = True

    climbs: ClassVar[bool] = False
    """Whether it assumes that what is above an admissible node is admissible."""

    def supports(self, problem: Problem) -> str | None:
        table = problem.table
        beyond = beyond_the_core(table.rows, len(problem.sets))
        if beyond is not None:
            return beyond
        tallest = max(table.domains, key=lambda domain: domain.hierarchy.height)
        if tallest.hierarchy.height > _core.MOST_LEVELS:
            return (
                f"the hierarchy of '{tallest.name}' has {tallest.hierarchy.height:,} levels, "
                f"and at most {_core.MOST_LEVELS} are searched; leave some out"
            )
        unknown = (
            unknown_model(problem, at_risk=True) or why_several_together(problem) or why_no_price(problem)
        )
        return unknown or (why_not_rising(problem) if self.climbs else None)


def why_not_rising(problem: Problem) -> str | None:
    """Why what is above an admissible node need not be admissible, as the end of a sentence."""
    if problem.rises:
        return None
    climbs = "it climbs from nodes that are admissible to those above them, and "
    if problem.most_suppressed == 0:
        apart = next(model.name for model in problem.models if not model.unions_are_admitted)
        return f"{climbs}{apart!r} can refuse two admitted groups once they are joined; use 'lattice'"
    together = next((model.name for model in problem.release_models), None)
    if together is not None:
        return (
            f"it suppresses the groups that are refused one by one, and {together!r} can require others to "
            "be given up; use 'lattice', or forbid suppression: suppression = 0"
        )
    falling = next(model.name for model in problem.models if not model.supersets_are_admitted)
    return (
        f"{climbs}where rows may be suppressed {falling!r} can refuse a node above one that it admits; use "
        "'lattice', or forbid suppression: suppression = 0"
    )


@dataclass(frozen=True, order=True)
class Node:
    """A node that was examined.

    Parameters
    ----------
    levels
        A level per attribute.
    groups, suppressed
        Groups that are released, of at least k rows and admitted by all models; and the rows of the others.
    holds
        Whether the models that judge all groups together are satisfied; if need be, some are given up.
    """

    levels: Levels
    groups: int
    suppressed: int
    holds: bool = True

    @property
    def height(self) -> int:
        """Generalization steps in all."""
        return sum(self.levels)


class Lattice:
    """Nodes of a problem's lattice, each examined once.

    Parameters
    ----------
    problem
        Every one of its domains has a tree.
    watch
        Counts the nodes that are examined, and ends the search with its budget.
    """

    def __init__(self, problem: Problem, watch: Watch | None = None) -> None:
        self.problem = problem
        self.watch = watch or Watch()
        self.incumbent: Levels | None = None
        self.least_rows = least_rows(problem)
        table = problem.table
        self.heights: Levels = tuple(domain.hierarchy.height for domain in table.domains)
        ranges = problem.levels or [(0, height) for height in self.heights]
        self.low: Levels = tuple(least for least, _ in ranges)
        self.high: Levels = tuple(greatest for _, greatest in ranges)
        self.settled = True
        """Whether it is proved for every examined node which groups to give up."""
        self._nodes: dict[Levels, Node] = {}
        self._plain = by_groups()

    @cached_property
    def priced(self) -> Priced:
        """The problem's cost for the core."""
        return priced(self.problem.cost, self.problem.table)

    @cached_property
    def core(self) -> _core.Lattice:
        """The lattice in the core, with class labels if the problem's cost needs them."""
        table = self.problem.table
        if isinstance(table, RemoteTable):
            raise InternalError("a search reads distinct rows that are held in the engine")
        counts = table.label_counts if self.priced.labels else table.counts[:, None]
        return _core.Lattice(
            [[list(parts) for parts in domain.hierarchy.parts] for domain in table.domains],
            np.ascontiguousarray(table.codes, np.int32),
            np.ascontiguousarray(counts, np.int64),
            privacy(self.problem, at_risk=True),
        )

    @property
    def examined(self) -> int:
        """Nodes that were examined."""
        return self.watch.nodes

    def node(self, levels: Levels) -> Node:
        """Examine a node."""
        if levels not in self._nodes:
            self.watch.look()
        return self.recalled(levels)

    def recalled(self, levels: Levels) -> Node:
        """A node that was examined before, here or by other means; it uses no budget."""
        if levels not in self._nodes:
            # Which groups are given up depends on what they cost.
            node = self._measure(levels, self.priced if may_give_up(self.problem) else self._plain)
            self.settled &= node.settled
            self._nodes[levels] = Node(levels, node.groups, node.suppressed, node.holds)
        return self._nodes[levels]

    def _measure(self, levels: Levels, price: Priced) -> Measure:
        """A node, measured in the core, or where the distinct rows are held."""
        table = self.problem.table
        if isinstance(table, RemoteTable):
            return remote_measure(table, levels, price, self.least_rows)
        limit = self.problem.most_suppressed
        return self.core.measure(list(levels), price.price, self.least_rows, limit)

    def recoding(self, levels: Levels) -> LevelRecoding:
        """The recoding of a node, with the groups that it gives up."""
        return with_given_up(self.problem, LevelRecoding(levels))[0]

    def admits(self, levels: Levels) -> bool:
        """Whether a node is admissible. If the problem rises, every node above it is so, too."""
        node = self.node(levels)
        return node.suppressed <= self.problem.most_suppressed and node.holds

    def cost(self, levels: Levels, metric: CostMetric | None = None) -> Cost:
        """What a node costs, by the problem's metric or another one."""
        chosen = self.priced if metric is None else priced(metric, self.problem.table)
        if metric is not None and (may_give_up(self.problem) or (chosen.labels and not self.priced.labels)):
            problem = self.problem
            return metric.of(problem.table, self.recoding(levels), problem.k, problem.group_models)
        return chosen.cost(self._measure(levels, chosen).cost)

    def offer(self, levels: Levels) -> None:
        """Keep an admissible node as the incumbent if none that was offered before costs less."""
        cost = self.cost(levels)
        if self.incumbent is None or (cost, levels) < (self.watch.cost, self.incumbent):
            self.incumbent, self.watch.cost = levels, cost

    def groups(self, levels: Levels) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        """The groups of a node: per group its parts, and its rows."""
        return self.core.groups(list(levels))

    def above(self, levels: Levels) -> Iterator[Levels]:
        """The direct generalizations of a node."""
        for attribute, level in enumerate(levels):
            if level < self.high[attribute]:
                yield (*levels[:attribute], level + 1, *levels[attribute + 1 :])

    def below(self, levels: Levels) -> Iterator[Levels]:
        """The nodes that a node is a direct generalization of."""
        for attribute, level in enumerate(levels):
            if level > self.low[attribute]:
                yield (*levels[:attribute], level - 1, *levels[attribute + 1 :])

    def at_height(self, height: int) -> Iterator[Levels]:
        """All nodes of one height, in lexicographic order."""
        yield from nodes_of_height(self.low, self.high, height)

    def all_nodes(self) -> Iterator[Levels]:
        """All nodes, in lexicographic order."""
        yield from itertools.product(
            *(range(least, greatest + 1) for least, greatest in zip(self.low, self.high, strict=True))
        )

    def result(
        self, algorithm: str, status: Status, levels: Levels | None, seconds: float, **more: object
    ) -> Result:
        """The result of a node; the bound is the cost when it is optimal, and unknown otherwise."""
        if levels is None:
            return Result(
                status=status,
                algorithm=algorithm,
                nodes=self.examined,
                seconds=seconds,
                **more,  # type: ignore[arg-type]
            )
        cost = self.cost(levels)
        return Result(
            status=status,
            algorithm=algorithm,
            recoding=self.recoding(levels),
            cost=cost,
            bound=cost if status is Status.OPTIMAL else None,
            suppressed=self.recalled(levels).suppressed,
            nodes=self.examined,
            seconds=seconds,
            **more,  # type: ignore[arg-type]
        )


@dataclass(frozen=True, kw_only=True)
class NodeSearch(LevelAlgorithm):
    """An algorithm that examines nodes from Python; all handle budget, progress and Ctrl-C alike."""

    climbs = True

    def solve(
        self,
        problem: Problem,
        budget: Budget,
        *,
        threads: int = 1,
        seed: int = 0,  # noqa: ARG002
        on_progress: ProgressCallback | None = None,
    ) -> Result:
        lattice = Lattice(problem, Watch(budget, on_progress))
        try:
            if lattice.admits(lattice.high):
                lattice.offer(lattice.high)
            elif problem.rises:  # then no node below it is admissible
                return lattice.result(self.name, Status.INFEASIBLE, None, lattice.watch.seconds)
            return self.search(lattice, threads)
        except (BudgetEnded, KeyboardInterrupt) as end:
            best = lattice.incumbent
            return lattice.result(
                self.name,
                Status.UNKNOWN if best is None else Status.FEASIBLE,
                best,
                lattice.watch.seconds,
                interrupted=isinstance(end, KeyboardInterrupt),
            )

    @abstractmethod
    def search(self, lattice: Lattice, threads: int) -> Result:
        """Search a lattice, whose top is admissible if the problem rises.

        `BudgetEnded` and Ctrl-C give the lattice's incumbent.
        """


def recodings(nodes: Iterable[Levels]) -> tuple[LevelRecoding, ...]:
    """The recodings of nodes, in lexicographic order."""
    return tuple(LevelRecoding(levels) for levels in sorted(nodes))


def nodes_of_height(low: Levels, high: Levels, height: int) -> Iterator[Levels]:
    """All nodes of one height between two nodes, in lexicographic order."""
    if not low:
        if height == 0:
            yield ()
        return
    rest = sum(low[1:])
    most = sum(high[1:])
    for level in range(max(low[0], height - most), min(high[0], height - rest) + 1):
        for others in nodes_of_height(low[1:], high[1:], height - level):
            yield (level, *others)
