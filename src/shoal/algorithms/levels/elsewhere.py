"""The lattice search where others have the rows: whoever searches knows prices, and asks for nodes.

The search is that of `lattice`, with the same order and the same ties; only its measures come from others.
Proofs: docs/algorithms/lattice.md.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import fields, replace

import numpy as np
from numpy.typing import NDArray

from shoal import _core
from shoal.algorithms._answer import Reader
from shoal.algorithms.levels._prices import Priced
from shoal.algorithms.levels.lattice import LatticeSearch
from shoal.cost import LevelPrice
from shoal.model.policy.budget import Budget, ProgressCallback
from shoal.model.recoding.level_recoding import LevelRecoding
from shoal.model.result.result import Result
from shoal.model.table.domain import Domain
from shoal.model.table.frequency_table import FrequencyTable

MeasuredElsewhere = tuple[int, int, int, int]
"""Of a node: its released groups, its suppressed rows, its cost, and what of that is due to these rows."""


def search_elsewhere(
    domains: Sequence[Domain],
    price: LevelPrice,
    ranges: Sequence[tuple[int, int]],
    most_suppressed: int,
    budget: Budget,
    measure: Callable[[list[list[int]]], list[MeasuredElsewhere]],
    on_progress: ProgressCallback | None = None,
) -> Result:
    """The cheapest choice of levels, by the measures of others.

    Parameters
    ----------
    domains
        With the hierarchies.
    price
        Of cells, with the fixed prices of all rows.
    ranges
        Per attribute the least and the greatest level.
    most_suppressed
        Most rows that may be suppressed.
    budget, on_progress
        As for any search.
    measure
        Measures some nodes, each given by its levels; called from another thread. A node that suppresses too
        many rows needs no cost. What it raises ends the search.
    """
    priced = Priced(**{each.name: getattr(price, each.name) for each in fields(LevelPrice)})
    reader = Reader(LatticeSearch.name, priced.cost)
    empty = FrequencyTable(
        domains=tuple(domains), codes=np.zeros((0, len(domains)), np.int32), counts=np.zeros(0, np.int64)
    )
    answer = _core_lattice(empty).search_elsewhere(
        measure,
        # One row's units are for those who have rows.
        price=replace(priced, units=[]).price,
        limit=most_suppressed,
        low=[least for least, _ in ranges],
        high=[greatest for _, greatest in ranges],
        seconds=budget.seconds,
        nodes=budget.nodes,
        gap=budget.gap,
        callback=reader.callback(on_progress),
    )
    return reader.result(answer, lambda: LevelRecoding(tuple(answer.levels)))


class NodeGroups:
    """The groups of any node, for those who have the rows.

    Parameters
    ----------
    table
        Its rows, over domains that all have hierarchies.
    """

    def __init__(self, table: FrequencyTable) -> None:
        self._core = _core_lattice(table)

    def of(self, levels: Sequence[int]) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        """The groups of a node: per group its parts, and its rows."""
        return self._core.groups(list(levels))


def _core_lattice(table: FrequencyTable) -> _core.Lattice:
    return _core.Lattice(
        [[list(parts) for parts in domain.hierarchy.parts] for domain in table.domains],
        np.ascontiguousarray(table.codes, np.int32),
        np.ascontiguousarray(table.counts[:, None], np.int64),
    )
