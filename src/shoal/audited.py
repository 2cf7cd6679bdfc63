"""The door of the audit: any table in, what it holds out. Knows nothing of how the table was made."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Any

from shoal.audit import Asked, Audited, audit_table
from shoal.audit.comparison import comparison
from shoal.audit.manifest_check import ManifestCheck, manifest_check
from shoal.audit.suppressed_cells import SuppressedCells, check_reading
from shoal.engines.connection import engine_for
from shoal.engines.file import file_digest
from shoal.engines.sql_engine import SqlEngine
from shoal.engines.table import StoredTable
from shoal.errors import EngineError, PolicyError
from shoal.model.attribute import Role
from shoal.model.domain import Kind, Value
from shoal.model.manifest import is_manifest, manifest_path
from shoal.model.names import hint
from shoal.model.policy import Policy
from shoal.model.policy_arguments import HierarchyLike, policy_of
from shoal.model.table_source import TableSource
from shoal.policy_file import read_policy
from shoal.request import algorithm_of, check_models, check_names, evidence_of, models_of, source_of

KNOW_SETS = ("datafly",)
"""The algorithms that can be told of sets of quasi-identifiers."""

OFFENDING = 20
"""How many offending groups are described if nothing else is said."""


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
    engine: SqlEngine | None = None,
) -> Audited:
    """Measure any table, whoever made it, and compare with what is demanded of it.

    Nothing is raised if a demand does not hold: `meets` tells, and `failures` why. If a manifest lies beside
    a file, or is the comment on a table of a database, the two are held against each other.

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
        beside = [name for name, value in stated.items() if value]
        if beside:
            raise PolicyError(f"a policy says it all; leave out {', '.join(beside)}, or the policy")
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
    suppressed_cells, offending, original, key
        As in `audit`.
    lenient
        Whether sensitive columns that no demand looks at may be absent: a policy names those of its source.
    """
    _check_measurable(policy)
    _check_demands(policy)
    reading = _reading(policy, suppressed_cells)
    if key is not None and original is None:
        raise PolicyError("a key pairs the rows with those of the original; name the original, too")
    if offending < 0:
        raise PolicyError(f"the number of offending groups to describe is 0 or more; it is {offending}")
    opened = engine.open(source)
    columns = engine.columns(opened)
    evidence = evidence_of(policy)
    if not any(model.needs_population for model in models_of(policy)):
        evidence = replace(evidence, survey_weight=None)
    private = tuple(each for each in policy.attributes if each.role is Role.SENSITIVE)
    told = [] if lenient else [each.name for each in private]
    weights = [] if policy.survey_weight is None else [policy.survey_weight]
    _check_columns(columns, (*evidence.read, *told, *weights))
    every = {each.name: each for each in policy.quasi_identifiers}
    asked = Asked(
        sets=tuple(tuple(every[name] for name in names) for names in policy.sets or (tuple(every),)),
        k=k,
        models=models_of(policy),
        evidence=evidence,
        sensitive=tuple(each for each in private if each.name in columns),
        entity=policy.entity,
        survey_weight=policy.survey_weight,
        suppressed_cells=reading,
        offending=offending,
    )
    audited = replace(audit_table(engine, opened, asked), identifiers=policy.identifiers)
    if audited.verdict.measured.rows == 0:
        raise PolicyError(f"{table_name(source)} has no rows; there is nothing to audit")
    audited = _beside_manifest(engine, source, audited, policy)
    if original is not None:
        with engine_for(original) as other:
            compared = comparison(engine, opened, original, policy, key=key, original_engine=other)
        audited = replace(audited, comparison=compared)
    if isinstance(opened, StoredTable):
        opened.file.check_unchanged()  # all that was measured must be of one table
    return audited


def table_name(source: Any) -> str:
    """What to call a table in messages and reports; never where it lies."""
    if isinstance(source, str | os.PathLike):
        return Path(source).name
    return source.name if isinstance(source, TableSource) else "the data frame"


def _reading(policy: Policy, stated: str | None) -> SuppressedCells:
    by_policy = "wildcard" if policy.options.get("reading") == "wildcard" else "value"
    return check_reading(by_policy if stated is None else stated)


def _check_measurable(policy: Policy) -> None:
    """Refuse a policy that demands what a release alone does not tell."""
    if policy.population is not None:
        raise PolicyError(
            "the release alone does not tell how the population would be printed, so k-map and "
            "delta-presence cannot be measured again; the manifest has what was measured when it was made. "
            "Measure the other models by --model"
        )
    if policy.options.get("reading") is not None:
        check_names(policy)
        algorithm_of(policy)  # no release was made by a policy that tells another algorithm how to read `*`


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
                f"by themselves, without a policy, to measure the others.{hint(name, columns)}"
            )


def _beside_manifest(engine: SqlEngine, source: Any, audited: Audited, policy: Policy) -> Audited:
    """The audit with what the manifest beside a file says, or in the comment on a table, if there is one."""
    if isinstance(source, TableSource):
        text = engine.comment(source)
        if text is None or not is_manifest(text):  # people write comments, too
            return audited
        return replace(
            audited,
            manifest=_checked(engine, source, audited, policy, json.loads(text), table_name(source), None),
        )
    if not isinstance(source, str | os.PathLike) or not Path(source).is_file():
        return audited
    place = manifest_path(Path(source))
    if not place.exists():
        return audited
    try:
        text = place.read_text(encoding="utf-8")
        digest = file_digest(Path(source))
    except UnicodeDecodeError:
        return replace(audited, unreadable_manifest=place.name)
    except OSError as error:
        raise EngineError(f"cannot read {place.name}: {error.strerror}") from None
    facts = _facts(text)
    if facts is None:
        return replace(audited, unreadable_manifest=place.name)
    return replace(audited, manifest=_checked(engine, source, audited, policy, facts, place.name, digest))


def _facts(text: str) -> Mapping[str, Any] | None:
    """The facts of a manifest, also of one whose recoding was removed for its readers; `None` of others."""
    try:
        facts = json.loads(text)
    except ValueError:
        return None
    return facts if isinstance(facts, dict) and isinstance(facts.get("release_digest"), str) else None


def _checked(
    engine: SqlEngine,
    source: Any,
    audited: Audited,
    policy: Policy,
    facts: Mapping[str, Any],
    name: str,
    digest: str | None,
) -> ManifestCheck:
    measured, recoding = audited.verdict.measured, facts.get("recoding")
    if audited.suppressed_cells == "conservative":  # a manifest's groups are those of rows that read alike
        measured = engine.measure(source, audited.verdict.quasi_identifiers, 1)
    columns = set(recoding) if isinstance(recoding, dict) else None
    same_columns = columns == {each.name for each in policy.quasi_identifiers}
    # A manifest does not tell of sets, whose groups are others than those of all quasi-identifiers.
    sets_known = facts.get("algorithm") not in KNOW_SETS or facts.get("policy_digest") == policy.digest
    return manifest_check(
        facts, file=name, digest=digest, measured=measured, comparable=same_columns and sets_known
    )
