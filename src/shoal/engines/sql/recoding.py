"""A recoding in the form that an engine can apply: released values, their labels, and the rows to keep.

A recoding of domains needs one cell at a time: a lookup per column maps a cell to the number of its part. Any
other recoding needs the whole row: the codes of its cells form a key, and a register of the distinct rows has
the numbers of the released values. Where an engine finds rows by a hash of their cells, both are one lookup.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from sqlglot import exp

from shoal.engines._base import Application, Counted, HashedRows
from shoal.engines.sql import pieces as sql
from shoal.engines.sql.session import Dictionary, Register, Session
from shoal.engines.sql.table import Table
from shoal.model.policy.policy import SuppressedRows
from shoal.model.recoding.distributed import DistributedRecoding
from shoal.model.recoding.groups import LARGEST_KEY, Groups, groups, released_codes
from shoal.model.recoding.pieces import Pieces
from shoal.model.recoding.recoding import DomainRecoding, Recoding
from shoal.model.table.companion import SQL_TYPES, Companion, NestedColumn
from shoal.model.table.domain import Domain

Chunks = tuple[tuple[tuple[int, int], ...], ...]
"""Attributes with their strides, in chunks whose keys fit 64 bits."""


@dataclass(frozen=True, kw_only=True)
class Column:
    """How one quasi-identifier is written.

    Parameters
    ----------
    name
        The column.
    labels
        The labels of its released values.
    unchanged
        Whether the cells are written unchanged: every released value is one value, printed in one way.
    numbers
        The labels as numbers, if all of them are numbers and the format has types.
    """

    name: str
    labels: tuple[str | None, ...]
    unchanged: bool
    numbers: tuple[float | None, ...] | None = None


class Lookup(ABC):
    """From the rows of the source to the numbers of their released values, and whether they are kept."""

    @property
    def reads(self) -> tuple[str, ...]:
        """The columns that it reads besides the quasi-identifiers."""
        return ()

    @abstractmethod
    def rows(
        self,
        table: Table,
        cells: Sequence[exp.Expr],
        relation: exp.Expr,
        joins: Sequence[exp.Join] = (),
    ) -> exp.Select:
        """The rows of a table, in its order if the session keeps one.

        Their columns are `cells`, SQL with aliases that may need joins, and one `i0`, `i1`, ... per
        quasi-identifier for the number of its released value, and `kept`.
        """

    def text(self, at: int) -> exp.Expr | None:  # noqa: ARG002
        """SQL for the label of a quasi-identifier, over `rows`; `None` if its number must be looked up."""
        return None


@dataclass(frozen=True, kw_only=True)
class Plan:
    """Everything that writing needs.

    Parameters
    ----------
    columns
        The quasi-identifiers.
    lookup
        How to find the released values of a row.
    suppressed, dropped, companions, nested
        As in `Application`.
    """

    columns: tuple[Column, ...]
    lookup: Lookup
    suppressed: SuppressedRows
    dropped: tuple[str, ...]
    companions: tuple[Companion, ...] = ()
    nested: tuple[NestedColumn, ...] = ()


@dataclass(frozen=True)
class Numbers:
    """The number of each cell of a quasi-identifier.

    Parameters
    ----------
    column
        The quasi-identifier.
    dictionary
        How to find its cells.
    of_cell
        Their numbers, as `Dictionary.value` takes them.
    """

    column: str
    dictionary: Dictionary
    of_cell: NDArray[np.int32]


def numbered(
    table: Table,
    cells: Sequence[exp.Expr],
    relation: exp.Expr,
    joins: Sequence[exp.Join],
    numbers: Sequence[Numbers],
    letter: str,
) -> exp.Select:
    """The rows of a table with the numbers of their cells, named by a letter and their positions."""
    values = [each.dictionary.value(table.cell(each.column), each.of_cell) for each in numbers]
    aliased = [exp.alias_(each.value, f"{letter}{index}") for index, each in enumerate(values)]
    rows = exp.select(*cells, *aliased).from_(relation)
    for join in (*joins, *(each.join for each in values)):
        rows = rows if join is None else rows.join(join)
    return rows


def placed(
    table: Table,
    cells: Sequence[exp.Expr],
    relation: exp.Expr,
    joins: Sequence[exp.Join],
    codes: Sequence[Numbers],
) -> exp.Select:
    """The rows of a table with their codes `q0`, `q1`, ... and, if they have an order, their places `o_`."""
    if not table.session.keeps_order:
        return numbered(table, cells, relation, joins, codes, "q")
    own = table.with_places(relation)
    if own is not None:
        return numbered(table, [*cells, exp.alias_(own[1], "o_")], own[0], joins, codes, "q")
    rows = numbered(table, cells, relation, joins, codes, "q")
    return exp.select("*", sql.fragment("row_number() OVER () AS o_")).from_(rows.subquery("r"))


def keys_of(combinations: NDArray[np.int32], chunks: Chunks) -> NDArray[np.int64]:
    """Combinations of numbers, one per attribute, as keys: one number per chunk, in mixed radix."""
    wide = combinations.astype(np.int64)
    keys = np.zeros((len(wide), len(chunks)), np.int64)
    for column, chunk in enumerate(chunks):
        for attribute, stride in chunk:
            keys[:, column] += wide[:, attribute] * stride
    return keys


def key_of(chunks: Chunks, letter: str) -> list[exp.Expr]:
    """SQL for the key of a row whose numbers are named by a letter and their positions."""
    keys = []
    for chunk in chunks:
        terms = [
            sql.fragment(
                ":number * :stride", number=sql.as_integer(exp.column(f"{letter}{at}")), stride=stride
            )
            for at, stride in chunk
        ]
        total = terms[0] if terms else sql.number(0)
        for term in terms[1:]:
            total = exp.Add(this=total, expression=term)
        keys.append(total)
    return keys


def chunks_of(sizes: Sequence[int]) -> Chunks:
    """Attributes of these sizes in chunks; an attribute of size 1 is left out, as it separates no keys."""
    chunks: list[list[tuple[int, int]]] = [[]]
    stride = 1
    for attribute, size in enumerate(sizes):
        if size == 1:
            continue
        if stride * size > LARGEST_KEY:
            chunks.append([])
            stride = 1
        chunks[-1].append((attribute, stride))
        stride *= size
    return tuple(tuple(chunk) for chunk in chunks)


@dataclass(frozen=True)
class CellLookup(Lookup):
    """Released values that are found cell by cell, and groups of them.

    Without suppressed groups it has no register: searching one takes a fifth to a quarter of the writing
    time.

    Parameters
    ----------
    numbers
        For each quasi-identifier the number of a cell's released value.
    groups, chunks
        The groups, if some are suppressed, and the form of their keys.
    """

    numbers: tuple[Numbers, ...]
    groups: Register | None
    chunks: Chunks

    def rows(
        self,
        table: Table,
        cells: Sequence[exp.Expr],
        relation: exp.Expr,
        joins: Sequence[exp.Join] = (),
    ) -> exp.Select:
        rows = numbered(table, cells, relation, joins, self.numbers, "i")
        if self.groups is not None:
            return self.groups.joined(rows, key_of(self.chunks, "i"), kept="kept")
        in_source = [
            sql.fragment("NOT :number IS NULL", number=exp.column(f"i{at}"))
            for at in range(0 if table.session.notices_changes else len(self.numbers))
        ]
        return exp.select("*", exp.alias_(sql.every(in_source), "kept")).from_(rows.subquery("r"))


@dataclass(frozen=True)
class RowLookup(Lookup):
    """Released values that are found by the whole row, among the distinct rows.

    Parameters
    ----------
    codes
        For each quasi-identifier the code of a cell.
    distinct, chunks
        The released values of the distinct rows, and the form of their keys.
    """

    codes: tuple[Numbers, ...]
    distinct: Register
    chunks: Chunks

    def rows(
        self,
        table: Table,
        cells: Sequence[exp.Expr],
        relation: exp.Expr,
        joins: Sequence[exp.Join] = (),
    ) -> exp.Select:
        rows = placed(table, cells, relation, joins, self.codes)
        names = [f"i{index}" for index in range(len(self.codes))]
        found = self.distinct.joined(rows, key_of(self.chunks, "q"), names, "kept")
        return found.order_by("o_") if table.session.keeps_order else found

    def text(self, at: int) -> exp.Expr | None:
        return self.distinct.text(at)


@dataclass(frozen=True)
class HashLookup(Lookup):
    """Released values that are found by a hash of the quasi-identifiers.

    No two distinct rows have the same hash, and every row is one of them: counting and writing see one state
    of the database. So one join finds everything, whatever is recoded, and columns that stay unchanged cost
    nothing but their part of the hash. A row that is no distinct row, as a view of random numbers may have,
    is not kept.

    Parameters
    ----------
    names
        The quasi-identifiers.
    numbered
        Those whose released values have numbers or texts in the register.
    register
        The released values of the distinct rows by hash.
    """

    names: tuple[str, ...]
    numbered: tuple[int, ...]
    register: Register

    def rows(
        self,
        table: Table,
        cells: Sequence[exp.Expr],
        relation: exp.Expr,
        joins: Sequence[exp.Join] = (),
    ) -> exp.Select:
        hash_ = table.session.hashed([table.cell(name) for name in self.names])
        rows = exp.select(*cells, exp.alias_(hash_, "h_")).from_(relation)
        for join in joins:
            rows = rows.join(join)
        return self.register.joined(rows, [exp.column("h_")], [f"i{at}" for at in self.numbered], "kept")

    def text(self, at: int) -> exp.Expr | None:
        return self.register.text(self.numbered.index(at)) if at in self.numbered else None


@dataclass(frozen=True)
class PieceLookup(Lookup):
    """Released values of rows whose copies are divided: the first copies in the source go to the first piece.

    A place is a piece, or one copy of a row that is divided.

    Parameters
    ----------
    codes, chunks
        As in `RowLookup`.
    pieces
        The number of pieces; places from here on are copies.
    first
        For each distinct row its number, and its piece or the place of its first copy.
    places
        The released values of each place.
    """

    codes: tuple[Numbers, ...]
    chunks: Chunks
    pieces: int
    first: Register
    places: Register

    def rows(
        self,
        table: Table,
        cells: Sequence[exp.Expr],
        relation: exp.Expr,
        joins: Sequence[exp.Join] = (),
    ) -> exp.Select:
        ordered = table.session.keeps_order
        rows = placed(table, cells, relation, joins, self.codes)
        rows = self.first.joined(rows, key_of(self.chunks, "q"), ["d_", "f_"])
        # Rows without an order are ordered by all their cells, so that every run divides them alike.
        order = "o_" if ordered else ", ".join(f"CAST({cell.alias} AS TEXT)" for cell in cells)
        copy = sql.fragment(f"row_number() OVER (PARTITION BY d_ ORDER BY {order}) - 1")
        place = sql.fragment(
            "f_ + CASE WHEN f_ < :pieces THEN 0 ELSE :copy END", pieces=self.pieces, copy=copy
        )
        rows = exp.select("*", exp.alias_(sql.as_integer(place), "l_")).from_(rows.subquery("r"))
        names = [f"i{index}" for index in range(len(self.codes))]
        rows = self.places.joined(rows, [exp.column("l_")], names, "kept")
        # The window that numbers the copies loses the order of the rows.
        return rows.order_by("o_") if ordered else rows


def plan(session: Session, counted: Counted, application: Application) -> Plan:
    """Prepare the session for a recoding."""
    table, recoding = counted.frequencies, application.recoding
    if isinstance(recoding, DistributedRecoding):
        return _distributed(counted, application, recoding)
    grouped = application.groups
    if grouped is None:
        grouped = groups(table, recoding, application.k, application.sets, application.models)
    columns = tuple(_columns(counted, application, grouped))
    if counted.placed is not None:
        lookup: Lookup = counted.placed.lookup(session, recoding.released(table), grouped)
    elif counted.hashed is not None and recoding.pieces is None:
        lookup = _by_hash(session, counted, counted.hashed, application, grouped, columns)
    elif isinstance(recoding, DomainRecoding):
        lookup = _by_cell(session, counted, recoding, grouped)
    elif recoding.pieces is not None:
        lookup = _by_piece(session, counted, recoding, recoding.pieces, grouped)
    else:
        lookup = _by_row(session, counted, recoding, grouped, columns)
    return Plan(
        columns=columns,
        lookup=lookup,
        suppressed=application.suppressed,
        dropped=application.dropped,
        companions=application.companions,
        nested=application.nested,
    )


def _distributed(counted: Counted, application: Application, recoding: DistributedRecoding) -> Plan:
    """The plan if the distinct rows and their released values are in the engine; all rows are kept."""
    domains = counted.frequencies.domains
    chunks = chunks_of([len(domain) for domain in domains])
    columns = []
    for attribute, (domain, coding) in enumerate(zip(domains, counted.codings, strict=True)):
        labels = recoding.labels(attribute, domain, recoding.groups.released_codes[attribute])
        members = recoding.members(attribute, domain)
        printed = all(
            len(codes) == 1 and label in _texts(domain, codes[0])
            for label, codes in zip(labels, members, strict=True)
        )
        columns.append(Column(name=domain.name, labels=labels, unchanged=coding.faithful and printed))
    register: Register = recoding.groups.place.register(key_of(chunks, "a"))
    return Plan(
        columns=tuple(columns),
        lookup=RowLookup(coded_cells(counted), register, chunks),
        suppressed=application.suppressed,
        dropped=application.dropped,
        companions=application.companions,
        nested=application.nested,
    )


def _columns(counted: Counted, application: Application, grouped: Groups) -> Iterable[Column]:
    recoding = application.recoding
    table = recoding.refined(counted.frequencies)
    released = released_codes(counted.frequencies, grouped, recoding)
    masks = application.suppressed == "mask" and not grouped.all_kept
    for attribute, (domain, coding) in enumerate(zip(table.domains, counted.codings, strict=True)):
        labels = recoding.labels(attribute, domain, released[attribute])
        if isinstance(recoding, DomainRecoding):
            parts = recoding.parts(attribute, domain)
            whole = int(parts.max()) == len(domain) - 1
            pairs = ((int(parts[code]), code) for code in released[attribute])
        else:
            whole, kept = True, grouped.kept[grouped.of_row]
            numbers = recoding.released(table)[kept, attribute].astype(np.int64)
            keys = np.unique(numbers * len(domain) + table.codes[kept, attribute])
            pairs = (divmod(int(key), len(domain)) for key in keys)
        printed = whole and all(labels[number] in _texts(domain, code) for number, code in pairs)
        yield Column(
            name=domain.name,
            labels=labels,
            unchanged=coding.faithful and printed and not masks,
            numbers=None if masks else recoding.numbers(attribute, domain),
        )


def _texts(domain: Domain, code: int) -> tuple[str | None, ...]:
    """How a single value is printed; a hierarchy can spell it in its own way."""
    own = None if domain.values[code] is None else domain.text(code)
    return (own,) if domain.tree is None else (own, domain.tree.labels[0][code])


def _by_cell(session: Session, counted: Counted, recoding: DomainRecoding, grouped: Groups) -> CellLookup:
    domains = counted.frequencies.domains
    parts = [recoding.parts(attribute, domain) for attribute, domain in enumerate(domains)]
    chunks = chunks_of([int(of_code.max()) + 1 for of_code in parts])
    register = None
    if not grouped.all_kept:
        register = session.register(keys_of(grouped.values, chunks), kept=grouped.kept)
    return CellLookup(_numbers(counted, parts), register, chunks)


def _by_row(
    session: Session, counted: Counted, recoding: Recoding, grouped: Groups, columns: Sequence[Column]
) -> RowLookup:
    table = counted.frequencies
    chunks = chunks_of([len(domain) for domain in table.domains])
    register = session.labelled_register(
        keys_of(table.codes, chunks),
        recoding.released(table),
        grouped.kept[grouped.of_row],
        {
            at: column.labels
            for at, column in enumerate(columns)
            if not column.unchanged and column.numbers is None
        },
    )
    return RowLookup(coded_cells(counted), register, chunks)


def _by_hash(
    session: Session,
    counted: Counted,
    hashed: HashedRows,
    application: Application,
    grouped: Groups,
    columns: Sequence[Column],
) -> HashLookup:
    bounded = {each.column for each in application.companions}
    # A column that stays unchanged, or has one label, is written without a number.
    numbered = tuple(
        at
        for at, column in enumerate(columns)
        if column.name in bounded
        or not (column.unchanged or (len(column.labels) == 1 and column.numbers is None))
    )
    register = session.labelled_register(
        hashed.hashes.reshape(-1, 1),
        application.recoding.released(counted.frequencies)[hashed.rows][:, list(numbered)],
        grouped.kept[grouped.of_row][hashed.rows],
        {
            place: columns[at].labels
            for place, at in enumerate(numbered)
            if columns[at].numbers is None and columns[at].name not in bounded
        },
    )
    return HashLookup(tuple(column.name for column in columns), numbered, register)


def _by_piece(
    session: Session, counted: Counted, recoding: Recoding, pieces: Pieces, grouped: Groups
) -> PieceLookup:
    table = counted.frequencies
    chunks = chunks_of([len(domain) for domain in table.domains])
    count = len(pieces.of_row)
    # Pieces of one row are neighbours, and so are its copies.
    divided = np.bincount(pieces.of_row)[pieces.of_row] > 1
    copies = np.repeat(np.flatnonzero(divided), pieces.counts[divided])
    of_place = np.concatenate([np.arange(count), copies])
    begins = np.concatenate([[0], np.cumsum(np.where(divided, pieces.counts, 0))[:-1]])
    first_piece = np.searchsorted(pieces.of_row, np.arange(len(table.counts)))
    first = np.where(divided[first_piece], count + begins[first_piece], first_piece)
    numbers = np.column_stack([np.arange(len(first)), first]).astype(np.int64)
    return PieceLookup(
        coded_cells(counted),
        chunks,
        count,
        session.register(keys_of(table.codes, chunks), numbers),
        session.register(
            np.arange(len(of_place), dtype=np.int64).reshape(-1, 1),
            recoding.released(recoding.refined(table))[of_place],
            grouped.kept[grouped.of_row][of_place],
        ),
    )


def coded_cells(counted: Counted) -> tuple[Numbers, ...]:
    """For each quasi-identifier the code of a cell."""
    sizes = [len(domain) for domain in counted.frequencies.domains]
    return _numbers(counted, [np.arange(size, dtype=np.int32) for size in sizes])


def _numbers(counted: Counted, of_code: Sequence[NDArray[np.int32]]) -> tuple[Numbers, ...]:
    """For each quasi-identifier the number that each code maps to."""
    columns = zip(counted.frequencies.domains, counted.codings, counted.dictionaries, of_code, strict=True)
    # The missing cell's code is -1 if no cell is missing; no row has it, and it has no number.
    return tuple(
        Numbers(
            domain.name,
            dictionary,
            np.where(coding.codes >= 0, numbers[coding.codes], -1).astype(np.int32),
        )
        for domain, coding, dictionary, numbers in columns
    )


def label(session: Session, column: Column, number: exp.Expr, *, typed: bool) -> exp.Expr:
    """SQL for the label of a released value, or for its number if it is one and cells are typed."""
    if len(column.labels) == 1 and column.numbers is None:
        return sql.as_text(sql.text(column.labels[0]))  # as at the top of a hierarchy: no lookup is needed
    if typed and column.numbers is not None:
        # Cast from the shortest text of its bits: a literal like 38.4 would first become a DECIMAL, and be
        # rounded.
        texts = [None if each is None else repr(each) for each in column.numbers]
        return exp.cast(session.listed(texts, number), "DOUBLE")
    return session.listed(column.labels, number)


def bound(session: Session, companion: Companion, number: exp.Expr, *, typed: bool) -> exp.Expr:
    """SQL for the bound of a released value, as a number or a date if cells are typed."""
    text = session.listed(companion.texts, number)
    return exp.cast(text, SQL_TYPES[companion.element]) if typed else text
