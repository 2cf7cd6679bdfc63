"""Which released rows may be the row of a person whose values are known.

Where no two labels of a column can represent the same value, as in recodings of the whole table, a person has
at most one combination of labels, which is looked up. Otherwise each value of each column has a set of
released lines, a bit each, and a person's lines are the intersection of the sets of their values.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from shoal.model.table.cell_meaning import CellReader
from shoal.model.table.coded_cells import CodedCells
from shoal.model.table.distinct_codes import distinct_codes

BLOCK = 1 << 24
"""Bytes of sets that are processed together."""


class _Covering:
    """Per value of a column the released cells that can represent it, a bit each."""

    def __init__(self, reader: CellReader, cells: Sequence[str | None], values: Sequence[str | None]) -> None:
        self._cells = len(cells)
        self._bits = np.zeros((len(values), -(-len(cells) // 8)), np.uint8)
        self.only = np.full(len(values), -1, np.int64)
        """Per value the one cell that can represent it; -1 for none, -2 for several."""
        width = max(1, BLOCK // max(1, len(cells)))
        for first in range(0, len(values) if cells else 0, width):
            block = np.ascontiguousarray(reader.covering(cells, values[first : first + width]).T)
            self._bits[first : first + width] = np.packbits(block, axis=1)
            times, place = block.sum(axis=1), block.argmax(axis=1)
            self.only[first : first + width] = np.where(times > 1, -2, np.where(times == 1, place, -1))

    def sets(self, codes: NDArray[np.int32]) -> NDArray[np.uint8]:
        """Per value a bit for each line, given the cell of each line."""
        sets = np.zeros((len(self._bits), -(-len(codes) // 8)), np.uint8)
        for line, bits in zip(sets, self._bits, strict=True):
            line[:] = np.packbits(np.unpackbits(bits, count=self._cells)[codes])
        return sets

    def holds(self, cells: NDArray[np.int32], values: NDArray[np.int32]) -> NDArray[np.bool_]:
        """Per pair of a cell and a value whether the cell can represent the value."""
        bits = self._bits[values, cells >> 3] >> (7 - (cells & 7)).astype(np.uint8)
        return np.asarray((bits & 1).astype(np.bool_))


NO_CANDIDATE = -1


class Candidates:
    """Per distinct person the released lines that may be theirs.

    Parameters
    ----------
    release, people
        Distinct released rows, and distinct people as they are known.
    columns
        The columns by which people are compared with rows; both tables have them.
    reader
        How the released cells of a column are read.

    Both tables are narrowed to the distinct lines of the columns: `release` and `people` say which they are,
    and `line_of_row` and `line_of_person` which line each given line became.
    """

    def __init__(
        self,
        release: CodedCells,
        people: CodedCells,
        columns: Sequence[str],
        reader: Callable[[str], CellReader],
    ) -> None:
        self.release, self.line_of_row = narrowed(release, columns)
        self.people, self.line_of_person = narrowed(people, columns)
        self._covering = [
            _Covering(reader(name), self.release.texts(name), self.people.texts(name)) for name in columns
        ]

    @cached_property
    def counts(self) -> NDArray[np.int64]:
        """Per person how many released rows may be theirs."""
        if self._only is not None:
            matching = np.append(self.release.counts, 0)[self._only]
            return np.asarray(matching, np.int64)
        counts = np.zeros(len(self.people.codes), np.int64)
        for first, sets in self._blocks():
            counts[first : first + len(sets)] = self._weighed(sets)
        return counts

    def lines(self, person: int) -> NDArray[np.int64]:
        """The released lines that may be a person's."""
        if self._only is not None:
            line = int(self._only[person])
            return np.array([line] if line >= 0 else [], np.int64)
        return np.flatnonzero(np.unpackbits(self._sets_of(slice(person, person + 1))[0], count=self._lines))

    @cached_property
    def only_lines(self) -> NDArray[np.int64]:
        """Per person the one released line that may be theirs; -1 for none, -2 for several."""
        if self._only is not None:
            return self._only
        only = np.full(len(self.people.codes), -1, np.int64)
        for person in np.flatnonzero(self.counts):
            lines = self.lines(int(person))
            only[person] = lines[0] if len(lines) == 1 else -2
        return only

    @cached_property
    def people_in(self) -> list[NDArray[np.int64]]:
        """Per released line the people who have no other candidate."""
        order = np.argsort(self.only_lines, kind="stable")
        bounds = np.searchsorted(self.only_lines[order], np.arange(self._lines + 1))
        return [order[first:last] for first, last in pairwise(bounds.tolist())]

    def may_be(self, rows: NDArray[np.int64], people: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Per pair of a released line and a person whether the row may be the person's."""
        possible = np.ones(len(rows), np.bool_)
        for index, covering in enumerate(self._covering):
            possible &= covering.holds(self.release.codes[rows, index], self.people.codes[people, index])
        return possible

    @cached_property
    def people_of_lines(self) -> NDArray[np.int64]:
        """Per released line how many people it may belong to."""
        people = np.zeros(self._lines + 1, np.int64)
        if self._only is not None:
            np.add.at(people, self._only, self.people.counts)
            return people[:-1]
        for first, sets in self._blocks():
            for person, bits in enumerate(sets, first):
                people[:-1] += np.unpackbits(bits, count=self._lines) * self.people.counts[person]
        return people[:-1]

    @property
    def unmatched_columns(self) -> tuple[str, ...]:
        """The columns where no released cell can represent any known value."""
        return tuple(
            name
            for name, covering in zip(self.people.columns, self._covering, strict=True)
            if (covering.only == -1).all()
        )

    @property
    def labels_overlap(self) -> bool:
        """Whether two labels of a column can represent the same value of a person."""
        return self._only is None

    @property
    def _lines(self) -> int:
        return len(self.release.codes)

    @cached_property
    def _only(self) -> NDArray[np.int64] | None:
        """Per person the one line that may be theirs, -1 for none; `None` if there can be several."""
        if any((covering.only == -2).any() for covering in self._covering):
            return None
        labels = np.column_stack(
            [covering.only[self.people.codes[:, index]] for index, covering in enumerate(self._covering)]
        ).astype(np.int32)
        known = (labels >= 0).all(axis=1)
        labels[~known] = 0
        _, numbers = distinct_codes(np.concatenate([self.release.codes, labels]))
        line_of_number = np.full(int(numbers.max(initial=0)) + 1, -1, np.int64)
        line_of_number[numbers[: self._lines]] = np.arange(self._lines)
        return np.where(known, line_of_number[numbers[self._lines :]], -1)

    @cached_property
    def _sets(self) -> list[NDArray[np.uint8]]:
        """Per column and value the set of released lines whose cell can represent the value."""
        return [
            covering.sets(codes) for covering, codes in zip(self._covering, self.release.codes.T, strict=True)
        ]

    def _sets_of(self, people: slice) -> NDArray[np.uint8]:
        codes = self.people.codes[people]
        sets = self._sets[0][codes[:, 0]]
        for index in range(1, codes.shape[1]):
            sets &= self._sets[index][codes[:, index]]
        return sets

    def _blocks(self) -> Iterator[tuple[int, NDArray[np.uint8]]]:
        width = max(1, BLOCK // max(1, -(-self._lines // 8)))
        for first in range(0, len(self.people.codes), width):
            yield first, self._sets_of(slice(first, first + width))

    def _weighed(self, sets: NDArray[np.uint8]) -> NDArray[np.int64]:
        """The rows of sets of lines: what each byte weighs is computed in advance, and most are empty."""
        person, place = np.nonzero(sets)
        rows = self._weights[place * 256 + sets[person, place]]
        return np.bincount(person, rows, len(sets)).astype(np.int64)

    @cached_property
    def _weights(self) -> NDArray[np.int64]:
        bits = np.unpackbits(np.arange(256, dtype=np.uint8)[:, None], axis=1).astype(np.int64)
        rows = np.zeros(-(-self._lines // 8) * 8, np.int64)
        rows[: self._lines] = self.release.counts
        return (rows.reshape(-1, 8) @ bits.T).reshape(-1)


def narrowed(table: CodedCells, columns: Sequence[str]) -> tuple[CodedCells, NDArray[np.int64]]:
    """The distinct lines of some columns, without cells that none has, and per line of the table its own."""
    cells, codes = [], np.empty((len(table.codes), len(columns)), np.int32)
    for place, name in enumerate(columns):
        used, codes[:, place] = np.unique(table.column(name), return_inverse=True)
        cells.append(tuple(table.texts(name)[code] for code in used.tolist()))
    lines, of_line = distinct_codes(codes)
    counts = np.bincount(of_line, table.counts, len(lines)).astype(np.int64)
    return CodedCells(columns=tuple(columns), cells=tuple(cells), codes=lines, counts=counts), of_line


def candidate_sets(candidates: Candidates) -> NDArray[np.int64]:
    """Per person a number, the same for those who have the same candidates; `NO_CANDIDATE` for none."""
    number: dict[bytes, int] = {}
    of_person = np.full(len(candidates.people.codes), NO_CANDIDATE, np.int64)
    for person in range(len(of_person)):
        lines = candidates.lines(person)
        if len(lines):
            of_person[person] = number.setdefault(lines.tobytes(), len(number))
    return of_person
