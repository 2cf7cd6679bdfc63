"""Checks in a written table that companions and structs say what its labels say."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from shoal.auditor.measure.companions import companion_fault, members_fault
from shoal.engines.sql.engine import SqlEngine
from shoal.model.result.column_coding import coding_of
from shoal.model.table.domain import Domain


def additions_fault(
    engine: SqlEngine, source: Any, facts: Mapping[str, Any], domains: Mapping[str, Domain] | None = None
) -> str | None:
    """What is wrong with them, in words; `None` if nothing is.

    Parameters
    ----------
    engine, source
        The table.
    facts
        Its recoding and its columns, as the manifest has them.
    domains
        The values of the source by column, if they are known.
    """
    stated = facts.get("columns", {})
    structs = engine.struct_fields(source) if any(each.get("nested") for each in stated.values()) else {}
    present = engine.columns(source)
    for column, recoded in facts.get("recoding", {}).items():
        names, nested = stated.get(column, {}).get("companions", []), stated.get(column, {}).get("nested")
        if recoded is None or not (names or nested):
            continue
        lost = [name for name in names if name not in present]
        if lost:
            return f"the companion {lost[0]!r} of column {column!r} is not there"
        lines = []
        if names:
            cells = engine.cells(source, [column, *names])
            texts = [cells.texts(name) for name in cells.columns]
            lines = [tuple(text[code] for text, code in zip(texts, row, strict=True)) for row in cells.codes]
        kind, fields = structs.get(column, ("", []))
        labels = [line[0] for line in (*lines, *fields)]
        coding = coding_of(facts, column, labels)
        domain = None if domains is None else domains[column]
        faults = [companion_fault(lines, coding, domain)]
        if nested and column not in structs:
            faults.append("it should be a struct, and is none")
        elif kind == "bounds":
            faults.append(companion_fault(fields, coding, domain))
        elif kind:
            faults.append(members_fault(fields, coding))
        found = next((each for each in faults if each is not None), None)
        if found is not None:
            return f"column {column!r}: {found}"
    return None
