"""A sample of the rows of a table: what its cells look like, and which columns predict each other.

One pass takes a sample of rows by a hash of their cells, so that equal tables give equal answers; everything
else is counted in the sample, inside the engine, by one statement whatever the number of rows. How well a
column predicts another is counted in pairs of rows, which a sample of rows estimates without bias. Rows that
are equal in all columns enter the sample together: their pairs are scaled up by the inverse of the sampled
share, other pairs by its square.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np
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
    session, about
        Where the rows are, and what to call them.
    table
        Has a column `y{index}` of numbers per column of the sample, negative only for missing cells, and the
        number `w` of rows equal to this one.
    every
        One in `every` distinct rows was taken.
    texts
        Column -> cells of some of the rows.
    """

    session: Session
    about: str
    table: exp.Table
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
    sampled = _frame_sample if isinstance(table, FrameTable) else _sql_sample
    with sampled(table, names, rows, most) as sample:  # type: ignore[arg-type]
        distinct = _distinct(sample, names, kept)
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


@contextmanager
def _sql_sample(table: Table, names: Sequence[str], rows: int, most: int) -> Iterator[_Sample]:
    session = table.session
    every = max(1, rows // most)
    with table.selected(names) as relation:
        drawn, lines = _drawn(table, names, relation, every)
        if every > 1 and lines < most // 4:  # few distinct rows: a hash takes all copies of a row or none
            session.forget(drawn)
            every = max(1, every * lines // most)
            drawn, lines = _drawn(table, names, relation, every)
    chosen = sql.fragment("h % :step = 0", step=every * max(1, lines // READ_ROWS))
    cells = [sql.as_text(exp.column(f"g{index}")) for index in range(len(names))]
    read = session.rows(exp.select(*cells).from_(drawn).where(chosen).order_by("h"), table.about)
    columns = list(zip(*read, strict=True)) or [()] * len(names)
    texts = {name: tuple(column) for name, column in zip(names, columns, strict=True)}
    try:
        yield _Sample(session, table.about, drawn, every, texts)
    finally:
        session.forget(drawn)


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
    number = "CASE WHEN :cell IS NULL THEN -1 ELSE :hash END"
    numbers = [
        exp.alias_(sql.fragment(number, cell=cell, hash=session.hashed([cell])), f"y{index}")
        for index, cell in enumerate(own)
    ]
    drawn = session.keep(
        "sample", exp.select(*own, "h", "w", *numbers).from_(chosen.subquery("t")), table.about
    )
    (lines,) = session.row(exp.select("count(*)").from_(drawn), table.about)
    return drawn, int(lines)


def _cell(table: Table, name: str) -> exp.Expr:
    """SQL for a cell; NULL for one that is missing."""
    cell = table.cell(name)
    return sql.fragment("nullif(:cell, '')", cell=cell) if table.is_text else cell


@contextmanager
def _frame_sample(table: FrameTable, names: Sequence[str], rows: int, most: int) -> Iterator[_Sample]:
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
    numbers = {f"y{index}": columns[name].codes for index, name in enumerate(names)}
    uploaded = table.session.upload("sample", {**numbers, "w": np.ones(int(chosen.sum()), np.int64)})
    try:
        yield _Sample(table.session, table.about, uploaded, 1, texts)
    finally:
        table.session.forget(uploaded)


def _factorized(table: FrameTable, name: str) -> Factorized:
    """The column's codes; all missing if its cells cannot be compared: a kept column may contain anything."""
    try:
        return table.factorized(name)
    except PolicyError:
        return Factorized(np.full(len(table.frame), -1, np.int32), [])


def _distinct(sample: _Sample, names: Sequence[str], kept: Sequence[str]) -> dict[str, Distinct]:
    """Distinct cells of the sample; not by count(DISTINCT), which needs a lot of memory per column."""
    places = np.array([names.index(name) for name in kept], np.int64)
    uploaded = sample.session.upload("columns", {"i": places})
    chosen = exp.alias_(_chosen("i", len(names)), "a", copy=False)
    rows = _beside(sql.query("i", chosen, "w", of=sample.table), uploaded)
    cells = sql.query("i", "a", "sum(w) AS n", of=rows, by=("i", "a")).subquery("v", copy=False)
    summed = sql.query("i", "sum(n) AS n", "count(*) AS d", of=cells, where="a >= 0", by=("i",))
    rows_found = sample.session.rows(summed, sample.about)
    sample.session.forget(uploaded)
    counts = {
        names[int(place)]: Distinct(known=int(known), values=int(values))
        for place, known, values in rows_found
    }
    return {name: counts.get(name, Distinct(known=0, values=0)) for name in kept}


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
    if not pairs:
        return {}
    alone = [(None, name) for name in dict.fromkeys(second for _, second in pairs)]
    requested: list[tuple[str | None, str]] = [*alone, *pairs]
    places: dict[str | None, int] = {None: -1, **{name: index for index, name in enumerate(names)}}
    numbers = np.array([[number, places[a], places[b]] for number, (a, b) in enumerate(requested)], np.int64)
    uploaded = sample.session.upload("pairs", dict(zip("pij", np.ascontiguousarray(numbers.T), strict=True)))
    measured = sample.session.rows(_agreeing(sample, uploaded, len(names)), sample.about)
    sample.session.forget(uploaded)
    chances = {requested[int(number)]: (int(rows), float(chance)) for number, rows, chance in measured}
    return {
        pair: Agreement(rows=chances[pair][0], chance=chances[pair][1], by_chance=chances[None, pair[1]][1])
        for pair in pairs
        if pair in chances
    }


def _agreeing(sample: _Sample, pairs: exp.Table, columns: int) -> exp.Select:
    """For each pair: the rows that share the first cell with another row, and how often both agree."""
    cells = [
        exp.alias_(_chosen(which, columns), name, copy=False) for which, name in (("i", "a"), ("j", "b"))
    ]
    rows = _beside(sql.query("p", *cells, "w", of=sample.table), pairs)
    sums = "CAST(sum(w) AS DOUBLE) AS n", "CAST(sum(w * w) AS DOUBLE) AS z"
    both = sql.query("p", "a", "b", *sums, of=rows, where="a >= 0", by=("p", "a", "b"))
    every = sql.number(sample.every)
    agreeing = sql.fragment("sum(:every * (n * n - z) + z - n)", every=every)
    possible = sql.fragment("(sum(n) * sum(n) - sum(z)) * :every + sum(z) - sum(n)", every=every)
    shares = exp.alias_(agreeing, "s", copy=False), exp.alias_(possible, "t", copy=False)
    groups = sql.query("p", "a", "sum(n) AS r", *shares, of=both.subquery("v", copy=False), by=("p", "a"))
    found = groups.subquery("g", copy=False)
    return sql.query("p", "sum(r) AS r", "sum(s) / sum(t) AS c", of=found, where="t > 0", by=("p",))


def _beside(rows: exp.Select, others: exp.Table) -> exp.Subquery:
    """Every row with every row of another table."""
    return rows.join(others, join_type="cross", copy=False).subquery("u", copy=False)


def _chosen(which: str, columns: int) -> exp.Expr:
    """SQL for the cell of the column at a place, by binary comparisons; 0 for a negative place."""

    def between(begin: int, end: int) -> exp.Expr:
        if end - begin == 1:
            return sql.as_integer(exp.column(f"y{begin}"))
        middle = (begin + end) // 2
        return sql.fragment(
            "CASE WHEN :place < :middle THEN :first ELSE :second END",
            place=exp.column(which),
            middle=middle,
            first=between(begin, middle),
            second=between(middle, end),
        )

    cell = between(0, columns)
    return sql.fragment("CASE WHEN :place < 0 THEN 0 ELSE :cell END", place=exp.column(which), cell=cell)
