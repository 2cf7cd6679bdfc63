"""The recoded rows, written by DuckDB or returned as a frame, in the order of the source."""

from __future__ import annotations

import datetime
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sqlglot import exp

from shoal.engines.duckdb.file import FileFormat, FileTable, check_survives
from shoal.engines.duckdb.nested import packed, stated
from shoal.engines.duckdb.session import DuckSession, literal, quoted
from shoal.engines.frames.frame import Frame, Replacement
from shoal.engines.sql import pieces as sql
from shoal.engines.sql.histories import PlaceLookup
from shoal.engines.sql.recoding import Plan, bound, label
from shoal.engines.sql.table import DatabaseTable, FrameTable, StoredTable
from shoal.errors import InternalError, PolicyError
from shoal.model.table.companion import Companion, Element
from shoal.model.table.domain import SUPPRESSED

_CHANGED = r"\b(U?HUGEINT|INTERVAL|TIME WITH TIME ZONE|UNION)\b"
"""Types that Parquet lacks or cannot store exactly: DuckDB would round 10^20 + 1, and 1.123456 seconds."""


def write_file(session: DuckSession, table: DatabaseTable, plan: Plan, target: Path) -> str:
    """Recode a table into a file, and return its delimiter; a .csv release keeps that of a .csv source."""
    form = FileFormat.of(target)
    query = recoded(table, plan, table.relation, typed=form.format == "parquet")
    if plan.nested and form.format != "parquet":
        raise InternalError("structs are for a Parquet file")
    if form.format == "parquet" and not isinstance(table, StoredTable):
        described = session.fetched(f"DESCRIBE {session.rendered(query)}", table.about)
        check_survives({row[0]: row[1] for row in described}, _CHANGED, "a Parquet file")
    if isinstance(table, StoredTable) and table.file.is_text and form.delimiter is None:
        form = replace(form, delimiter=kept_delimiter(table.file))
    copy(session, query, target, form, f"the release of {table.about}", more=stated(plan.nested))
    return form.delimiter or ","


def kept_delimiter(source: FileTable) -> str | None:
    """The delimiter of a source for a .csv release; those of other names only if they are usual in .csv."""
    if len(source.types) == 1:  # it shows no delimiter, and was read by any that it does not have
        return None
    delimiter = source.stored.delimiter
    is_csv = ".csv" in [suffix.lower() for suffix in source.path.suffixes]
    return delimiter if is_csv or delimiter in (",", ";", "|") else None


def write_folder(
    session: DuckSession, table: DatabaseTable, plan: Plan, target: Path, partitions: Sequence[str]
) -> None:
    """Recode a folder of Parquet files into another one, partitioned by the same columns."""
    rows = session.rendered(recoded(table, plan, table.relation, typed=True))
    kept_partitions = [name for name in partitions if name not in plan.dropped]
    if len(kept_partitions) == len(table.columns) - len(plan.dropped):
        raise PolicyError(
            "all columns of the release are in the names of folders, so its files would have none; keep "
            "another column, or release to one .parquet file"
        )
    target.mkdir()
    place = target if kept_partitions else target / "data_0.parquet"
    by = f", PARTITION_BY ({', '.join(map(quoted, kept_partitions))})" if kept_partitions else ""
    options = f"FORMAT parquet{by}, OVERWRITE_OR_IGNORE true" if kept_partitions else "FORMAT parquet"
    session.run(f"COPY ({rows}) TO {literal(str(place))} ({options})", f"the release of {table.about}")


def recoded(
    table: DatabaseTable,
    plan: Plan,
    relation: exp.Expr,
    *,
    typed: bool,
    also: Sequence[exp.Expr] = (),
    joins: Sequence[exp.Join] = (),
) -> exp.Select:
    """The rows of the release.

    Parameters
    ----------
    table, plan
        The source, and its recoding.
    relation
        What to select from.
    typed
        Whether numbers are written as numbers.
    also, joins
        What else to select from the source's rows, with aliases, and the joins that it needs.
    """
    numbers = {column.name: index for index, column in enumerate(plan.columns)}
    cells = [
        exp.alias_(table.cell(name) if name in numbers else sql.column(name), f"c{position}")
        for position, name in enumerate(table.columns)
    ]
    written = []
    nested = {each.column: each for each in plan.nested}
    for position, name in enumerate(table.columns):
        if name in plan.dropped:
            continue
        cell = table.released(name, exp.column(f"c{position}"))
        otherwise = sql.text(None)
        if name in numbers and (name in nested or not plan.columns[numbers[name]].unchanged):
            column = plan.columns[numbers[name]]
            cell = plan.lookup.text(numbers[name]) or label(
                table.session, column, exp.column(f"i{numbers[name]}"), typed=typed
            )
            if column.numbers is None or not typed:  # numbers: nothing is masked
                otherwise = sql.text(SUPPRESSED)
        if plan.suppressed == "mask":
            # A suppressed row could still be recognized by its other cells, so it keeps none.
            cell = sql.fragment(
                "CASE WHEN kept THEN :cell ELSE :otherwise END", cell=cell, otherwise=otherwise
            )
        if name in nested:
            cell = packed(table.session, nested[name], cell, exp.column(f"i{numbers[name]}"))
        written.append(exp.alias_(cell, name, quoted=True))
        for companion in plan.companions:
            if companion.column == name:
                end = bound(table.session, companion, exp.column(f"i{numbers[name]}"), typed=typed)
                shown = sql.fragment("CASE WHEN kept THEN :end END", end=end)
                written.append(exp.alias_(shown, companion.name, quoted=True))
    rows = plan.lookup.rows(table, [*cells, *also], relation, joins)
    more = [exp.column(each.alias) for each in also]
    query = exp.select(*written, *more).from_(rows.subquery("w"))
    return query if plan.suppressed == "mask" else query.where("kept")


def write_frame(session: DuckSession, table: FrameTable, plan: Plan) -> Any:
    """Recode a data frame into another of the same kind."""
    needed = [*(f"i{index}" for index in range(len(plan.columns))), "kept"]
    with table.selected([*(column.name for column in plan.columns), *plan.lookup.reads]) as relation:
        rows = plan.lookup.rows(table, [], relation)
        arrays = session.arrays(exp.select(*needed).from_(rows.subquery("w")), table.about)
    kept_rows = np.asarray(arrays["kept"], np.bool_)
    frame: Frame = table.frame
    new: dict[str, Replacement] = {}
    for index, column in enumerate(plan.columns):
        if column.unchanged:
            frame = frame.canonical(column.name)
            continue
        choices = np.asarray(arrays[f"i{index}"], np.int64)
        if column.numbers is None:
            choices = np.where(kept_rows, choices, len(column.labels))
            new[column.name] = Replacement((*column.labels, SUPPRESSED), choices)
        else:
            new[column.name] = Replacement(column.numbers, choices)
    frame = _with_companions(frame.replaced(new).without(plan.dropped), plan, arrays, kept_rows)
    if isinstance(plan.lookup, PlaceLookup):
        # The old index would show how many rows a person has lost, and between which.
        left = frame.filtered(kept_rows)
        return left.shuffled(np.arange(len(left), dtype=np.int64)).native
    if kept_rows.all():
        return frame.native
    if plan.suppressed == "drop":
        return frame.filtered(kept_rows).native
    return frame.blanked(kept_rows, _unrecoded(frame.columns, plan)).native


def _with_companions(
    frame: Frame, plan: Plan, arrays: Mapping[str, NDArray[Any]], kept: NDArray[np.bool_]
) -> Frame:
    """The frame with the bounds of its labels, each column of them after the labels."""
    if not plan.companions:
        return frame
    places = {column.name: f"i{index}" for index, column in enumerate(plan.columns)}
    new = {}
    for each in plan.companions:
        choices = np.where(kept, np.asarray(arrays[places[each.column]], np.int64), len(each.texts))
        cells = [None if text is None else _READ[each.element](text) for text in (*each.texts, None)]
        new[each.name] = Replacement(cells, choices, each.element)
    order = [
        name
        for column in frame.columns
        for name in (column, *(each.name for each in plan.companions if each.column == column))
    ]
    return frame.replaced(new).arranged(order)


_READ: Mapping[Element, Callable[[str], Any]] = {
    "whole": int,
    "decimal": float,
    "date": datetime.date.fromisoformat,
    "moment": datetime.datetime.fromisoformat,
}


def _unrecoded(columns: Sequence[str], plan: Plan) -> list[str]:
    recoded = {column.name for column in plan.columns} | {each.name for each in plan.companions}
    return [name for name in columns if name not in recoded]


def store_frame(
    session: DuckSession, native: object, target: Path, companions: Sequence[Companion] = ()
) -> str:
    """Write a data frame to a file, and return the delimiter."""
    table = session.upload_frame("release", native, "the data frame")
    query = exp.select("*").from_(table)
    days = [sql.column(each.name) for each in companions if each.element == "date"]
    if days:  # pandas has moments only, and would write a time of day
        cast = [exp.alias_(exp.cast(day, "DATE"), day.name, quoted=True) for day in days]
        query = exp.select(exp.Star(replace=cast)).from_(table)
    form = FileFormat.of(target)
    copy(session, query, target, form, "the release of the data frame")
    session.forget(table)
    return form.delimiter or ","


def copy(
    session: DuckSession, query: exp.Expr | str, target: Path, form: FileFormat, about: str, *, more: str = ""
) -> None:
    """Write the rows of a query to a file; the caller ensures that nobody reads it yet."""
    if form.format == "parquet":
        options = f"FORMAT parquet{more}"
    else:
        compression = "gzip" if form.gzipped else "none"
        options = (
            f"FORMAT csv, HEADER true, DELIMITER {literal(form.delimiter or ',')}, "
            f"QUOTE '\"', ESCAPE '\"', NULLSTR '', COMPRESSION '{compression}'"
        )
    rows = query if isinstance(query, str) else session.rendered(query)
    session.run(f"COPY ({rows}) TO {literal(str(target))} ({options}, USE_TMP_FILE false)", about)
