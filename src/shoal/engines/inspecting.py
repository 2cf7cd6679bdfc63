"""Facts about the columns of a file: types, missing cells, distinct values, uniqueness together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from shoal.engines import sql
from shoal.engines.duckdb_session import DuckSession
from shoal.engines.table import StoredTable
from shoal.engines.values import guess
from shoal.model.domain import Kind

EXACT_ROWS = 2_000_000
"""In larger tables distinct values are estimated: to count them, every value would have to be held."""
SAMPLED_VALUES = 10_000


@dataclass(frozen=True, kw_only=True)
class ColumnFacts:
    """What is known of one column.

    Parameters
    ----------
    name, kind
        The column, and how its values would be read.
    missing, distinct
        Missing cells, and distinct values of the others; approximate in large tables.
    """

    name: str
    kind: Kind
    missing: int
    distinct: int


@dataclass(frozen=True, kw_only=True)
class Uniqueness:
    """How well some columns together tell rows apart.

    Parameters
    ----------
    groups
        Distinct combinations.
    unique_rows
        Rows that no other row is equal to.
    """

    groups: int
    unique_rows: int


def column_facts(session: DuckSession, table: StoredTable) -> tuple[int, list[ColumnFacts]]:
    """The number of rows, and the facts of each column, by one pass over the rows."""
    about = table.about
    with table.selected(table.columns) as relation:
        (rows,) = session.row(f"SELECT count(*) FROM {relation}", about)
        counted = "count(DISTINCT {0})" if rows <= EXACT_ROWS else "approx_count_distinct({0})"
        wanted = [f"count({cell}), {counted.format(cell)}" for cell in map(table.cell, table.columns)]
        numbers = session.row(f"SELECT {', '.join(wanted)} FROM {relation}", about)
        facts = []
        for index, name in enumerate(table.columns):
            known, distinct = numbers[2 * index], numbers[2 * index + 1]
            kind = table.kind(name) or _guessed(session, relation, name, about)
            facts.append(
                ColumnFacts(name=name, kind=kind, missing=rows - known, distinct=min(distinct, known))
            )
    return rows, facts


def _guessed(session: DuckSession, relation: str, name: str, about: str) -> Kind:
    column = sql.name(name)
    found = session.rows(f"SELECT DISTINCT {column} FROM {relation} LIMIT {SAMPLED_VALUES}", about)
    return guess([cell for (cell,) in found if cell])


def uniqueness(session: DuckSession, table: StoredTable, columns: Sequence[str]) -> Uniqueness:
    """How well the columns together tell rows apart."""
    cells = ", ".join(f"{table.cell(name)} AS g{index}" for index, name in enumerate(columns))
    with table.selected(columns) as relation:
        groups, unique_rows = session.row(
            "SELECT count(*), count(*) FILTER (n = 1) FROM "
            f"(SELECT {cells}, count(*) AS n FROM {relation} GROUP BY ALL)",
            table.about,
        )
    return Uniqueness(groups=groups, unique_rows=unique_rows)
