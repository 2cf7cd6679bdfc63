"""The road from a source and a policy to a release: plan, draft, publish, advise.

Each hop is one function in a file of its own: `plan` checks the policy, `draft` counts (`pose.count`), poses
the problem (`pose.pose`) and solves it (`auto_search.answer`, `solve.solve`), `publish` writes, audits and
names the release, and `advice` says what else could be released.
`compare`, `explain`, `front` and `recoding_sql` leave the road after the hop that they need.
"""

from __future__ import annotations

import dataclasses
import os
from pathlib import Path
from typing import Any

from shoal.algorithms import Algorithm
from shoal.engines.sql.engine import SqlEngine
from shoal.engines.staging import Staged, Staging
from shoal.errors import PolicyError
from shoal.model.policy.budget import ProgressCallback
from shoal.model.policy.policy import Policy
from shoal.model.result.register import register_path
from shoal.model.table.table_source import TableSource
from shoal.pipeline.advice import advice
from shoal.pipeline.certificate.request import CertificateRequest
from shoal.pipeline.certificate.written import Certificate
from shoal.pipeline.draft import check_warnings, draft
from shoal.pipeline.extending.extension import extended
from shoal.pipeline.extending.previous import previous_release
from shoal.pipeline.extending.registering import Registering
from shoal.pipeline.extending.request import PER_COLUMN, check_request
from shoal.pipeline.histories.draft import draft_histories
from shoal.pipeline.histories.plan import HistoryPlan, plan_histories
from shoal.pipeline.ledger_entry import LedgerEntry
from shoal.pipeline.opened import opened
from shoal.pipeline.phases import Phases
from shoal.pipeline.plan import Plan, plan
from shoal.pipeline.publish import publish
from shoal.pipeline.release import Release
from shoal.pipeline.source import inputs_of
from shoal.pipeline.treating import treated
from shoal.treatments import SecretKey


def run(
    source: Any,
    policy: Policy,
    *,
    engine: SqlEngine,
    algorithm: Algorithm | None = None,
    require_optimal: bool = False,
    on_progress: ProgressCallback | None = None,
    key_file: str | Path | None = None,
    certificate: CertificateRequest | None = None,
    replace: bool = False,
    notes: tuple[str, ...] = (),
) -> Release:
    """Release a table by a policy, or raise and publish nothing.

    Parameters
    ----------
    source
        A path, a data frame or a `TableSource`.
    policy
        The request.
    engine
        Where the rows are counted, recoded and measured.
    algorithm
        What solves the problem, in place of the policy's algorithm.
    require_optimal
        Whether anything less than a proof is an error.
    on_progress
        Called now and then while the search runs.
    key_file
        The file of the secret key for pseudonyms, noise and the order of rows; fresh without one.
    certificate
        The certificate to write, if one is requested.
    replace
        Whether a file that is no release of Shoal may be replaced.
    notes
        Sentences that the manifest has before its own: how the source came about.
    """
    planned = _planned(policy, algorithm, certificate, require_optimal)
    is_file = isinstance(source, str | os.PathLike)
    _check_place(policy, source, is_file=is_file)
    if certificate is not None:
        certificate.check(source, policy)
    previous = None if policy.extend is None else previous_release(policy.extend)
    entry = None if policy.ledger is None else LedgerEntry(policy, source, previous)
    secret = _secret(policy, key_file)
    phases = Phases.counting(on_progress)
    table, planned = opened(engine, source, planned)
    staged = _staged(engine, policy, Path(source) if is_file else None, key_file, replace=replace)
    extension = None if previous is None else extended(engine, table, planned, previous, secret)
    if extension is not None:
        table, planned = extension.table, extension.plan
    treatment = treated(engine, table, policy, secret)
    table = table if treatment is None else treatment.table
    drafted = draft_histories if isinstance(planned, HistoryPlan) else draft
    made = drafted(
        engine,
        table,
        planned,  # type: ignore[arg-type]  # the one that fits
        require_optimal=require_optimal,
        on_progress=on_progress,
        treated=treatment,
        phases=phases,
    )
    made = dataclasses.replace(made, remarks=notes)
    if extension is not None:
        made = extension.noted(made)
    if entry is not None:
        # Earlier releases were made from the source as it is.
        original = table if treatment is None else treatment.original
        entry.consult(made, lambda attributes: engine.count(original, attributes).frequencies)
        check_warnings(policy, entry.warnings)
    proved = None if certificate is None else Certificate(certificate, made, Path(source), on_progress)
    register = None if policy.row_key is None else Registering(engine, table, made, extension)
    released = publish(engine, table, made, staged, entry, proved, register)
    # Nothing else could be released: there is no advice to give.
    final = isinstance(planned, HistoryPlan) or extension is not None
    return released if final else dataclasses.replace(released, advice=advice(made))


def _planned(
    policy: Policy,
    algorithm: Algorithm | None,
    certificate: CertificateRequest | None,
    require_optimal: bool,
) -> Plan | HistoryPlan:
    if policy.row_key is not None:
        check_request(policy, proof=require_optimal or certificate is not None)
    if policy.promise is not None:
        return plan_histories(policy)
    return plan(policy, algorithm, per_column=_why_per_column(policy, certificate, require_optimal))


def _staged(
    engine: SqlEngine, policy: Policy, source: Path | None, key_file: str | Path | None, *, replace: bool
) -> Staged | None:
    """Where the release is written before it gets its name; nowhere for a data frame."""
    if policy.release is None:
        return None
    inputs = inputs_of(policy, source)
    if key_file is not None:
        inputs["the key file"] = Path(key_file)
    staged = engine.staging(policy.release, inputs, replace=replace)
    if policy.row_key is not None:
        if not isinstance(staged, Staging):
            raise PolicyError("row_key is for a release that is one file; name a file, or leave out row_key")
        staged.check_register(register_path(staged.target))
    return staged


def _why_per_column(
    policy: Policy, certificate: CertificateRequest | None, require_optimal: bool
) -> str | None:
    if policy.row_key is not None:
        return PER_COLUMN
    if certificate is not None:
        return "a certificate is requested"
    return "a proof is required" if require_optimal else None


def _secret(policy: Policy, key_file: str | Path | None) -> SecretKey:
    """The key; one in the environment is not looked at by a release that needs none."""
    random = policy.treatments or policy.order == "shuffle" or policy.extend is not None
    needed = key_file is not None or random
    return SecretKey.of(key_file) if needed else SecretKey.fresh()


def _check_place(policy: Policy, source: Any, *, is_file: bool) -> None:
    if policy.release is None and (is_file or isinstance(source, TableSource)):
        what = "a file" if is_file else "a table"
        raise PolicyError(
            f"say where the release of {what} shall be written (path=..., --output, or [release] path)"
        )
