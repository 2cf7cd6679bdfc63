"""The lines that summarize a release."""

from __future__ import annotations

from pathlib import Path

from shoal.auditor import ModelVerdict, Verdict
from shoal.formatting.detail import claim, figures
from shoal.formatting.numbers import number
from shoal.formatting.numbers import percent_in_line as percent
from shoal.model.result.manifest import Manifest
from shoal.model.result.phases import long_run
from shoal.model.result.version_words import version_words
from shoal.pipeline.release import Release


def summary(manifest: Manifest) -> str:
    """Status, cost and what is known of a better one, nodes, suppressed rows and the audit."""
    share = percent(manifest.suppressed / manifest.rows)
    cost = figures(manifest.cost_metric, manifest.cost, manifest.bound, manifest.gap)
    return (
        f"{manifest.status}   {cost}   nodes {manifest.nodes:,}   "
        f"suppressed {manifest.suppressed:,} rows ({share})   "
        f"audit {_audit_words(manifest)}"
    )


def outcome(release: Release) -> list[str]:
    """The outcome, what is proved about its cost and among which recodings, and its path."""
    facts = release.manifest
    proved = claim(facts.cost_metric, facts.status, facts.cost, facts.bound, facts.gap, facts.kind)
    extension = version_words(facts.versions)
    promised = [] if facts.promise is None else [str(facts.promise["sentence"])]
    return [
        summary(facts),
        # An extended release has the labels that it must have: nothing was searched.
        *([proved] if proved and not extension else []),
        whereabouts(release),
        *extension,
        *promised,
        *long_run(facts.phases),
    ]


def certificate_line(release: Release, path: Path) -> str:
    """Where the certificate is, and whether it was checked."""
    facts = release.manifest.certificate or {}
    verified = ", proof verified by an independent checker" if facts.get("verified") else ""
    said = f"certificate of {facts['nodes']:,} nodes{verified}"
    return f"{path}: {said}; it tells of the source, so keep it as you keep that"


def _audit_words(manifest: Manifest) -> str:
    if manifest.audit["holds"]:
        return "holds"
    return "holds for wildcards only" if manifest.audit.get("holds-wildcard") else "fails"


def whereabouts(release: Release) -> str:
    """The path of the release and its size."""
    facts = release.manifest
    rows = release.verdict.measured.rows
    if release.verdict.k is None:
        return f"{release.path}: {rows:,} rows, in all of which every quasi-identifier is *"
    return f"{release.path}: {rows:,} rows in {facts.groups:,} groups, the smallest of {release.verdict.k}"


def model_lines(verdict: Verdict) -> list[str]:
    """A line per privacy model: what is demanded, what was measured, and where if not in the table alone."""
    return [_model_line(model) for model in verdict.models]


def _model_line(model: ModelVerdict) -> str:
    if model.unmeasured is not None:
        return f"  {model.key}: {model.demand}; not measured: {model.unmeasured}"
    least, where = "at least " if model.at_least else "", f" ({model.where})" if model.where else ""
    line = f"  {model.key}: {model.demand}; measured {least}{number(model.measured)}{where}"
    if model.holds:
        return line
    if model.unit is not None:
        return f"{line}   fails for {model.broken_by}"
    return f"{line}   fails in {model.groups_failing:,} groups, {model.rows_failing:,} rows"
