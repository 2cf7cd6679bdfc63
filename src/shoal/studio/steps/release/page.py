"""The page of the step: what is released on top, then sign, write and take along."""

from __future__ import annotations

from collections.abc import Callable

from nicegui import ui

from shoal.formatting.numbers import number, percent
from shoal.studio.anonymity_words import smallest_of
from shoal.studio.parts import card, heading, notice, tiles, verdict
from shoal.studio.publish import verdict_words
from shoal.studio.redraw import Redraw
from shoal.studio.reproducibility import unmet_conditions
from shoal.studio.steps.release.command_line import command_line
from shoal.studio.steps.release.download_links import take
from shoal.studio.steps.release.sign import sign
from shoal.studio.steps.release.state import ReleaseState, selected_run, state_of
from shoal.studio.steps.release.write_form import done, write_form
from shoal.studio.workspace import Run, Workspace


def build(workspace: Workspace) -> None:
    """Show the step."""
    heading("Release", "Sign it, write it into a folder, or take it along. What is written is audited again.")

    def drawn(draw: Callable[[Workspace, Run], None], *more: Callable[[], object]) -> None:
        """A part that is redrawn only when its content changes: nobody loses what they type."""

        def shown() -> tuple[object, ...]:
            state_of(workspace)
            run = selected_run(workspace)
            return (None if run is None else run.number, *(job() for job in more))

        def show() -> None:
            run = selected_run(workspace)
            if run is not None:
                draw(workspace, run)

        Redraw(shown, show)

    def remembered() -> ReleaseState:
        return workspace.state(ReleaseState)  # another one once another table is open

    drawn(
        last_look,
        lambda: [run.number for run in workspace.runs if run.release is not None],
        lambda: [] if (run := selected_run(workspace)) is None else unmet_conditions(workspace, run),
    )
    drawn(done, lambda: {number: id(each) for number, each in remembered().written.items()})
    with ui.element("div").classes("two"):
        with ui.element("div"):
            drawn(sign)
            drawn(write_form)
        with ui.element("div"):
            drawn(take, lambda: [*remembered().reports.items()])
            drawn(command_line)


def last_look(workspace: Workspace, run: Run) -> None:
    """The verdict, the numbers, and what to check before."""
    release = run.release
    assert release is not None
    _which(workspace, run)
    facts, judgement = release.manifest, release.verdict
    sets = len(run.draft.stated["privacy"].get("sets") or [])
    smallest, counted = smallest_of(judgement)
    judged = None if judgement.meets and run.facts.get("not judged") else judgement.meets
    verdict(judged, verdict_words(judgement, sets), f"{run.title}: {_promise(facts.status, facts.kind)}")
    kept = facts.rows - facts.suppressed
    tiles(
        [
            ("Rows released", number(kept), f"of {number(facts.rows)}"),
            ("Rows suppressed", number(facts.suppressed), percent(facts.suppressed / max(1, facts.rows))),
            (
                "Smallest group",
                number(smallest),
                f"{counted}; at least {number(judgement.demanded)} were demanded",
            ),
            ("Groups", number(facts.groups), "of rows that read alike"),
            ("Loss", number(None if facts.cost is None else float(facts.cost)), str(facts.cost_metric)),
        ]
    )
    warnings = [*unmet_conditions(workspace, run), *release.warnings]
    if warnings:
        with card("Look at this before you release"):
            for warning in warnings:
                notice(warning[:1].upper() + warning[1:] + ("" if warning.endswith(".") else "."), "warn")


def _which(workspace: Workspace, run: Run) -> None:
    released = {each.number: each.title for each in workspace.runs if each.release is not None}
    if len(released) < 2:
        return

    def choose(number: int) -> None:
        workspace.chosen = workspace.run(number)
        workspace.touch()

    picked = ui.select(
        released, value=run.number, label="Which run", on_change=lambda event: choose(event.value)
    )
    picked.props("outlined dense").classes("which-run")


def _promise(status: str, kind: str) -> str:
    return {
        "optimal": f"proved: no other {kind} that meet these demands lose less.",
        "minimal": "proved: no column can be released one level finer; losses were not compared.",
        "feasible": "admissible; a release with less loss may exist.",
    }.get(status, status)
