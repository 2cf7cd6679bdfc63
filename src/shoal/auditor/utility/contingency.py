"""Tables of two columns in coarse categories: how many rows a cell has for sure, at most, and probably.

The categories are made of what the release shows: numbers and dates in four parts that begin with an end of
some label, words by the most frequent single values, and the rest. A row is in a cell for sure if both its
labels lie within the categories of the cell, and maybe if both overlap with them. Weighted rows count their
weights.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from shoal.auditor.utility.compared_column import ComparedColumn
from shoal.auditor.utility.summaries import grid_of, label_spans
from shoal.model.hierarchy.number_label import Span
from shoal.model.table.cell_meaning import Meaning, day_of, key_of
from shoal.model.table.label_bounds import Grid, moment_of
from shoal.model.table.number_text import number, number_of, number_text

PARTS = 4
MOST_COUNTED = 1 << 20
"""Pairs of labels that are counted in place, whether rows have them or not."""
MISSING, OTHERS = "missing", "others"

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]


@dataclass(frozen=True, kw_only=True)
class Contingency:
    """The table of two columns.

    Parameters
    ----------
    columns
        The two columns.
    categories
        For each its categories.
    original, sure, most, estimate
        For each cell the rows of the original, and by the release those that it has for sure, at most, and if
        rows are spread evenly over the categories that their labels overlap with.
    """

    columns: tuple[str, str]
    categories: tuple[tuple[str, ...], tuple[str, ...]]
    original: tuple[tuple[float, ...], ...]
    sure: tuple[tuple[float, ...], ...]
    most: tuple[tuple[float, ...], ...]
    estimate: tuple[tuple[float, ...], ...]

    @property
    def open(self) -> float:
        """The share of rows whose cell the release leaves open."""
        total = float(np.sum(self.estimate))
        return 1 - float(np.sum(self.sure)) / total if total else 0.0

    @property
    def moved(self) -> float:
        """The share of rows that are estimated to be in another cell than in the original."""
        before, after = np.array(self.original), np.array(self.estimate)
        if not before.sum() or not after.sum():
            return 0.0
        return float(np.abs(before / before.sum() - after / after.sum()).sum() / 2)

    def to_dict(self) -> dict[str, object]:
        """For programs."""
        return {
            "columns": list(self.columns),
            "categories": [list(each) for each in self.categories],
            "original": [list(row) for row in self.original],
            "sure": [list(row) for row in self.sure],
            "most": [list(row) for row in self.most],
            "estimate": [list(row) for row in self.estimate],
            "open": self.open,
            "moved": self.moved,
        }


class CoarseColumn:
    """A column in coarse categories.

    Parameters
    ----------
    column
        The column before and after.
    """

    def __init__(self, column: ComparedColumn) -> None:
        self.column = column
        self._grid: Grid | None = None if column.read.kind == "category" else grid_of(column)
        self._meanings = [column.read.meaning(cell) for cell in range(len(column.read.cells))]
        self._used = np.bincount(column.released, minlength=len(self._meanings)) > 0

    @cached_property
    def _spans(self) -> list[Span | None]:
        assert self._grid is not None
        return label_spans(self.column, self._grid)[0]

    @cached_property
    def _cuts(self) -> list[Fraction]:
        """Where the parts of numbers begin, all but the first."""
        rows = np.bincount(self.column.released, minlength=len(self._meanings))
        lows = sorted(
            (span.low, int(times))
            for span, times in zip(self._spans, rows, strict=True)
            if times and span is not None and span.low is not None
        )
        ends, total = np.cumsum([times for _, times in lows]), sum(times for _, times in lows)
        places = [int(np.searchsorted(ends, total * part / PARTS, side="right")) for part in range(1, PARTS)]
        cuts = sorted({lows[place][0] for place in places if place < len(lows)})
        return [cut for cut in cuts if cut > lows[0][0]]

    @cached_property
    def _named(self) -> list[str]:
        """The words that are categories of their own: the most frequent ones that the release shows alone."""
        read = self.column.read
        alone = [
            cell
            for cell in np.flatnonzero(self._used).tolist()
            if (text := read.cells[cell]) is not None
            and self._meanings[cell].values == frozenset([key_of(text)])
            and not self._meanings[cell].everything
            and self._meanings[cell].begin is None
            and not read.unreadable[cell]
        ]
        alone.sort(key=lambda cell: (-self.column.after[cell], read.cells[cell] or ""))
        return [text for cell in alone[:PARTS] if (text := read.cells[cell]) is not None]

    @cached_property
    def categories(self) -> tuple[str, ...]:
        """The names of its categories."""
        if self._grid is None:
            return (*self._named, OTHERS, MISSING)
        texts = [self._text(cut) for cut in self._cuts]
        if not texts:
            return ("all", MISSING)
        between = [f"{low} up to {high}" for low, high in itertools.pairwise(texts)]
        return (f"below {texts[0]}", *between, f"{texts[-1]} and above", MISSING)

    def _text(self, place: Fraction) -> str:
        assert self._grid is not None
        if not self._grid.is_date:
            return number_text(number(place))
        moment = moment_of(place)
        return moment.date().isoformat() if place.denominator == 1 else moment.isoformat(sep=" ")

    @cached_property
    def can(self) -> Flags:
        """Per label whether each category can have its value."""
        lines = [self._overlaps(cell, meaning) for cell, meaning in enumerate(self._meanings)]
        return np.array(lines, np.bool_).reshape(len(lines), len(self.categories))

    def _overlaps(self, cell: int, meaning: Meaning) -> list[bool]:
        width = len(self.categories)
        if meaning.everything or self.column.read.unreadable[cell]:
            return [True] * width
        if self._grid is None:
            own = self.column.read.cells[cell]
            named = [key_of(text) for text in self._named]
            keys = set(meaning.values)
            if own is not None and len(keys) > 1:  # a set is not also a value that reads like it
                keys.discard(key_of(own))
            others = (bool(keys - {*named}) and own is not None) or meaning.begin is not None
            return [*(meaning.covers(text) for text in self._named), others, meaning.missing]
        span = self._spans[cell]
        if span is None:
            return [*([False] * (width - 1)), meaning.missing]
        first = 0 if span.low is None else self._part(span.low)
        last = len(self._cuts) if span.high is None else self._part(span.high)
        if span.high is not None and not span.has_high and span.high in self._cuts:
            last = max(first, last - 1)
        return [*(first <= part <= last for part in range(width - 1)), meaning.missing]

    def _part(self, place: Fraction) -> int:
        return sum(cut <= place for cut in self._cuts)

    @cached_property
    def of_original(self) -> NDArray[np.int64]:
        """Per original row its category."""
        return np.array([self._category(text) for text in self.column.read.values], np.int64)[
            self.column.original
        ]

    def _category(self, text: str | None) -> int:
        last = len(self.categories) - 1
        if text is None:
            return last
        if self._grid is None:
            keys = [key_of(each) for each in self._named]
            return keys.index(key_of(text)) if key_of(text) in keys else last - 1
        place = day_of(text) if self._grid.is_date else number_of(text)
        return last if place is None else self._part(place)


def contingency(
    one: CoarseColumn, other: CoarseColumn, released_weight: Floats, original_weight: Floats
) -> Contingency:
    """The table of two columns, before and after.

    Parameters
    ----------
    one, other
        The columns.
    released_weight, original_weight
        What each row counts.
    """
    shape = len(one.categories), len(other.categories)
    pairs, weight = _weighed_pairs(one, other, released_weight)
    first, second = one.can[pairs // len(other.can)], other.can[pairs % len(other.can)]
    both = first[:, :, None] & second[:, None, :]
    cells = both.sum(axis=(1, 2))
    places = one.of_original * shape[1] + other.of_original
    original = _sums(places, original_weight, shape[0] * shape[1]).reshape(shape)
    shown = [
        index
        for axis in (0, 1)
        for index in [np.flatnonzero((both.any(axis=(0, 2 - axis))) | (original.sum(axis=1 - axis) > 0))]
    ]
    kept = np.ix_(*shown)

    def table(values: Floats) -> tuple[tuple[float, ...], ...]:
        return tuple(tuple(round(float(cell), 6) for cell in row) for row in values[kept])

    return Contingency(
        columns=(one.column.name, other.column.name),
        categories=(
            tuple(one.categories[index] for index in shown[0]),
            tuple(other.categories[index] for index in shown[1]),
        ),
        original=table(original),
        sure=table(np.einsum("p,pab->ab", weight * (cells == 1), both)),
        most=table(np.einsum("p,pab->ab", weight, both)),
        estimate=table(np.einsum("p,pab->ab", weight / np.maximum(cells, 1), both)),
    )


def _weighed_pairs(
    one: CoarseColumn, other: CoarseColumn, weight: Floats
) -> tuple[NDArray[np.int64], Floats]:
    """The pairs of labels that rows have, as one number each, and the weight of their rows."""
    labels = one.column.released.astype(np.int64) * len(other.can) + other.column.released
    possible = len(one.can) * len(other.can)
    if possible <= max(MOST_COUNTED, len(labels)):  # counted in place: sorting a million rows takes 20 times
        pairs = np.flatnonzero(np.bincount(labels, minlength=possible))
        return pairs.astype(np.int64), _sums(labels, weight, possible)[pairs]
    pairs, of_row = np.unique(labels, return_inverse=True)
    return pairs, _sums(of_row.reshape(-1), weight, len(pairs))


def _sums(places: NDArray[np.int64], weight: Floats, size: int) -> Floats:
    return np.bincount(places, weight, size).astype(np.float64)


def contingencies(
    columns: Sequence[ComparedColumn], released_weight: Floats, original_weight: Floats
) -> tuple[Contingency, ...]:
    """The tables of all pairs of some columns."""
    coarse = [CoarseColumn(column) for column in columns]
    return tuple(
        contingency(one, other, released_weight, original_weight)
        for place, one in enumerate(coarse)
        for other in coarse[place + 1 :]
    )
