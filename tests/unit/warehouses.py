"""Runs printed SQL where the printed dialect cannot run: read back by sqlglot, on DuckDB."""

from __future__ import annotations

import datetime
from collections import Counter
from collections.abc import Sequence
from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb
import pyarrow
import pyarrow.parquet
import sqlglot
from sqlglot import exp

import shoal
from shoal import RecodingSql
from shoal.model.policy.policy import Policy
from shoal.model.policy.policy_arguments import policy_of
from tests.paper_setting import as_in_the_paper

Rows = Counter[tuple[str | None, ...]]


def shown(cell: Any) -> str | None:
    """A cell as a reader sees it, whatever type holds it."""
    if cell is None or (isinstance(cell, float) and cell != cell):
        return None
    if isinstance(cell, bool):
        return "true" if cell else "false"
    if isinstance(cell, int | float | Decimal):
        return str(int(cell)) if cell == int(cell) else repr(float(cell))
    if isinstance(cell, datetime.datetime):
        if cell.tzinfo is not None:
            cell = cell.astimezone(datetime.UTC)
        return cell.isoformat(sep=" ").removesuffix(" 00:00:00")
    return cell.isoformat() if isinstance(cell, datetime.date) else str(cell)


def multiset(rows: Any) -> Rows:
    """Rows with their number, in no order."""
    return Counter(tuple(map(shown, row)) for row in rows)


def policy_for(table: pyarrow.Table, folder: Path, **asked: Any) -> Policy:
    """A policy on a Parquet file of the table, in the paper's setting where it states nothing else."""
    path = folder / "people.parquet"
    pyarrow.parquet.write_table(table, path)
    return policy_of(source=path, **as_in_the_paper(**asked))


def released(policy: Policy, folder: Path) -> Rows:
    """What `anonymize` releases."""
    target = folder / "release.parquet"
    shoal.anonymize(policy=policy, path=target)
    found = pyarrow.parquet.read_table(target)
    return multiset(zip(*(column.to_pylist() for column in found.columns), strict=True))


def connected(table: pyarrow.Table) -> duckdb.DuckDBPyConnection:
    """A warehouse with the table people in it."""
    connection = duckdb.connect()
    connection.execute("SET TimeZone = 'UTC'")
    connection.register("given", table)
    connection.execute("CREATE TABLE people AS FROM given")
    return connection


def selected(found: RecodingSql, table: pyarrow.Table | duckdb.DuckDBPyConnection) -> Rows:
    """What the printed query selects from a warehouse, or from one with the table."""
    if isinstance(table, pyarrow.Table):
        with connected(table) as connection:
            return selected(found, connection)
    text = str(found.rewritten(form="select"))
    return multiset(table.execute(read_back(text, found.script.dialect)).fetchall())


def read_back(text: str, dialect: str) -> str:
    """SQL of any dialect as DuckDB reads it."""
    if dialect == "duckdb":
        return text
    (statement,) = sqlglot.parse(text, read=dialect)
    assert statement is not None
    return statement.transform(_plainly).sql(dialect="duckdb")


def _plainly(node: exp.Expr) -> exp.Expr:
    """Without what makes other engines compare text as DuckDB always does, and lengths that it has not."""
    if isinstance(node, exp.DataType) and node.this == exp.DataType.Type.VARCHAR:
        return exp.DataType.build("text")
    if isinstance(node, exp.Collate):
        return node.this
    if isinstance(node, exp.Cast) and node.to.this in (exp.DataType.Type.BINARY, exp.DataType.Type.VARBINARY):
        return node.this
    if isinstance(node, exp.National):
        return exp.Literal.string(node.name)
    return node


def smallest_group(rows: Rows, places: Sequence[int]) -> int | None:
    """Least rows that are alike in some columns, without rows that are all masked."""
    sizes: Counter[tuple[str | None, ...]] = Counter()
    for row, count in rows.items():
        sizes[tuple(row[place] for place in places)] += count
    return min((count for key, count in sizes.items() if set(key) != {"*"}), default=None)
