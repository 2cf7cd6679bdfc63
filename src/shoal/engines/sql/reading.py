"""Reads the cells of a written table: their texts, or the values of a domain that each may represent."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sqlglot import exp

from shoal.engines.sql import pieces as sql
from shoal.engines.sql.coding import codes_in
from shoal.engines.sql.table import Cells, FrameTable, Table
from shoal.engines.sql.values import read, text_of
from shoal.errors import PolicyError
from shoal.model.hierarchy.label_reader import LabelReader
from shoal.model.result.listed_sets import ListedSets
from shoal.model.table.coded_cells import CodedCells
from shoal.model.table.domain import SUPPRESSED, Domain
from shoal.model.table.sampled_cells import SampledCells, evenly
from shoal.model.table.written_column import WrittenColumn

MOST_IN_DICTIONARY = 50_000
"""Distinct cells above which rows are fetched as texts: a million rows of six columns, one of
them different in every row, took 8.0 processor seconds with an ENUM, and 3.8 as texts."""


def columns_read(table: Table, domains: Sequence[Domain], sets: ListedSets) -> list[WrittenColumn]:
    """The distinct cells of columns, in rows with at least one cell other than `*`.

    Parameters
    ----------
    table
        The table.
    domains
        The domains of the columns.
    sets
        What its short labels represent.
    """
    session, names = table.session, [domain.name for domain in domains]
    cells = [exp.alias_(table.seen(name), f"g{index}") for index, name in enumerate(names)]
    star = sql.every([table.is_star(name) for name in names])
    with table.selected(names) as relation:
        shown_rows = exp.select(*cells).distinct().from_(sql.rows_of(relation)).where(star.not_())
        seen = session.keep("seen", shown_rows, table.about)
    columns = []
    for index, domain in enumerate(domains):
        column = table.cells(domain.name, seen, f"g{index}")
        # A frame's cells are those of all rows; only those that occur in `seen` count.
        looked_up = column.dictionary.value(exp.column(f"g{index}"))
        positions = exp.select(exp.alias_(looked_up.value, "p")).distinct().from_(seen)
        if looked_up.join is not None:
            positions = positions.join(looked_up.join)
        shown = [
            None if at == len(column.cells) else column.cells[at]
            for (at,) in session.rows(positions, table.about)
        ]
        known = sets.get(domain.name, {})
        spelled = [known.get(cell, cell) if isinstance(cell, str) else cell for cell in shown]
        columns.append(_written_column(domain, spelled))
    session.forget(seen)
    return columns


def _written_column(domain: Domain, cells: Sequence[object]) -> WrittenColumn:
    reader = LabelReader(domain)
    shown = [cell for cell in cells if cell != SUPPRESSED]
    read = [reader.codes(cell) if cell is None or isinstance(cell, str) else None for cell in shown]
    # A column that was released unchanged spells its values in its own way.
    unread = [index for index, codes in enumerate(read) if codes is None]
    for index, code in zip(unread, codes_in(domain, [shown[each] for each in unread]), strict=True):
        read[index] = (code,) if code >= 0 else None
    return WrittenColumn(
        column=domain.name,
        meanings=frozenset(codes for codes in read if codes is not None),
        unreadable=sum(codes is None for codes in read),
        suppressed=len(shown) < len(cells),
    )


def cells_read(table: Table, names: Sequence[str]) -> CodedCells:
    """The distinct rows of some columns, and the number of rows equal to each."""
    cells = [exp.alias_(table.seen(name), f"g{index}") for index, name in enumerate(names)]
    with table.selected(names) as relation:
        seen = table.session.keep("seen", sql.counted(cells, relation), table.about)
    try:
        return _coded(table, names, seen, counted=True)
    finally:
        table.session.forget(seen)


def rows_read(table: Table, names: Sequence[str]) -> CodedCells:
    """All rows of some columns, in their order."""
    if not isinstance(table, FrameTable) and not table.session.keeps_order:
        raise PolicyError(
            f"the rows of {table.about} have no order, so they cannot be compared row by row with another "
            "table; name a column that identifies them as the key (flag: --key)"
        )
    cells = [exp.alias_(table.seen(name), f"g{index}") for index, name in enumerate(names)]
    # All rows are kept, although each column needs only its distinct cells: most rows of many columns differ,
    # and the file is parsed only once.
    with table.selected(names) as relation:
        seen = table.session.keep("seen", exp.select(*cells).from_(relation), table.about)
    try:
        return _coded(table, names, seen, counted=False, large=_large_columns(table, names, seen))
    finally:
        table.session.forget(seen)


def some_rows(
    table: Table, names: Sequence[str], start: int, rows: int
) -> tuple[tuple[str | None, ...], ...]:
    """Rows from a position on, as texts; in a database, in no fixed order."""
    if isinstance(table, FrameTable):
        columns = [_frame_texts(table, name, start, rows) for name in names]
        return tuple(zip(*columns, strict=True))
    cells = [exp.alias_(sql.as_text(table.seen(name)), f"g{index}") for index, name in enumerate(names)]
    with table.selected(names) as relation:
        query = exp.select(*cells).from_(relation).limit(rows).offset(start)
        fetched = table.session.rows(query, table.about)
    missing = ("", None) if table.is_text else (None,)
    return tuple(tuple(None if cell in missing else str(cell) for cell in row) for row in fetched)


def _frame_texts(table: FrameTable, name: str, start: int, rows: int) -> list[str | None]:
    column = table.factorized(name)
    return [
        None if code < 0 else text_of_cell(column.cells[code]) for code in column.codes[start : start + rows]
    ]


def cells_sampled(table: Table, name: str, most: int) -> SampledCells:
    """Some distinct cells of a column, and how many it has."""
    if isinstance(table, FrameTable):
        column = table.factorized(name)
        used = np.unique(column.codes[column.codes >= 0])
        texts = sorted({text for each in used if (text := text_of_cell(column.cells[each])) is not None})
        return SampledCells(column=name, distinct=len(texts), texts=evenly(texts, most))
    # An empty cell of a text file is missing.
    is_known = sql.fragment("NOT t IS NULL AND t <> ''" if table.is_text else "NOT t IS NULL")
    ranked = ["t", "row_number() OVER (ORDER BY t) - 1 AS r", "count(*) OVER () AS d"]
    chosen = sql.fragment("d <= :most OR r * :most % d < :most", most=most)
    with table.selected([name]) as relation:
        distinct = exp.select(exp.alias_(sql.as_text(table.seen(name)), "t")).distinct().from_(relation)
        every = exp.select(*ranked).from_(distinct.subquery("c")).where(is_known)
        some = exp.select("t", "d").from_(every.subquery("k")).where(chosen).order_by("t")
        sampled = table.session.rows(some, table.about)
    return SampledCells(
        column=name,
        distinct=int(sampled[0][1]) if sampled else 0,
        texts=tuple(str(text) for text, _ in sampled),
    )


def _large_columns(table: Table, names: Sequence[str], seen: exp.Table) -> frozenset[int]:
    """The columns with so many distinct cells that a dictionary in the engine does not pay off."""
    if isinstance(table, FrameTable):
        return frozenset()
    counts = [exp.ApproxDistinct(this=exp.column(f"g{index}")) for index in range(len(names))]
    selected = [exp.alias_(each, f"d{index}") for index, each in enumerate(counts)]
    estimates = table.session.row(exp.select(*selected).from_(seen), table.about)
    return frozenset(index for index, distinct in enumerate(estimates) if distinct > MOST_IN_DICTIONARY)


def _coded(
    table: Table,
    names: Sequence[str],
    seen: exp.Table,
    *,
    counted: bool,
    large: frozenset[int] = frozenset(),
) -> CodedCells:
    """The codes of the rows of the table `seen`, with their counts if they were counted.

    The cells of `large` columns are fetched one by one.
    """
    columns = {
        index: table.cells(name, seen, f"g{index}") for index, name in enumerate(names) if index not in large
    }
    selected: list[exp.Expr] = [exp.column("n")] if counted else []
    joins = []
    for index in range(len(names)):
        cell: exp.Expr = exp.column(f"g{index}")
        if index in large:
            selected.append(exp.alias_(sql.as_text(cell), f"c{index}"))
            continue
        looked_up = columns[index].dictionary.value(cell)
        selected.append(exp.alias_(looked_up.value, f"c{index}"))
        joins += [] if looked_up.join is None else [looked_up.join]
    codes = exp.select(*selected).from_(seen)
    for join in joins:
        codes = codes.join(join)
    arrays = table.session.arrays(codes, table.about)
    coded = [
        _factorized(arrays[f"c{index}"], is_text=table.is_text)
        if index in large
        else (cell_texts(columns[index]), np.asarray(arrays[f"c{index}"]).astype(np.int32))
        for index in range(len(names))
    ]
    return CodedCells(
        columns=tuple(names),
        cells=tuple(texts for texts, _ in coded),
        codes=np.column_stack([line for _, line in coded]),
        counts=np.asarray(arrays["n"]).astype(np.int64) if counted else np.ones(len(coded[0][1]), np.int64),
    )


def _factorized(cells: NDArray[Any], *, is_text: bool) -> tuple[tuple[str | None, ...], NDArray[np.int32]]:
    """The distinct cells of all rows, the missing one last, and the code of each row."""
    missing = np.ma.getmaskarray(cells)
    number: dict[str, int] = {}
    codes = np.array([number.setdefault(text, len(number)) for text in np.ma.getdata(cells)], np.int32)
    codes[missing] = len(number)
    return (*(None if text is None or (is_text and text == "") else text for text in number), None), codes


def cell_texts(column: Cells) -> tuple[str | None, ...]:
    """The texts of a column's cells, and of the missing one at the end."""
    return (*(text_of_cell(cell) for cell in column.cells), None)


def text_of_cell(cell: object) -> str | None:
    """A cell of a frame as its text; `None` for a missing one."""
    if cell is None or isinstance(cell, str):
        return cell
    (value,) = read([cell], "category")  # 39.0 of a frame and 39 of a file are one number
    return None if value is None else text_of(value)
