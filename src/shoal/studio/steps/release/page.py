"""The page of the step: what is released on top, then sign, write and take along."""

from __future__ import annotations

from collections.abc import Callable

from nicegui import ui

from shoal import Release
from shoal.formatting.numbers import number, percent
from shoal.studio.anonymity_words import smallest_of
from shoal.studio.concern_list import concern_list
from shoal.studio.descriptions import cost_words, title
from shoal.studio.parts import heading, tiles
from shoal.studio.redraw import Redraw
from shoal.studio.steps.release.command_line import command_line
from shoal.studio.steps.release.download_links import take
from shoal.studio.steps.release.sign import sign
from shoal.studio.steps.release.state import ReleaseState, selected_run, state_of
from shoal.studio.steps.release.write_form import done, write_form
from shoal.studio.steps.review.judgement import judgement
from shoal.studio.steps.review.verdict import LATER, banner
from shoal.studio.steps.search.wording import lost_figure, lost_name, metric_name
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
    facts = release.manifest
    banner(workspace, run, f"{run.title}: {_promise(facts.status, facts.kind)}")
    Redraw(
        lambda: run in workspace.runs and judgement(workspace, run).audited is not None,
        lambda: _numbers(workspace, run, release) if run in workspace.runs else None,
    )
    concern_list(workspace, run)


def _numbers(workspace: Workspace, run: Run, release: Release) -> None:
    facts, audited = release.manifest, judgement(workspace, run).audited
    cost = None if facts.cost is None else float(facts.cost)
    share = lost_name(run) != metric_name(run)
    smallest, counted = (None, "rows") if audited is None else smallest_of(audited.verdict)
    tiles(
        [
            ("Rows released", number(facts.rows - facts.suppressed), f"of {number(facts.rows)}"),
            (
                "Rows left out",
                number(facts.suppressed),
                f"{percent(facts.suppressed / max(1, facts.rows))} of all; 0 is best",
            ),
            (
                "Smallest group",
                LATER if audited is None else number(smallest),
                f"{counted}; at least {number(facts.k)} were demanded",
            ),
            (
                "Groups",
                LATER if audited is None else number(audited.verdict.measured.groups),
                "of rows that read alike",
            ),
            ("Detail lost" if share else "Loss", lost_figure(run, cost), _what_loss(facts.cost_metric)),
        ]
    )


def _what_loss(metric: str) -> str:
    """What a loss is counted as, and which way is good."""
    return f"{title(cost_words(metric), metric)}; less is better"


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
