"""`shoal.report`: one page on a release for the person who signs it."""

from __future__ import annotations

import datetime
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any, Unpack

from shoal.api._alongside_policy import alongside_policy
from shoal.api._door import door
from shoal.api._policy_arguments import stated_policy, with_policy_arguments
from shoal.api._report_measurements import Companions, Measuring, named
from shoal.engines.connection import using
from shoal.engines.sql.engine import SqlEngine
from shoal.errors import AuditError, PolicyError
from shoal.explanation.explanation import Explanation
from shoal.model.policy.keys import REPORT_ARGUMENTS
from shoal.model.policy.policy import Policy
from shoal.model.policy.policy_arguments import policy_of, said_arguments
from shoal.model.policy.typed_arguments import ReportArguments
from shoal.model.result.manifest_facts import ManifestError
from shoal.model.table.table_source import TableSource
from shoal.pipeline.check_manifest import failed_check, manifest_of
from shoal.pipeline.placed_original import placed_original
from shoal.pipeline.release import Release
from shoal.pipeline.source import original_of, source_of
from shoal.reports.facts import Stated, facts_of
from shoal.reports.page import Report, report_page


@alongside_policy(
    *("external", "match", "earlier", "key", "threshold", "population_size", "explanation", "raised"),
    *("title", "author", "date", "signed_by", "purpose", "path", "manifest", "engine"),
)
@door
@with_policy_arguments(REPORT_ARGUMENTS)
def report(
    release: Any,
    *,
    table: str | None = None,
    policy: Policy | str | Path | None = None,
    original: Any = None,
    external: Any = None,
    match: Mapping[str, str] | None = None,
    earlier: Sequence[Any] = (),
    key: str | None = None,
    threshold: float | None = None,
    population_size: int | None = None,
    explanation: Explanation | None = None,
    raised: Sequence[str] = (),
    title: str | None = None,
    author: str | None = None,
    date: str | None = None,
    signed_by: str | None = None,
    purpose: str | None = None,
    path: str | Path | None = None,
    manifest: bool = True,
    engine: SqlEngine | None = None,
    **values: Unpack[ReportArguments],
) -> Report:
    """Write the report on a release from any tool: what holds, what does not, what was not measured.

    Parameters
    ----------
    release
        A path, a data frame, what `anonymize` returned or, with `table`, a connection.
    table
        The table behind a connection.
    policy
        The demands, or their file; or else name the columns. Without either, the manifest
        next to the release names quasi-identifiers and k.
    original
        The table that the release was made from; without it, initial risk, truth and utility stay unmeasured.
    external, match
        A table of people that an attacker may have, for record linkage; what columns are called there. The
        original when absent: nobody could have more.
    earlier
        Earlier releases about the same people, in addition to those of the policy's ledger.
    key
        A column by which rows of release and original are paired; by their order when absent.
    threshold
        The risk above which rows are counted; 1/k when absent, if k is demanded.
    population_size
        How many people the table is a sample of, for estimates of population uniqueness.
    explanation
        What `explain` returned, to include it.
    raised
        Sentences to print under "Before you sign", in addition to what is measured here.
    title, author, date
        Of the report; the date is today's when absent, and the only thing that differs between two reports.
    signed_by, purpose
        Name and role of the publisher; purpose and recipients. Both are printed next to the signature.
    path
        Where to write it: .html, .json or .pdf.
    manifest
        Whether a manifest that belongs to the release is read and checked against it.
    engine
        An engine for the release with other limits than the default.

    Examples
    --------
    >>> report = shoal.report("release.csv", original="stays.csv", policy="stays.toml", path="report.html")
    """
    if key is not None and original is None:
        raise PolicyError("a key pairs the rows with those of the original; name the original, too")
    arguments = said_arguments(values, REPORT_ARGUMENTS)
    demand = _demand(policy, arguments)
    facts: Mapping[str, Any] | None = None
    if isinstance(release, Release):
        facts, release = asdict(release.manifest), _released(release, demand)
    demanded = policy is not None or "k" in arguments
    source = source_of(release, table, demand)
    origin: Stated = "policy" if policy is not None else "manifest" if demand is None else "arguments"
    companions = Companions(
        original=original_of(original, demand),
        external=external,
        match=match,
        earlier=earlier,
        key=key,
        threshold=threshold,
        population_size=population_size,
        explanation=explanation,
        raised=raised,
    )
    with using(engine, source) as opened, placed_original(companions.original, demand) as (placed, made):
        if facts is None and manifest:
            facts = _manifest(source, opened, needed=demand is None)
        if demand is None:
            demand, demanded = _policy_of_manifest(facts), True
        measuring = Measuring(made or demand, facts, demanded=demanded, check_manifest=manifest)
        gathered = measuring.gathered(opened, source, replace(companions, original=placed))
    if placed is not companions.original and gathered.original is not None:
        # Not the private file that it was compared by.
        given = {"name": named(companions.original), "digest": None}
        gathered = replace(gathered, original={**gathered.original, **given})
    gathered = replace(
        gathered,
        stated=origin,
        title=title or f"Release {named(source)}",
        author=author,
        date=date or datetime.date.today().isoformat(),
        signed_by=signed_by,
        purpose=purpose,
    )
    page = report_page(facts_of(gathered))
    if path is not None:
        page.save(path)
    return page


def _released(release: Release, policy: Policy | None) -> Any:
    """Where the rows of a release are."""
    if release.path is None:
        return release.data
    source = None if policy is None else policy.source
    if isinstance(release.path, str) and isinstance(source, TableSource):
        return TableSource(connection=source.connection, table=release.path)
    return release.path


def _demand(policy: Policy | str | Path | None, arguments: dict[str, Any]) -> Policy | None:
    """The policy that was given, or the one that the arguments make; `None` if there is neither."""
    if policy is not None or arguments.get("quasi_identifiers"):
        return stated_policy(policy, {"k": 1, **arguments}, REPORT_ARGUMENTS)
    alone = [name for name, value in arguments.items() if value]
    if alone:
        raise PolicyError(f"{alone[0]} needs quasi-identifiers; name them, or pass a policy")
    return None


def _policy_of_manifest(manifest: Mapping[str, Any] | None) -> Policy:
    if manifest is None or "recoding" not in manifest:
        why = "there is no manifest next to the release to read them from"
        if manifest is not None:
            why = "the recoding, which has them, was removed from the manifest next to the release"
        raise PolicyError(
            f"name the quasi-identifiers: quasi_identifiers=[...] (flag: -q), or give a policy; {why}"
        )
    return policy_of(
        quasi_identifiers=list(manifest["recoding"]),
        k=int(manifest["k"]),
        cost=str(manifest["cost_metric"]),
        **_people_of(manifest),
    )


def _people_of(manifest: Mapping[str, Any]) -> dict[str, Any]:
    """Who was counted, and whose rows can be linked, as arguments of a policy."""
    given = manifest.get("promise")
    if given is None:
        return {}
    column = given["column"]
    if given["unit"] == "household":
        return {"household": column, "order": manifest.get("order", "keep")}
    if not given["rows_linkable"]:
        return {"entity": column}
    return {
        "entity": column,
        "linkable": True,
        "known_events": given["known_events"],
        "order": manifest.get("order", "keep"),
    }


def _manifest(release: Any, engine: SqlEngine, *, needed: bool) -> Mapping[str, Any] | None:
    """The manifest next to a release, or in the comment on a table; `None` if there is none.

    The audit reports one that cannot be read; `AuditError` if it is also `needed`.
    """
    try:
        return manifest_of(engine, release)
    except ManifestError as error:
        if not needed:
            return None
        raise AuditError(". ".join(failed_check(release, error).failures.values())) from None
