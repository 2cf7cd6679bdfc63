"""A point of the front: what it would do to each column, what groups would look like, and its release."""

from __future__ import annotations

from nicegui import ui

import shoal
from shoal import Front, FrontPoint, RiskReport
from shoal.formatting.numbers import number, percent
from shoal.studio.parts import (
    card,
    grid,
    in_background,
    notice,
    primary,
    secondary,
    show_errors,
    text,
    tiles,
)
from shoal.studio.redraw import Redraw
from shoal.studio.steps.choose import wording as words_of
from shoal.studio.steps.choose.buttons import tried
from shoal.studio.steps.choose.requests import Choosing, measure_risk, release_point
from shoal.studio.steps.review.verdict import banner
from shoal.studio.workspace import Run, Workspace

ROWS = 50
"""Rows of a released point that are shown."""


def build(workspace: Workspace, choosing: Choosing, front: Front) -> None:
    """Show the selected point."""
    if choosing.selected is None:
        return
    point = front.point(choosing.selected)
    with card(words_of.summary(front, point)):
        _facts(front, point)
        _release(workspace, choosing, front, point)
        place = ui.element("div").classes("halves choose-point")

    async def explain() -> None:
        examples = await show_errors(in_background(front.examples, point), place)
        columns = await show_errors(in_background(front.columns, point), place)
        if examples is None or columns is None or place.is_deleted:
            return
        with place:
            _columns(words_of.columns_of(front, point, examples, columns))
            _examples(front, examples)

    ui.timer(0, explain, once=True)


def _facts(front: Front, point: FrontPoint) -> None:
    facts = [
        ("Risk", percent(point.risk), "at most, to find a known person"),
        ("k", f"{point.k:,}", "rows at least in every group"),
    ]
    diverse = words_of.diversity_of(front)
    if diverse is not None:
        facts.append(("l", number(float(point.values[diverse])), "different sensitive values at least"))
    facts += [
        (words_of.loss_words(front), words_of.loss(front, point), "less is better"),
        ("Groups", f"{point.groups:,}", "of rows that look alike"),
        ("Left out", f"{point.suppressed:,} rows", words_of.left_out(front, point)),
    ]
    tiles(facts)


def _columns(columns: list[tuple[str, str, str]]) -> None:
    with ui.element("div"):
        text("h3", "What becomes of each column").classes("choose-title")
        with ui.element("table").classes("plain"):
            _head("Column", "Becomes", "As in")
            with ui.element("tbody"):
                for name, becomes, labels in columns:
                    with ui.element("tr"):
                        text("td", words_of.shortened(name)).classes("choose-name")
                        text("td", becomes)
                        text("td", labels).classes("choose-labels")


def _examples(front: Front, examples: list[tuple[tuple[str, ...], int]]) -> None:
    with ui.element("div"):
        text("h3", "Some groups, from the largest to the smallest").classes("choose-title")
        if not examples:
            ui.label(f"No group has {front.least_shown:,} rows or more; smaller ones are not shown.").classes(
                "hint"
            )
            return
        with ui.element("div").classes("scroll"), ui.element("table").classes("plain choose-groups"):
            _head("Rows", *(words_of.shortened(domain.name) for domain in front.table.domains))
            with ui.element("tbody"):
                for labels, rows in examples:
                    with ui.element("tr"):
                        text("td", f"{rows:,}").classes("n")
                        for label in labels:
                            text("td", words_of.shortened(label))
        ui.label(f"Groups of fewer than {front.least_shown:,} rows are not shown here.").classes("hint")


def _head(*names: str) -> None:
    with ui.element("thead"), ui.element("tr"):
        for name in names:
            text("th", name).props("scope=col")


def _release(workspace: Workspace, choosing: Choosing, front: Front, point: FrontPoint) -> None:
    """The way to the released rows; where there is none, why."""
    k = front.policy.k
    if point.k < k:
        notice(
            f"This point cannot be released: its k is {point.k:,}, and the policy demands {k:,}. Look at "
            "another, or lower k in Protect and make the front again."
        )
        return
    if front.interrupted:
        notice("This front was stopped. Make it again and let it finish to release a point.")
        return

    def run() -> Run | None:
        known = choosing.picked.get(point.number)
        return None if known is None else workspace.run(known)

    def state() -> tuple[object, ...]:
        released = run()
        if released is None:
            return ()
        return (
            released.number,
            released.job.state,
            released.release is not None and measure_risk(workspace, released).state,
        )

    def draw() -> None:
        released = run()
        if released is None or released.job.state == "stopped":
            with ui.element("div").classes("row"):
                primary("See this table", tried(lambda: release_point(workspace, choosing, front, point)))
                ui.label("Makes the release of this point and checks it. Nothing leaves the studio.").classes(
                    "hint"
                )
        else:
            _run(workspace, released)

    Redraw(state, draw)


def _run(workspace: Workspace, run: Run) -> None:
    if run.job.is_running:
        with ui.element("div").classes("row").props("role=status"):
            ui.label("The table is being recoded, written and checked …").classes("choose-progress")
            secondary("Stop", run.job.stop)
    elif run.release is None:
        notice(words_of.failure(run.job.error), "bad")
    else:
        _released(workspace, run)


def _released(workspace: Workspace, run: Run) -> None:
    assert run.release is not None
    banner(workspace, run)
    missing = run.facts.get("not judged")
    if missing:
        notice(
            f"Not judged here: {words_of.listed(missing)}. The policy demands that too, and a front cannot "
            "consider it. This release may break it.",
            "warn",
        )
    for warning in run.release.warnings:
        notice(words_of.failure(warning), "warn")
    _risk(workspace, run)
    text("h3", "The first rows of the release").classes("choose-title")
    place = ui.element("div")

    async def rows() -> None:
        seen = await show_errors(in_background(shoal.preview, run.release_path, rows=ROWS), place)
        if seen is not None and not place.is_deleted:
            with place:
                grid(seen, height="330px", label="The first rows of the release")

    ui.timer(0, rows, once=True)

    def review() -> None:
        workspace.chosen = run
        workspace.touch()
        ui.navigate.to("/review")

    with ui.element("div").classes("row end choose-onward"):
        ui.label("It is now among your runs.").classes("hint")
        primary("Review this release", review)


def _risk(workspace: Workspace, run: Run) -> None:
    job = measure_risk(workspace, run)
    if job.is_running:
        ui.label("Its risks are being measured …").classes("choose-progress").props("role=status")
    elif not isinstance(job.result, RiskReport):
        notice(words_of.failure(job.error or "its risks were not measured"), "warn")
    else:
        risk: RiskReport = job.result
        tiles(
            [
                ("Highest risk", percent(risk.prosecutor.highest), "to find the row of a known person"),
                ("Average risk", percent(risk.prosecutor.average), "over all released rows"),
                ("Rows that are unique", percent(risk.sample_uniqueness), "like no other row"),
                ("Expected finds", number(round(risk.prosecutor.expected, 1)), "if every row is tried"),
            ]
        )
