"""Costs by their formulas in docs/concepts.md: of groups of rows, and of cells."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

OF_GROUPS = ("discernibility", "classification", "groups", "average-group-size", "suppressed-rows")
OF_CELLS = ("general-loss", "ncp", "precision", "entropy", "suppressed-cells")
OF_LEVELS = ("height", "relative-height")


def cost_of_groups(cost: str, rows: int, kept: Sequence[Sequence[object]]) -> float | None:
    """What a release costs, by the class labels of each group; `None` if the cost looks at more."""
    released = sum(map(len, kept))
    suppressed = rows - released
    if cost == "discernibility":
        return sum(len(group) ** 2 for group in kept) + rows * suppressed
    if cost == "classification":
        return released - sum(max(Counter(group).values()) for group in kept) + suppressed
    if cost == "groups":
        return rows - len(kept)
    if cost == "average-group-size":
        return rows / len(kept) if kept else rows
    return suppressed if cost == "suppressed-rows" else None


@dataclass(frozen=True)
class Part:
    """The values of a column that are released alike.

    Parameters
    ----------
    members
        Their places in the domain.
    width, share, climbed
        What general loss, NCP and precision say that a cell loses.
    """

    members: tuple[int, ...]
    width: float
    share: float
    climbed: float = 0.0


def loss_of_cell(cost: str, part: Part, counts: Sequence[int], own: int) -> float:
    """What a cell loses that is released as a part of its domain."""
    if cost == "general-loss":
        return part.width
    if cost == "ncp":
        return part.share
    if cost == "precision":
        return part.climbed
    if cost == "suppressed-cells":
        return float(part.share == 1)
    return math.log2(sum(counts[member] for member in part.members) / counts[own])


def loss_of_suppressed(cost: str, rows: int, counts: Sequence[int], own: int) -> float:
    """What a suppressed cell loses."""
    return math.log2(rows / counts[own]) if cost == "entropy" else 1.0
