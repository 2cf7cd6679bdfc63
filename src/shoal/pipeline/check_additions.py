"""Checks in a written table that companions and structs say what its labels say."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from shoal.auditor.measure.companions import Line, companion_fault, members_fault
from shoal.engines.sql.engine import SqlEngine
from shoal.model.result.column_coding import coding_of
from shoal.model.table.domain import Domain

Known = tuple[Domain, Collection[int]]


def additions_fault(
    engine: SqlEngine, source: Any, facts: Mapping[str, Any], known: Mapping[str, Known] | None = None
) -> str | None:
    """What is wrong with them, in words; `None` if nothing is.

    Parameters
    ----------
    engine, source
        The table.
    facts
        Its recoding and its columns, as the manifest has them.
    known
        For each column the values of the source and the codes that released rows have, if they are known.
    """
    stated = facts.get("columns", {})
    structs = engine.struct_fields(source) if any(each.get("nested") for each in stated.values()) else {}
    present = engine.columns(source)
    for column in facts.get("recoding", {}):
        names, nested = stated.get(column, {}).get("companions", []), stated.get(column, {}).get("nested")
        if not names and not nested:
            continue
        lost = [name for name in names if name not in present]
        if lost:
            return f"the companion {lost[0]!r} of column {column!r} is not there"
        if nested and column not in structs:
            return f"column {column!r} should be a struct, and is none"
        lines = _lines(engine, source, [column, *names]) if names else []
        kind, fields = structs[column] if nested else ("bounds", [])
        coding = coding_of(facts, column, [line[0] for line in (*lines, *fields)])
        of_source = () if known is None else known[column]
        fault = companion_fault(lines, coding, *of_source) or (
            companion_fault(fields, coding, *of_source) if kind == "bounds" else members_fault(fields, coding)
        )
        if fault is not None:
            return f"column {column!r}: {fault}"
    return None


def _lines(engine: SqlEngine, source: Any, columns: Sequence[str]) -> list[Line]:
    """Every combination of cells of some columns, once."""
    cells = engine.cells(source, columns)
    texts = [cells.texts(name) for name in columns]
    return [tuple(text[code] for text, code in zip(texts, row, strict=True)) for row in cells.codes]
