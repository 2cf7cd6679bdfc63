"""Samarati's bisection for the full-domain recodings of least height.

Searches the heights of the level lattice: if some node of height h is admissible, some node of each greater
height is, too. That holds only for privacy models that survive merging; `supports` refuses the others.
Whether a node is admissible is read from distance vectors between rows, without recoding any; with models
other than k, from its groups.
Minimal is not cheapest: costs are compared among the minimal nodes only.

Paper: Samarati, TKDE 13(6), 2001; the survey, sections 2.2 and 4.1. Deviations: docs/algorithms/samarati.md.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from shoal.algorithms.levels._lattice import Lattice, Levels, NodeSearch, recodings
from shoal.algorithms.levels._preference import PREFERENCE_WORDS, check_preference, preferred
from shoal.errors import PolicyError
from shoal.model.description import Description
from shoal.model.parameter import parameter
from shoal.model.result.result import Result, Status
from shoal.model.result.searched_kind import LEVELS
from shoal.model.table.frequency_table import FrequencyTable
from shoal.model.table.remote_table import RemoteTable

MOST_ENTRIES = 20_000_000
"""The most entries of the matrix; above, suppressed rows are counted by roll-up, with the same numbers."""


@dataclass(frozen=True, kw_only=True)
class Samarati(NodeSearch):
    """Minimal levels by bisection on the height.

    Parameters
    ----------
    preference
        Which of the minimal nodes is released: "least-cost", "minimum-absolute-distance",
        "minimum-relative-distance", "maximum-distribution" or "minimum-suppression".
    all_minimal
        Whether to also find the minimal nodes above the least height.
    """

    name = "samarati"
    description = Description(
        title="Samarati",
        short="The lowest levels that suffice",
        meaning="Finds choices of levels below which none is private enough, and takes one by preference.",
        when="When a rule demands minimal generalization. State a limit on suppression.",
    )
    searches = LEVELS
    guarantee = Status.MINIMAL
    looks_at_nodes = True

    preference: str = field(default="least-cost", metadata=PREFERENCE_WORDS)
    all_minimal: bool = field(
        default=False, metadata=parameter("Find all minimal solutions", "Also above the least height.")
    )

    def __post_init__(self) -> None:
        check_preference(self.preference)
        if not isinstance(self.all_minimal, bool):
            raise PolicyError(f"all_minimal must be true or false; it is {self.all_minimal!r}")

    def search(self, lattice: Lattice, threads: int) -> Result:  # noqa: ARG002
        satisfies = satisfies_by(lattice)
        height = least_height(lattice, satisfies)
        minimal = [levels for levels in lattice.at_height(height) if satisfies(levels)]
        if self.all_minimal:
            minimal = minimal_from(lattice, satisfies, height, minimal)
        chosen = preferred(lattice, minimal, self.preference)
        return lattice.result(
            self.name, Status.MINIMAL, chosen, lattice.watch.seconds, alternatives=recodings(minimal)
        )


def least_height(lattice: Lattice, satisfies: Callable[[Levels], bool]) -> int:
    """The least height that has an admissible node, by bisection; the top is admissible."""
    low, high = sum(lattice.low), sum(lattice.high)
    while low < high:
        tried = (low + high) // 2
        admissible = next((levels for levels in lattice.at_height(tried) if satisfies(levels)), None)
        if admissible is None:
            low = tried + 1
        else:
            lattice.offer(admissible)
            high = tried
    return high


def minimal_from(
    lattice: Lattice, satisfies: Callable[[Levels], bool], height: int, lowest: list[Levels]
) -> list[Levels]:
    """All minimal nodes, given those of the least height: a sweep over the heights above it."""
    minimal = list(lowest)
    admissible = set(lowest)
    for tried in range(height + 1, sum(lattice.high) + 1):
        for levels in lattice.at_height(tried):
            if any(below in admissible for below in lattice.below(levels)):
                admissible.add(levels)
            elif satisfies(levels):
                admissible.add(levels)
                minimal.append(levels)
    return minimal


def satisfies_by(lattice: Lattice) -> Callable[[Levels], bool]:
    """The test of a node against MaxSup: by the matrix, or by roll-up where that would be too large.

    The matrix counts rows and no values, so it cannot decide for other models.
    """
    problem = lattice.problem
    if isinstance(problem.table, RemoteTable):
        return lattice.admits
    outliers = int((problem.table.counts < problem.k).sum())
    if problem.models or outliers * problem.table.codes.size > MOST_ENTRIES:
        return lattice.admits
    matrix = DistanceMatrix(problem.table, problem.k)
    known: dict[Levels, bool] = {}

    def satisfies(levels: Levels) -> bool:
        if levels not in known:
            lattice.watch.look()
            known[levels] = matrix.required_suppression(levels) <= problem.most_suppressed
        return known[levels]

    return satisfies


class DistanceMatrix:
    """The matrix VT: per outlier and distinct row the levels on which the two become equal (Fig. 11).

    Parameters
    ----------
    table, k
        The outliers are the table's distinct rows that occur fewer than k times.
    """

    def __init__(self, table: FrequencyTable, k: int) -> None:
        self.k = k
        self.counts = table.counts
        self.outliers = np.flatnonzero(table.counts < k)
        self.vectors = np.stack(
            [
                _distances(domain.hierarchy.parts, table.codes[self.outliers, column], table.codes[:, column])
                for column, domain in enumerate(table.domains)
            ]
        )
        """Per attribute, outlier and distinct row the level on which the two join."""

    def required_suppression(self, levels: Levels) -> int:
        """Rows that a node leaves in groups smaller than k (req_sup): only an outlier can be in one."""
        joined = np.ones(self.vectors.shape[1:], np.bool_)
        for distances, level in zip(self.vectors, levels, strict=True):
            joined &= distances <= level
        sizes = joined @ self.counts
        return int(self.counts[self.outliers[sizes < self.k]].sum())


def _distances(
    parts: tuple[tuple[int, ...], ...], rows: NDArray[np.int32], columns: NDArray[np.int32]
) -> NDArray[np.uint8]:
    """Levels between two codes: as levels are nested, those on which they differ.

    On the top they never do, so there are at most `MOST_LEVELS`, which fit a byte.
    """
    distances = np.zeros((len(rows), len(columns)), np.uint8)
    for of_code in map(np.array, parts):
        distances += of_code[rows][:, None] != of_code[columns][None, :]
    return distances


__all__ = ["DistanceMatrix", "Samarati"]
