"""The last hop: write the release, audit what was written, and only then give it its name."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from typing import Any

from shoal.auditor import ModelVerdict, Verdict, audit, audit_histories, model_failure, weakest
from shoal.engines.sql.engine import SqlEngine
from shoal.engines.staging import Staged
from shoal.errors import AuditError
from shoal.model.result.coded_warning import CodedWarning
from shoal.model.result.listed_sets import listed_sets
from shoal.model.result.manifest import Manifest
from shoal.model.result.phases import AUDIT, WRITE
from shoal.model.result.version_words import version_words
from shoal.pipeline.certificate.written import Certificate
from shoal.pipeline.check_additions import additions_fault
from shoal.pipeline.check_treatments import check_treatments
from shoal.pipeline.column_codings import column_codings
from shoal.pipeline.draft import Draft
from shoal.pipeline.extending.registering import Registering
from shoal.pipeline.ledger_entry import LedgerEntry
from shoal.pipeline.manifest import manifest_of
from shoal.pipeline.release import Release
from shoal.pipeline.released_columns import released_columns
from shoal.pipeline.released_frames import remember_sets


def publish(
    engine: SqlEngine,
    table: Any,
    draft: Draft,
    staged: Staged | None,
    entry: LedgerEntry | None,
    certificate: Certificate | None = None,
    register: Registering | None = None,
) -> Release:
    """Write, audit and name a release; `AuditError`, and nothing is published, if the audit fails.

    Parameters
    ----------
    engine, table
        The source, as the engine opened it.
    draft
        What to release.
    staged
        The file or table to write; without one the caller gets a data frame.
    entry
        The release's line in a ledger, if one is kept.
    certificate
        The certificate to write with it, if one is requested.
    register
        The register to write with it, if it shall be extended later.
    """
    draft.phases.begin(WRITE)
    if staged is None:
        data = engine.apply(table, draft.counted, draft.application)
        draft.phases.begin(AUDIT)
        verdict = audited(engine, table, data, draft)
        manifest = _manifest(draft, verdict, None, entry)
        with nullcontext() if entry is None else entry.publishing(draft, manifest):
            remember_sets(data, listed_sets({"recoding": manifest.recoding, "columns": manifest.columns}))
    else:
        with staged:
            data = engine.apply(table, draft.counted, draft.application, staged.place)
            digest = staged.settle()
            draft.phases.begin(AUDIT)
            verdict = audited(engine, table, staged.place, draft)
            together = () if register is None else register.audited(staged.place, digest)
            with _certified(certificate, staged.place, digest) as certified:
                versions = None if register is None else register.accompany(staged, digest, together)
                manifest = _manifest(draft, verdict, digest, entry)
                manifest = replace(
                    manifest,
                    certificate=certified,
                    versions=versions,
                    notes=(*_version_notes(versions), *manifest.notes),
                )
                with nullcontext() if entry is None else entry.publishing(draft, manifest):
                    staged.publish(manifest.to_json())
            # The manifest's audit is about this table alone, as anybody can repeat it.
            verdict = verdict.with_models(together)
    return Release(
        data=data,
        path=None if staged is None else draft.policy.release,
        manifest=manifest,
        result=draft.solution.result,
        verdict=verdict,
        warnings=_warnings(draft, entry),
        columns=released_columns(draft),
        reading=draft.reading,
        readings=draft.readings,
    )


@contextmanager
def _certified(
    certificate: Certificate | None, written: Any, digest: str | None
) -> Iterator[Mapping[str, object] | None]:
    """What the manifest says of a certificate, which goes again if the release is not published."""
    if certificate is None:
        yield None
        return
    assert digest is not None  # of a file
    try:
        yield certificate.write(written, digest)
    except BaseException:
        certificate.remove()
        raise


def audited(engine: SqlEngine, table: Any, written: Any, draft: Draft) -> Verdict:
    """Audit what was written; with several sets of quasi-identifiers, the weakest verdict counts.

    Parameters
    ----------
    engine, table
        The source: what models look at, and the release no longer has, is read from it.
    written
        What was written, and alone is measured.
    draft
        What it should be.
    """
    models = draft.problem.models
    known = engine.audit_reference(table, draft.counted, draft.application) if models else None
    promise, promised = draft.policy.promise, tuple[ModelVerdict, ...]()
    if promise is not None:
        every = [each.name for each in draft.policy.quasi_identifiers]
        promised = audit_histories(engine, written, every, promise, draft.policy.k)
    verdicts = []
    for names, k in draft.sets:
        verdict = audit(
            engine,
            written,
            names,
            k,
            models=models,
            evidence=draft.counted.evidence,
            known=known,
            wildcards=draft.recoding.wildcards,
            dropped=draft.policy.identifiers,
            promise=promise,
        ).with_models(promised)
        verdict.check(draft.expected(names))
        verdicts.append(verdict)
    _check_additions(engine, written, draft)
    if draft.policy.recoding_model is not None:
        columns = engine.written_columns(
            written,
            draft.problem.table.domains,
            listed_sets({"recoding": draft.described, "columns": column_codings(draft)}),
        )
        failure = model_failure(
            draft.policy.recoding_model, columns, verdicts[0].measured, draft.problem.table.rows
        )
        if failure is not None:
            raise AuditError(f"the audit refused the release: {failure}. Nothing was published")
    check_treatments(engine, written, draft)
    return weakest(verdicts)


def _check_additions(engine: SqlEngine, written: Any, draft: Draft) -> None:
    """Raise `AuditError` unless companions and structs say what the written labels say."""
    facts = {"recoding": draft.described, "columns": column_codings(draft)}
    domains = draft.problem.table.domains
    codes = draft.solution.released_codes
    known = {domain.name: (domain, codes[place]) for place, domain in enumerate(domains)}
    fault = additions_fault(engine, written, facts, known)
    if fault is not None:
        raise AuditError(f"the audit refused the release: {fault}. Nothing was published")


def _version_notes(versions: Mapping[str, Any] | None) -> list[str]:
    return [f"{each[0].upper()}{each[1:]}." for each in version_words(versions)]


def _manifest(draft: Draft, verdict: Verdict, digest: str | None, entry: LedgerEntry | None) -> Manifest:
    return manifest_of(
        draft,
        groups=verdict.measured.groups,
        audit=verdict.audit,
        release_digest=digest,
        warnings=_warnings(draft, entry),
        phases=draft.phases.seconds,
    )


def _warnings(draft: Draft, entry: LedgerEntry | None) -> tuple[CodedWarning, ...]:
    return draft.warnings if entry is None else (*draft.warnings, *entry.warnings)
