"""Nodes of a lattice as several objectives see them: measured by the core where it can, else by Python."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal import _core
from shoal.algorithms.levels._lattice import Levels
from shoal.algorithms.levels._prices import priced
from shoal.model.recoding.level_recoding import LevelRecoding
from shoal.model.table.frequency_table import FrequencyTable
from shoal.objectives import (
    Epsilon,
    Loss,
    Number,
    Objective,
    PropertyObjective,
    Quality,
    Released,
    distinct_values,
    group_size,
    value_count,
)

CHUNK = 4096
"""Nodes that the core measures between two checks of the budget."""

Raw = Callable[[Any], Any]
"""From a node's profile, or from those of many, to the numbers that an objective uses."""


@dataclass(frozen=True)
class Axis:
    """An objective, as nodes are measured on it.

    Qualities are what the searches compare: more is always better, and they are integers wherever the core
    measures. A loss becomes its upper bound less itself.

    Parameters
    ----------
    objective
        The objective.
    value, quality
        From what was measured to the objective's own number, and to the quality.
    unit
        How much of the objective one unit of quality is.
    raw, raws
        What the core measured, at one node and at many; `None` where it does not support the objective.
    """

    objective: Objective
    value: Callable[[Any], Number]
    quality: Callable[[Any], Number]
    unit: Number = 1
    raw: Raw | None = None
    raws: Raw | None = None

    @property
    def sign(self) -> int:
        """1 if more is better, else -1."""
        return 1 if self.objective.better == "higher" else -1

    def epsilon(self, stated: Epsilon) -> Epsilon:
        """The length of a box in units of quality; none if none is stated."""
        # Boxes of one unit would be the same for integers, and lose points where a quality is a real number.
        return None if stated is None else Fraction(stated) / Fraction(self.unit)


@dataclass(frozen=True)
class MeasuredNode:
    """A node as the objectives see it."""

    levels: Levels
    quality: Quality
    values: tuple[Number, ...]
    k: int
    groups: int
    suppressed: int


@dataclass(frozen=True, eq=False)
class MeasuredNodes:
    """Many nodes: per axis what was measured, in lexicographic order of the levels within each chunk."""

    axes: tuple[Axis, ...]
    levels: NDArray[np.uint8]
    raws: tuple[NDArray[Any], ...]
    k: NDArray[np.int64]
    groups: NDArray[np.int64]
    suppressed: NDArray[np.int64]

    @property
    def ordered(self) -> list[NDArray[Any]]:
        """Per axis numbers that are in the order of the qualities."""
        return [axis.sign * raw for axis, raw in zip(self.axes, self.raws, strict=True)]

    def node(self, index: int) -> MeasuredNode:
        """One of them."""
        raws = [raw.item(index) for raw in self.raws]  # also of an array of fractions
        return MeasuredNode(
            levels=tuple(self.levels[index].tolist()),
            quality=tuple(axis.quality(raw) for axis, raw in zip(self.axes, raws, strict=True)),
            values=tuple(axis.value(raw) for axis, raw in zip(self.axes, raws, strict=True)),
            k=int(self.k[index]),
            groups=int(self.groups[index]),
            suppressed=int(self.suppressed[index]),
        )


class Measurer:
    """Measures nodes of a lattice.

    Parameters
    ----------
    table
        The data; every one of its domains has a tree.
    objectives
        What to measure.
    limit
        Most rows that may be suppressed, by the rule of `shoal.objectives.released`.
    ranges
        Per attribute the least and the greatest level; all levels when empty.
    """

    def __init__(
        self,
        table: FrequencyTable,
        objectives: Sequence[Objective],
        limit: int,
        ranges: Sequence[tuple[int, int]] = (),
    ) -> None:
        self.table, self.limit = _people_only(table), limit
        ranges = ranges or [(0, domain.hierarchy.height) for domain in table.domains]
        self.low: Levels = tuple(least for least, _ in ranges)
        self.high: Levels = tuple(greatest for _, greatest in ranges)
        self._prices: list[_core.Price] = []
        self._columns: list[_core.FactColumn] = []
        self._labels = -1
        self._numbers: dict[str, int] = {}
        self.axes = tuple(self._axis(objective) for objective in objectives)

    @property
    def nodes(self) -> int:
        """Nodes of the lattice."""
        return math.prod(most - least + 1 for least, most in zip(self.low, self.high, strict=True))

    @property
    def in_core(self) -> bool:
        """Whether the core measures everything."""
        return all(axis.raw is not None for axis in self.axes)

    def _axis(self, objective: Objective) -> Axis:
        """How an objective is measured: by the core if it supports the objective."""
        if isinstance(objective, Loss):
            return self._loss(objective)
        if isinstance(objective, PropertyObjective) and objective.better == "higher":
            known = getattr(objective.property, "func", objective.property), objective.index
            if known == (group_size, "worst"):
                return _of_core(objective, lambda each: each.k)
            if known == (group_size, "sum"):
                return _of_core(objective, lambda each: each.squares)
            if known in ((distinct_values, "worst"), (value_count, "sum")):
                column = self._column(objective.columns[0])
                field = "diversity" if objective.index == "worst" else "repeats"
                return _of_core(
                    objective,
                    lambda node: getattr(node, field)[column],
                    lambda nodes: getattr(nodes, field)(column),
                )
        sign = 1 if objective.better == "higher" else -1
        return Axis(objective, value=lambda raw: raw, quality=lambda raw: sign * raw)

    def _loss(self, objective: Loss) -> Axis:
        price = priced(objective.metric, self.table)
        number = len(self._prices)
        self._prices.append(price.price)
        if price.labels:
            self._labels = self._label_column()
        most, one = objective.most(self.table), price.cost(1)
        axis = _of_core(objective, lambda node: node.costs[number], lambda nodes: nodes.costs(number))
        if price.cost(0) == 0 and price.cost(2) == 2 * one:  # otherwise the units do not measure the cost
            bound = int(Fraction(most) / Fraction(one))
            return replace(axis, value=price.cost, quality=lambda raw: bound - raw, unit=one)
        return replace(axis, value=price.cost, quality=lambda raw: most - price.cost(raw))

    def _column(self, name: str) -> int:
        """The number of a sensitive column in the core."""
        if name not in self._numbers:
            self._numbers[name] = len(self._columns)
            facts, position = self.table.facts, self.table.people.position(name)
            assert facts is not None
            row = np.repeat(np.arange(len(self.table.counts)), np.diff(facts.first))
            size = len(self.table.people.columns[position].counts)
            value = facts.combinations[facts.of_entry, position].astype(np.int64)
            keys, of_entry = np.unique(row * size + value, return_inverse=True)
            counts = np.bincount(of_entry.ravel(), facts.counts, len(keys)).astype(np.int64)
            self._columns.append(
                _fact_column(keys // size, keys % size, counts, len(self.table.counts), size)
            )
        return self._numbers[name]

    def _label_column(self) -> int:
        row, label = np.nonzero(self.table.label_counts)
        counts = self.table.label_counts[row, label].astype(np.int64)
        self._columns.append(_fact_column(row, label, counts, len(self.table.counts), len(self.table.labels)))
        return len(self._columns) - 1

    @cached_property
    def _profiler(self) -> _core.Profiler:
        lattice = _core.Lattice(
            [[list(parts) for parts in domain.hierarchy.parts] for domain in self.table.domains],
            np.ascontiguousarray(self.table.codes, np.int32),
            np.ascontiguousarray(self.table.counts[:, None], np.int64),
        )
        return _core.Profiler(lattice, self._columns, self._prices, self._labels, self.limit)

    def node(self, levels: Levels) -> MeasuredNode:
        """Measure one node."""
        profile = self._profiler.node(list(levels))
        released = Released(self.table, LevelRecoding(levels), self.limit)
        raws = [
            axis.raw(profile) if axis.raw is not None else axis.objective.of(released) for axis in self.axes
        ]
        return MeasuredNode(
            levels=levels,
            quality=tuple(axis.quality(raw) for axis, raw in zip(self.axes, raws, strict=True)),
            values=tuple(axis.value(raw) for axis, raw in zip(self.axes, raws, strict=True)),
            k=profile.k,
            groups=profile.groups,
            suppressed=profile.suppressed,
        )

    def chunks(self) -> Iterator[tuple[Levels, Levels]]:
        """The lattice in boxes of at most `CHUNK` nodes, if an attribute's levels allow; each by its ends."""
        fixed, size = 0, self.nodes
        while size > CHUNK and fixed < len(self.low) - 1:
            size //= self.high[fixed] - self.low[fixed] + 1
            fixed += 1
        outer = [range(self.low[a], self.high[a] + 1) for a in range(fixed)]
        for levels in itertools.product(*outer):
            yield (*levels, *self.low[fixed:]), (*levels, *self.high[fixed:])

    def sweep(self, low: Levels, high: Levels, threads: int) -> MeasuredNodes:
        """Measure all nodes between two."""
        profiles = self._profiler.sweep(list(low), list(high), threads)
        python = [axis.objective for axis in self.axes if axis.raws is None]
        slow: list[list[Number]] = [[] for _ in python]
        if python:
            for levels in profiles.levels.tolist():
                released = Released(self.table, LevelRecoding(tuple(levels)), self.limit)
                for objective, column in zip(python, slow, strict=True):
                    column.append(objective.of(released))
        columns = iter(slow)
        return MeasuredNodes(
            axes=self.axes,
            levels=profiles.levels,
            raws=tuple(
                axis.raws(profiles) if axis.raws is not None else np.array(next(columns))
                for axis in self.axes
            ),
            k=profiles.k.astype(np.int64),
            groups=profiles.groups.astype(np.int64),
            suppressed=profiles.suppressed.astype(np.int64),
        )


def joined(parts: Sequence[MeasuredNodes]) -> MeasuredNodes:
    """Several of them as one."""
    return MeasuredNodes(
        axes=parts[0].axes,
        levels=np.concatenate([part.levels for part in parts]),
        raws=tuple(np.concatenate(raws) for raws in zip(*(part.raws for part in parts), strict=True)),
        k=np.concatenate([part.k for part in parts]),
        groups=np.concatenate([part.groups for part in parts]),
        suppressed=np.concatenate([part.suppressed for part in parts]),
    )


def _of_core(objective: Objective, raw: Raw, raws: Raw | None = None) -> Axis:
    def widened(nodes: Any) -> NDArray[np.int64]:
        array: NDArray[np.int64] = (raws or raw)(nodes).astype(np.int64)
        return array

    return Axis(objective, value=lambda number: number, quality=lambda number: number, raw=raw, raws=widened)


def _fact_column(
    rows: NDArray[np.int64], values: NDArray[np.int64], counts: NDArray[np.int64], distinct: int, size: int
) -> _core.FactColumn:
    first = np.searchsorted(rows, np.arange(distinct + 1)).astype(np.int64)
    return _core.FactColumn(size, first, np.ascontiguousarray(values, np.int64), counts)


def _people_only(table: FrequencyTable) -> FrequencyTable:
    """The table without distinct rows that only the population has."""
    if (table.counts > 0).all():
        return table
    kept = np.flatnonzero(table.counts > 0)
    facts = table.facts
    if facts is not None:  # those rows have no entries
        facts = replace(facts, first=np.append(facts.first[kept], facts.first[-1]))
    return replace(
        table,
        codes=table.codes[kept],
        counts=table.counts[kept],
        label_counts=table.label_counts[kept] if table.labels else table.label_counts,
        facts=facts,
        population=None,
    )
