"""The audit's verdict in one line, what was measured, and every demand with what came of it."""

from __future__ import annotations

from collections.abc import Sequence

from nicegui import ui

from shoal import Audited, Release
from shoal.formatting.numbers import number, percent
from shoal.studio.hiding import smallest_of
from shoal.studio.parts import card, notice, text, tiles
from shoal.studio.parts import verdict as stamped
from shoal.studio.reproducible import not_held_to
from shoal.studio.steps.review.measures import Filling
from shoal.studio.steps.review.words import model_words, proof, verdict_line
from shoal.studio.workspace import Run, Workspace

Demand = tuple[str, str, str, bool | None]
"""What is demanded, what that means, what was measured, and whether it holds; `None` if that is not asked."""


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
    for warning in [*not_held_to(workspace, run), *release.warnings]:
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
    facts, found = release.manifest, release.verdict.measured
    word, sentence = proof(release)
    kept = facts.rows - facts.suppressed
    smallest, counted = smallest_of(release.verdict)
    return [
        (
            "Smallest group",
            number(smallest),
            f"{counted} that read alike; {facts.k:,} were asked for",
        ),
        ("Groups", number(found.groups), "each is told by the same cells"),
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
    found = release.verdict
    of_k = found.k if found.wildcards is None else found.wildcards.smallest
    met = found.measured.groups_below == 0 if found.wildcards is None else found.wildcards.rows_below == 0
    rows: list[Demand] = [
        (
            f"k-anonymity, k = {found.demanded:,}",
            model_words("k-anonymity"),
            number(of_k),
            met,
        )
    ]
    return rows + [
        (f"{each.key}: {each.demand}", model_words(each.key), number(each.measured), each.holds)
        for each in found.models
    ]


def _audited(found: Audited, release: Release) -> None:
    rows = demands(release)
    asked = {each.key for each in found.verdict.models}
    for each in found.findings:
        if each.key not in asked and each.key != "k-anonymity" and each.level == "error":
            rows.append((each.demand.capitalize(), each.words, "", each.holds))
    _demands(rows)
    for warning in found.warnings:
        notice(warning, "warn")
    if found.unmeasured:
        notice(f"Measured only when the release was made: {', '.join(found.unmeasured)}.", "warn")
    besides = [
        (each.key, model_words(each.key), number(each.value), None)
        for each in found.measured
        if each.key not in asked
    ]
    if besides:
        with ui.element("details").classes("besides"):
            text("summary", f"Measured besides, not demanded: {len(besides)} models")
            _demands(besides, heads=("Model", "Measured", ""))


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
