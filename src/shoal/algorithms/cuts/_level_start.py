"""A recoding for searches over cuts to begin with, where there are many columns: the best levels found.

A climb by single cuts prices all of them at every step, and on a wide table it is far from done when the time
ends. Levels are few: a local search over them (docs/algorithms/lattice.md) soon has a good recoding, and cuts
improve it further. Columns with a hierarchy whose labels cover neighbours have its levels; the others get
levels of intervals that double in length.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal import _core
from shoal.model.policy.budget import Budget
from shoal.model.table.domain import Domain
from shoal.model.table.frequency_table import FrequencyTable

WIDE = 12
"""Columns from which on a search over cuts begins with levels."""

NODES = 10_000
"""Nodes that the search over levels may look at: a second or less on small tables."""

SHARE = 0.3
"""The most it takes of the time."""

Parts = list[list[int]]
Callback = Callable[[int, int, int, float], None]


@dataclass(frozen=True, kw_only=True)
class CutProblem:
    """What the core's searches over cuts are given; `losses` has what a cell of each interval loses."""

    kind: str
    k: int
    limit: int
    sizes: list[int]
    codes: NDArray[np.int32]
    counts: NDArray[np.int64]
    losses: list[NDArray[np.int64]]
    row_units: int
    privacy: _core.Privacy | None

    @property
    def arguments(self) -> dict[str, Any]:
        """All but the kind, as the core's functions take them."""
        return {each.name: getattr(self, each.name) for each in fields(self) if each.name != "kind"}


@dataclass(frozen=True, kw_only=True)
class LevelStart:
    """Cuts to begin with, if any, and what it took to find them."""

    cuts: list[list[int]] | None = None
    seconds: float = 0
    interrupted: bool = False

    def left(self, budget: Budget) -> float | None:
        """The seconds that are left."""
        if self.interrupted:
            return 0
        return None if budget.seconds is None else max(0, budget.seconds - self.seconds)

    def later(self, callback: Callback | None) -> Callback | None:
        """The callback of what comes after."""
        if callback is None:
            return None
        return lambda cost, bound, nodes, seconds: callback(cost, bound, nodes, seconds + self.seconds)


def level_start(
    table: FrequencyTable,
    stated: CutProblem,
    budget: Budget,
    threads: int,
    seed: int,
    callback: Callback | None,
) -> LevelStart:
    """The cuts of the best levels found."""
    levels = [levels_of(domain) for domain in table.domains]
    lattice = _core.Lattice(levels, stated.codes, stated.counts, stated.privacy)
    answer = lattice.search(
        price_of(stated, table, levels),
        k=stated.k,
        limit=stated.limit,
        low=[0] * len(levels),
        high=[len(parts) - 1 for parts in levels],
        seconds=None if budget.seconds is None else budget.seconds * SHARE,
        nodes=NODES,
        gap=budget.gap,
        threads=threads,
        seed=seed,
        # What is proved of levels is not proved of cuts.
        callback=None
        if callback is None
        else lambda cost, _, nodes, passed: callback(cost, 0, nodes, passed),
    )
    return LevelStart(
        cuts=cuts_at(levels, answer.levels) if answer.found else None,
        seconds=answer.seconds,
        interrupted=answer.interrupted,
    )


def levels_of(domain: Domain) -> Parts:
    """Per level the part of each code; all parts are intervals, and the last level is one."""
    tree = domain.tree
    if tree is not None and tree.contiguous and tree.height <= _core.MOST_LEVELS:
        return [list(parts) for parts in tree.parts]
    levels = [list(range(len(domain)))]
    while levels[-1][-1] > 0:
        levels.append([part // 2 for part in levels[-1]])
    return levels


def price_of(stated: CutProblem, table: FrequencyTable, levels: Sequence[Parts]) -> _core.Price:
    """The price of levels in the units of cuts."""
    if stated.kind != "cells":
        row = table.rows if stated.kind == "squares" else 1
        return _core.Price(stated.kind, suppressed_row=row, fixed=[], units=[])
    fixed, units = [], []
    for attribute, (parts, loss) in enumerate(zip(levels, stated.losses, strict=True)):
        rows = np.bincount(table.codes[:, attribute], table.counts, len(parts[0])).astype(np.int64)
        own = [_units(np.array(of_code), loss) for of_code in parts]
        units.append([each.tolist() for each in own])
        fixed.append([int(each[np.array(of_code)] @ rows) for each, of_code in zip(own, parts, strict=True)])
    return _core.Price("cells", suppressed_row=stated.row_units, fixed=fixed, units=units)


def _units(of_code: NDArray[np.int64], loss: NDArray[np.int64]) -> NDArray[np.int64]:
    """Of one level what a cell of each part loses."""
    first = np.flatnonzero(np.diff(of_code, prepend=-1))
    last = np.append(first[1:], len(of_code)) - 1
    units: NDArray[np.int64] = loss[first, last]
    return units


def cuts_at(levels: Sequence[Parts], chosen: Sequence[int]) -> list[list[int]]:
    """The cuts of one level per column."""
    return [
        (np.flatnonzero(np.diff(parts[level])) + 1).tolist()
        for parts, level in zip(levels, chosen, strict=True)
    ]
