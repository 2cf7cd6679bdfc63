"""Quasi-identifiers as structs in a Parquet file: the label, and its bounds or its values.

The file itself lists the columns that are structs of this kind, so that whoever reads it with Shoal gets the
labels, also before it has a manifest.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

from sqlglot import exp

from shoal.engines.duckdb.session import DuckSession, literal, quoted
from shoal.engines.sql import pieces as sql
from shoal.engines.sql.recoding import bound
from shoal.engines.sql.session import Session
from shoal.model.table.companion import NestedColumn

KEY = "shoal_nested"
FIELDS = {"bounds": ("low", "high"), "values": ("values",)}
"""What a struct has in addition to its label, by its kind."""


def packed(session: Session, column: NestedColumn, label: exp.Expr, number: exp.Expr) -> exp.Expr:
    """SQL for the struct of a released value.

    Parameters
    ----------
    session
        Where it is written.
    column
        The column.
    label, number
        SQL for the label of a row, and for the number of its released value.
    """
    fields = {"label": label}
    if column.members is None:
        for name, companion in zip(FIELDS["bounds"], column.bounds, strict=True):
            fields[name] = _shown(bound(session, companion, number, typed=True))
    else:
        lists = [exp.null() if each is None else _list(each) for each in column.members]
        every = exp.cast(exp.Array(expressions=lists), "VARCHAR[][]", dialect="duckdb")
        members = sql.fragment("list_extract(:lists, :number + 1)", lists=every, number=number)
        fields["values"] = _shown(members)
    return exp.Struct(
        expressions=[
            exp.PropertyEQ(this=exp.to_identifier(name), expression=value) for name, value in fields.items()
        ]
    )


def _shown(cell: exp.Expr) -> exp.Expr:
    return sql.fragment("CASE WHEN kept THEN :cell END", cell=cell)


def _list(members: Sequence[str | None]) -> exp.Expr:
    return exp.Array(expressions=[sql.text(member) for member in members])


def stated(columns: Sequence[NestedColumn]) -> str:
    """What the file says of its structs, as an option of COPY; empty if it has none."""
    if not columns:
        return ""
    kinds = {each.column: "bounds" if each.members is None else "values" for each in columns}
    return f", KV_METADATA {{{KEY}: {literal(json.dumps(kinds, ensure_ascii=False))}}}"


def structs_of(session: DuckSession, readable: str, about: str) -> Mapping[str, str]:
    """The columns of a Parquet file that are structs of labels, each with its kind."""
    found = session.fetched(
        f"SELECT decode(value) FROM parquet_kv_metadata({literal(readable)}) "
        f"WHERE key = {literal(KEY)}::BLOB",
        about,
    )
    return json.loads(found[0][0]) if found else {}


def labels_of(relation: str, structs: Mapping[str, str]) -> str:
    """A query for a file in which structs are read as their labels."""
    if not structs:
        return f"SELECT * FROM {relation}"
    labels = ", ".join(f"{quoted(name)}.label AS {quoted(name)}" for name in structs)
    return f"SELECT * REPLACE ({labels}) FROM {relation}"


def fields_of(relation: str, column: str, kind: str) -> str:
    """A query for the label of a struct, and for its other fields as texts."""
    name = quoted(column)
    fields = [
        f"to_json({name}.{field})::VARCHAR AS {field}"
        if kind == "values"
        else f"{name}.{field}::VARCHAR AS {field}"
        for field in FIELDS[kind]
    ]
    return f"SELECT DISTINCT {name}.label AS label, {', '.join(fields)} FROM {relation}"
