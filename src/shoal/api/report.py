"""A door for the one who signs: a release in, and what is measured of it as one page out."""

from __future__ import annotations

import datetime
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from shoal.api._alongside_policy import alongside_policy
from shoal.api._door import door
from shoal.api._report_measurements import Companions, Measuring, named
from shoal.api.read_policy import read_policy
from shoal.engines.connection import using
from shoal.engines.sql.engine import SqlEngine
from shoal.errors import AuditError, PolicyError
from shoal.explanation.explanation import Explanation
from shoal.model.policy.policy import Policy
from shoal.model.policy.policy_arguments import HierarchyLike, policy_of
from shoal.model.result.manifest_facts import ManifestError
from shoal.model.table.table_source import TableSource
from shoal.pipeline.check_manifest import failed_check, manifest_of
from shoal.pipeline.release import Release
from shoal.pipeline.source import source_of
from shoal.reports.facts import Stated, facts_of
from shoal.reports.page import Report, report_page


@alongside_policy(
    *("external", "match", "earlier", "key", "threshold", "population_size", "explanation"),
    *("title", "author", "date", "signed_by", "purpose", "path", "manifest", "engine"),
)
@door
def report(
    release: Any,
    *,
    table: str | None = None,
    policy: Policy | str | Path | None = None,
    quasi_identifiers: Sequence[str] | None = None,
    k: int | None = None,
    sensitive: Sequence[str] = (),
    identifiers: Sequence[str] = (),
    models: Sequence[Any] = (),
    hierarchies: Mapping[str, HierarchyLike] | None = None,
    original: Any = None,
    external: Any = None,
    match: Mapping[str, str] | None = None,
    earlier: Sequence[Any] = (),
    key: str | None = None,
    threshold: float | None = None,
    population_size: int | None = None,
    explanation: Explanation | None = None,
    title: str | None = None,
    author: str | None = None,
    date: str | None = None,
    signed_by: str | None = None,
    purpose: str | None = None,
    path: str | Path | None = None,
    manifest: bool = True,
    engine: SqlEngine | None = None,
) -> Report:
    """Write the report on a release, whoever made it: what holds, what does not, what was not measured.

    Parameters
    ----------
    release
        A path, a data frame, what `anonymize` returned or, with `table`, a connection.
    table
        The table behind a connection.
    policy
        What was demanded, or the file that says it; or else name the columns. Without either, the manifest
        beside the release names quasi-identifiers and k.
    quasi_identifiers, k, sensitive, identifiers, models, hierarchies
        As in `anonymize`, in place of a policy. Without k, none is demanded.
    original
        The table that the release was made from; without it, initial risk, truth and utility stay unmeasured.
    external, match
        A table of people that an attacker may have, for record linkage; what columns are called there.
    earlier
        Earlier releases of the same people, besides those of the policy's ledger.
    key
        A column of release and original that tells which rows belong together; by their order when absent.
    threshold
        The risk above which rows are counted; 1/k when absent, if k is demanded.
    population_size
        How many people the table is a sample of, for estimates of population uniqueness.
    explanation
        What `explain` answered, to be told as well.
    title, author, date
        Of the report; the date is today's when absent, and the only thing that differs between two reports.
    signed_by, purpose
        Who releases it, name and role; what it is for, and who gets it. Both stand beside the signature.
    path
        Where to write it: .html, .json or .pdf.
    manifest
        Whether a manifest that belongs to the release is read and held against it.
    engine
        An engine for the release with other limits than the default.
    """
    if key is not None and original is None:
        raise PolicyError("a key pairs the rows with those of the original; name the original, too")
    asked = _asked(policy, quasi_identifiers, k, sensitive, identifiers, models, hierarchies)
    facts: Mapping[str, Any] | None = None
    if isinstance(release, Release):
        facts, release = asdict(release.manifest), _released(release, asked)
    demanded = policy is not None or k is not None
    source = source_of(release, table, asked)
    stated: Stated = "policy" if policy is not None else "arguments" if quasi_identifiers else "manifest"
    beside = Companions(
        original=original,
        external=external,
        match=match,
        earlier=earlier,
        key=key,
        threshold=threshold,
        population_size=population_size,
        explanation=explanation,
    )
    with using(engine, source) as opened:
        if facts is None and manifest:
            facts = _manifest(source, opened, needed=asked is None)
        if asked is None:
            asked, demanded = _asked_by_manifest(facts), True
        measuring = Measuring(asked, facts, demanded=demanded, held=manifest)
        gathered = measuring.gathered(opened, source, beside)
    gathered = replace(
        gathered,
        stated=stated,
        title=title or f"Release {named(source)}",
        author=author,
        date=date or datetime.date.today().isoformat(),
        signed_by=signed_by,
        purpose=purpose,
    )
    made = report_page(facts_of(gathered))
    if path is not None:
        made.save(path)
    return made


def _released(release: Release, policy: Policy | None) -> Any:
    """Where the rows of a release are."""
    if release.path is None:
        return release.data
    source = None if policy is None else policy.source
    if isinstance(release.path, str) and isinstance(source, TableSource):
        return TableSource(connection=source.connection, table=release.path)
    return release.path


def _asked(
    policy: Policy | str | Path | None,
    names: Sequence[str] | None,
    k: int | None,
    sensitive: Sequence[str],
    identifiers: Sequence[str],
    models: Sequence[Any],
    hierarchies: Mapping[str, HierarchyLike] | None,
) -> Policy | None:
    """The policy that was given, or the one that the arguments make; `None` if there is neither."""
    given = {
        "quasi_identifiers": names,
        "k": k,
        "sensitive": sensitive,
        "identifiers": identifiers,
        "models": models,
        "hierarchies": hierarchies,
    }
    if policy is not None:
        return policy if isinstance(policy, Policy) else read_policy(policy)
    beside = [name for name, value in given.items() if value]
    if not names:
        if beside:
            raise PolicyError(
                f"{beside[0]} is given and no quasi-identifiers are; name them, or give a policy"
            )
        return None
    return policy_of(
        quasi_identifiers=names,
        k=1 if k is None else k,
        sensitive=sensitive,
        identifiers=identifiers,
        models=models,
        hierarchies=hierarchies,
    )


def _asked_by_manifest(manifest: Mapping[str, Any] | None) -> Policy:
    if manifest is None or "recoding" not in manifest:
        why = "no manifest lies beside the release to tell them"
        if manifest is not None:
            why = "the recoding, which tells them, was removed from the manifest beside the release"
        raise PolicyError(
            f"name the quasi-identifiers: quasi_identifiers=[...] (flag: -q), or give a policy; {why}"
        )
    return policy_of(
        quasi_identifiers=list(manifest["recoding"]), k=int(manifest["k"]), cost=str(manifest["cost_metric"])
    )


def _manifest(release: Any, engine: SqlEngine, *, needed: bool) -> Mapping[str, Any] | None:
    """What lies beside a release, or is the comment on a table; `None` if nothing is.

    Of one that cannot be read the audit tells; `AuditError` if it is `needed` besides.
    """
    try:
        return manifest_of(engine, release)
    except ManifestError as error:
        if not needed:
            return None
        raise AuditError(". ".join(failed_check(release, error).failures.values())) from None
