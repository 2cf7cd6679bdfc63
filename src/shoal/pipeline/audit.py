"""Audits a table by a policy: what it demands, what the release still has, and what the manifest claims."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from shoal.auditor import Audited, AuditRequest, ModelVerdict, audit_table
from shoal.auditor.histories.judged import histories_unmeasured
from shoal.auditor.manifest_check import ManifestCheck
from shoal.auditor.measure.any_table import AuditedSet
from shoal.auditor.measure.leaks import leaks
from shoal.auditor.measure.suppressed_cells import SuppressedCells, check_reading
from shoal.auditor.treated.check import failures_alone
from shoal.engines.connection import engine_for
from shoal.engines.sql.engine import SqlEngine
from shoal.engines.sql.table import StoredTable
from shoal.errors import PolicyError
from shoal.model.history.promise import Promise
from shoal.model.policy.attribute import Role
from shoal.model.policy.column_set import ColumnSet
from shoal.model.policy.policy import Policy
from shoal.model.result.coded_warning import CodedWarning
from shoal.model.result.listed_sets import listed_sets
from shoal.model.result.manifest_facts import ManifestError, is_truthful_recoding
from shoal.model.suggestion import suggestion
from shoal.model.table.table_source import TableSource
from shoal.pipeline.auto_rule import candidates_of
from shoal.pipeline.check_manifest import check_against_table, failed_check, manifest_of, sets_of
from shoal.pipeline.demands import check_models, models_of
from shoal.pipeline.dropped_columns import DroppedColumns, OriginalEvidence, compared_with_original
from shoal.pipeline.extending.measured import versions_measured, versions_unmeasured, why_not_compared
from shoal.pipeline.placing import placed
from shoal.pipeline.plan import check_names
from shoal.pipeline.search_choice import algorithm_of

OFFENDING = 20
"""How many offending groups are described by default."""


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
    against: Path | None = None,
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
        The k that is demanded; `None` for no demand.
    suppressed_cells, offending, original, key, manifest
        As in `audit`.
    against
        The release that the table extends: what both reveal together is measured, too. The policy's `extend`
        when absent.
    lenient
        Whether columns may be absent: a policy names those of its source. What cannot be measured without
        them is then reported, and does not hold.
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
    dropped = DroppedColumns.of(policy, columns, lenient=lenient, original=original)
    private = tuple(each for each in policy.attributes if each.role is Role.SENSITIVE)
    needed = [] if lenient else [each.name for each in private]
    weights = [] if dropped.weight is None else [dropped.weight]
    links = [] if lenient or policy.promise is None else [policy.promise.column]
    _check_columns(columns, (*dropped.evidence.read, *needed, *weights, *links))
    from_original = OriginalEvidence()
    if original is not None or dropped.persons:
        means = facts is not None and not is_truthful_recoding(facts)
        from_original = compared_with_original(
            engine,
            opened,
            policy,
            dropped,
            original=original,
            key=key,
            are_means=means,
            sets=sets_of(engine, source) if facts is None else listed_sets(facts),
            facts=facts,
        )
    every = {each.name: each for each in policy.quasi_identifiers}
    request = AuditRequest(
        sets=tuple(
            AuditedSet(quasi_identifiers=tuple(every[name] for name in each.columns), k=each.k)
            for each in policy.sets or (ColumnSet(columns=tuple(every)),)
        ),
        k=k,
        models=models_of(policy),
        evidence=dropped.evidence,
        sensitive=tuple(each for each in private if each.name in columns),
        entity=policy.entity if policy.entity in columns else None,
        survey_weight=dropped.weight,
        suppressed_cells=reading,
        offending=offending,
        persons=from_original.persons,
        no_population=dropped.no_population,
    )
    linked = _linked(policy, columns, facts)
    if linked is not None:
        request = replace(request, linked=linked, promised=policy.promise is not None)
    audited = audit_table(engine, opened, request)
    if linked is None and policy.promise is not None and k is not None:
        unknown = histories_unmeasured(policy.promise, k)
        audited = replace(audited, verdict=audited.verdict.with_models(unknown))
    together = _versions(engine, source, policy, against, k)
    audited = replace(audited, verdict=audited.verdict.with_models(together))
    if audited.verdict.measured.rows == 0:
        raise PolicyError(f"{table_name(source)} has no rows; there is nothing to audit")
    audited = replace(
        audited,
        # Without a policy the column of persons is named to be counted, not to be dropped.
        identifiers=tuple(each for each in policy.identifiers if lenient or each != policy.entity),
        comparison=from_original.comparison,
        manifest=fault,
        leaks=_leaks(engine, opened, policy, _without_companions(columns, facts), original),
    )
    if facts is not None:
        check = check_against_table(engine, source, facts, audited, policy, original)
        untreated = from_original.untreated
        if check.fault is None and original is None:
            untreated = failures_alone(engine, opened, facts.get("treatments", {}))
        audited = replace(audited, manifest=replace(check, untreated=untreated))
    if isinstance(opened, StoredTable):
        opened.file.check_unchanged()  # everything must be measured on the same table
    return audited


def _versions(
    engine: SqlEngine, source: Any, policy: Policy, against: Path | None, k: int | None
) -> tuple[ModelVerdict, ...]:
    """What the table and the release that it extends reveal together, if it extends one.

    The one that a policy names can be out of reach; then nothing shows that its demand is met.
    """
    if against is not None:
        return versions_measured(engine, source, against, policy, k)
    if policy.extend is None:
        return ()
    why = why_not_compared(source, policy.extend)
    if why is not None:
        return versions_unmeasured(policy.k, why)
    return versions_measured(engine, source, policy.extend, policy, k)


def _linked(policy: Policy, columns: Sequence[str], facts: Mapping[str, Any] | None) -> Promise | None:
    """By what the rows of one person can be linked in a table, and what may be known of them."""
    promise, entity = policy.promise, policy.entity
    if promise is None and entity is not None:
        promise = Promise(column=entity, ordered=policy.order == "keep")
    if promise is None or promise.column not in columns:
        return None
    if facts is None or facts.get("order") != "shuffle":
        return promise
    return replace(promise, ordered=False)  # a random order reveals nothing


def _leaks(
    engine: SqlEngine, opened: Any, policy: Policy, columns: Sequence[str], original: Any
) -> tuple[CodedWarning, ...]:
    """The warnings about kept columns; only the original shows which of them reveal what was recoded."""
    if original is None:
        return leaks(engine, opened, policy, released=columns, recoded=True)
    # The original has other cells in treated columns; those of the release were examined when it was made.
    kept = [name for name in columns if name not in policy.treatments]
    with engine_for(original) as other:
        table, policy = placed(other, original, policy)
        return leaks(other, table, policy, released=kept)


def _without_companions(columns: Sequence[str], facts: Mapping[str, Any] | None) -> list[str]:
    """The columns but for those that repeat what a label says, which the check of the manifest verifies."""
    stated = {} if facts is None else facts.get("columns", {})
    recoded = () if facts is None else facts.get("recoding", ())
    companions = {each for name in recoded for each in stated.get(name, {}).get("companions", ())}
    return [name for name in columns if name not in companions]


def table_name(source: Any) -> str:
    """What to call a table in messages and reports; never its path."""
    if isinstance(source, str | os.PathLike):
        return Path(source).name
    return source.name if isinstance(source, TableSource) else "the data frame"


def _reading(policy: Policy, stated: str | None) -> SuppressedCells:
    if policy.options.get("reading") is not None:
        check_names(policy)
        # No release comes from a policy that gives another algorithm a reading of `*`.
        candidates_of(policy) if policy.algorithm == "auto" else algorithm_of(policy)
    by_policy = "wildcard" if policy.options.get("reading") == "wildcard" else "value"
    return check_reading(by_policy if stated is None else stated)


def _check_demands(policy: Policy) -> None:
    needs_population = any(model.needs_population for model in models_of(policy))
    # Weights alone demand nothing: k-map is measured by them.
    check_models(
        policy if needs_population or policy.entity is not None else replace(policy, survey_weight=None)
    )


def _check_columns(columns: tuple[str, ...], needed: Sequence[str]) -> None:
    for name in needed:
        if name not in columns:
            raise PolicyError(
                f"the table has no column {name!r}, so nothing that needs it can be measured: was it "
                "dropped? The manifest of a release has what was measured when it was made; name columns and "
                f"models by themselves, without a policy, to measure the others.{suggestion(name, columns)}"
            )


def _manifest(engine: SqlEngine, source: Any) -> tuple[Mapping[str, Any] | None, ManifestCheck | None]:
    """The manifest of a table, if there is one; or what is wrong with it, if it cannot be read."""
    try:
        return manifest_of(engine, source), None
    except ManifestError as error:
        return None, failed_check(source, error)
