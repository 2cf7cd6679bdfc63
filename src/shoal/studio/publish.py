"""Writes a release to its destination with its related files, and audits what it wrote. No page code.

What is written was reviewed before: the bytes are the run's own, copied. Only where a ledger is kept, or the
release becomes a table of a database, does Shoal run the policy once more, since it writes there itself.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import shoal
from shoal import AttackReport, Audited, AuditError, Ledger, Policy, Release, ShoalError, TableSource
from shoal.studio.anonymity_words import judged
from shoal.studio.file_transaction import FileTransaction
from shoal.studio.run_key import with_key
from shoal.studio.write_order import MANIFEST, Order, Written, check_again


def write(order: Order) -> Written:
    """Write a release with its manifest, report and policy, all or nothing, and audit what was written.

    Parameters
    ----------
    order
        What to write; its places were checked.
    """
    reports = make_reports(order)
    target, manifest = order.target, order.target.with_name(order.name + MANIFEST)
    files = tuple(order.targets)
    warnings: list[str] = []
    check_again(order)
    with FileTransaction(order.token) as placing:
        if order.ledger is None:
            placing.stage(target, order.release)
            placing.stage(manifest, order.release.with_name(order.release.name + MANIFEST))
        for kind, path in reports.items():
            placing.stage(target.with_name(order.report_name(kind)), path)
        for name, text in order.files.items():
            placing.stage(target.parent / name, text.encode())
        check_again(order)
        if order.ledger is None:
            placing.place(gone_first=[manifest])
        else:  # an entry in the ledger cannot be undone
            warnings += _made_again(order, target).warnings
            try:
                placing.place()
            except ShoalError as error:
                files = files[:2]
                warnings.append(f"the release is written, but not its related files: {error}")
            else:
                placing.keep()
        audited = shoal.audit(target, policy=order.policy)
        with target.open("rb") as file:
            digest = hashlib.file_digest(file, "sha256").hexdigest()
        if order.ledger is None:
            _check(order, audited, digest)
            placing.keep()
    verdict = judged(audited, _limits(order), _attacked(order, target))
    return Written(
        order=order,
        files=files,
        digest=digest,
        same=digest == order.digest,
        meets=verdict.holds,
        words=verdict.line,
        warnings=tuple(warnings),
        reports=reports,
    )


def write_table(order: Order) -> Written:
    """Make the release a table of the database that the original is in; what was written is audited.

    Parameters
    ----------
    order
        What to write; its name is the table's.
    """
    assert isinstance(order.original, TableSource)
    release = _made_again(order, order.name)
    connection = order.original.connection
    audited = shoal.audit(connection, table=order.name, policy=order.policy)
    reports = {}
    for kind in order.reports:
        reports[kind] = _report_place(order, kind)
        shoal.report(
            connection,
            table=order.name,
            policy=_stated_policy(order),
            original=order.original,
            path=reports[kind],
            raised=order.raised,
            **order.signing.stated,
        )
    verdict = judged(audited, _limits(order), _attacked(order, connection, table=order.name))
    return Written(
        order=order,
        digest=None,
        same=made_alike(order.release, release),
        meets=verdict.holds,
        words=verdict.line,
        warnings=release.warnings,
        reports=reports,
    )


def made_alike(reviewed: Path, release: Release) -> bool:
    """Whether a release was made from the same rows by the same recoding as a release in a file.

    Parameters
    ----------
    reviewed
        The file, with its manifest next to it.
    made
        The other one; a table of a database has no bytes to compare.
    """
    expected = json.loads(reviewed.with_name(reviewed.name + MANIFEST).read_text(encoding="utf-8"))
    written = json.loads(release.manifest.to_json())
    keys = ("source_digest", "k", "rows", "suppressed", "groups", "cost", "recoding")
    return all(expected[key] == written[key] for key in keys)


def make_reports(order: Order) -> dict[str, Path]:
    """The reports on a release, in the studio's own folder, under the name that it will have: kind -> file.

    Parameters
    ----------
    order
        The release, the kinds of report, and the signatory.
    """
    if not order.reports:
        return {}
    order.work.mkdir(parents=True, exist_ok=True)
    # The report calls the release by the name of its file.
    named = order.work / order.name
    for path, link in (
        (order.release, named),
        (order.release.with_name(order.release.name + MANIFEST), named.with_name(named.name + MANIFEST)),
    ):
        link.unlink(missing_ok=True)
        try:
            link.symlink_to(path)
        except OSError:  # not everybody may on Windows
            shutil.copyfile(path, link)
    report = shoal.report(named, policy=_stated_policy(order), original=order.original, **_signed(order))
    return {kind: report.save(_report_place(order, kind)) for kind in order.reports}


def ledger_words(path: Path, source_digest: str) -> str:
    """What a ledger has; `ShoalError` if it is broken or cannot be written.

    Parameters
    ----------
    path
        Its file.
    source_digest
        SHA-256 of what is released now.
    """
    if not path.exists():
        return "There is no such file yet: this release will be the first line of a new ledger."
    ledger = Ledger(path)
    ledger.check_writable()
    counted = [entry for entry in ledger.releases if entry.counts]
    same = sum(entry.facts.get("source_digest") == source_digest for entry in counted)
    words = f"The ledger is whole and has {len(counted):,} release(s), {same:,} of them of this same table."
    return words + (
        " What they reveal together with this one is measured before it is written." if same else ""
    )


def ledger_stated(ledger: Path | None, folder: Path) -> str | None:
    """A ledger as a policy in a folder names it."""
    return None if ledger is None else Path(os.path.relpath(ledger, folder)).as_posix()


def _made_again(order: Order, place: str | Path) -> Release:
    """The release by the policy and the key of the run; it replaces what the user agreed to replace."""
    agreed = not set(order.targets[:2]).isdisjoint(order.replaced)  # the release and its manifest
    return with_key(order.key, shoal.anonymize, policy=_stated_policy(order), path=place, replace=agreed)


def _stated_policy(order: Order) -> Policy:
    policy = shoal.read_policy(order.policy)
    if order.ledger is None:
        return policy
    attacks = {**policy.attacks, "composition": 0.0} if order.strict else policy.attacks
    return replace(policy, ledger=order.ledger, attacks=attacks)


def _limits(order: Order) -> Policy:
    """The policy by which what was written is judged; the ledger has judged `composition` on the way."""
    policy = shoal.read_policy(order.policy)
    left_out = () if order.ledger is None else ("composition",)
    return replace(
        policy, attacks={name: policy.attacks[name] for name in policy.attacks if name not in left_out}
    )


def _attacked(order: Order, release: Any, **named: Any) -> AttackReport | str | None:
    """The attacks on what was written, or why they failed; `None` if the policy limits none."""
    policy = _limits(order)
    if not policy.attacks:
        return None
    # As in the review: of columns that are known apart nobody hides from one who knows all of them.
    original = policy.source or order.original
    external = None if len(policy.sets) > 1 else original
    try:
        return shoal.attack(release, policy=policy, original=original, external=external, **named)
    except ShoalError as error:
        return f"{error}."


def _signed(order: Order) -> dict[str, Any]:
    return {"title": f"Release {order.name}", "raised": order.raised, **order.signing.stated}


def _report_place(order: Order, kind: str) -> Path:
    order.work.mkdir(parents=True, exist_ok=True)
    return order.work / order.report_name(kind)


def _check(order: Order, audited: Audited, digest: str) -> None:
    """Raise, so that all is undone, if the file at the destination is not what was reviewed."""
    if order.digest is not None and digest != order.digest:
        raise AuditError(
            "the file at the destination is not what was copied there: its digest differs; the disk may be "
            "failing. Nothing was kept there"
        )
    if order.meets and audited.breaks:
        raise AuditError(
            f"the audit of what was written does not hold: {'. Also '.join(audited.failures)}. Nothing was "
            "kept there"
        )
