"""Reads the manifest that belongs to a table, and checks it against what the table shows."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from shoal.algorithms import ALGORITHMS
from shoal.auditor import Audited, ModelVerdict, audit_histories
from shoal.auditor.manifest_check import ManifestCheck
from shoal.auditor.manifest_claims import TableFacts, measured_claims
from shoal.engines.duckdb.file import file_digest
from shoal.engines.duckdb.folder import folder_digest
from shoal.engines.sql.engine import SqlEngine
from shoal.errors import EngineError
from shoal.model.history.promise_given import promise_in
from shoal.model.policy.policy import Policy
from shoal.model.result.listed_sets import NOT_LISTED, ListedSets, listed_sets
from shoal.model.result.manifest import manifest_path
from shoal.model.result.manifest_facts import ManifestError, is_truthful_recoding
from shoal.model.table.group_sizes import GroupSizes
from shoal.model.table.table_source import TableSource
from shoal.pipeline.check_additions import additions_fault
from shoal.pipeline.read_manifest import manifest_in_comment, manifest_next_to
from shoal.pipeline.released_frames import remembered_sets


def manifest_of(engine: SqlEngine, source: Any) -> Mapping[str, Any] | None:
    """The manifest next to a file or folder, or in the comment on a table; `None` if there is none.

    `ManifestError` if there is one that cannot be read.

    Parameters
    ----------
    engine, source
        The table.
    """
    if isinstance(source, TableSource):
        return manifest_in_comment(engine.comment(source))
    return manifest_next_to(source) if isinstance(source, str | os.PathLike) else None


def sets_of(engine: SqlEngine, source: Any) -> ListedSets:
    """What the short labels of a table represent, if it has a manifest that can be read.

    Parameters
    ----------
    engine, source
        The table; a data frame has none, but those that this process released are known.
    """
    try:
        return listed_sets(manifest_of(engine, source)) or remembered_sets(source)
    except ManifestError:
        return NOT_LISTED


def is_truthful(engine: SqlEngine, source: Any) -> bool:
    """Whether the quasi-identifiers of a table are true of their rows, unless a manifest says otherwise.

    Parameters
    ----------
    engine, source
        The table.
    """
    try:
        facts = manifest_of(engine, source) or {}
    except ManifestError:
        return True
    return bool(facts.get("truthful_recoding", facts.get("truthful", True)))


def is_shuffled(engine: SqlEngine, source: Any) -> bool:
    """Whether the manifest of a table says that its rows are in another order than its original's.

    Parameters
    ----------
    engine, source
        The table.
    """
    try:
        return (manifest_of(engine, source) or {}).get("order") == "shuffle"
    except ManifestError:
        return False


def manifest_name(source: Any) -> str:
    """What to call the manifest of a table: its file, or the table whose comment it is."""
    return source.name if isinstance(source, TableSource) else manifest_path(Path(source)).name


def failed_check(source: Any, error: ManifestError) -> ManifestCheck:
    """The check of a manifest that cannot be read, or is about another table."""
    return ManifestCheck(
        file=manifest_name(source), fault=str(error), is_comment=isinstance(source, TableSource)
    )


def check_against_table(
    engine: SqlEngine, source: Any, facts: Mapping[str, Any], audited: Audited, policy: Policy, original: Any
) -> ManifestCheck:
    """Check a manifest against the table that it belongs to.

    Parameters
    ----------
    engine, source
        The table.
    facts
        The manifest.
    audited
        What was measured in the table, and next to the original if there is one.
    policy
        The policy of the audit; the manifest may be about another one.
    original
        The table that it was made from, if it is given.
    """
    columns = engine.columns(source)
    linked = promise_in(facts)
    linking = [] if linked is None else [linked[0].column]
    unknown = [name for name in (*facts.get("recoding", {}), *linking) if name not in columns]
    if unknown:
        listed = ", ".join(map(repr, unknown))
        return failed_check(
            source, ManifestError(f"it is about another table, with columns that this one lacks: {listed}")
        )
    fault = additions_fault(engine, source, facts)
    if fault is not None:
        return failed_check(source, ManifestError(f"it does not fit the table: {fault}"))
    names = [each.name for each in policy.quasi_identifiers]
    if facts["policy_digest"] == policy.digest and {*facts.get("recoding", names)} != {*names}:
        return failed_check(
            source, ManifestError("its recoding has other columns than the policy that it names")
        )
    return ManifestCheck(
        file=manifest_name(source),
        release_digest=facts["release_digest"],
        digest=_digest(source),
        claims=measured_claims(facts, _table_facts(engine, source, facts, audited, policy)),
        truthful=is_truthful_recoding(facts),
        is_comment=isinstance(source, TableSource),
        other_original=_is_other(original, facts["source_digest"]),
    )


def _digest(source: Any) -> str | None:
    if isinstance(source, TableSource):
        return None
    path = Path(source)
    try:
        return folder_digest(path) if path.is_dir() else file_digest(path)
    except OSError as error:
        raise EngineError(f"cannot read {path.name}: {error.strerror}") from None


def _is_other(original: Any, digest: str) -> bool:
    """Whether the original is a file, but not the one that the release was made from."""
    if not isinstance(original, str | os.PathLike) or not Path(original).is_file():
        return False
    return file_digest(Path(original)) != digest


def _table_facts(
    engine: SqlEngine, source: Any, facts: Mapping[str, Any], audited: Audited, policy: Policy
) -> TableFacts:
    same, read = facts["policy_digest"] == policy.digest, audited.suppressed_cells
    # A version is counted without the rows that it holds back, which the original has.
    held_back = "extends" in (facts.get("versions") or {})
    compared = None if held_back else audited.comparison
    # A manifest counts rows that read alike, with `*` as a value.
    as_value = same and read != "conservative"
    names = [each.name for each in policy.quasi_identifiers] if same else None
    named = list(facts["recoding"]) if "recoding" in facts else names
    # It does not record sets, whose groups differ from those of all quasi-identifiers.
    algorithm = facts["algorithm"]
    knows_sets = algorithm in ALGORITHMS and ALGORITHMS[algorithm].knows_sets
    has_sets = len(policy.sets) > 1 if same else knows_sets
    return TableFacts(
        rows=audited.verdict.measured.rows,
        sizes=None if named is None or has_sets else _sizes(engine, source, named, audited),
        verdict=audited.verdict if as_value else None,
        policy=policy if same else None,
        labels={
            name: _labels(engine, source, name)
            for name, entries in facts.get("recoding", {}).items()
            if isinstance(entries, list)
        },
        originals=None if compared is None else compared.originals,
        # With a factor, the cost is no plain mean of losses.
        losses=None if compared is None or not same or policy.gs_factor != 0.5 else compared.sound_losses,
        promised=() if as_value else _promised(engine, source, facts, named),
        knows_sets=knows_sets,
    )


def _promised(
    engine: SqlEngine, source: Any, facts: Mapping[str, Any], names: list[str] | None
) -> tuple[ModelVerdict, ...]:
    """What a table shows of the promise that its manifest gives about linkable rows."""
    given = promise_in(facts)
    if given is None or names is None:
        return ()
    promise, k = given
    return audit_histories(engine, source, names, promise, k)


def _sizes(engine: SqlEngine, source: Any, names: list[str], audited: Audited) -> GroupSizes:
    known = audited.suppressed_cells != "conservative" and {*names} == {*audited.verdict.quasi_identifiers}
    return audited.sizes if known else engine.group_sizes(source, names)


def _labels(engine: SqlEngine, source: Any, name: str) -> list[str | None]:
    cells = engine.cells(source, [name])
    times = np.bincount(cells.column(name), cells.counts, len(cells.texts(name)))
    return [text for text, rows in zip(cells.texts(name), times.tolist(), strict=True) if rows]
