"""Columns that the audit needs for each written row and the release lacks: the person, and the survey weight.

Columns that identify persons are mostly dropped. Their codes, never their cells, are kept until the session
ends: for files and frames in the order of the written rows, in the session's private folder or in memory; for
tables and folders, whose rows have no order, with a copy of the written rows in a table of the session. For
ordered rows the number of each released value is kept as well: if the written rows were in another order, one
number would have two labels.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from sqlglot import exp

from shoal.engines._base import Application, AuditColumns, Counted
from shoal.engines.duckdb.folder import FolderTable
from shoal.engines.duckdb.session import DuckSession, literal
from shoal.engines.duckdb.writing import recoded
from shoal.engines.sql import pieces as sql
from shoal.engines.sql.recoding import plan
from shoal.engines.sql.table import DatabaseTable, FrameTable, StoredTable
from shoal.errors import PolicyError

PERSON = "shoal_person_{}_"
WEIGHT = "shoal_weight_"
LABEL = "shoal_label_{}_"
"""Names that no column of a source has: DuckDB would rename one of two columns with the same name."""


def audit_columns(
    table: DatabaseTable | FrameTable, counted: Counted, application: Application
) -> AuditColumns | None:
    """The columns to keep for the rows that the application writes; `None` if the release has all of them."""
    evidence, session = counted.evidence, table.session
    columns = tuple(name for name in counted.persons if name in application.dropped)
    weight = evidence.survey_weight if evidence.survey_weight in application.dropped else None
    if not columns and weight is None:
        return None
    cells = [
        exp.alias_(counted.persons[name].value, PERSON.format(index)) for index, name in enumerate(columns)
    ]
    if weight is not None:
        cells.append(exp.alias_(table.millionths(weight), WEIGHT))
    joins = [each.join for name in columns if (each := counted.persons[name]).join is not None]
    prepared = plan(session, counted, application)
    own = (domain.name for domain in counted.frequencies.domains)
    names = list(dict.fromkeys([*own, *columns, *prepared.lookup.reads]))
    with table.weighed(names, weight) as relation:
        if isinstance(table, DatabaseTable) and not _in_order(table):
            _check_names(table, cells)
            rows = recoded(table, prepared, relation, typed=True, also=cells, joins=joins)
            place = session.keep("audit", rows, table.about)
            if isinstance(table, StoredTable):
                table.file.check_unchanged()
            (count,) = session.row(exp.select("count(*)").from_(place), table.about)
            return AuditColumns(columns=columns, weighs=weight is not None, rows=int(count), place=place)
        assert isinstance(session, DuckSession)
        rows = prepared.lookup.rows(table, cells, relation)
        labels = tuple(column.name for column in prepared.columns)
        numbers = [
            exp.alias_(sql.fragment(f"CASE WHEN kept THEN i{at} ELSE -1 END"), LABEL.format(at))
            for at in range(len(labels))
        ]
        kept = exp.select(*(cell.alias for cell in cells), *numbers).from_(rows.subquery("w"))
        kept = kept if prepared.suppressed == "mask" else kept.where("kept")
        if isinstance(table, StoredTable):
            file = session.folder / f"{session.fresh('audit')}.parquet"
            session.run(
                f"COPY ({session.rendered(kept)}) TO {literal(str(file))} (FORMAT parquet)", table.about
            )
            table.file.check_unchanged()
            stored = session.view("kept", f"SELECT * FROM read_parquet({literal(str(file))})", table.about)
            (count,) = session.row(exp.select("count(*)").from_(stored), table.about)
            return AuditColumns(
                columns=columns, weighs=weight is not None, rows=int(count), place=file, labels=labels
            )
        arrays = session.arrays(kept, table.about)
    plain = {name: np.asarray(array) for name, array in arrays.items()}
    return AuditColumns(
        columns=columns,
        weighs=weight is not None,
        rows=len(next(iter(plain.values()))),
        place=plain,
        labels=labels,
    )


def _in_order(table: DatabaseTable) -> bool:
    """Whether the written rows are in the source's order; those of a folder are ordered by partitions."""
    return isinstance(table, StoredTable) and not isinstance(table.file, FolderTable)


def _check_names(table: DatabaseTable, cells: Sequence[exp.Expr]) -> None:
    conflicts = {cell.alias for cell in cells} & {name.lower() for name in table.columns}
    if conflicts:
        raise PolicyError(
            f"{table.about} has a column {conflicts.pop()!r}, a name that Shoal needs; rename it"
        )
