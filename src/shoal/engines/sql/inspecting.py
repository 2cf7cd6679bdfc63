"""Facts about the columns of a table: types, missing cells, distinct values, uniqueness together."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from sqlglot import exp

from shoal.engines.sql import pieces as sql
from shoal.engines.sql.row_places import ROWS_NAMED, first_rows, rows_named
from shoal.engines.sql.table import FrameTable, Table
from shoal.model.cells.missing_markers import LONGEST_MARKER, MARKERS, marker_text
from shoal.model.cells.recognise import Recognised, Stated, recognise
from shoal.model.cells.suggestions import suggestions, suspects
from shoal.model.policy.attribute import Attribute
from shoal.model.table.cell_reading import CellReading
from shoal.model.table.domain import Kind
from shoal.model.table.inspected import ColumnFacts

EXACT_ROWS = 2_000_000
"""In larger tables distinct values are estimated: counting them would need every value in memory."""
SAMPLED_VALUES = 10_000
COLUMNS_AT_ONCE = 16
"""Columns whose distinct values one pass counts: for 200 at once, DuckDB's tables took over 1 GB."""
_SPACES = 20
"""Longer cells are not looked at for markers: a marker has a few spaces around it at most."""


@dataclass(frozen=True, kw_only=True)
class Uniqueness:
    """How well some columns together distinguish rows.

    Parameters
    ----------
    groups
        Distinct combinations.
    unique_rows
        Rows that equal no other row.
    """

    groups: int
    unique_rows: int


@dataclass(frozen=True, kw_only=True, eq=False)
class _Column:
    """What is known of a column before its markers are counted.

    Parameters
    ----------
    name
        The column.
    present, distinct
        Cells that are neither NULL nor empty, and distinct ones among them.
    marked, usual
        Rows whose cell is a usual marker, and whether those are to be recognised.
    cells, sampled
        Distinct cells, and whether they are only some of them.
    found
        How they are read.
    stated
        Markers that the policy states, if the cells are only some and may lack them.
    counts
        Cell -> rows, of markers and of cells that may be some.
    where
        The rows whose values are not of the kind that most are, in words.
    """

    name: str
    present: int
    distinct: int
    marked: int = 0
    usual: bool = True
    cells: Sequence[object] = ()
    sampled: bool = False
    found: Recognised
    stated: Sequence[str] = ()
    counts: Mapping[object, int] = field(default_factory=dict)
    where: str = ""

    @property
    def known(self) -> list[object]:
        """The cells that are not read as missing."""
        markers = set(self.found.markers)
        return [cell for at, cell in enumerate(self.cells) if at not in markers and cell is not None]

    @property
    def counted(self) -> list[object]:
        """The cells whose rows are to be counted: markers, and cells that may be some."""
        maybe = set(suspects(self.known, self.found.kind))
        wanted = [self.cells[at] for at in self.found.markers]
        wanted += [cell for cell in self.known if maybe and marker_text(cell) in maybe]
        return [*wanted, *(text for text in self.stated if text not in wanted)]

    def facts(self, rows: int) -> ColumnFacts:
        """The facts, in a table of so many rows."""
        markers: dict[str, int] = {}
        maybe: dict[str, int] = {}
        suspect = set(suspects(self.known, self.found.kind))
        for cell, count in self.counts.items():
            if not count:  # a stated marker that no row has
                continue
            text = marker_text(cell)
            into = maybe if text in suspect else markers
            into[text] = into.get(text, 0) + count
        reading = CellReading(
            type=self.found.kind,
            form=self.found.form,
            missing=dict(sorted(markers.items())),
            decided=self.found.decided,
            ambiguous=self.found.ambiguous,
            mostly=self.found.mostly,
            others=len(self.found.unread),
            where=self.where,
            suggestions=suggestions(self.known, self.found.kind, maybe),
            sampled=len(self.cells) if self.sampled else None,
        )
        missing = rows - self.present + sum(markers.values())
        gone = len(self.found.markers)
        return ColumnFacts(
            name=self.name,
            kind=reading.type,
            missing=missing,
            distinct=min(max(0, self.distinct - gone), rows - missing),
            reading=reading,
        )


def column_facts(table: Table, attributes: Iterable[Attribute] = ()) -> tuple[int, list[ColumnFacts]]:
    """The number of rows, and the facts of each column, in a few passes over the rows.

    Parameters
    ----------
    table
        The table.
    attributes
        What a policy states about its columns.
    """
    stated = {each.name: Stated.of(each) for each in attributes}
    if isinstance(table, FrameTable):
        every = [_frame_facts(table, name, stated.get(name, Stated())) for name in table.columns]
        return len(table.frame), every
    session, about = table.session, table.about
    with table.selected(table.columns) as relation:
        rows = int(session.row(exp.select("count(*)").from_(relation), about)[0])
        exact = rows <= EXACT_ROWS or not session.estimates
        distinct = "count(DISTINCT :cell)" if exact else "approx_distinct(:cell)"
        facts: list[ColumnFacts] = []
        for first in range(0, len(table.columns), COLUMNS_AT_ONCE):
            names = table.columns[first : first + COLUMNS_AT_ONCE]
            facts += _facts(table, relation, names, rows, distinct, stated)
    return rows, facts


def _frame_facts(table: FrameTable, name: str, stated: Stated) -> ColumnFacts:
    column = table.factorized(name)
    rows = np.bincount(column.codes[column.codes >= 0], minlength=len(column.cells))
    found = recognise(column.cells, stated)
    read = _Column(
        name=name, present=int(rows.sum()), distinct=len(column.cells), cells=column.cells, found=found
    )
    wanted = {id(cell) for cell in read.counted}
    counts = {cell: int(rows[at]) for at, cell in enumerate(column.cells) if id(cell) in wanted}
    mixed = found.unread if found.mostly is not None else ()
    others = np.flatnonzero(np.isin(column.codes, mixed)) + 1
    where = f"{len(others):,} row(s){rows_named(others[:ROWS_NAMED].tolist())}" if len(others) else ""
    return replace(read, counts=counts, where=where).facts(len(table.frame))


def _facts(
    table: Table,
    relation: exp.Expr,
    names: Sequence[str],
    rows: int,
    distinct: str,
    stated: Mapping[str, Stated],
) -> list[ColumnFacts]:
    """The facts of some columns: one pass counts, one reads the distinct values, one counts markers."""
    counts = [sums for name in names for sums in _counts(table, name, distinct)]
    numbers = [int(each) for each in table.session.row(exp.select(*counts).from_(relation), table.about)]
    of_name = {name: numbers[4 * at : 4 * at + 4] for at, name in enumerate(names)}
    few = [name for name in names if of_name[name][1] <= SAMPLED_VALUES]
    listed = _distinct_cells(table, relation, few) if table.session.lists else {}
    columns = []
    for name, (present, values, marked, empty) in of_name.items():
        kind, cells = table.kind(name), listed.get(name)
        if cells is None:  # a pass of its own, which a column with a type does not need
            cells = [] if kind else _sample(table, relation, name)
        if table.is_text:
            cells = [cell for cell in cells if cell != ""]
        known = _stated(stated.get(name, Stated()), kind)
        sampled = not kind and values > SAMPLED_VALUES
        columns.append(
            _Column(
                name=name,
                present=present - empty,
                distinct=values - (empty > 0),
                marked=marked - empty,
                usual=known.missing is None,
                cells=cells,
                sampled=sampled,
                found=recognise(cells, known),
                stated=sorted(known.missing.texts) if sampled and known.missing is not None else (),
            )
        )
    of_cells = _rows_of(table, relation, columns)
    return [
        replace(column, counts=of_cells[column.name], where=_where(table, relation, column)).facts(rows)
        for column in columns
    ]


def _where(table: Table, relation: exp.Expr, column: _Column) -> str:
    """The rows whose values are not of the kind that most are."""
    others = [column.cells[at] for at in column.found.unread]
    if column.found.mostly is None or column.sampled or not others:
        return ""
    other = exp.or_(*(_equals(column.name, cell) for cell in others))
    count = exp.alias_(sql.summed_if(other, sql.number(1)), "n")
    (rows,) = table.session.row(exp.select(count).from_(relation), table.about)
    return f"{int(rows):,} row(s){first_rows(table, relation, other)}"


def _counts(table: Table, name: str, distinct: str) -> list[exp.Expr]:
    """Present cells, distinct ones, usual markers, and empty texts of a format without types."""
    cell = table.cell(name)
    empty = sql.fragment(":cell = ''", cell=sql.column(name)) if table.is_text else exp.false()
    marked = exp.false() if table.kind(name) else _is_marker(name)
    sums = (
        sql.fragment("count(:cell)", cell=cell),
        sql.fragment(distinct, cell=cell),
        *(sql.summed_if(each, sql.number(1)) for each in (marked, empty)),
    )
    return [exp.alias_(each, f"{letter}_{name}") for letter, each in zip("kdme", sums, strict=True)]


def _stated(stated: Stated, kind: Kind | None) -> Stated:
    return stated if kind is None or stated.type is not None else replace(stated, type=kind, typed=True)


def _is_marker(name: str) -> exp.Expr:
    """SQL for whether a cell is a usual marker, with spaces around it or not."""
    cell = sql.column(name)
    texts = exp.In(
        this=sql.fragment("lower(trim(:cell))", cell=cell),
        expressions=[sql.text(each) for each in sorted(MARKERS)],
    )
    return sql.fragment(
        "length(:cell) <= :most AND :texts", cell=cell, most=LONGEST_MARKER + _SPACES, texts=texts
    )


def _distinct_cells(table: Table, relation: exp.Expr, names: Sequence[str]) -> dict[str, list[object]]:
    """The distinct cells of columns with few of them, which would take a pass over all rows each."""
    if not names:
        return {}
    lists = [sql.fragment("array_agg(DISTINCT :cell)", cell=sql.column(name)) for name in names]
    (values,) = table.session.rows(exp.select(*lists).from_(relation), table.about)
    return {
        name: [cell for cell in cells or () if cell is not None]
        for name, cells in zip(names, values, strict=True)
    }


def _sample(table: Table, relation: exp.Expr, name: str) -> list[object]:
    sample = exp.select(sql.column(name)).distinct().from_(relation).limit(SAMPLED_VALUES)
    return [cell for (cell,) in table.session.rows(sample, table.about) if cell is not None]


def _rows_of(table: Table, relation: exp.Expr, columns: Sequence[_Column]) -> dict[str, dict[object, int]]:
    """The rows of markers and of cells that may be some: exact, also where the cells are only some."""
    counts: dict[str, dict[object, int]] = {column.name: {} for column in columns}
    wanted: list[tuple[str, object]] = []
    for column in columns:
        if column.sampled and column.marked and column.usual and column.found.kind != "category":
            text = sql.column(column.name)
            rows = exp.select(text, "count(*)").from_(relation).where(_is_marker(column.name))
            found = table.session.rows(rows.group_by(text), table.about)
            counts[column.name] = {marker: int(count) for marker, count in found if marker != ""}
        else:
            wanted += [(column.name, cell) for cell in column.counted]
    if wanted:
        sums = [
            exp.alias_(sql.summed_if(_equals(name, cell), sql.number(1)), f"s{index}")
            for index, (name, cell) in enumerate(wanted)
        ]
        totals = table.session.row(exp.select(*sums).from_(relation), table.about)
        for (name, cell), total in zip(wanted, totals, strict=True):
            counts[name][cell] = int(total)
    return counts


def _equals(name: str, cell: object) -> exp.Expr:
    value = sql.text(cell) if isinstance(cell, str) else exp.convert(cell)
    return exp.EQ(this=sql.column(name), expression=value)


def uniqueness(table: Table, columns: Sequence[str]) -> Uniqueness:
    """How well the columns together distinguish rows."""
    cells = [exp.alias_(table.cell(name), f"g{index}") for index, name in enumerate(columns)]
    unique = sql.summed_if(sql.fragment("n = 1"), sql.number(1))
    with table.selected(columns) as relation:
        groups = sql.counted(cells, relation).subquery("g")
        counts = table.session.row(exp.select("count(*)", exp.alias_(unique, "u")).from_(groups), table.about)
    return Uniqueness(groups=int(counts[0]), unique_rows=int(counts[1]))
