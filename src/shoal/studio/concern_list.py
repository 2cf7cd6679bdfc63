"""The list of concerns on a page: each with what was found and the buttons that settle it."""

from __future__ import annotations

from nicegui import ui

from shoal.studio.concerns import ON_PURPOSE, Concern, Kept, Way, concerns
from shoal.studio.parts import card, secondary
from shoal.studio.redraw import Redraw
from shoal.studio.steps.review.judgement import judgement
from shoal.studio.workspace import Run, Workspace

TITLE = "Before you sign"
HINT = "What was raised on the way here. It is in the report, too, until it is settled."


def concern_list(workspace: Workspace, run: Run) -> None:
    """Show it; drawn again when the audit adds something, or somebody settles something."""

    def found() -> list[Concern]:
        if run not in workspace.runs:  # removed in another tab, or its table was closed
            return []
        return concerns(workspace, run, judgement(workspace, run).audited)

    def draw() -> None:
        listed, kept = found(), workspace.state(Kept).of(run)
        if not listed:
            return
        with card(TITLE, HINT, classes="concerns"), ui.element("ul"):
            for concern in listed:
                with ui.element("li"):
                    ui.label(concern.words)
                    _settle(workspace, run, concern, concern.words in kept)

    def shown() -> object:
        return [(each.words, each.words in workspace.state(Kept).of(run)) for each in found()]

    Redraw(shown, draw)


def _settle(workspace: Workspace, run: Run, concern: Concern, is_kept: bool) -> None:
    kept = workspace.state(Kept).of(run)

    def turn() -> None:
        (kept.discard if is_kept else kept.add)(concern.words)
        workspace.touch()

    with ui.element("div").classes("row"):
        if is_kept:
            ui.label(ON_PURPOSE).classes("badge")
            secondary("Look at it again", turn)
            return
        for way in concern.ways:
            changed = way.label if not concern.can_be_kept else f"{way.label} and search again"
            secondary(changed, lambda way=way: _take(workspace, run, way))
        if not concern.ways:
            ui.link("Change the policy", "/protect").classes("button")
        if concern.can_be_kept:
            secondary("Keep it on purpose", turn)


def _take(workspace: Workspace, run: Run, way: Way) -> None:
    """Change the policy and search by it; what was found before stays among the runs."""
    if run not in workspace.runs:
        return
    draft = (workspace.draft if way.label == "Search again" else run.draft).copy()
    way.change(draft)
    workspace.draft = draft
    workspace.search(f"{run.title[:50]}, {way.label[:1].lower()}{way.label[1:]}"[:80])
    ui.navigate.to("/search")
