"""A sample of the rows of a table: what its cells look like, and which columns predict each other.

One pass takes a sample of rows by a hash of their cells, so that equal tables give equal answers; numbers of
its cells are fetched, and everything else is counted here. How well a column predicts another is counted in
pairs of rows, which a sample of rows estimates without bias. Rows that are equal in all columns enter the
sample together: their pairs are scaled up by the inverse of the sampled share, other pairs by its square.

Where the engine itself can draw rows of a table, each by itself and the same ones in each run, it does, and
no row has to be hashed: that takes PostgreSQL 0.05 processor seconds for a million rows, instead of 1.0.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from sqlglot import exp

from shoal.engines.frames.frame import Factorized
from shoal.engines.sql import pieces as sql
from shoal.engines.sql.inspecting import COLUMNS_AT_ONCE
from shoal.engines.sql.reading import text_of_cell
from shoal.engines.sql.session import Session
from shoal.engines.sql.table import FrameTable, Table
from shoal.errors import PolicyError
from shoal.model.table.table_sample import Agreement, Distinct, TableSample

SAMPLED_ROWS = 10_000
FEWEST_ROWS = 1_000
"""With many columns the sample is smaller, down to this."""
PAIRED_ROWS = 1_000_000
"""Rows times pairs of columns that are counted: about the cost of one GROUP BY of a million rows."""
SPARE = 8
"""How many times the rows of the sample are drawn first."""
FEW_ROWS = 20
"""With fewer rows, agreement of columns means nothing, and nothing is counted."""
READ_ROWS = 1_000
"""Rows whose cells are read."""
SUSPICIOUS = 0.8
"""The share of distinct values in a sample from which on the whole column is counted."""


@dataclass(frozen=True, eq=False)
class _Sample:
    """Rows that were sampled.

    Parameters
    ----------
    numbers
        Per column of the sample a number for each row's cell, negative only for missing cells.
    weights
        The number of rows equal to each one.
    every
        One in `every` distinct rows was taken.
    texts
        Column -> cells of some of the rows.
    """

    numbers: Sequence[NDArray[np.int64]]
    weights: NDArray[np.int64]
    every: int
    texts: Mapping[str, tuple[str | None, ...]]


def sample_table(
    table: Table,
    rows: int | None,
    kept: Sequence[str],
    quasi_identifiers: Sequence[str],
    hidden: Sequence[str] = (),
) -> TableSample:
    """What a sample of rows reveals about kept columns, and how they and the quasi-identifiers predict each
    other.

    Parameters
    ----------
    table, rows
        The table, and its number of rows, if known.
    kept
        Columns that are released unchanged.
    quasi_identifiers
        Columns that are recoded; empty to examine only the kept ones.
    hidden
        Columns that are dropped; their cells are read, but not counted.
    """
    names = [*kept, *quasi_identifiers, *hidden]
    if rows is None:
        rows = _rows(table)
    if not kept or rows == 0:
        return TableSample(rows=rows, texts={}, distinct={})
    compared = [(one, other) for one in kept for other in quasi_identifiers if rows >= FEW_ROWS]
    pairs = [each for one, other in compared for each in ((one, other), (other, one))]
    most = min(SAMPLED_ROWS, max(FEWEST_ROWS, PAIRED_ROWS // max(1, len(pairs))))
    if isinstance(table, FrameTable):
        sample = _frame_sample(table, names, rows, most)
    else:
        sample = _sql_sample(table, names, rows, most)
    distinct = {name: _distinct(sample, names.index(name)) for name in kept}
    agreements = _agreements(sample, names, pairs)
    if rows > most:
        suspicious = [name for name in kept if distinct[name].share >= SUSPICIOUS]
        distinct |= _counted(table, suspicious, rows, most)
    return TableSample(rows=rows, texts=sample.texts, distinct=distinct, agreements=agreements)


def _rows(table: Table) -> int:
    if isinstance(table, FrameTable):
        return len(table.frame)
    with table.selected([]) as relation:
        return int(table.session.row(exp.select("count(*)").from_(relation), table.about)[0])


def _sql_sample(table: Table, names: Sequence[str], rows: int, most: int) -> _Sample:
    session = table.session
    with table.selected(names) as relation:
        thinned = table.thinned(relation, most / rows) if rows > most else None
        if thinned is None:
            drawn, every, lines = _drawn_by_hash(table, names, relation, rows, most)
        else:
            drawn, lines = _drawn(table, names, thinned, 1)
            every = 1
    try:
        chosen = sql.fragment("h % :step = 0", step=every * max(1, lines // READ_ROWS))
        cells = [sql.as_text(exp.column(f"g{index}")) for index in range(len(names))]
        read = session.rows(exp.select(*cells).from_(drawn).where(chosen).order_by("h"), table.about)
        arrays = session.arrays(_numbers(session, len(names), drawn, every), table.about)
    finally:
        session.forget(drawn)
    columns = list(zip(*read, strict=True)) or [()] * len(names)
    texts = {name: tuple(column) for name, column in zip(names, columns, strict=True)}
    plain = {name: np.asarray(array).astype(np.int64) for name, array in arrays.items()}
    return _Sample([plain[f"y{index}"] for index in range(len(names))], plain["w"], every, texts)


def _drawn_by_hash(
    table: Table, names: Sequence[str], relation: exp.Expr, rows: int, most: int
) -> tuple[exp.Table, int, int]:
    """Distinct rows, one in how many of them belongs to the sample, and about how many do."""
    # More rows than needed, then fewer of them: a hash takes all copies of a row or none, and only the rows
    # that were taken show how many there are. Few distinct rows are drawn a second time.
    every = max(1, rows // (most * SPARE))
    drawn, lines = _drawn(table, names, relation, every)
    if every > 1 and lines < most // 4:
        table.session.forget(drawn)
        every = max(1, every * lines // most)
        drawn, lines = _drawn(table, names, relation, every)
    thinner = max(1, lines // most)
    return drawn, every * thinner, lines // thinner


def _drawn(table: Table, names: Sequence[str], relation: exp.Expr, every: int) -> tuple[exp.Table, int]:
    """The distinct rows whose hash is a multiple of a number, and their number."""
    session = table.session
    own = [exp.column(f"g{index}") for index in range(len(names))]
    cells = [exp.alias_(_cell(table, name), f"g{index}") for index, name in enumerate(names)]
    hashed = exp.select(*own, exp.alias_(session.hashed(own), "h")).from_(
        exp.select(*cells).from_(sql.rows_of(relation)).subquery("c")
    )
    chosen = exp.select(*own, "h", exp.alias_(exp.Count(this=exp.Star()), "w")).from_(hashed.subquery("l"))
    chosen = chosen.where(sql.fragment("h % :every = 0", every=every)).group_by(*own, "h")
    drawn = session.keep("drawn", chosen, table.about)
    (lines,) = session.row(exp.select("count(*)").from_(drawn), table.about)
    return drawn, int(lines)


def _numbers(session: Session, columns: int, drawn: exp.Table, every: int) -> exp.Select:
    """The drawn rows whose hash is a multiple of a number: the numbers of their cells, and their copies."""
    number = "CASE WHEN :cell IS NULL THEN -1 ELSE :hash END"
    own = [exp.column(f"g{index}") for index in range(columns)]
    numbers = [
        exp.alias_(sql.fragment(number, cell=cell, hash=session.hashed([cell])), f"y{index}")
        for index, cell in enumerate(own)
    ]
    return exp.select(*numbers, "w").from_(drawn).where(sql.fragment("h % :every = 0", every=every))


def _cell(table: Table, name: str) -> exp.Expr:
    """SQL for a cell; NULL for one that is missing."""
    cell = table.cell(name)
    return sql.fragment("nullif(:cell, '')", cell=cell) if table.is_text else cell


def _frame_sample(table: FrameTable, names: Sequence[str], rows: int, most: int) -> _Sample:
    chosen = np.ones(rows, np.bool_)
    if rows > most:
        chosen[:] = False
        chosen[np.random.default_rng(0).choice(rows, most, replace=False)] = True
    others = [name for name in table.columns if name not in names]
    some = FrameTable(table.session, table.frame.without(others).filtered(chosen))
    columns = {name: _factorized(some, name) for name in names}
    step = max(1, int(chosen.sum()) // READ_ROWS)
    texts = {
        name: tuple(
            None if code < 0 else text_of_cell(each.cells[code]) for code in each.codes[::step].tolist()
        )
        for name, each in columns.items()
    }
    numbers = [columns[name].codes.astype(np.int64) for name in names]
    return _Sample(numbers, np.ones(int(chosen.sum()), np.int64), 1, texts)


def _factorized(table: FrameTable, name: str) -> Factorized:
    """The column's codes; all missing if its cells cannot be compared: a kept column may contain anything."""
    try:
        return table.factorized(name)
    except PolicyError:
        return Factorized(np.full(len(table.frame), -1, np.int32), [])


def _distinct(sample: _Sample, column: int) -> Distinct:
    """The known cells of a column in the sample, and how many are distinct."""
    cells = sample.numbers[column]
    is_known = cells >= 0
    return Distinct(known=int(sample.weights[is_known].sum()), values=len(np.unique(cells[is_known])))


def _counted(table: Table, names: Sequence[str], rows: int, most: int) -> dict[str, Distinct]:
    """Distinct values of whole columns; for large tables, of a part of the values with all of their rows."""
    if len(names) > COLUMNS_AT_ONCE:
        few, others = names[:COLUMNS_AT_ONCE], names[COLUMNS_AT_ONCE:]
        return {**_counted(table, few, rows, most), **_counted(table, others, rows, most)}
    if not names:
        return {}
    if isinstance(table, FrameTable):
        codes = {name: table.factorized(name).codes for name in names}
        return {
            name: Distinct(known=int((each >= 0).sum()), values=len(np.unique(each[each >= 0])))
            for name, each in codes.items()
        }
    every, counters = max(1, rows // most), []
    for index, name in enumerate(names):
        cell = _cell(table, name)
        chosen = sql.fragment(":hash % :every = 0", hash=table.session.hashed([cell]), every=every)
        chosen_cell = sql.fragment("CASE WHEN :chosen THEN :cell END", chosen=chosen, cell=cell)
        counters.append(exp.alias_(sql.fragment("count(:cell)", cell=chosen_cell), f"k{index}"))
        counters.append(exp.alias_(sql.fragment("count(DISTINCT :cell)", cell=chosen_cell), f"d{index}"))
    with table.selected(names) as relation:
        counts = [int(each) for each in table.session.row(exp.select(*counters).from_(relation), table.about)]
    return {
        name: Distinct(known=known, values=values)
        for name, known, values in zip(names, counts[::2], counts[1::2], strict=True)
    }


def _agreements(
    sample: _Sample, names: Sequence[str], pairs: Sequence[tuple[str, str]]
) -> dict[tuple[str, str], Agreement]:
    """How well columns predict each other, compared with the second column alone."""
    columns = {
        name: np.unique(sample.numbers[names.index(name)], return_inverse=True)[1].reshape(-1)
        for name in dict.fromkeys(name for pair in pairs for name in pair)
    }
    missing = {name: sample.numbers[names.index(name)] < 0 for name in columns}
    nothing = np.zeros(len(sample.weights), np.int64), np.zeros(len(sample.weights), np.bool_)
    alone = {
        name: _agreeing(sample, *nothing, columns[name]) for name in dict.fromkeys(each for _, each in pairs)
    }
    found = {}
    for one, other in pairs:
        measured, by_chance = _agreeing(sample, columns[one], missing[one], columns[other]), alone[other]
        if measured is not None and by_chance is not None:
            found[one, other] = Agreement(rows=measured[0], chance=measured[1], by_chance=by_chance[1])
    return found


def _agreeing(
    sample: _Sample, first: NDArray[np.int64], missing: NDArray[np.bool_], second: NDArray[np.int64]
) -> tuple[int, float] | None:
    """The rows that share the first cell with another row, and how often both agree in the second cell."""
    weights = sample.weights[~missing].astype(np.float64)
    keys = first[~missing] * (int(second.max(initial=0)) + 1) + second[~missing]
    distinct, of_row = np.unique(keys, return_inverse=True)
    rows = np.bincount(of_row.reshape(-1), weights, len(distinct))
    copies = np.bincount(of_row.reshape(-1), weights * weights, len(distinct))
    of_pair = np.unique(distinct // (int(second.max(initial=0)) + 1), return_inverse=True)[1].reshape(-1)
    agreeing = np.bincount(of_pair, sample.every * (rows * rows - copies) + copies - rows)
    together, alike = np.bincount(of_pair, rows), np.bincount(of_pair, copies)
    possible = (together * together - alike) * sample.every + alike - together
    shared = possible > 0
    if not shared.any():
        return None
    return int(together[shared].sum()), float(agreeing[shared].sum() / possible[shared].sum())
