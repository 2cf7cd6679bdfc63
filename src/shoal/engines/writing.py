"""The recoded rows, written by DuckDB or handed out as a frame, in the order of the source."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from shoal.engines import sql
from shoal.engines.duckdb_session import DuckSession
from shoal.engines.file import FileFormat
from shoal.engines.frame import Frame, Replacement
from shoal.engines.recoding import Plan, label
from shoal.engines.table import FrameTable, StoredTable
from shoal.model.domain import SUPPRESSED


def write_file(session: DuckSession, table: StoredTable, plan: Plan, target: Path) -> None:
    """Recode a file into another; a release that is named .csv keeps the delimiter of a source that is."""
    form, source = FileFormat.of(target), FileFormat.of(table.file.path)
    with table.selected(table.columns) as relation:
        statement = _recoded(table, plan, relation, typed=form.format == "parquet")
    if form.format == source.format and form.delimiter == source.delimiter:
        form = replace(form, delimiter=table.file.stored.delimiter)
    _copy(session, statement, target, form, f"the release of {table.about}")


def _recoded(table: StoredTable, plan: Plan, relation: str, *, typed: bool) -> str:
    """SQL for the rows of the release: what is written of cells, released values and rows that are kept."""
    recoded = {column.name: index for index, column in enumerate(plan.columns)}
    cells = [
        f"{table.cell(name) if name in recoded else sql.name(name)} AS c{position}"
        for position, name in enumerate(table.columns)
    ]
    written = []
    for position, name in enumerate(table.columns):
        if name in plan.dropped:
            continue
        cell, otherwise = f"c{position}", "NULL"
        if name in recoded and not plan.columns[recoded[name]].as_it_was:
            column = plan.columns[recoded[name]]
            cell = label(column, f"i{recoded[name]}", typed=typed)
            if column.numbers is None or not typed:  # numbers: nothing is masked
                otherwise = sql.literal(SUPPRESSED)
        if plan.suppressed == "mask":
            # A suppressed row that kept its other cells could still be recognized by them: it keeps none.
            cell = f"CASE WHEN kept THEN {cell} ELSE {otherwise} END"
        written.append(f"{cell} AS {sql.name(name)}")
    rows = plan.lookup.rows(cells, relation)
    return f"SELECT {', '.join(written)} FROM ({rows})" + ("" if plan.suppressed == "mask" else " WHERE kept")


def write_frame(session: DuckSession, table: FrameTable, plan: Plan) -> Any:
    """Recode a data frame into another of the same kind."""
    needed = ", ".join([*(f"i{index}" for index in range(len(plan.columns))), "kept"])
    with table.selected([column.name for column in plan.columns]) as relation:
        arrays = session.arrays(f"SELECT {needed} FROM ({plan.lookup.rows([], relation)})", table.about)
    kept_rows = np.asarray(arrays["kept"], np.bool_)
    frame: Frame = table.frame
    new: dict[str, Replacement] = {}
    for index, column in enumerate(plan.columns):
        if column.as_it_was:
            frame = frame.canonical(column.name)
            continue
        choices = np.asarray(arrays[f"i{index}"], np.int64)
        if column.numbers is None:
            choices = np.where(kept_rows, choices, len(column.labels))
            new[column.name] = Replacement((*column.labels, SUPPRESSED), choices)
        else:
            new[column.name] = Replacement(column.numbers, choices)
    frame = frame.replaced(new).without(plan.dropped)
    if kept_rows.all():
        return frame.native
    if plan.suppressed == "drop":
        return frame.filtered(kept_rows).native
    return frame.blanked(kept_rows, _others(frame.columns, plan)).native


def _others(columns: Sequence[str], plan: Plan) -> list[str]:
    recoded = {column.name for column in plan.columns}
    return [name for name in columns if name not in recoded]


def store_frame(session: DuckSession, native: object, target: Path) -> None:
    """Write a data frame to a file."""
    name = session.register_frame("release", native, "the data frame")
    _copy(session, f"SELECT * FROM {name}", target, FileFormat.of(target), "the release of the data frame")
    session.unregister(name)


def _copy(session: DuckSession, statement: str, target: Path, form: FileFormat, about: str) -> None:
    """Write the rows of a statement to a file; the caller has made sure that nobody reads it yet."""
    if form.format == "parquet":
        options = "FORMAT parquet"
    else:
        compression = "gzip" if form.gzipped else "none"
        options = (
            f"FORMAT csv, HEADER true, DELIMITER {sql.literal(form.delimiter or ',')}, "
            f"QUOTE '\"', ESCAPE '\"', NULLSTR '', COMPRESSION '{compression}'"
        )
    place = sql.literal(str(target))
    session.execute(f"COPY ({statement}) TO {place} ({options}, USE_TMP_FILE false)", about)
