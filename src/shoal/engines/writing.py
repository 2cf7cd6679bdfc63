"""The recoded rows, written by DuckDB or handed out as a frame, in the order of the source."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from shoal.engines import sql
from shoal.engines.file import FileFormat
from shoal.engines.frame import Frame, Replacement
from shoal.engines.recoding import Plan, label
from shoal.engines.session import Session
from shoal.engines.table import FrameTable, StoredTable
from shoal.model.domain import SUPPRESSED


def write_file(session: Session, table: StoredTable, plan: Plan, target: Path) -> None:
    """Recode a file into another; a release that is named .csv keeps the delimiter of a source that is."""
    recoded = {column.name: index for index, column in enumerate(plan.columns)}
    inner = [
        f"{table.cell(name) if name in recoded else sql.name(name)} AS c{i}"
        for i, name in enumerate(table.columns)
    ]
    inner += [f"{column.interval} AS i{index}" for index, column in enumerate(plan.columns)]
    masked = plan.suppressed == "mask"
    outer = []
    for position, name in enumerate(table.columns):
        if name in plan.dropped:
            continue
        cell, otherwise = f"c{position}", "NULL"
        if name in recoded and not plan.columns[recoded[name]].as_it_was:
            cell = label(plan.columns[recoded[name]], f"i{recoded[name]}")
            otherwise = sql.literal(SUPPRESSED)
        # A suppressed row that kept its other cells could still be recognized by them: it keeps none.
        outer.append(
            f"{f'CASE WHEN kept THEN {cell} ELSE {otherwise} END' if masked else cell} AS {sql.name(name)}"
        )
    kept = plan.kept.test([f"i{index}" for index in range(len(plan.columns))])
    statement = (
        f"SELECT {', '.join(outer)} FROM (SELECT *, {kept} AS kept FROM "
        f"(SELECT {', '.join(inner)} FROM {table.relation(table.columns)}))"
        + ("" if masked else " WHERE kept")
    )
    form, source = FileFormat.of(target), FileFormat.of(table.file.path)
    if form.format == source.format and form.delimiter == source.delimiter:
        form = replace(form, delimiter=table.file.stored.delimiter)
    _copy(session, statement, target, form, table.about)


def write_frame(session: Session, table: FrameTable, plan: Plan) -> Any:
    """Recode a data frame into another of the same kind."""
    relation = table.relation([column.name for column in plan.columns])
    intervals = ", ".join(f"{column.interval} AS i{index}" for index, column in enumerate(plan.columns))
    kept = plan.kept.test([f"i{index}" for index in range(len(plan.columns))])
    arrays = session.arrays(
        f"SELECT *, {kept} AS kept FROM (SELECT {intervals} FROM {relation})", table.about
    )
    session.unregister(relation)
    kept_rows = np.asarray(arrays["kept"], np.bool_)
    frame: Frame = table.frame
    new: dict[str, Replacement] = {}
    for index, column in enumerate(plan.columns):
        if column.as_it_was:
            frame = frame.canonical(column.name)
            continue
        choices = np.asarray(arrays[f"i{index}"], np.int64)
        new[column.name] = Replacement(
            (*column.labels, SUPPRESSED), np.where(kept_rows, choices, len(column.labels))
        )
    frame = frame.replaced(new).without(plan.dropped)
    if plan.suppressed == "drop":
        return frame.filtered(kept_rows).native
    return (
        frame.blanked(kept_rows, _others(frame.columns, plan)).native if not kept_rows.all() else frame.native
    )


def _others(columns: Sequence[str], plan: Plan) -> list[str]:
    recoded = {column.name for column in plan.columns}
    return [name for name in columns if name not in recoded]


def store_frame(session: Session, native: object, target: Path) -> None:
    """Write a data frame to a file."""
    name = session.register_frame("release", native, "the data frame")
    _copy(session, f"SELECT * FROM {name}", target, FileFormat.of(target), "the data frame")
    session.unregister(name)


def _copy(session: Session, statement: str, target: Path, form: FileFormat, about: str) -> None:
    """Write the rows of a statement to a file; the caller has made sure that nobody reads it yet."""
    if form.format == "parquet":
        options = "FORMAT parquet"
    else:
        compression = "gzip" if form.gzipped else "none"
        options = (
            f"FORMAT csv, HEADER true, DELIMITER {sql.literal(form.delimiter or ',')}, QUOTE '\"', ESCAPE '\"', "
            f"NULLSTR '', COMPRESSION '{compression}'"
        )
    session.execute(
        f"COPY ({statement}) TO {sql.literal(str(target))} ({options}, USE_TMP_FILE false)", about
    )
