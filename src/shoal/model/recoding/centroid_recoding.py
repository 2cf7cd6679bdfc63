"""Centroid recodings: the values of a group's rows are replaced by their center.

Numbers and dates become their mean, categories with an order their median, other categories their most
frequent value. So a cell describes its group and not its row: these releases are not truthful.

The missing value has no place among numbers, dates and ordered categories. It is left out of their centers,
and is released only if a group has no other value.
"""

from __future__ import annotations

import datetime
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from shoal.errors import InternalError
from shoal.model.recoding.pieces import Pieces
from shoal.model.recoding.recoding import Recoding, not_on_levels
from shoal.model.table.domain import Domain, value_text
from shoal.model.table.frequency_table import FrequencyTable
from shoal.model.table.number_text import number

Center = Literal["mean", "median", "mode"]
"""What replaces a group's values. The median is the lower one; of several modes the first one counts."""


@dataclass(frozen=True)
class Centroid:
    """A released value.

    Parameters
    ----------
    label
        How it is printed; `None` is the missing value.
    codes
        The codes that it replaced, increasing.
    """

    label: str | None
    codes: tuple[int, ...]


@dataclass(frozen=True, kw_only=True, eq=False)
class CentroidRecoding(Recoding):
    """The centers of groups, for each distinct row of a frequency table.

    Parameters
    ----------
    values
        For each distinct row, or piece, and attribute the number of the released value.
    centroids
        For each attribute its released values. Two of them can be printed alike in groups that other
        attributes distinguish.
    centers
        For each attribute what its centroids are.
    smallest
        Rows of the smallest group.
    spread
        The share of the values' spread that is lost, 0 to 1: the spread within groups over the spread in the
        table, as the mean over attributes. Spread is what the center minimizes: squares for means, absolute
        differences of ranks for medians, cells that change for modes.
    pieces
        The pieces that rows are divided into, if any are.
    """

    truthful = False

    values: NDArray[np.int32]
    centroids: tuple[tuple[Centroid, ...], ...]
    centers: tuple[Center, ...]
    smallest: int
    spread: Fraction
    pieces: Pieces | None = None

    @classmethod
    def from_groups(
        cls,
        table: FrequencyTable,
        group_of: NDArray[np.integer],
        centers: Sequence[Center],
        pieces: Pieces | None = None,
    ) -> CentroidRecoding:
        """The recoding that releases the centers of groups; groups that print alike are one.

        Parameters
        ----------
        table
            The data.
        group_of
            For each distinct row, or piece, its group.
        centers
            For each attribute what replaces its values: means for numbers and dates only.
        pieces
            As in the class.
        """
        refined = table if pieces is None else pieces.refine(table)
        columns = [
            _Column(domain, center, refined.codes[:, attribute], refined.counts)
            for attribute, (domain, center) in enumerate(zip(table.domains, centers, strict=True))
        ]
        groups = np.unique(group_of, return_inverse=True)[1].reshape(len(group_of))
        printed = list(zip(*(column.labels(groups) for column in columns), strict=True))
        group_number = {labels: number for number, labels in enumerate(dict.fromkeys(printed))}
        groups = np.array([group_number[labels] for labels in printed], np.int64)[groups]
        numbers, centroids = [], []
        for attribute, column in enumerate(columns):
            released = column.centroids(groups, [labels[attribute] for labels in group_number])
            number = {each: index for index, each in enumerate(dict.fromkeys(released))}
            numbers.append(np.array([number[each] for each in released], np.int32)[groups])
            centroids.append(tuple(number))
        shares = [column.share(groups) for column in columns]
        return cls(
            values=np.column_stack(numbers),
            centroids=tuple(centroids),
            centers=tuple(centers),
            smallest=int(np.bincount(groups, refined.counts).min()),
            spread=sum(shares, Fraction(0)) / len(shares),
            pieces=pieces,
        )

    def released(self, table: FrequencyTable) -> NDArray[np.int32]:
        if self.values.shape != table.codes.shape:
            raise InternalError("a centroid recoding belongs to one table, and this is another")
        return self.values

    def labels(
        self,
        attribute: int,
        domain: Domain,  # noqa: ARG002
        released: Collection[int] | None = None,  # noqa: ARG002  every row is released
    ) -> tuple[str | None, ...]:
        return tuple(each.label for each in self.centroids[attribute])

    def numbers(self, attribute: int, domain: Domain) -> tuple[float | None, ...] | None:
        if domain.kind != "number" or self.centers[attribute] != "mean":
            return None
        return tuple(None if label is None else float(label) for label in self.labels(attribute, domain))

    def members(self, attribute: int, domain: Domain) -> Sequence[Sequence[int]]:  # noqa: ARG002
        return [each.codes for each in self.centroids[attribute]]

    def losses(self, attribute: int, domain: Domain) -> Sequence[Fraction]:
        return [domain.span_loss(codes) for codes in self._spans(attribute, domain)]

    def shares(self, attribute: int, domain: Domain) -> Sequence[Fraction]:
        return [domain.span_share(codes) for codes in self._spans(attribute, domain)]

    def steps(self, attribute: int, domain: Domain) -> Sequence[Fraction]:
        if any(len(each.codes) > 1 for each in self.centroids[attribute]):
            raise not_on_levels(domain)
        return [Fraction(0)] * len(self.centroids[attribute])

    def _spans(self, attribute: int, domain: Domain) -> list[tuple[int, ...]]:
        """The values among which a centroid hides those of its rows: an interval, or a set."""
        spans = [each.codes for each in self.centroids[attribute]]
        if domain.kind == "category":
            return spans
        last = len(domain) - 1 if domain.has_missing else len(domain)
        present = [[code for code in codes if code < last] for codes in spans]
        return [
            (*range(own[0], own[-1] + 1), *codes[len(own) :]) if own else codes
            for own, codes in zip(present, spans, strict=True)
        ]

    def describe(
        self,
        domains: Sequence[Domain],
        released: Sequence[Collection[int]] | None = None,  # noqa: ARG002  no value is named
    ) -> dict[str, object]:
        return {domain.name: {"center": center} for domain, center in zip(domains, self.centers, strict=True)}

    def notes(self, domains: Sequence[Domain]) -> tuple[str, ...]:
        names = {"mean": "mean", "median": "median", "mode": "most frequent value"}
        centers = [
            f"the {names[center]} of {', '.join(repr(domain.name) for domain in named)}"
            for center in names
            if (named := [each for each, own in zip(domains, self.centers, strict=True) if own == center])
        ]
        sentences = [
            f"Values are centroids of groups of at least {self.smallest:,} rows, not of single rows: "
            f"{', '.join(centers)}. A cell need not be true of its own row.",
            f"The groups contain {100 * float(self.spread):.4g} % of the sum of squares; that share of the "
            "spread of the values is lost.",
        ]
        if self.pieces is not None:
            sentences.append("Rows that were equal in the source may be released differently.")
        return tuple(sentences)


class _Column:
    """A column in groups: its centers, and the differences from them.

    Sums are exact: positions are whole numbers over a common denominator, counted from the first.
    """

    def __init__(
        self, domain: Domain, center: Center, codes: NDArray[np.int32], counts: NDArray[np.int64]
    ) -> None:
        self.domain, self.center, self.codes, self.counts = domain, center, codes, counts
        # For a mode the missing value is a value like any other.
        values = len(domain) if center == "mode" else len(domain) - domain.has_missing
        self.known = codes < values
        whole, self.unit = domain.places if center == "mean" else (range(values), 1)
        small = max(whole, default=0) * int(counts.sum()) < 2**62
        self.whole: NDArray[Any] = np.array([*whole, 0], np.int64 if small else object)

    def labels(self, groups: NDArray[np.int64]) -> list[str | None]:
        """How the center of each group is printed."""
        if self.center == "mean":
            sums, rows = self._sums(groups)
            return [
                self._moment(self.domain.position(0) + Fraction(total, known * self.unit)) if known else None
                for total, known in zip(sums.tolist(), rows.tolist(), strict=True)
            ]
        codes = self._modes(groups) if self.center == "mode" else self._medians(groups)
        return [None if code < 0 else self.domain.label(code, code) for code in codes.tolist()]

    def centroids(self, groups: NDArray[np.int64], labels: Sequence[str | None]) -> list[Centroid]:
        """The released value of each group, with its label."""
        pairs = np.unique(np.column_stack([groups, self.codes]), axis=0)
        runs = np.split(pairs[:, 1], np.flatnonzero(np.diff(pairs[:, 0])) + 1)
        return [Centroid(label, tuple(codes.tolist())) for label, codes in zip(labels, runs, strict=True)]

    def share(self, groups: NDArray[np.int64]) -> Fraction:
        """The spread within groups over that in the whole column; 0 for a column without any."""
        within, changed = self._differs(groups)
        whole, missing = self._differs(np.zeros_like(groups))
        # A missing value that is released as a number counts as much as an average row's part of the spread.
        known = int(self.counts[self.known].sum())
        part = whole / known if whole else Fraction(1)
        total = whole + part * missing
        return (within + part * changed) / total if total else Fraction(0)

    def _differs(self, groups: NDArray[np.int64]) -> tuple[Fraction, int]:
        """The spread of known values around their groups' centers, and the missing values replaced."""
        sums, rows = self._sums(groups)
        replaced = int(self.counts[~self.known & (rows[groups] > 0)].sum())
        if self.center == "mean":
            by_rows: dict[int, int] = {}
            for total, known in zip(sums.tolist(), rows.tolist(), strict=True):
                by_rows[known] = by_rows.get(known, 0) + int(total) ** 2
            by_rows.pop(0, None)
            explained = sum((Fraction(part, known) for known, part in by_rows.items()), Fraction(0))
            return self._squares() - explained, replaced
        if self.center == "mode":
            return Fraction(int(self.counts[self._modes(groups)[groups] != self.codes].sum())), 0
        distance = np.abs(self.codes - self._medians(groups)[groups])
        return Fraction(int((distance * self.counts)[self.known].sum())), replaced

    def _squares(self) -> int:
        rows = np.bincount(self.codes[self.known], self.counts[self.known], len(self.whole))
        return sum(int(count) * int(place) ** 2 for count, place in zip(rows, self.whole, strict=True))

    def _sums(self, groups: NDArray[np.int64]) -> tuple[NDArray[Any], NDArray[np.int64]]:
        """For each group the sum of its positions, and the number of rows with one."""
        size, own = int(groups.max()) + 1, groups[self.known]
        sums = np.zeros(size, self.whole.dtype)
        np.add.at(sums, own, self.whole[self.codes[self.known]] * self.counts[self.known])
        return sums, np.bincount(own, self.counts[self.known], size).astype(np.int64)

    def _modes(self, groups: NDArray[np.int64]) -> NDArray[np.int64]:
        """For each group its most frequent code, the first of several."""
        keys, of_row = np.unique(groups * len(self.domain) + self.codes, return_inverse=True)
        rows = np.bincount(of_row.reshape(len(groups)), self.counts).astype(np.int64)
        own, codes = np.divmod(keys, len(self.domain))
        order = np.lexsort((codes, -rows, own))
        first = np.concatenate([[True], np.diff(own[order]) > 0])
        modes: NDArray[np.int64] = codes[order][first]
        return modes

    def _medians(self, groups: NDArray[np.int64]) -> NDArray[np.int64]:
        """For each group its lower median code; -1 if all are missing."""
        size = int(groups.max()) + 1
        order = np.lexsort((self.codes[self.known], groups[self.known]))
        codes, own = self.codes[self.known][order], groups[self.known][order]
        counts = self.counts[self.known][order]
        rows = np.bincount(own, counts, size).astype(np.int64)
        ends = np.cumsum(rows)
        half = np.searchsorted(np.cumsum(counts), ends - rows + (rows + 1) // 2)
        medians = np.full(size, -1, np.int64)
        medians[rows > 0] = codes[half[rows > 0]]
        return medians

    def _moment(self, mean: Fraction) -> str:
        """A mean as printed: the nearest double, day or microsecond."""
        if self.domain.kind == "number":
            return value_text(number(float(mean)))
        value = self.domain.values[0]
        if isinstance(value, datetime.datetime):
            start = datetime.datetime(1970, 1, 1, tzinfo=value.tzinfo)
            return value_text(start + datetime.timedelta(microseconds=round(mean)))
        return value_text(datetime.date.fromordinal(round(mean)))
