"""Releases a table of PostgreSQL as a file: its recoded rows are streamed as Arrow, and DuckDB writes them.

Types that the Arrow driver does not know are sent as text. Decimals with a fixed number of digits become
decimals again; others, like UUIDs and arrays, stay text in the file.
"""

from __future__ import annotations

from pathlib import Path

from sqlglot import exp

from shoal.engines._base import Application, Counted
from shoal.engines.duckdb.engine import DuckDB
from shoal.engines.duckdb.file import FileFormat
from shoal.engines.duckdb.writing import copy, recoded
from shoal.engines.postgres.session import PostgresSession
from shoal.engines.sql import cell_type
from shoal.engines.sql import pieces as sql
from shoal.engines.sql.recoding import plan
from shoal.engines.sql.table import DatabaseTable
from shoal.errors import PolicyError

_STREAMED = (
    cell_type.TEXT,
    cell_type.INTEGER,
    cell_type.FLOAT,
    cell_type.BOOLEAN,
    cell_type.DATE,
    cell_type.TIMESTAMP,
)


def check_auditable(counted: Counted, application: Application) -> None:
    """Refuse what the audit cannot measure in a file: rows of a database have no order to match them by."""
    counted_columns = (*counted.persons, counted.evidence.survey_weight)
    dropped = [name for name in counted_columns if name is not None and name in application.dropped]
    if dropped:
        raise PolicyError(
            f"column {dropped[0]!r} is dropped, but the audit needs it; release to a table of the database, "
            "which can keep it for the audit, or keep the column"
        )


def write(
    session: PostgresSession,
    files: DuckDB,
    table: DatabaseTable,
    counted: Counted,
    application: Application,
    target: Path,
) -> None:
    """Write the recoded rows of a table to a file."""
    check_auditable(counted, application)
    form = FileFormat.of(target)
    about = f"the release of {table.about}"
    prepared = plan(session, counted, application)
    query = recoded(table, prepared, table.relation, typed=form.format == "parquet")
    labelled = {column.name for column in prepared.columns if not column.unchanged}
    labelled |= {each.name for each in prepared.companions}
    sent, read = [], []
    for name in query.named_selects:
        cell = sql.column(name)
        plain = name in labelled or table.types[name] in _STREAMED
        sent.append(cell if plain else exp.alias_(sql.as_text(cell), name, quoted=True))
        decimal = None if plain else session.decimal(table.relation, name)
        kept = exp.cast(cell, decimal, dialect="duckdb") if decimal is not None else cell
        read.append(exp.alias_(kept, name, quoted=True))
    with session.streamed(exp.select(*sent).from_(query.subquery("s")), about) as reader:
        streamed = files.session.upload_frame("streamed", reader, about)
        copy(files.session, exp.select(*read).from_(streamed), target, form, about)
        files.session.forget(streamed)
