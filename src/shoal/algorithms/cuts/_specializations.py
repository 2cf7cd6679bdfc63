"""Steps between a value and its parts, down in `tds` and up in `bug`, and what they reveal about the class.

Where a column has a hierarchy, a step is between a node and all its children; where it has none, between an
interval and the two that one cut makes of it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from shoal import _core
from shoal.algorithms._answer import beyond_the_core
from shoal.algorithms._rules import least_rows, privacy, unknown_model
from shoal.algorithms._watch import Watch
from shoal.algorithms.cuts._cuts import costs_of_cuts
from shoal.algorithms.cuts._tree_cuts import recoding_by, why_not_cut
from shoal.model.recoding.groups import groups
from shoal.model.recoding.subtree_recoding import nodes_of_intervals
from shoal.model.result.problem import Problem
from shoal.model.result.result import Result, Status
from shoal.model.table.domain import Domain
from shoal.model.table.frequency_table import FrequencyTable

Cuts = tuple[tuple[int, ...], ...]
"""Per attribute the codes that begin an interval, code 0 left out; increasing."""

UNITS_OF_A_BIT = 2**30
"""Gains are whole numbers of these units: equal gains must not differ by the order of their sums."""


@dataclass(frozen=True, order=True)
class Step:
    """Between the interval of codes from `first` up to `end`, left out, and its parts.

    Parameters
    ----------
    attribute, first, end
        The attribute, and the interval of it.
    cuts
        Where its parts begin, the first left out.
    gain
        Information about the class that the parts have and the interval does not, in units.
    """

    attribute: int
    first: int
    end: int
    cuts: tuple[int, ...]
    gain: int

    @property
    def parts(self) -> list[tuple[int, int]]:
        """The intervals that it makes of its own."""
        return list(zip((self.first, *self.cuts), (*self.cuts, self.end), strict=True))


class Steps:
    """The steps of a table's columns.

    Parameters
    ----------
    table
        The table; it has class labels.
    """

    def __init__(self, table: FrequencyTable) -> None:
        self._columns = [_Column(table, attribute) for attribute in range(len(table.domains))]

    def down(self, attribute: int, first: int, end: int) -> list[Step]:
        """The steps that divide an interval, those of most gain first."""
        steps = self._columns[attribute].down(first, end)
        return sorted(steps, key=lambda step: (-step.gain, step.cuts))

    def up(self, cuts: Cuts) -> Iterator[Step]:
        """The steps whose parts a recoding contains unchanged, in their order."""
        for column, own in zip(self._columns, cuts, strict=True):
            yield from column.up(own)

    @property
    def finest(self) -> Cuts:
        """The recoding that leaves every value as it is."""
        return tuple(tuple(range(1, column.size)) for column in self._columns)

    @property
    def coarsest(self) -> Cuts:
        """The recoding that joins everything."""
        return ((),) * len(self._columns)


class _Column:
    def __init__(self, table: FrequencyTable, attribute: int) -> None:
        domain = table.domains[attribute]
        self.attribute, self.size = attribute, len(domain)
        of_code = np.zeros((self.size, len(table.labels)), np.int64)
        np.add.at(of_code, table.codes[:, attribute], table.label_counts)
        # Rows per label below each code, so that an interval is one subtraction.
        self._below = np.vstack([np.zeros((1, of_code.shape[1]), np.int64), np.cumsum(of_code, axis=0)])
        self._children = None if domain.tree is None else children_of(domain)
        self._known: dict[tuple[int, int, tuple[int, ...]], Step] = {}

    def down(self, first: int, end: int) -> list[Step]:
        if self._children is None:
            cuts = np.arange(first + 1, end)
            gains = self._gains(first, end, cuts)
            pairs = zip(cuts.tolist(), gains.tolist(), strict=True)
            return [Step(self.attribute, first, end, (cut,), gain) for cut, gain in pairs]
        cuts_inside = self._children[first, end]
        return [self._step(first, end, cuts_inside)] if cuts_inside else []

    def up(self, cuts: tuple[int, ...]) -> Iterator[Step]:
        starts = (0, *cuts, self.size)
        if self._children is None:
            for first, cut, end in zip(starts, starts[1:], starts[2:], strict=False):
                yield self._step(first, end, (cut,))
            return
        place = {start: number for number, start in enumerate(starts)}
        for (first, end), inside in self._children.items():
            if inside and starts[place.get(first, 0) :][: len(inside) + 2] == (first, *inside, end):
                yield self._step(first, end, inside)

    def _step(self, first: int, end: int, cuts: tuple[int, ...]) -> Step:
        known = self._known.get((first, end, cuts))
        if known is None:
            starts, ends = [first, *cuts], [*cuts, end]
            parts = self._below[ends] - self._below[starts]
            whole = (self._below[end] - self._below[first])[None]
            gain = _units(_bits(whole)[0] - _bits(parts).sum(), whole.sum())
            known = self._known[first, end, cuts] = Step(self.attribute, first, end, cuts, int(gain))
        return known

    def _gains(self, first: int, end: int, cuts: NDArray[np.int64]) -> NDArray[np.int64]:
        left, right = self._below[cuts] - self._below[first], self._below[end] - self._below[cuts]
        whole = (self._below[end] - self._below[first])[None]
        return _units(_bits(whole) - _bits(left) - _bits(right), whole.sum())


def children_of(domain: Domain) -> dict[tuple[int, int], tuple[int, ...]]:
    """Per node of a hierarchy, by its first code and the one behind its last, where its children begin.

    The first child is left out; a single value has none. Nodes are ordered by their codes, the larger first.
    """
    nodes = sorted(
        ((first, last + 1) for first, last in nodes_of_intervals(domain)),
        key=lambda node: (node[0], -node[1]),
    )
    inside: dict[tuple[int, int], list[int]] = {node: [] for node in nodes}
    around: list[tuple[int, int]] = []
    for node in nodes:
        while around and around[-1][1] <= node[0]:
            around.pop()
        if around and node[0] > around[-1][0]:
            inside[around[-1]].append(node[0])
        around.append(node)
    return {node: tuple(cuts) for node, cuts in inside.items()}


def _bits(labels: NDArray[np.int64]) -> NDArray[np.float64]:
    """Per line of rows per label the entropy of the label in bits, times the rows."""
    rows = labels.sum(axis=1, keepdims=True)
    shares = labels / np.maximum(rows, 1)
    logarithms = np.log2(shares, out=np.zeros_like(shares), where=shares > 0)
    bits: NDArray[np.float64] = -(labels * logarithms).sum(axis=1)
    return bits


def _units(bits: NDArray[np.float64], rows: int) -> NDArray[np.int64]:
    """Bits of all rows together as units of one row's."""
    return np.rint(np.maximum(bits, 0) / max(int(rows), 1) * UNITS_OF_A_BIT).astype(np.int64)


def with_step(cuts: Cuts, step: Step) -> Cuts:
    """The recoding after going down a step."""
    own = tuple(sorted({*cuts[step.attribute], *step.cuts}))
    return (*cuts[: step.attribute], own, *cuts[step.attribute + 1 :])


def without_step(cuts: Cuts, step: Step) -> Cuts:
    """The recoding after going up a step."""
    own = tuple(cut for cut in cuts[step.attribute] if cut not in step.cuts)
    return (*cuts[: step.attribute], own, *cuts[step.attribute + 1 :])


def why_not_stepped(problem: Problem) -> str | None:
    """Why a problem cannot be solved by steps, as the end of a sentence; `None` if it can."""
    if not problem.table.labels:
        return (
            "it measures information about a class, and there is no class attribute; give one column the "
            "role 'class' (--class COLUMN)"
        )
    if problem.cost.of_cuts is None:
        return (
            f"its releases can be measured by {', '.join(costs_of_cuts())}; for cost {problem.cost.name!r} "
            "use an algorithm over levels, such as 'lattice'"
        )
    return (
        beyond_the_core(problem.table.rows, len(problem.sets))
        or unknown_model(problem)
        or why_not_cut(problem)
    )


def as_in_the_paper(problem: Problem) -> Problem:
    """The problem with a limit on suppressed rows: none may be suppressed if the policy states no limit.

    The papers suppress no row. Without a limit any recoding would do, even one that suppresses all rows.
    """
    limit = 0 if problem.limit is None else min(problem.limit, problem.table.rows - 1)
    return replace(problem, limit=limit)


def groups_for(problem: Problem) -> _core.CutGroups:
    """What measures one recoding after the other; it begins with the one that joins everything."""
    table = problem.table
    return _core.CutGroups(
        k=least_rows(problem),
        limit=problem.most_suppressed,
        sizes=table.sizes.tolist(),
        codes=np.ascontiguousarray(table.codes, np.int32),
        counts=np.ascontiguousarray(table.counts[:, None], np.int64),
        privacy=privacy(problem),
    )


def stepped(
    problem: Problem, algorithm: str, status: Status, cuts: Cuts | None, watch: Watch, *, interrupted: bool
) -> Result:
    """The result of going step by step to some cuts; `None` if none of them was admissible."""
    recoding = None if cuts is None else recoding_by(problem.table, cuts)
    cost, suppressed = None, 0
    if recoding is not None:
        models = problem.group_models
        cost = problem.cost.of(problem.table, recoding, problem.k, models)
        suppressed = groups(problem.table, recoding, problem.k, models=models).suppressed
    return Result(
        status=status,
        algorithm=algorithm,
        recoding=recoding,
        cost=cost,
        suppressed=suppressed,
        nodes=watch.nodes,
        seconds=watch.seconds,
        interrupted=interrupted,
    )


def plain(cuts: Iterable[Iterable[int]]) -> list[list[int]]:
    """Cuts as the core takes them."""
    return [list(own) for own in cuts]
