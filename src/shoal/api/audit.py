"""The door of the audit: any table in, what it holds out. Knows nothing of how the table was made."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Any

from shoal.api._alongside_policy import alongside_policy
from shoal.api._door import door
from shoal.api.read_policy import read_policy
from shoal.auditor import Audited, AuditRequest, audit_table
from shoal.auditor.manifest_check import ManifestCheck
from shoal.auditor.measure.leaks import leaks
from shoal.auditor.measure.suppressed_cells import SuppressedCells, check_reading
from shoal.engines.connection import engine_for
from shoal.engines.sql.engine import SqlEngine
from shoal.engines.sql.table import StoredTable
from shoal.errors import PolicyError
from shoal.model.policy.attribute import Role
from shoal.model.policy.policy import Policy
from shoal.model.policy.policy_arguments import HierarchyLike, policy_of
from shoal.model.result.coded_warning import CodedWarning
from shoal.model.result.manifest_facts import ManifestError
from shoal.model.suggestion import suggestion
from shoal.model.table.domain import Kind, Value
from shoal.model.table.table_source import TableSource
from shoal.pipeline.check_manifest import checked_against, faulty, manifest_of
from shoal.pipeline.lost_columns import Lost, OriginalFacts, compared_with_original
from shoal.pipeline.plan import algorithm_of, check_models, check_names, models_of, source_of

OFFENDING = 20
"""How many offending groups are described if nothing else is said."""


@door
@alongside_policy("suppressed_cells", "offending", "key", "manifest", "engine")
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
    survey_weight: str | None = None,
    types: Mapping[str, Kind] | None = None,
    orders: Mapping[str, Sequence[Value | float]] | None = None,
    hierarchies: Mapping[str, HierarchyLike] | None = None,
    suppressed_cells: SuppressedCells | None = None,
    offending: int = OFFENDING,
    original: Any = None,
    key: str | None = None,
    manifest: bool = True,
    engine: SqlEngine | None = None,
) -> Audited:
    """Measure any table, whoever made it, and compare with what is demanded of it.

    Nothing is raised if a demand does not hold: `meets` tells, and `failures` why. If a manifest lies beside
    a file or folder, or is the comment on a table of a database, the two are held against each other.

    Where a policy counts persons by a column that was dropped, they are counted in the original, or else in
    the policy's source, whose rows are paired with those of the table.

    Parameters
    ----------
    source
        A path, a data frame or, with `table`, a connection.
    table
        The table behind a connection.
    policy
        What is demanded, or the file that says it; in the place of all arguments up to `hierarchies`.
    quasi_identifiers
        The columns that make the groups.
    k, models
        What is demanded; nothing by default.
    sensitive
        Columns of which every privacy model's value is measured.
    entity, survey_weight
        The column that tells persons apart, and that of survey weights.
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
        Whether a manifest that belongs to the table is held against it.
    engine
        An engine with other limits than the default.
    """
    stated = {
        "quasi_identifiers": quasi_identifiers,
        "k": k,
        "sensitive": sensitive,
        "models": models,
        "entity": entity,
        "survey_weight": survey_weight,
        "types": types,
        "orders": orders,
        "hierarchies": hierarchies,
    }
    if policy is not None:
        asked = policy if isinstance(policy, Policy) else read_policy(policy)
        demanded: int | None = asked.k
    else:
        if not quasi_identifiers:
            raise PolicyError('name the quasi-identifiers: quasi_identifiers=["age"], or give a policy')
        asked, demanded = policy_of(**{**stated, "k": 1 if k is None else k}), k  # type: ignore[arg-type]
    found = source_of(source, table, asked)
    with nullcontext(engine) if engine is not None else engine_for(found) as opened:
        return audit_by_policy(
            opened,
            found,
            asked,
            k=demanded,
            suppressed_cells=suppressed_cells,
            offending=offending,
            original=original,
            key=key,
            manifest=manifest,
            lenient=policy is not None,
        )


def audit_by_policy(
    engine: SqlEngine,
    source: Any,
    policy: Policy,
    *,
    k: int | None,
    suppressed_cells: str | None = None,
    offending: int = OFFENDING,
    original: Any = None,
    key: str | None = None,
    manifest: bool = True,
    lenient: bool = False,
) -> Audited:
    """Audit a table by a policy.

    Parameters
    ----------
    engine, source
        The table.
    policy
        The columns, and what is demanded.
    k
        The k that is demanded; `None` if none is.
    suppressed_cells, offending, original, key, manifest
        As in `audit`.
    lenient
        Whether columns may be absent: a policy names those of its source. What cannot be measured without
        them is then told, and does not hold.
    """
    _check_demands(policy)
    reading = _reading(policy, suppressed_cells)
    if key is not None and original is None:
        raise PolicyError("a key pairs the rows with those of the original; name the original, too")
    if offending < 0:
        raise PolicyError(f"the number of offending groups to describe is 0 or more; it is {offending}")
    opened = engine.open(source)
    columns = engine.columns(opened)
    facts, fault = _manifest(engine, source) if manifest else (None, None)
    lost = Lost.of(policy, columns, lenient=lenient, original=original)
    private = tuple(each for each in policy.attributes if each.role is Role.SENSITIVE)
    told = [] if lenient else [each.name for each in private]
    weights = [] if lost.weight is None else [lost.weight]
    _check_columns(columns, (*lost.evidence.read, *told, *weights))
    found = OriginalFacts()
    if original is not None or lost.persons:
        means = facts is not None and not facts.get("truthful", True)
        found = compared_with_original(
            engine, opened, policy, lost, original=original, key=key, are_means=means
        )
    every = {each.name: each for each in policy.quasi_identifiers}
    asked = AuditRequest(
        sets=tuple(tuple(every[name] for name in names) for names in policy.sets or (tuple(every),)),
        k=k,
        models=models_of(policy),
        evidence=lost.evidence,
        sensitive=tuple(each for each in private if each.name in columns),
        entity=policy.entity if policy.entity in columns else None,
        survey_weight=lost.weight,
        suppressed_cells=reading,
        offending=offending,
        persons=found.persons,
        no_population=lost.no_population,
    )
    audited = audit_table(engine, opened, asked)
    if audited.verdict.measured.rows == 0:
        raise PolicyError(f"{table_name(source)} has no rows; there is nothing to audit")
    audited = replace(
        audited,
        identifiers=policy.identifiers,
        comparison=found.comparison,
        manifest=fault,
        leaks=_leaks(engine, opened, policy, columns, original),
    )
    if facts is not None:
        check = checked_against(engine, source, facts, audited, policy, original)
        audited = replace(audited, manifest=check)
    if isinstance(opened, StoredTable):
        opened.file.check_unchanged()  # all that was measured must be of one table
    return audited


def _leaks(
    engine: SqlEngine, opened: Any, policy: Policy, columns: Sequence[str], original: Any
) -> tuple[CodedWarning, ...]:
    """The warnings about kept columns; only the original shows which of them tell what was recoded."""
    if original is None:
        return leaks(engine, opened, policy, recoded=True)
    with engine_for(original) as other:
        return leaks(other, original, policy, released=columns)


def table_name(source: Any) -> str:
    """What to call a table in messages and reports; never where it lies."""
    if isinstance(source, str | os.PathLike):
        return Path(source).name
    return source.name if isinstance(source, TableSource) else "the data frame"


def _reading(policy: Policy, stated: str | None) -> SuppressedCells:
    if policy.options.get("reading") is not None:
        check_names(policy)
        algorithm_of(policy)  # no release was made by a policy that tells another algorithm how to read `*`
    by_policy = "wildcard" if policy.options.get("reading") == "wildcard" else "value"
    return check_reading(by_policy if stated is None else stated)


def _check_demands(policy: Policy) -> None:
    asks = any(model.needs_population for model in models_of(policy))
    # Weights alone demand nothing: k-map is measured by them.
    check_models(policy if asks or policy.entity is not None else replace(policy, survey_weight=None))


def _check_columns(columns: tuple[str, ...], needed: Sequence[str]) -> None:
    for name in needed:
        if name not in columns:
            raise PolicyError(
                f"the table has no column {name!r}, so what looks at it cannot be measured: was it dropped? "
                "The manifest of a release has what was measured when it was made; name columns and models "
                f"by themselves, without a policy, to measure the others.{suggestion(name, columns)}"
            )


def _manifest(engine: SqlEngine, source: Any) -> tuple[Mapping[str, Any] | None, ManifestCheck | None]:
    """The manifest of a table, if there is one; what is wrong with it, if it cannot be read."""
    try:
        return manifest_of(engine, source), None
    except ManifestError as error:
        return None, faulty(source, error)
