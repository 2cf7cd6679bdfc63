"""`shoal.inspect`: the columns of a table, their likely roles, and how many rows are unique."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Unpack

from shoal.api._alongside_policy import alongside_policy
from shoal.api._door import door
from shoal.api._policy_arguments import with_file_arguments
from shoal.api._stated_cells import Markers, stated_cells
from shoal.api.read_policy import read_policy
from shoal.auditor.measure.leaks import leaks
from shoal.engines.connection import using
from shoal.engines.sql.engine import SqlEngine
from shoal.errors import PolicyError
from shoal.model.order.arrangement import SORTED
from shoal.model.order.recognised import recognised
from shoal.model.policy.attribute import Role
from shoal.model.policy.policy import Policy
from shoal.model.policy.typed_arguments import FileArguments
from shoal.model.result.coded_warning import CodedWarning
from shoal.model.suggestion import suggestion
from shoal.model.table.file_options import FILE_OPTIONS, file_options
from shoal.model.table.file_source import with_options
from shoal.model.table.inspected import ColumnFacts, Inspected, InspectedColumn
from shoal.model.table.likely_role import likely_role
from shoal.model.table.roles.together import MUCH, adds
from shoal.model.table.table_sample import TableSample
from shoal.pipeline.source import source_of

MOST_CATEGORIES = 2_000
"""Values that are looked at for an order that they have by themselves."""


@door
@alongside_policy("engine", *FILE_OPTIONS)
@with_file_arguments
def inspect(
    source: Any = None,
    policy: Policy | str | Path | None = None,
    *,
    table: str | None = None,
    quasi_identifiers: Sequence[str] = (),
    missing: Markers | None = None,
    formats: Mapping[str, str] | None = None,
    engine: SqlEngine | None = None,
    **file: Unpack[FileArguments],
) -> Inspected:
    """Look at a table before it is released, with or without a policy for it; no cell is shown.

    Parameters
    ----------
    source, table
        As of `anonymize`.
    policy
        A policy or its file: then its quasi-identifiers are looked at together, and `warnings` has what a
        release by it would warn of in columns that stay unchanged.
    quasi_identifiers
        Columns whose uniqueness together to measure; the likely quasi-identifiers when absent.
    missing
        Texts that mean "missing", in all columns or by column; without a policy, which states its own.
    formats
        By column how numbers or dates are written, as in "1.234,5" or "DD.MM.YYYY"; likewise.
    engine
        An engine with other limits than the default.

    Examples
    --------
    >>> inspected = shoal.inspect("stays.csv")
    >>> inspected.with_role(shoal.Role.QUASI_IDENTIFIER)
    """
    if policy is not None:
        policy = policy if isinstance(policy, Policy) else read_policy(policy)
        quasi_identifiers = [quasi_identifier.name for quasi_identifier in policy.quasi_identifiers]
    stated = with_options(source_of(source, table, policy, described=True), file_options(file))
    with using(engine, stated) as opened_engine:
        opened = opened_engine.read_once(stated)
        attributes = (
            stated_cells(opened_engine.columns(opened), missing, formats)
            if policy is None
            else policy.attributes
        )
        rows, facts = opened_engine.inspect(opened, attributes)
        if rows == 0:
            raise PolicyError(
                "the table has no rows, only columns; there is nothing to inspect until it has some"
            )
        columns = []
        seen = opened_engine.sample_table(opened, rows, [each.name for each in facts])
        for measured in facts:
            known = rows - measured.missing
            role, reason, evidence = likely_role(
                measured.name,
                rows=known,
                distinct=measured.distinct,
                texts=seen.informative(measured.name),
            )
            columns.append(
                InspectedColumn(
                    name=measured.name,
                    kind=measured.kind,
                    missing=measured.missing,
                    distinct=measured.distinct,
                    reading=measured.reading,
                    likely_role=role,
                    reason=reason,
                    evidence=evidence,
                    order=_order(opened_engine, opened, measured, role),
                )
            )
        columns = _together(columns, seen)
        names = [column.name for column in columns]
        likely = [column.name for column in columns if column.likely_role is Role.QUASI_IDENTIFIER]
        chosen = tuple(quasi_identifiers or likely)
        for name in chosen:
            if name not in names:
                raise PolicyError(f"the table has no column {name!r}.{suggestion(name, names)}")
        warnings: tuple[CodedWarning, ...] = ()
        if policy is not None:
            # What a treatment leaves of a column is looked at when it is released.
            kept = [name for name in names if name not in policy.treatments]
            warnings = leaks(opened_engine, opened, policy, rows=rows, released=kept)
        reading = opened_engine.reading(opened)
        together = opened_engine.uniqueness(opened, chosen) if chosen else None
    return Inspected(
        rows=rows,
        columns=tuple(columns),
        quasi_identifiers=chosen,
        groups=None if together is None else together.groups,
        unique_rows=None if together is None else together.unique_rows,
        warnings=warnings,
        reading=reading,
    )


def _together(columns: Sequence[InspectedColumn], seen: TableSample) -> list[InspectedColumn]:
    """The columns, with a word about those that nothing else speaks of and that add much uniqueness.

    They keep their role: that a blood value makes a row unique does not mean that others know it.
    """
    likely = [column.name for column in columns if column.likely_role is Role.QUASI_IDENTIFIER]
    return [
        replace(
            column,
            reason="with the others it makes many more rows unique; can others know it?",
            evidence="together",
        )
        if column.evidence == "nothing" and adds(column.name, likely, seen.texts) >= MUCH
        else column
        for column in columns
    ]


def _order(engine: SqlEngine, source: Any, column: ColumnFacts, role: Role) -> str | None:
    """Where the order of a quasi-identifier's categories would come from; `None` for what is none."""
    named = role in (Role.IDENTIFIER, Role.SENSITIVE)
    if named or column.kind != "category" or column.distinct < 2:
        return None
    if column.distinct <= MOST_CATEGORIES:
        found = recognised(engine.sample(source, column.name, column.distinct + 1).texts)
        if found is not None:
            return found.arrangement.words
    return SORTED.words if column.distinct == 2 else "from the data"
