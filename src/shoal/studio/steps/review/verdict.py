"""The audit's verdict in one line, what was measured, and every demand with what came of it."""

from __future__ import annotations

from collections.abc import Sequence

from nicegui import ui

from shoal import Audited, Release
from shoal.formatting.numbers import number, percent
from shoal.studio.anonymity_words import smallest_of
from shoal.studio.parts import card, notice, text, tiles
from shoal.studio.parts import verdict as stamped
from shoal.studio.reproducibility import unmet_conditions
from shoal.studio.steps.review.measures import Filling
from shoal.studio.steps.review.words import model_words, proof, verdict_line
from shoal.studio.workspace import Run, Workspace

Demand = tuple[str, str, str, bool | None]
"""What is demanded, what that means, what was measured, and whether it holds; `None` if not demanded."""


def build(workspace: Workspace, run: Run) -> None:
    """The line, the tiles, the demands."""
    release = run.release
    assert release is not None
    sets = len(run.draft.stated["privacy"].get("sets") or [])
    holds, words = verdict_line(release, sets)
    name = workspace.needed_table().name
    # Not all that the steward demands was judged: that is no "holds".
    stamped(
        None if holds and run.facts.get("not judged") else holds,
        words,
        f"Measured in the written release of {name}, not taken from the search.",
    )
    for warning in [*unmet_conditions(workspace, run), *release.warnings]:
        notice(warning[:1].upper() + warning[1:] + ("" if warning.endswith(".") else "."), "warn")
    tiles(_facts(release))
    with card("What was demanded", "Each demand, and what the written rows show."):
        Filling(
            workspace,
            run,
            "audit",
            "Reading the written file once more: every model, its manifest, its columns …",
            lambda found: _audited(found, release),
            until=lambda: _demands(demands(release)),
        )


def _facts(release: Release) -> list[tuple[str, str, str]]:
    facts, measured = release.manifest, release.verdict.measured
    word, sentence = proof(release)
    kept = facts.rows - facts.suppressed
    smallest, counted = smallest_of(release.verdict)
    return [
        (
            "Smallest group",
            number(smallest),
            f"{counted} that read alike; {facts.k:,} were demanded",
        ),
        ("Groups", number(measured.groups), "rows with the same cells"),
        ("Rows released", number(kept), f"of {facts.rows:,}"),
        (
            "Not released",
            number(facts.suppressed),
            f"{percent(facts.suppressed / facts.rows if facts.rows else 0)} of the rows were suppressed",
        ),
        ("Loss", word, sentence),
    ]


def demands(release: Release) -> list[Demand]:
    """What was demanded, as the audit of the run measured it."""
    verdict = release.verdict
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
        (f"{model.key}: {model.demand}", model_words(model.key), number(model.measured), model.holds)
        for model in verdict.models
    ]


def _audited(audited: Audited, release: Release) -> None:
    rows = demands(release)
    judged = {model.key for model in audited.verdict.models}
    for finding in audited.findings:
        if finding.key not in judged and finding.key != "k-anonymity" and finding.level == "error":
            rows.append((finding.demand.capitalize(), finding.words, "", finding.holds))
    _demands(rows)
    for warning in audited.warnings:
        notice(warning, "warn")
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
            _demands(others, heads=("Model", "Measured", ""))


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
