"""Nodes of a lattice whose distinct rows are held in an engine, priced as the core prices them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from shoal.algorithms.levels._prices import Priced
from shoal.errors import InternalError
from shoal.model.table.remote_table import RemoteTable, firsts_of


class Measure(Protocol):
    """A node at one k."""

    @property
    def groups(self) -> int: ...
    @property
    def suppressed(self) -> int: ...
    @property
    def cost(self) -> int: ...
    @property
    def holds(self) -> bool: ...
    @property
    def settled(self) -> bool: ...


@dataclass(frozen=True)
class RemoteMeasure:
    """A node that an engine has counted. No model judges all groups together."""

    groups: int
    suppressed: int
    cost: int
    holds: bool = True
    settled: bool = True


def remote_measure(table: RemoteTable, levels: Sequence[int], price: Priced, k: int) -> RemoteMeasure:
    """Get the sums over a node's groups from the engine, and price them."""
    firsts = firsts_of(table.domains, levels)
    sums = table.remote_rows.sums(firsts, k)
    cost = price.suppressed_row * sums.suppressed
    if price.kind == "squares":
        cost += sums.squares
    elif price.kind == "groups":
        cost += table.rows - sums.suppressed - sums.groups
    elif price.kind == "cells":
        cost += sum(fixed[level] for fixed, level in zip(price.fixed, levels, strict=True))
        if price.units and sums.suppressed > 0:
            units = [
                np.array(units[level], np.int64)[np.array(domain.hierarchy.parts[level])]
                for units, domain, level in zip(price.units, table.domains, levels, strict=True)
            ]
            cost -= table.remote_rows.units_below(firsts, k, units)
    else:
        raise InternalError("class labels are not held in an engine")
    return RemoteMeasure(sums.groups, sums.suppressed, cost)
