"""The audit's verdict in one line, what was measured, and every demand with what came of it."""

from __future__ import annotations

from collections.abc import Sequence

from nicegui import ui

from shoal import Audited, Release
from shoal.formatting.numbers import number, percent
from shoal.studio.anonymity_words import smallest_of
from shoal.studio.concern_list import concern_list
from shoal.studio.parts import card, notice, secondary, text, tiles
from shoal.studio.parts import verdict as stamped
from shoal.studio.redraw import Redraw
from shoal.studio.steps.review.judgement import NOT_CHECKED, judgement, needed
from shoal.studio.steps.review.measures import Filling, request
from shoal.studio.steps.review.words import model_words, proof
from shoal.studio.workspace import Run, Workspace

Demand = tuple[str, str, str, bool | None]
"""What is demanded, what that means, what was measured, and whether it holds; `None` if not judged."""

LATER = "…"
"""In place of a number that is being measured."""


def banner(workspace: Workspace, run: Run, detail: str = "") -> None:
    """The verdict on the written file: amber until all that it rests on is done, red if that fails."""
    for part in needed(run):
        request(workspace, run, part)

    def draw() -> None:
        now = judgement(workspace, run)
        more = f"{now.detail} {detail}".strip()
        stamped(now.holds, now.line, more, stamp=now.stamp, failures=now.failures)
        if now.stamp == NOT_CHECKED:
            with ui.element("div").classes("row"):
                secondary("Check it again", check_again)

    def check_again() -> None:
        for part in needed(run):
            request(workspace, run, part, again=True)

    def shown() -> object:
        return judgement(workspace, run) if run in workspace.runs else None

    Redraw(shown, lambda: draw() if run in workspace.runs else None)


def build(workspace: Workspace, run: Run) -> None:
    """The line, the tiles, the demands."""
    release = run.release
    assert release is not None
    banner(workspace, run, f"Release of {workspace.needed_table().name}.")
    concern_list(workspace, run)
    Redraw(
        lambda: run in workspace.runs and judgement(workspace, run).audited is not None,
        lambda: tiles(_facts(release, judgement(workspace, run).audited)) if run in workspace.runs else None,
    )
    with card("What was demanded", "Each demand, and what the written rows show."):
        Filling(
            workspace,
            run,
            "audit",
            "Reading the written file once more: every model, its manifest, its columns …",
            _audited,
            until=lambda: _demands(awaited(release)),
        )


def _facts(release: Release, audited: Audited | None) -> list[tuple[str, str, str]]:
    facts = release.manifest
    word, sentence = proof(release)
    kept = facts.rows - facts.suppressed
    smallest, counted, groups = LATER, "rows", LATER
    if audited is not None:
        least, counted = smallest_of(audited.verdict)
        smallest, groups = number(least), number(audited.verdict.measured.groups)
    return [
        (
            "Smallest group",
            smallest,
            f"{counted} that read alike; {facts.k:,} were demanded",
        ),
        ("Groups", groups, "rows with the same cells"),
        ("Rows released", number(kept), f"of {facts.rows:,}"),
        (
            "Not released",
            number(facts.suppressed),
            f"{percent(facts.suppressed / facts.rows if facts.rows else 0)} of the rows were suppressed",
        ),
        ("Loss", word, sentence),
    ]


def awaited(release: Release) -> list[Demand]:
    """The demands before the audit: nothing is said about them yet."""
    models = [(f"{model.key}: {model.demand}", model_words(model.key)) for model in release.verdict.models]
    names = [(f"k-anonymity, k = {release.verdict.demanded:,}", model_words("k-anonymity")), *models]
    return [(name, words, LATER, None) for name, words in names]


def demands(audited: Audited) -> list[Demand]:
    """What was demanded, as the audit of the written file measured it."""
    verdict = audited.verdict
    of_k = verdict.k if verdict.wildcards is None else verdict.wildcards.smallest
    met = (
        verdict.measured.groups_below == 0 if verdict.wildcards is None else verdict.wildcards.rows_below == 0
    )
    rows: list[Demand] = [
        (
            f"k-anonymity, k = {verdict.demanded:,}",
            model_words("k-anonymity"),
            number(of_k),
            met,
        )
    ]
    return rows + [
        (
            f"{model.key}: {model.demand}",
            model_words(model.key) if model.unmeasured is None else f"Not measured: {model.unmeasured}.",
            number(model.measured),
            model.holds if model.unmeasured is None else None,
        )
        for model in verdict.models
    ]


def _audited(audited: Audited) -> None:
    rows = demands(audited)
    judged = {model.key for model in audited.verdict.models}
    for finding in audited.findings:
        if finding.key not in judged and finding.key != "k-anonymity" and finding.level == "error":
            rows.append((finding.demand.capitalize(), finding.words, "", finding.holds))
    _demands(rows)
    if audited.unmeasured:
        notice(f"Measured only when the release was made: {', '.join(audited.unmeasured)}.", "warn")
    others = [
        (model.key, model_words(model.key), number(model.value), None)
        for model in audited.measured
        if model.key not in judged
    ]
    if others:
        with ui.element("details").classes("also"):
            text("summary", f"Also measured, not demanded: {len(others)} models")
            _demands(others, heads=("Model", "Measured", "Verdict"))


def _demands(rows: Sequence[Demand], heads: tuple[str, ...] = ("Demand", "Measured", "Verdict")) -> None:
    with ui.element("div").classes("scroll"), ui.element("table").classes("plain demands"):
        with ui.element("thead"), ui.element("tr"):
            for at, head in enumerate(heads):
                text("th", head).classes("n" if at == 1 else "").props("scope=col")
        with ui.element("tbody"):
            for demand, words, measured, holds in rows:
                with ui.element("tr"):
                    with ui.element("td"):
                        ui.label(demand)
                        if words:
                            ui.label(words).classes("soft")
                    text("td", measured).classes("n")
                    with ui.element("td"):
                        if holds is not None:
                            stamp = "✓ holds" if holds else "✗ does not hold"
                            ui.label(stamp).classes(f"badge {'good' if holds else 'bad'}")
