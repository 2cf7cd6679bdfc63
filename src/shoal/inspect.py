"""A door for those without a policy yet: a table in; its columns, likely roles and unique rows out."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import nullcontext
from typing import Any

from shoal.engines.connection import engine_for
from shoal.engines.sql_engine import SqlEngine
from shoal.errors import PolicyError
from shoal.model.attribute import Role
from shoal.model.door import door
from shoal.model.inspected import Inspected, InspectedColumn
from shoal.model.likely_role import likely_role
from shoal.model.looks import looked
from shoal.model.names import hint
from shoal.request import source_of


@door
def inspect(
    source: Any,
    *,
    table: str | None = None,
    quasi_identifiers: Sequence[str] = (),
    engine: SqlEngine | None = None,
) -> Inspected:
    """Look at a table before there is a policy for it; no cell is shown.

    Parameters
    ----------
    source, table
        As of `anonymize`.
    quasi_identifiers
        Columns whose uniqueness together to measure; the likely quasi-identifiers when absent.
    engine
        An engine with other limits than the default.
    """
    opened = source_of(source, table, None)
    with nullcontext(engine) if engine is not None else engine_for(opened) as found:
        rows, facts = found.inspect(opened)
        if rows == 0:
            raise PolicyError(
                "the table has no rows, only columns; there is nothing to inspect until it has some"
            )
        columns = []
        seen = found.look(opened, rows, [each.name for each in facts])
        for each in facts:
            known = rows - each.missing
            look = looked(seen.told(each.name), share=each.distinct / known) if known else None
            role, reason = likely_role(each.name, rows=known, distinct=each.distinct, look=look)
            columns.append(
                InspectedColumn(
                    name=each.name,
                    kind=each.kind,
                    missing=each.missing,
                    distinct=each.distinct,
                    likely_role=role,
                    reason=reason,
                )
            )
        names = [each.name for each in columns]
        likely = [each.name for each in columns if each.likely_role is Role.QUASI_IDENTIFIER]
        chosen = tuple(quasi_identifiers or likely)
        for name in chosen:
            if name not in names:
                raise PolicyError(f"the table has no column {name!r}.{hint(name, names)}")
        together = found.uniqueness(opened, chosen) if chosen else None
    return Inspected(
        rows=rows,
        columns=tuple(columns),
        quasi_identifiers=chosen,
        groups=None if together is None else together.groups,
        unique_rows=None if together is None else together.unique_rows,
    )
