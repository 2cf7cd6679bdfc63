"""One column of a release compared with the original's: is a cell true, and what does it lose?

A quasi-identifier is read: its cell is true if it can represent the value. Any other column is kept: its cell
is true if it is the value. What a released cell loses is counted against the original's values, or against
the leaves of the hierarchy where the policy gives one, as `shoal.model.table.domain` defines it. The recoding
that made the cell is not known here.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from shoal.errors import PolicyError
from shoal.model.cells.column_texts import ColumnTexts
from shoal.model.cells.respelled import respelled
from shoal.model.hierarchy.hierarchy import Hierarchy
from shoal.model.policy.attribute import Attribute
from shoal.model.table.cell_meaning import CellReader, Meaning, day_of, key_of
from shoal.model.table.domain import SUPPRESSED, Kind
from shoal.model.table.number_text import exact, number_of

Texts = Sequence[str | None]
Flags = NDArray[np.bool_]
Codes = NDArray[np.int32]

_NOT_A_NUMBER = ("nan", "NaN", "NAN")
_MOST_CELLS = 2**24
"""The most entries of a table of cells by values that is computed in one step."""


class KeptColumn:
    """A column whose cells the release must keep unchanged.

    Parameters
    ----------
    cells, values
        The texts of the released cells and of the original ones, by code.
    """

    def __init__(self, cells: Texts, values: Texts) -> None:
        number: dict[object, int] = {text: place for place, text in enumerate(dict.fromkeys(values))}
        self.of_value = np.array([number[text] for text in values], np.int64)
        if any(text not in number for text in cells):  # a frame and a file may write numbers differently
            by_key = {same_text(text): place for text, place in number.items() if isinstance(text, str)}
            number |= {text: by_key.get(same_text(text), -1) for text in cells if text and text not in number}
        self.of_cell = np.array([number.get(text, -1) for text in cells], np.int64)
        self._star = np.array([text == SUPPRESSED for text in cells], np.bool_)
        self._missing = np.array([text is None for text in cells], np.bool_)

    def wild(self, cells: Codes, silent: Flags) -> Flags:
        """Per row whether its cell reveals nothing: `*`, or an empty one of a suppressed row."""
        wild: Flags = self._star[cells] | (silent & self._missing[cells])
        return wild

    def true(self, cells: Codes, values: Codes, silent: Flags) -> Flags:
        """Per row whether the released cell is true of the original one."""
        true: Flags = (self.of_cell[cells] == self.of_value[values]) | self.wild(cells, silent)
        return true


def same_text(text: str) -> object:
    """What all texts of one number or day share: a frame and a file may write it differently."""
    day = day_of(text)
    return key_of(text) if day is None else ("day", day)


@dataclass(frozen=True, eq=False)
class _Universe:
    """The values that shares of a domain are counted in.

    Parameters
    ----------
    covered
        Per released cell how many of them it can represent.
    total
        How many there are.
    """

    covered: NDArray[np.int64]
    total: int

    @property
    def shares(self) -> NDArray[np.float64]:
        """(covered - 1) over (all - 1): 0 for one value, 1 for the whole domain."""
        shares: NDArray[np.float64] = np.maximum(self.covered - 1, 0) / max(1, self.total - 1)
        return shares


class ReadColumn:
    """A column whose released cells are labels.

    Parameters
    ----------
    attribute
        What the policy says of the column.
    cells, values
        The texts of the released cells and of the original ones, by code.
    rows
        Per original value how many rows have it.
    sets
        What the short labels of the release represent.
    """

    def __init__(
        self,
        attribute: Attribute,
        cells: Texts,
        values: Texts,
        rows: NDArray[np.int64],
        sets: Mapping[str, str] | None = None,
    ) -> None:
        present = [value for value, times in zip(values, rows.tolist(), strict=True) if times]
        texts = ColumnTexts.of(attribute, set(present))
        _check_clear(attribute, texts, cells, set(present))
        cells, values = [texts.label(cell) for cell in cells], [texts.value(value) for value in values]
        present = [texts.value(value) for value in present]
        self.kind: Kind = texts.kind
        given = attribute.given_hierarchy()
        # Of a column that is not recoded, too: both tables' cells were just brought into plain form.
        self.hierarchy: Hierarchy | None = None if given is None else respelled(given, texts.form)
        self._width = None if attribute.bin is None else exact(attribute.bin)
        numeric = self.kind == "number"
        self.cells = [None if numeric and cell in _NOT_A_NUMBER else cell for cell in cells]
        self.values = [None if numeric and value in _NOT_A_NUMBER else value for value in values]
        if self.kind == "date":
            self.cells = _as_written(self.cells, present)
        self._rows = rows
        self._present = {value for value, times in zip(self.values, rows.tolist(), strict=True) if times}
        # A word in a column of words is itself, also where it could be read as numbers.
        mixed = self.kind == "category" and any(
            number_of(value) is not None for value in self._present if value
        )
        self.reader = CellReader(self.hierarchy, None if mixed else self.kind, sets)
        self._known: dict[tuple[int, int], bool] = {}

    @cached_property
    def _keys(self) -> frozenset[object]:
        leaves = () if self.hierarchy is None else self.hierarchy.leaves
        return frozenset(key_of(text) for text in (*self._present, *leaves) if text)

    def meaning(self, cell: int) -> Meaning:
        """What the cell of a code can represent."""
        return self.reader.meaning(self.cells[cell])

    @cached_property
    def _alone(self) -> Flags:
        """Per cell whether it names one value and nothing else."""
        meanings = [self.meaning(cell) for cell in range(len(self.cells))]
        return np.array(
            [
                not (each.everything or each.spans or each.days or each.begin is not None)
                and len(each.values) + each.missing == 1
                for each in meanings
            ],
            np.bool_,
        )

    @cached_property
    def unreadable(self) -> Flags:
        """Per cell whether it is a word that is neither a value of the original nor in a hierarchy."""
        return np.array(
            [
                bool(alone)
                and cell is not None
                and key_of(cell) not in self._keys
                and number_of(cell) is None
                and day_of(cell) is None
                for alone, cell in zip(self._alone, self.cells, strict=True)
            ],
            np.bool_,
        )

    def true(self, cells: Codes, values: Codes, silent: Flags) -> Flags:  # noqa: ARG002  labels need no mercy
        """Per row whether the released cell can represent the original value, or cannot be read."""
        true: Flags
        if self._table is not None:
            true = self._table[cells, values]
            return true
        pairs = cells.astype(np.int64) * len(self.values) + values
        distinct, of_pair = np.unique(pairs, return_inverse=True)
        each = [self.is_true(*divmod(pair, len(self.values))) for pair in distinct.tolist()]
        true = np.array(each, np.bool_)[of_pair.reshape(-1)]
        return true

    def is_true(self, cell: int, value: int) -> bool:
        """Whether one released cell can represent one value."""
        if self._table is not None:
            return bool(self._table[cell, value])
        if (cell, value) not in self._known:
            covers = bool(self.unreadable[cell]) or self.meaning(cell).covers(self.values[value])
            self._known[cell, value] = covers
        return self._known[cell, value]

    @cached_property
    def _table(self) -> Flags | None:
        """Per cell and value whether it is true; `None` if there are too many of them."""
        if len(self.cells) * len(self.values) > _MOST_CELLS:
            return None
        table: Flags = self.reader.covering(self.cells, self.values) | self.unreadable[:, None]
        return table

    # What a cell loses.

    @cached_property
    def _points(self) -> list[tuple[object, list[int]]]:
        """The values of the domain in their order, each with the codes of the texts that mean it."""
        points: dict[object, list[int]] = {}
        for code, value in enumerate(self.values):
            if self._rows[code]:
                points.setdefault(None if value is None else self._point(value), []).append(code)
        known = sorted(((point, codes) for point, codes in points.items() if point is not None), key=_natural)
        return [*known, (None, points[None])] if None in points else known

    def _point(self, value: str) -> object:
        if self.kind == "date":
            return day_of(value)
        number = number_of(value) if self.kind == "number" else None
        if number is None:
            return key_of(value)
        return number if self._width is None else number // self._width * self._width

    @cached_property
    def point_of_value(self) -> NDArray[np.int64]:
        """Per text of the original which value of the domain it means; -1 if no row has it."""
        points = np.full(len(self.values), -1, np.int64)
        for point, (_, codes) in enumerate(self._points):
            points[codes] = point
        return points

    @cached_property
    def coverage(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Which cell can represent which value of the domain: pairs of numbers, those of a cell together."""
        place = {point: number for number, (point, _) in enumerate(self._points)}
        alone = [(cell, self._place(cell, place)) for cell in np.flatnonzero(self._alone).tolist()]
        parts = [np.array([pair for pair in alone if pair[1] >= 0], np.int64).reshape(-1, 2)]
        for cells, covered in self._covering_points():
            lines, points = np.nonzero(covered)
            parts.append(np.column_stack([cells[lines], points]))
        both = np.concatenate(parts)
        return both[:, 0], both[:, 1]

    def _place(self, cell: int, place: Mapping[object, int]) -> int:
        """The value of the domain that a cell names, if only one; -1 if the domain does not have it."""
        text = self.cells[cell]
        return place.get(None if text is None else self._point(text), -1)

    @cached_property
    def point_rows(self) -> NDArray[np.int64]:
        """Original rows of each value of the domain."""
        return np.array([self._rows[codes].sum() for _, codes in self._points], np.int64)

    @cached_property
    def _positions(self) -> NDArray[np.float64] | None:
        return self.positions if self.hierarchy is None else None

    @cached_property
    def positions(self) -> NDArray[np.float64] | None:
        """Where each known number or date lies, from 0 to 1; `None` for words."""
        if self.kind == "category":
            return None
        known = [point for point, _ in self._points if isinstance(point, Fraction)]
        if not known:
            return None
        width = (known[-1] - known[0]) or Fraction(1)
        return np.array([float((point - known[0]) / width) for point in known])

    @cached_property
    def places(self) -> NDArray[np.float64]:
        """Per cell where it lies, as `positions`, if it is a number or date that the original lacks.

        NaN for all other cells. A value outside the original, such as a mean, represents none of its values.
        """
        places = np.full(len(self.cells), np.nan)
        known = [point for point, _ in self._points if isinstance(point, Fraction)]
        if self.kind == "category" or not known:
            return places
        had, width = set(known), (known[-1] - known[0]) or Fraction(1)
        for cell in np.flatnonzero(self._alone).tolist():
            text = self.cells[cell]
            point = None if text is None else self._point(text)
            if isinstance(point, Fraction) and point not in had:
                places[cell] = float((point - known[0]) / width)
        return places

    @property
    def has_missing(self) -> bool:
        """Whether the original has missing values."""
        return bool(self._points) and self._points[-1][0] is None

    def _covering_points(self) -> Iterator[tuple[NDArray[np.int64], Flags]]:
        """Cells that name several values, some at a time, and which of the domain each can represent."""
        order = [code for _, codes in self._points for code in codes]
        first = np.cumsum([0, *(len(codes) for _, codes in self._points)])[:-1]
        texts = [self.values[code] for code in order]
        for cells in self._some(np.flatnonzero(~self._alone), len(texts)):
            covered = self.reader.covering([self.cells[cell] for cell in cells], texts)
            yield cells, np.logical_or.reduceat(covered, first, axis=1) if len(texts) else covered

    @staticmethod
    def _some(cells: NDArray[np.int64], width: int) -> Iterator[NDArray[np.int64]]:
        step = max(1, _MOST_CELLS // max(1, width))
        for first in range(0, len(cells), step):
            yield cells[first : first + step]

    @cached_property
    def _covered(self) -> tuple[NDArray[np.int64], NDArray[np.float64], NDArray[np.int64]]:
        """Per cell the values of the domain that it can represent, how wide they are, and their rows."""
        counts = np.zeros(len(self.cells), np.int64)
        widths = np.zeros(len(self.cells), np.float64)
        rows = np.zeros(len(self.cells), np.int64)
        positions = self._positions
        place = {point: number for number, (point, _) in enumerate(self._points)}
        for cell in np.flatnonzero(self._alone).tolist():
            at = self._place(cell, place)
            counts[cell], rows[cell] = (0, 0) if at < 0 else (1, self.point_rows[at])
        for cells, covered in self._covering_points():
            counts[cells] = covered.sum(axis=1)
            rows[cells] = covered @ self.point_rows
            if positions is not None:
                known = covered[:, : len(positions)]
                first = positions[known.argmax(axis=1)]
                last = positions[len(positions) - 1 - known[:, ::-1].argmax(axis=1)]
                widths[cells] = np.where(known.any(axis=1), last - first, 0)
                if self.has_missing:  # joined with others it reveals nothing about a row
                    widths[cells[covered[:, -1] & (counts[cells] > 1)]] = 1
        return counts, widths, rows

    @cached_property
    def _universe(self) -> _Universe:
        if self.hierarchy is None:
            return _Universe(self._covered[0], len(self._points))
        leaves: list[str | None] = [leaf or None for leaf in self.hierarchy.leaves]
        if self.has_missing and None not in leaves:
            leaves.append(None)
        covered = np.zeros(len(self.cells), np.int64)
        for cells in self._some(np.arange(len(self.cells)), len(leaves)):
            covered[cells] = self.reader.covering([self.cells[each] for each in cells], leaves).sum(axis=1)
        return _Universe(covered, len(leaves))

    @cached_property
    def shares(self) -> NDArray[np.float64]:
        """Per cell what it loses counted in values: (values - 1) over (domain - 1)."""
        return self._universe.shares

    @cached_property
    def losses(self) -> NDArray[np.float64]:
        """Per cell its general loss: of numbers and dates width over width, else as `shares`."""
        return self.shares if self._positions is None else self._covered[1]

    @cached_property
    def covered_rows(self) -> NDArray[np.int64]:
        """Per cell the original rows whose value it can represent."""
        return self._covered[2]

    @cached_property
    def steps(self) -> NDArray[np.float64] | None:
        """Per cell the share of its hierarchy's height that it has climbed; NaN if it is on no level."""
        if self.hierarchy is None:
            return None
        height = max(1, self.hierarchy.height)
        least: dict[object, int] = {}
        for level in range(self.hierarchy.height + 1):
            for label in self.hierarchy.labels(level):
                least.setdefault(key_of(label) if level == 0 else label, level)
        top = f"{self.hierarchy.top} or missing"

        def climbed(cell: str | None) -> float:
            if cell is None:
                return 0.0
            if cell in (SUPPRESSED, top):
                return least.get(cell, height) / height
            step = least.get(cell, least.get(key_of(cell)))
            return np.nan if step is None else step / height

        return np.array([climbed(cell) for cell in self.cells])


def _check_clear(attribute: Attribute, texts: ColumnTexts, cells: Texts, present: set[str | None]) -> None:
    """Raise `PolicyError` if an original column can be read in two ways, and its release has other cells."""
    clear = all(cell in (None, SUPPRESSED) or cell in present for cell in cells)
    if not texts.ambiguous or clear or attribute.hierarchy is not None:
        return
    choices = " or ".join(f'format = "{each}"' for each in texts.ambiguous)
    raise PolicyError(
        f"column {attribute.name!r} of the original can be read in {len(texts.ambiguous)} ways; state "
        f"{choices} under [attributes.{attribute.name}] of a policy, and give the policy (flag: --policy)"
    )


def _as_written(cells: Texts, values: Texts) -> list[str | None]:
    """Cells, with moments spelled as the values are: a frame and a file may write a moment differently."""
    known = set(values)
    spelled = {day_of(value): value for value in values if value is not None}
    return [
        cell
        if cell is None or cell in known or len(cell) <= len("2000-01-01") or (day := day_of(cell)) is None
        else spelled.get(day, cell)
        for cell in cells
    ]


def _natural(entry: tuple[object, list[int]]) -> tuple[bool, object]:
    return isinstance(entry[0], str), entry[0]
