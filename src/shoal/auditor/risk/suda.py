"""SUDA: how special each unique row is, by the smallest combinations of its values that are unique.

A row is unique on some columns if no other row has its values there. A minimal sample unique (MSU) is a set
of columns on which a row is unique, and on no smaller part of it. Of A columns and MSUs of up to M of them,
one of size s adds (A - s) (A - s - 1) ... (A - M + 1) to the score of its row: the fewer columns, the more.
With M = A that is the factorial of A - s.

Uniqueness on a set of columns is inherited by every larger set, so a set is an MSU of a row exactly if the
row is unique on it and on none of the sets with one column less. Sets are processed in the order of their
bits, in which every part of a set comes before it; of each only one bit per line is kept.

Papers: Elliot, Manning and Ford, A computational algorithm for handling the special uniques problem, IJUFKS
10(5), 2002; Manning, Haglin and Keane, A recursive search algorithm for statistical disclosure assessment,
Data Mining and Knowledge Discovery 16(2), 2008; Elliot, Manning, Mayes, Gurd and Bane, SUDA: a program for
detecting special uniques, UNECE 2005. Deviations: docs/algorithms/suda.md.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from shoal.auditor.risk.suda_summary import SudaSummary
from shoal.errors import PolicyError
from shoal.model.table.coded_cells import CodedCells
from shoal.model.table.distinct_codes import LARGEST_KEY, distinct_codes

MOST_WORK = 200_000_000
"""Lines times sets of columns: some twenty seconds. Where all sets would take more, only the smaller ones are
looked at."""

SAMPLING_FRACTION = 0.01
"""What sdcMicro and the program SUDA take if nothing is stated."""

Flags = NDArray[np.bool_]


@dataclass(frozen=True, kw_only=True, eq=False)
class Suda:
    """The scores of the rows of a table, in the order of the rows.

    They describe the private table row by row: do not release them.

    Parameters
    ----------
    scores
        The SUDA score of each row; 0 without an MSU.
    dis_scores
        The DIS-SUDA score of each row, 0 to 1: the score as a chance that a match with the row is right.
    msus
        How many MSUs each row has.
    contributions
        Per row and column the share of the row's score that MSUs with this column have; 0 without an MSU.
    summary
        What is known of all rows together; no row is in it.
    """

    scores: NDArray[np.float64]
    dis_scores: NDArray[np.float64]
    msus: NDArray[np.int64]
    contributions: NDArray[np.float64]
    summary: SudaSummary


def suda_scores(
    cells: CodedCells, *, size: int | None = None, sampling_fraction: float | None = None
) -> Suda:
    """The scores of the rows of a table.

    Parameters
    ----------
    cells
        Its rows, or its distinct rows; the scores are in their order.
    size
        The most columns of an MSU; `None` for all columns, or as many as can be looked at in some seconds.
    sampling_fraction
        The share of the population that the rows are, above 0 and at most 1; 0.01 if it is `None`.
    """
    fraction = SAMPLING_FRACTION if sampling_fraction is None else sampling_fraction
    codes, number = distinct_codes(cells.codes)
    counts = np.bincount(number, cells.counts, len(codes)).astype(np.int64)
    stars = np.zeros(codes.shape, np.bool_)
    stars[number] = cells.stars()
    most = _largest(len(cells.columns), len(codes), size)
    found = _Search(codes, counts, stars, most)
    visible = ~stars.all(axis=1)
    unique, pairs = int((counts[visible] == 1).sum()), int((counts[visible] == 2).sum()) * 2
    chances = _chances(found.scores, len(cells.columns), pairs, fraction)
    total = float(found.scores.sum())
    shares = np.divide(
        found.parts, found.scores[:, None], out=np.zeros_like(found.parts), where=found.scores[:, None] > 0
    )
    return Suda(
        scores=found.scores[number],
        dis_scores=chances[number],
        msus=found.msus[number],
        contributions=shares[number],
        summary=SudaSummary(
            columns=cells.columns,
            size=most,
            rows=int(counts.sum()),
            msus_by_size=tuple(found.by_size.tolist()),
            special=int((found.scores > 0).sum()),
            unique=unique,
            sampling_fraction=fraction,
            dis=unique * fraction / (unique * fraction + pairs * (1 - fraction)) if unique else 0.0,
            scores=tuple(np.quantile(found.scores[found.scores > 0], (0.5, 0.9, 1)).tolist())
            if total
            else (),
            above=tuple((chances > limit).sum() for limit in SudaSummary.LIMITS),
            contributions=tuple((found.parts.sum(axis=0) / total).tolist()) if total else (),
        ),
    )


def _quantiles(scores: NDArray[np.float64]) -> tuple[float, ...]:
    """The median, the ninth decile and the greatest; nothing of no scores."""
    return tuple(np.quantile(scores, (0.5, 0.9, 1)).tolist()) if len(scores) else ()


def _largest(columns: int, lines: int, stated: int | None) -> int:
    """The most columns of an MSU that are looked for."""
    sets = np.cumsum([math.comb(columns, size) for size in range(1, columns + 1)])
    able = max(1, int((sets * lines <= MOST_WORK).sum()))
    if stated is None:
        return min(able, columns)
    if isinstance(stated, bool) or not isinstance(stated, int) or not 1 <= stated <= columns:
        raise PolicyError(f"the size of an MSU is a number of columns, 1 to {columns}; it is {stated!r}")
    if stated > able:
        raise PolicyError(
            f"there are {int(sets[stated - 1]):,} sets of up to {stated} of {columns} columns, too many for "
            f"{lines:,} different rows; choose a size of at most {able}, or fewer columns"
        )
    return stated


class _Search:
    """The MSUs of distinct lines."""

    def __init__(self, codes: NDArray[np.int32], counts: NDArray[np.int64], stars: Flags, most: int) -> None:
        lines, columns = codes.shape
        self.scores = np.zeros(lines)
        self.msus = np.zeros(lines, np.int64)
        self.parts = np.zeros((lines, columns))
        self.by_size = np.zeros(most, np.int64)
        self._codes, self._counts = codes, counts
        self._hidden = [stars[:, each] for each in range(columns)]
        sizes = [int(column.max(initial=0)) + 1 for column in codes.T]
        self._strides = [math.prod(sizes[:each]) for each in range(columns)]
        self._fits = math.prod(sizes) < LARGEST_KEY
        self._worth = [math.prod(columns - each for each in range(size, most)) for size in range(1, most + 1)]
        unique: dict[int, NDArray[np.uint8]] = {}
        for bits in range(1, 1 << columns):
            chosen = [each for each in range(columns) if bits >> each & 1]
            if len(chosen) > most:
                continue
            alone = self._alone(chosen)
            unique[bits] = np.packbits(alone)
            for each in chosen:
                if len(chosen) > 1:
                    alone &= ~np.unpackbits(unique[bits ^ 1 << each], count=lines).astype(np.bool_)
            self._add(np.flatnonzero(alone), chosen)

    def _alone(self, chosen: list[int]) -> Flags:
        """Which lines are unique on some columns, none of whose cells is suppressed."""
        if self._fits:
            keys = np.zeros(len(self._codes), np.int64)
            for each in chosen:
                keys += self._codes[:, each].astype(np.int64) * self._strides[each]
        else:
            keys = distinct_codes(self._codes[:, chosen])[1]
        order = np.argsort(keys)
        ordered = keys[order]
        first = np.ones(len(order), np.bool_)
        first[1:] = ordered[1:] != ordered[:-1]
        last = np.append(first[1:], True)  # the line after it begins another group
        alone = np.zeros(len(order), np.bool_)
        alone[order[first & last]] = True
        alone &= self._counts == 1
        for each in chosen:
            alone &= ~self._hidden[each]
        return alone

    def _add(self, lines: NDArray[np.int64], chosen: list[int]) -> None:
        worth = self._worth[len(chosen) - 1]
        self.scores[lines] += worth
        self.msus[lines] += 1
        self.by_size[len(chosen) - 1] += len(lines)
        for each in chosen:
            self.parts[lines, each] += worth


def _chances(scores: NDArray[np.float64], columns: int, pairs: int, fraction: float) -> NDArray[np.float64]:
    """The DIS-SUDA scores: the chance that a match is right, spread over the rows by their scores.

    With Q = 1 + (8 - A) / 20 and the sum S of score^-Q over rows with a score, that is
    1 / (1 + D / (score^Q S)), where D = pairs (1 - fraction) / fraction is what makes the mean chance that of
    the whole table (Skinner and Elliot's DIS).
    """
    chances = np.zeros(len(scores))
    special = scores > 0
    if not special.any():
        return chances
    power = scores[special] ** (1 + (8 - columns) / 20)
    chances[special] = 1 / (1 + pairs * (1 - fraction) / fraction / (power * (1 / power).sum()))
    return chances
