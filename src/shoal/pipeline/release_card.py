"""What a release shows of itself: in a notebook, and printed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shoal.formatting.card import Badge, Card, Grid, sentences
from shoal.formatting.columns import HEAD, RIGHT, as_text, column_rows, joined_words
from shoal.formatting.detail import MEANS_OVER_CELLS, claim, kept
from shoal.formatting.numbers import MISSING, number, percent, seconds
from shoal.model.result.phases import AUDIT, COUNT, WRITE, long_run

if TYPE_CHECKING:
    from shoal.pipeline.release import Release


def release_card(release: Release) -> Card:
    """What was released, what is proved about it, and what became of each column."""
    facts, holds = release.manifest, release.verdict.holds
    joined = joined_words(release.columns)
    folded: list[tuple[str, tuple[str | Grid, ...]]] = []
    if release.advice:
        folded.append(("What else could be released", tuple(sentences(release.advice))))
    if facts.notes:
        folded.append(("How to read the release", tuple(sentences(facts.notes))))
    return Card(
        title="Release" if release.path is None else f"Release {release.path}",
        badges=(
            Badge(text=facts.status, tone="good" if facts.status == "optimal" else "plain"),
            Badge(text="audit holds" if holds else _audit(release), tone="good" if holds else "bad"),
            *(() if facts.truthful else (Badge(text="cells are not true of their rows", tone="note"),)),
        ),
        facts=(
            ("k measured", MISSING if release.verdict.k is None else f"{release.verdict.k:,}"),
            *_detail(release),
            ("rows", f"{release.verdict.measured.rows:,} of {facts.rows:,}"),
            ("suppressed", f"{facts.suppressed:,} ({percent(_share(release))})"),
            ("groups", f"{facts.groups:,}"),
            ("search", f"{facts.algorithm}, {seconds(facts.seconds)}"),
            *((each, seconds(facts.phases[each])) for each in (COUNT, WRITE, AUDIT) if each in facts.phases),
        ),
        lines=sentences([_claim(release)]),
        warnings=sentences([*release.warnings, *([joined] if joined else [])]),
        tables=(_columns(release),) if release.columns else (),
        folded=tuple(folded),
    )


def release_lines(release: Release) -> list[str]:
    """The release for people who print it: outcome, proof, place, and a table of the columns."""
    facts, verdict = release.manifest, release.verdict
    figures = "   ".join(f"{name} {value}" for name, value in _detail(release))
    outcome = (
        f"{facts.status}   {figures}   suppressed {facts.suppressed:,} rows ({percent(_share(release))})   "
        f"audit {'holds' if verdict.holds else _audit(release).removeprefix('audit ')}"
    )
    where = "" if release.path is None else f"{release.path}: "
    groups = (
        "in all of which every quasi-identifier is *"
        if verdict.k is None
        else f"in {facts.groups:,} groups, the smallest of {verdict.k:,}"
    )
    claimed = _claim(release)
    return [
        outcome,
        *([claimed] if claimed else []),
        f"{where}{verdict.measured.rows:,} rows {groups}",
        *([] if facts.promise is None else [str(facts.promise["sentence"])]),
        *long_run(facts.phases),
        *as_text(release.columns),
    ]


def _detail(release: Release) -> tuple[tuple[str, str], ...]:
    facts = release.manifest
    if facts.cost_metric in MEANS_OVER_CELLS and facts.cost is not None:
        return (("detail kept", kept(facts.cost)), (_name(facts.cost_metric), number(facts.cost)))
    return ((_name(facts.cost_metric), number(facts.cost)),)


def _name(metric: str) -> str:
    return metric.replace("-", " ") if metric != "ncp" else "NCP"


def _claim(release: Release) -> str:
    facts = release.manifest
    return claim(facts.cost_metric, facts.status, facts.cost, facts.bound, facts.gap, facts.kind) or ""


def _audit(release: Release) -> str:
    return "audit holds with * as a wildcard only" if release.verdict.meets else "audit does not hold"


def _share(release: Release) -> float:
    facts = release.manifest
    return facts.suppressed / facts.rows if facts.rows else 0.0


def _columns(release: Release) -> Grid:
    return Grid(
        caption="What became of each quasi-identifier",
        head=HEAD,
        rows=tuple(column_rows(release.columns)),
        numbers=frozenset(place for place, right in enumerate(RIGHT) if right),
        marked=frozenset(place for place, column in enumerate(release.columns) if column.joined),
        bars=((1, tuple(column.loss for column in release.columns)),),
    )
