"""The one line that says how a release came out."""

from __future__ import annotations

from shoal.audit import Verdict
from shoal.cli.console import number, percent
from shoal.model.manifest import Manifest
from shoal.release import Release


def summary(manifest: Manifest) -> str:
    """Status, cost, bound, gap, nodes, suppressed rows and the audit."""
    share = percent(manifest.suppressed / manifest.rows)
    return (
        f"{manifest.status}   cost {number(manifest.cost)}   bound {number(manifest.bound)}   "
        f"gap {percent(manifest.gap)}   nodes {manifest.nodes:,}   "
        f"suppressed {manifest.suppressed:,} rows ({share})   "
        f"audit {_held(manifest)}"
    )


def _held(manifest: Manifest) -> str:
    if manifest.audit["holds"]:
        return "holds"
    return "holds for wildcards only" if manifest.audit.get("holds-wildcard") else "fails"


def whereabouts(release: Release) -> str:
    """Where the release lies and what it has."""
    facts = release.manifest
    rows = release.verdict.measured.rows
    if release.verdict.k is None:
        return f"{release.path}: {rows:,} rows, in all of which every quasi-identifier is *"
    return f"{release.path}: {rows:,} rows in {facts.groups:,} groups, the smallest of {release.verdict.k}"


def model_lines(verdict: Verdict) -> list[str]:
    """A line per privacy model: what is demanded and what was measured."""
    return [
        f"  {each.key}: {each.demand}; measured {number(each.measured)}"
        + ("" if each.holds else f"   fails in {each.groups_failing:,} groups, {each.rows_failing:,} rows")
        for each in verdict.models
    ]
