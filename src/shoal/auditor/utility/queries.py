"""How well the release answers random counting queries.

A query counts the rows that have a value of each of a few quasi-identifiers in a range or set, as in Xiao and
Tao (VLDB 2006): with d of them each range has the share `SELECTIVITY` ** (1/d) of the column's values. The
release answers as if the rows of a label were spread evenly over the original's values that it can represent,
column by column; a number that the original does not have, such as a mean, is counted at its place. The
error is |answer - truth| over the truth, or over the sanity bound where the truth is smaller: a thousandth of
the rows, as in Xiao, Wang and Gehrke (ICDE 2010).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from shoal.auditor.utility.compared_column import ComparedColumn, Numbers
from shoal.model.table.distinct_codes import distinct_codes

SELECTIVITY = 0.1
MOST_COLUMNS = 3
SANITY = 0.001
MOST_PARTS = 200
"""Ranges of columns of more values begin and end between parts of the domain."""


@dataclass(frozen=True, kw_only=True)
class QueryUtility:
    """Errors of the queries that were tried.

    Parameters
    ----------
    tried
        How many queries.
    median_error, mean_error, worst
        Relative errors; `None` if there was nothing to query.
    """

    tried: int
    median_error: float | None
    mean_error: float | None
    worst: float | None

    def to_dict(self) -> dict[str, object]:
        """For programs."""
        return {
            "tried": self.tried,
            "median_error": self.median_error,
            "mean_error": self.mean_error,
            "worst": self.worst,
        }


class _QueriedColumn:
    """A column as queries see it."""

    def __init__(self, column: ComparedColumn) -> None:
        of_point, self.parts = column.parts(MOST_PARTS)
        self.of_row = of_point[column.points]
        self.shares: Numbers = column.memberships(of_point, self.parts)
        self.ordered = column.read.positions is not None
        # A range of numbers never includes the missing value, which comes last.
        self.known = self.parts - (self.ordered and column.read.has_missing)

    def chosen(self, random: np.random.Generator, share: float) -> NDArray[np.bool_]:
        """A random range of parts, or a random set of words."""
        width = max(1, math.ceil(self.known * share))
        chosen = np.zeros(self.parts, np.bool_)
        if self.ordered:
            first = int(random.integers(0, max(1, self.known - width + 1)))
            chosen[first : first + width] = True
        else:
            chosen[random.permutation(self.known)[:width]] = True
        return chosen


def query_utility(columns: Sequence[ComparedColumn], tries: int, random: np.random.Generator) -> QueryUtility:
    """Run random queries over some quasi-identifiers."""
    rows = len(columns[0].original) if columns else 0
    if not rows or not tries:
        return QueryUtility(tried=0, median_error=None, mean_error=None, worst=None)
    queried = [_QueriedColumn(column) for column in columns]
    labels, label_rows = _counted([column.released for column in columns])
    values, value_rows = _counted([each.of_row for each in queried])
    errors = []
    for _ in range(tries):
        dimensions = int(random.integers(1, min(MOST_COLUMNS, len(queried)) + 1))
        picked = np.sort(random.permutation(len(queried))[:dimensions])
        truth, answer = value_rows.copy(), label_rows.copy()
        for place in picked.tolist():
            inside = queried[place].chosen(random, SELECTIVITY ** (1 / dimensions))
            truth *= inside[values[:, place]]
            answer *= (queried[place].shares @ inside)[labels[:, place]]
        matching = float(truth.sum())
        errors.append(abs(float(answer.sum()) - matching) / max(matching, SANITY * rows))
    return QueryUtility(
        tried=tries,
        median_error=float(np.median(errors)),
        mean_error=float(np.mean(errors)),
        worst=float(np.max(errors)),
    )


def _counted(columns: Sequence[NDArray[np.integer]]) -> tuple[NDArray[np.int32], Numbers]:
    """Distinct rows, and how many there are of each."""
    lines, of_row = distinct_codes(np.column_stack(columns).astype(np.int32))
    return lines, np.bincount(of_row, minlength=len(lines)).astype(np.float64)
