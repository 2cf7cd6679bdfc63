"""`shoal.audit`: measure what holds in a table, whoever made it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Unpack

from shoal.api._alongside_policy import alongside_policy
from shoal.api._door import door
from shoal.api._policy_arguments import with_file_arguments
from shoal.api.read_policy import read_policy
from shoal.auditor import Audited
from shoal.auditor.measure.suppressed_cells import SuppressedCells
from shoal.engines.connection import using
from shoal.engines.sql.engine import SqlEngine
from shoal.errors import PolicyError
from shoal.model.policy.policy import Policy
from shoal.model.policy.policy_arguments import HierarchyLike, policy_of
from shoal.model.policy.typed_arguments import FileArguments
from shoal.model.table.domain import Kind, Value
from shoal.model.table.file_options import FILE_OPTIONS, file_options
from shoal.model.table.file_source import with_options
from shoal.pipeline.audit import OFFENDING, audit_by_policy
from shoal.pipeline.source import original_of, source_of


@door
@alongside_policy("suppressed_cells", "offending", "key", "manifest", "against", "engine", *FILE_OPTIONS)
@with_file_arguments
def audit(
    source: Any,
    *,
    table: str | None = None,
    policy: Policy | str | Path | None = None,
    quasi_identifiers: Sequence[str] | None = None,
    k: int | None = None,
    sensitive: Sequence[str] = (),
    models: Sequence[Any] = (),
    entity: str | None = None,
    linkable: bool = False,
    known_events: int | str | None = None,
    household: str | None = None,
    survey_weight: str | None = None,
    types: Mapping[str, Kind] | None = None,
    orders: Mapping[str, Sequence[Value | float]] | None = None,
    hierarchies: Mapping[str, HierarchyLike] | None = None,
    suppressed_cells: SuppressedCells | None = None,
    offending: int = OFFENDING,
    original: Any = None,
    key: str | None = None,
    manifest: bool = True,
    against: str | Path | None = None,
    engine: SqlEngine | None = None,
    **file: Unpack[FileArguments],
) -> Audited:
    """Measure any table, whoever made it, and compare with what is demanded of it.

    Nothing is raised if a demand does not hold: see `meets` and `failures`. If a manifest is next to
    a file or folder, or in the comment on a table of a database, the table is checked against it.

    Where a policy counts persons by a column that was dropped, they are counted in the original, or else in
    the policy's source, whose rows are paired with those of the table.

    Parameters
    ----------
    source
        A path, a data frame or, with `table`, a connection.
    table
        The table behind a connection.
    policy
        The demands, or their file; in place of all arguments up to `hierarchies`.
    quasi_identifiers
        The columns that make the groups.
    k, models
        What is demanded; nothing by default.
    sensitive
        Columns of which every privacy model's value is measured.
    entity, survey_weight
        The column that identifies persons, and that of survey weights.
    linkable, known_events
        Whether k is demanded of the rows of a person together, and of how many rows that somebody may know:
        a number, or "all" (the default) for whole histories.
    household
        The column that identifies households, if rows are members: k is then demanded of whole households.
    types, orders, hierarchies
        What is known of the columns' values, as in `anonymize`.
    suppressed_cells
        What `*` is taken for: "value", "wildcard" or "conservative"; by default what the policy's `reading`
        says, and else "value".
    offending
        How many of the groups that break a demand to describe.
    original
        The table that it was made from, as a path, a data frame or a `TableSource`: every cell must be true
        of it.
    key
        The column by which rows of both tables are paired; when absent, by their order.
    manifest
        Whether a manifest that belongs to the table is checked against it.
    against
        The release that the table extends: rows that are alike in both, joined or left must be k, too. Both
        registers must be next to their files.
    engine
        An engine with other limits than the default.

    Examples
    --------
    >>> audited = shoal.audit("release.csv", quasi_identifiers=["age", "sex", "zip", "quarter"], k=5)
    >>> audited.meets, audited.k, audited.failures
    >>> shoal.audit("stays.csv", quasi_identifiers=["age", "sex"], entity="patient").linked.sentence
    """
    stated = {
        "quasi_identifiers": quasi_identifiers,
        "k": k,
        "sensitive": sensitive,
        "models": models,
        "entity": entity,
        "linkable": linkable or None,
        "known_events": known_events,
        "household": household,
        "survey_weight": survey_weight,
        "types": types,
        "orders": orders,
        "hierarchies": hierarchies,
    }
    if policy is not None:
        stated_policy = policy if isinstance(policy, Policy) else read_policy(policy)
        demanded: int | None = stated_policy.k
    else:
        if not quasi_identifiers:
            raise PolicyError('name the quasi-identifiers: quasi_identifiers=["age"], or give a policy')
        stated_policy, demanded = policy_of(**{**stated, "k": 1 if k is None else k}), k  # type: ignore[arg-type]
    opened_table = with_options(source_of(source, table, stated_policy), file_options(file))
    with using(engine, opened_table) as opened:
        return audit_by_policy(
            opened,
            opened_table,
            stated_policy,
            k=demanded,
            suppressed_cells=suppressed_cells,
            offending=offending,
            original=original_of(original, stated_policy),
            key=key,
            manifest=manifest,
            against=None if against is None else Path(against),
            lenient=policy is not None,
        )
