"""A recoding as DuckDB can apply it: released value of a cell, label of a released value, rows that are kept.

A recoding of domains looks at one cell at a time: a list per column maps the code of a cell to its part. Any
other recoding looks at the whole row: an ENUM over the distinct rows maps a row to its position, and digits
at that position are the released value. Both are projections, which keep the order of the rows.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from shoal.engines import sql
from shoal.engines._base import Application, Counted
from shoal.engines.duckdb_session import DuckSession
from shoal.model.domain import Domain
from shoal.model.groups import LARGEST_KEY, Groups, groups, released_codes
from shoal.model.pieces import Pieces
from shoal.model.policy import SuppressedRows
from shoal.model.recoding import DomainRecoding, Recoding


@dataclass(frozen=True, kw_only=True)
class Column:
    """How one quasi-identifier is written.

    Parameters
    ----------
    name
        The column.
    labels
        The labels of its released values.
    as_it_was
        Whether the cells are written as they were: every released value is one value, printed in one way.
    numbers
        The labels as numbers, if all of them are numbers that shall stay so where the format has types.
    """

    name: str
    labels: tuple[str | None, ...]
    as_it_was: bool
    numbers: tuple[float | None, ...] | None = None


class Lookup(ABC):
    """From the rows of the source to the numbers of their released values, and whether they are kept."""

    @abstractmethod
    def rows(self, cells: Sequence[str], relation: str) -> str:
        """SQL for the rows of a relation.

        Their columns are `cells`, SQL with aliases, and one `i0`, `i1`, ... per quasi-identifier for the
        number of its released value, and `kept`.
        """


@dataclass(frozen=True, kw_only=True)
class Plan:
    """Everything that writing needs.

    Parameters
    ----------
    columns
        The quasi-identifiers.
    lookup
        How the released values of a row are found.
    suppressed, dropped
        As in `Application`.
    """

    columns: tuple[Column, ...]
    lookup: Lookup
    suppressed: SuppressedRows
    dropped: tuple[str, ...]


@dataclass(frozen=True)
class Keys:
    """Combinations of numbers, one per attribute, as an ENUM type over their keys.

    A key is one number per chunk of attributes, in mixed radix; chunks keep the numbers in 64 bits. The type
    has every combination that there is: a cast that fails is slow, and now means that the source has changed.

    Roads not taken, 10 million rows in 836,000 groups: bits at three hashes of a group (53 s against 12,
    intervals included: DuckDB seems to copy a large constant for every vector of rows), TRY_CAST to the kept
    groups alone (had not ended when stopped), shorter keys (no change). A semi-join would lose the row order.
    """

    type: str
    chunks: tuple[tuple[tuple[int, int], ...], ...]

    @classmethod
    def of(cls, session: DuckSession, combinations: NDArray[np.int32], sizes: Sequence[int]) -> Keys:
        """The keys of combinations, in their order, of attributes with so many numbers each."""
        chunks = _chunks(sizes)
        wide = combinations.astype(np.int64)
        columns = {
            f"k{number}": sum(
                (wide[:, attribute] * stride for attribute, stride in chunk), np.zeros(len(wide), np.int64)
            )
            for number, chunk in enumerate(chunks)
        }
        registered = session.register("keys", {"i": np.arange(len(wide)), **columns})
        type_, key = session.fresh("groups"), _key(list(columns))
        session.execute(
            f"CREATE TYPE {type_} AS ENUM (SELECT {key} FROM {registered} ORDER BY i)", "the groups"
        )
        session.unregister(registered)
        return cls(type_, chunks)

    def position(self, numbers: Sequence[str]) -> str:
        """SQL for the position of the combination that has these numbers."""
        keys = [
            " + ".join(f"{numbers[attribute]}::BIGINT * {stride}" for attribute, stride in chunk)
            for chunk in self.chunks
        ]
        return f"enum_code(CAST({_key(keys)} AS {self.type}))"


@dataclass(frozen=True)
class CellLookup(Lookup):
    """Released values that are found cell by cell, and groups of them, those that are kept first.

    There are no keys when all groups are kept: the cast is a fifth to a quarter of the time that writing
    takes.

    Parameters
    ----------
    numbers
        Per quasi-identifier SQL for the number of a cell's released value.
    groups
        The groups, if some are suppressed.
    kept
        How many are kept.
    """

    numbers: tuple[str, ...]
    groups: Keys | None
    kept: int

    def rows(self, cells: Sequence[str], relation: str) -> str:
        numbered = [f"{number} AS i{index}" for index, number in enumerate(self.numbers)]
        names = [f"i{index}" for index in range(len(self.numbers))]
        kept = "true" if self.groups is None else f"{self.groups.position(names)} < {self.kept}"
        return f"SELECT *, {kept} AS kept FROM (SELECT {', '.join([*cells, *numbered])} FROM {relation})"


@dataclass(frozen=True)
class Digits:
    """Many numbers as one text, each with the same number of digits.

    A list would be the natural choice, but DuckDB copies it entry by entry for every vector of rows: a
    million rows among 100,000 distinct ones took 1.26 s a column by a list, and 0.07 s by text.
    """

    text: str
    width: int

    @classmethod
    def of(cls, session: DuckSession, numbers: NDArray[np.integer]) -> Digits:
        """The digits of numbers that are not negative."""
        width = len(str(int(numbers.max())))
        return cls(
            session.set_text("released", "".join(f"{each:0{width}d}" for each in numbers.tolist())), width
        )

    def at(self, position: str) -> str:
        """SQL for the number at a position, counted from 0."""
        return f"CAST(substr({self.text}, {position} * {self.width} + 1, {self.width}) AS INTEGER)"


@dataclass(frozen=True)
class RowLookup(Lookup):
    """Released values that are found by the whole row, among the distinct rows, those that are kept first.

    Parameters
    ----------
    codes
        Per quasi-identifier SQL for the code of a cell.
    distinct
        The distinct rows.
    kept
        How many are kept.
    values
        Per quasi-identifier the distinct rows' released values.
    """

    codes: tuple[str, ...]
    distinct: Keys
    kept: int
    values: tuple[Digits, ...]

    def rows(self, cells: Sequence[str], relation: str) -> str:
        coded = [f"{code} AS q{index}" for index, code in enumerate(self.codes)]
        row = self.distinct.position([f"q{index}" for index in range(len(self.codes))])
        numbered = [f"{each.at('r')} AS i{index}" for index, each in enumerate(self.values)]
        rows = f"SELECT *, {row}::BIGINT AS r FROM (SELECT {', '.join([*cells, *coded])} FROM {relation})"
        return f"SELECT *, {', '.join(numbered)}, r < {self.kept} AS kept FROM ({rows})"


@dataclass(frozen=True)
class PieceLookup(Lookup):
    """Released values of rows whose copies are divided: the first copies in the source go to the first piece.

    A place is a piece, or one copy of a row that is divided.

    Parameters
    ----------
    codes, distinct
        As in `RowLookup`, the distinct rows in the table's order.
    pieces
        How many pieces there are; places from here on are copies.
    first
        Per distinct row its piece, or the place of its first copy.
    values, kept
        Per place the released value of each quasi-identifier, and whether it is kept.
    """

    codes: tuple[str, ...]
    distinct: Keys
    pieces: int
    first: Digits
    values: tuple[Digits, ...]
    kept: Digits

    def rows(self, cells: Sequence[str], relation: str) -> str:
        coded = [f"{code} AS q{index}" for index, code in enumerate(self.codes)]
        row = self.distinct.position([f"q{index}" for index in range(len(self.codes))])
        copy = "row_number() OVER (PARTITION BY r ORDER BY n) - 1"
        place = f"f + CASE WHEN f < {self.pieces} THEN 0 ELSE {copy} END"
        numbered = [f"{each.at('p')} AS i{index}" for index, each in enumerate(self.values)]
        rows = (
            f"SELECT *, row_number() OVER () AS n FROM (SELECT {', '.join([*cells, *coded])} FROM {relation})"
        )
        rows = f"SELECT *, {row}::BIGINT AS r FROM ({rows})"
        rows = f"SELECT *, {self.first.at('r')} AS f FROM ({rows})"
        rows = f"SELECT *, ({place})::BIGINT AS p FROM ({rows})"
        # The copies are told apart by a window, which loses the order of the rows.
        return f"SELECT *, {', '.join(numbered)}, {self.kept.at('p')} = 1 AS kept FROM ({rows}) ORDER BY n"


def plan(session: DuckSession, counted: Counted, application: Application) -> Plan:
    """Prepare the session for a recoding."""
    table, recoding = counted.frequencies, application.recoding
    made = application.made
    if made is None:
        made = groups(table, recoding, application.k, application.sets, application.models)
    if isinstance(recoding, DomainRecoding):
        lookup: Lookup = _by_cell(session, counted, recoding, made)
    elif recoding.pieces is not None:
        lookup = _by_piece(session, counted, recoding, recoding.pieces, made)
    else:
        lookup = _by_row(session, counted, recoding, made)
    return Plan(
        columns=tuple(_columns(counted, application, made)),
        lookup=lookup,
        suppressed=application.suppressed,
        dropped=application.dropped,
    )


def _columns(counted: Counted, application: Application, made: Groups) -> Iterable[Column]:
    recoding = application.recoding
    table = recoding.refined(counted.frequencies)
    released = released_codes(counted.frequencies, made, recoding)
    masks = application.suppressed == "mask" and not made.all_kept
    for attribute, (domain, coding) in enumerate(zip(table.domains, counted.codings, strict=True)):
        labels = recoding.labels(attribute, domain, released[attribute])
        if isinstance(recoding, DomainRecoding):
            parts = recoding.parts(attribute, domain)
            whole = int(parts.max()) == len(domain) - 1
            pairs = ((int(parts[code]), code) for code in released[attribute])
        else:
            whole, kept = True, made.kept[made.of_row]
            numbers = recoding.released(table)[kept, attribute].astype(np.int64)
            keys = np.unique(numbers * len(domain) + table.codes[kept, attribute])
            pairs = (divmod(int(key), len(domain)) for key in keys)
        printed = whole and all(labels[number] in _texts(domain, code) for number, code in pairs)
        yield Column(
            name=domain.name,
            labels=labels,
            as_it_was=coding.faithful and printed and not masks,
            numbers=None if masks else recoding.numbers(attribute, domain),
        )


def _texts(domain: Domain, code: int) -> tuple[str | None, ...]:
    """How a value is printed by itself; a hierarchy can spell it in its own way."""
    own = None if domain.values[code] is None else domain.text(code)
    return (own,) if domain.tree is None else (own, domain.tree.labels[0][code])


def _by_cell(session: DuckSession, counted: Counted, recoding: DomainRecoding, made: Groups) -> CellLookup:
    domains = counted.frequencies.domains
    parts = [recoding.parts(attribute, domain) for attribute, domain in enumerate(domains)]
    ordered = made.values[np.argsort(~made.kept, kind="stable")]
    sizes = [int(of_code.max()) + 1 for of_code in parts]
    return CellLookup(
        tuple(_numbers(session, counted, parts)),
        None if made.all_kept else Keys.of(session, ordered, sizes),
        int(made.kept.sum()),
    )


def _by_row(session: DuckSession, counted: Counted, recoding: Recoding, made: Groups) -> RowLookup:
    table = counted.frequencies
    kept = made.kept[made.of_row]
    order = np.argsort(~kept, kind="stable")
    sizes = [len(domain) for domain in table.domains]
    values = recoding.released(table)[order]
    return RowLookup(
        tuple(_numbers(session, counted, [np.arange(size, dtype=np.int32) for size in sizes])),
        Keys.of(session, table.codes[order], sizes),
        int(kept.sum()),
        tuple(Digits.of(session, column) for column in values.T),
    )


def _by_piece(
    session: DuckSession, counted: Counted, recoding: Recoding, pieces: Pieces, made: Groups
) -> PieceLookup:
    table = counted.frequencies
    sizes = [len(domain) for domain in table.domains]
    count = len(pieces.of_row)
    # Pieces of one row are neighbours, so its copies are, too.
    divided = np.bincount(pieces.of_row)[pieces.of_row] > 1
    copies = np.repeat(np.flatnonzero(divided), pieces.counts[divided])
    of_place = np.concatenate([np.arange(count), copies])
    begins = np.concatenate([[0], np.cumsum(np.where(divided, pieces.counts, 0))[:-1]])
    first_piece = np.searchsorted(pieces.of_row, np.arange(len(table.counts)))
    first = np.where(divided[first_piece], count + begins[first_piece], first_piece)
    values = recoding.released(recoding.refined(table))[of_place]
    kept = made.kept[made.of_row][of_place]
    return PieceLookup(
        tuple(_numbers(session, counted, [np.arange(size, dtype=np.int32) for size in sizes])),
        Keys.of(session, table.codes, sizes),
        count,
        Digits.of(session, first.astype(np.int64)),
        tuple(Digits.of(session, column) for column in values.T),
        Digits.of(session, kept.astype(np.int32)),
    )


def _numbers(session: DuckSession, counted: Counted, of_code: Sequence[NDArray[np.int32]]) -> Iterable[str]:
    """Per quasi-identifier SQL for what the code of its cell is mapped to."""
    for coding, index, numbers in zip(counted.codings, counted.indices, of_code, strict=True):
        # The missing cell's code is -1 when no cell is missing; no row has it, and no number is its.
        of_cell = np.where(coding.codes >= 0, numbers[coding.codes], -1).astype(np.int32)
        yield _number(session, of_cell, index)


def _number(session: DuckSession, of_cell: NDArray[np.int32], index: str) -> str:
    """SQL for the number of a cell, from SQL for its index; the missing cell is the last."""
    last = len(of_cell) - 1
    same = of_cell == np.arange(len(of_cell))
    if same[:-1].all() and of_cell[last] < 0:
        return index
    position = f"coalesce({index}, {last})"
    return position if same.all() else f"list_extract({session.set_list('numbers', of_cell)}, {position} + 1)"


def _chunks(sizes: Sequence[int]) -> tuple[tuple[tuple[int, int], ...], ...]:
    """Attributes with their strides, in chunks whose keys fit 64 bits."""
    chunks: list[list[tuple[int, int]]] = [[]]
    stride = 1
    for attribute, size in enumerate(sizes):
        if stride * size > LARGEST_KEY:
            chunks.append([])
            stride = 1
        chunks[-1].append((attribute, stride))
        stride *= size
    return tuple(tuple(chunk) for chunk in chunks)


def _key(numbers: Sequence[str]) -> str:
    return " || '-' || ".join(f"CAST({number} AS VARCHAR)" for number in numbers)


def label(column: Column, number: str, *, typed: bool) -> str:
    """SQL for the label of a released value; for the number that it is, if it is one and cells are typed."""
    if typed and column.numbers is not None:
        # Told by its bits' shortest text: a literal such as 38.4 would be a DECIMAL first, and be rounded.
        texts = (None if each is None else repr(each) for each in column.numbers)
        return f"list_extract({sql.listed(texts)}, {number} + 1)::DOUBLE"
    return f"list_extract({sql.listed(column.labels)}, {number} + 1)"
