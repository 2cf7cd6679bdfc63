"""Algorithms side by side: what each makes of the table, by measures that are the same for all."""

from __future__ import annotations

from typing import Any

from nicegui import ui
from nicegui.events import ValueChangeEventArguments

from shoal import Compared, PolicyError
from shoal.algorithms import ALGORITHMS
from shoal.formatting.numbers import number
from shoal.studio.charts import Chart
from shoal.studio.descriptions import cost_words, title
from shoal.studio.jobs import Job
from shoal.studio.parts import card, notice, primary, secondary, text
from shoal.studio.redraw import Redraw
from shoal.studio.steps.choose import bars
from shoal.studio.steps.choose.buttons import tried
from shoal.studio.steps.choose.requests import (
    COMPARISON,
    SHORT_LIST,
    Choosing,
    compare_algorithms,
    use_algorithm,
)
from shoal.studio.steps.choose.wording import failure
from shoal.studio.workspace import Workspace

_STATUS = {
    "optimal": ("Proved best", "good"),
    "minimal": ("Nothing finer holds", "good"),
    "feasible": ("Found; better may exist", ""),
    "infeasible": ("No release of this kind", "bad"),
    "unknown": ("Nothing found in time", "warn"),
    "refused": ("Does not apply", ""),
}
_EARLIER = "This comparison is of an earlier policy. Compare again to see what holds now."


def build(workspace: Workspace, choosing: Choosing) -> None:
    """Show the comparison, and how to begin one."""

    def state() -> tuple[Job | None, str]:
        job = workspace.jobs.get(COMPARISON)
        return job, "" if job is None else job.state

    hint = (
        "Each runs on your table with your policy, one after the other, and nothing is released. The first "
        "five show the ways in which values can become coarser."
    )
    with card("Which to compare", hint):
        Redraw(state, lambda: _form(workspace, choosing))
    Redraw(
        lambda: _is_earlier(workspace, choosing),
        lambda: notice(_EARLIER, "warn") if _is_earlier(workspace, choosing) else None,
        seconds=1,
    )
    Redraw(state, lambda: _ended(workspace))
    # Drawn once for a comparison: a chart that is taken away before it has begun complains in the browser.
    Redraw(
        lambda: (workspace.jobs.get(COMPARISON), bool(_runs(workspace))), lambda: _found(workspace, choosing)
    )


def _is_earlier(workspace: Workspace, choosing: Choosing) -> bool:
    earlier, now = choosing.compared, workspace.draft
    if earlier is None:
        return False
    ours, theirs = ({**each.stated, "search": None} for each in (earlier, now))
    # The algorithm and the cost may come from this very page.
    for each in (ours, theirs):
        each["objective"] = {key: value for key, value in each["objective"].items() if key != "cost"}
    return (ours, earlier.used_files()) != (theirs, now.used_files())


def _runs(workspace: Workspace) -> list[Compared]:
    job = workspace.jobs.get(COMPARISON)
    return [] if job is None else list(job.reports)


def _form(workspace: Workspace, choosing: Choosing) -> None:
    job = workspace.jobs.get(COMPARISON)
    with ui.element("div").classes("choose-algorithms").props("role=group aria-label=Algorithms"):
        for name in SHORT_LIST:
            _box(choosing, name)
    others = [name for name in ALGORITHMS if name not in SHORT_LIST]
    with (
        ui.expansion(f"All others ({len(others)})", value=not {*choosing.algorithms}.isdisjoint(others))
        .props("dense")
        .classes("choose-others"),
        ui.element("div").classes("choose-algorithms"),
    ):
        for name in others:
            _box(choosing, name)
    with ui.element("div").classes("row"):
        if job is not None and job.is_running:
            words = ui.label().classes("choose-progress").props("role=status aria-live=off")
            most = len(choosing.algorithms)
            ui.timer(
                0.3,
                lambda: words.set_text(f"{len(job.reports)} of {most} are done … {job.seconds:.0f} s"),
            )
            secondary("Stop" if job.state == "running" else "Stop at once", job.stop)
            return
        ui.number("Seconds for each", value=choosing.seconds, min=1, max=3600).props(
            "outlined dense"
        ).classes("choose-seconds").bind_value_to(
            choosing, "seconds", forward=lambda value: float(value or 10)
        )
        primary("Compare", tried(lambda: _begin(workspace, choosing)))


def _begin(workspace: Workspace, choosing: Choosing) -> None:
    if not choosing.algorithms:
        raise PolicyError("choose at least one algorithm to compare")
    compare_algorithms(workspace, choosing)


def _box(choosing: Choosing, name: str) -> None:
    words = ALGORITHMS[name].description

    def turn(event: ValueChangeEventArguments[Any]) -> None:
        wanted = {*choosing.algorithms, name} if event.value else {*choosing.algorithms} - {name}
        choosing.algorithms = [each for each in (*SHORT_LIST, *ALGORITHMS) if each in wanted]
        choosing.algorithms = list(dict.fromkeys(choosing.algorithms))

    with ui.element("div").classes("choose-algorithm"):
        ui.checkbox(words.title, value=name in choosing.algorithms, on_change=turn).props("dense")
        ui.label(words.short).classes("hint")


def _ended(workspace: Workspace) -> None:
    job = workspace.jobs.get(COMPARISON)
    if job is not None and job.state == "failed":
        notice(failure(job.error), "bad")
    elif job is not None and job.state == "stopped":
        some = bool(_runs(workspace))
        notice("The comparison was stopped; what had ended before is below." if some else "It was stopped.")


def _found(workspace: Workspace, choosing: Choosing) -> None:
    if not _runs(workspace):
        return
    with card(
        "What each makes of it",
        "Measured on what would be released, the same way for all; less loss is better.",
    ):
        _bars(workspace, choosing)
        Redraw(lambda: len(_runs(workspace)), lambda: _summary(workspace))


def _summary(workspace: Workspace) -> None:
    runs = _runs(workspace)
    ended = [run for run in runs if run.status != "refused"]
    if ended:
        _table(workspace, ended)
    refused = [run for run in runs if run.status == "refused"]
    if refused:
        text("h3", "Do not apply here").classes("choose-title")
        with ui.element("ul").classes("choose-refused"):
            for run in refused:
                with ui.element("li"):
                    text("b", bars.name_of(run))
                    text("span", ": " + failure(run.why))


def _bars(workspace: Workspace, choosing: Choosing) -> None:
    with ui.element("div").classes("row"):
        chosen = ui.select(bars.MEASURES, label="Bars show").props("outlined dense").classes("choose-measure")
        chosen.bind_value(choosing, "measure")
    chart = Chart(bars.options([], choosing.measure)).classes("choose-bars").props("role=img")
    chart.props["aria-label"] = "Bars of one measure of each algorithm; the table below has the numbers"
    shown: list[tuple[int, str]] = []

    def look() -> None:
        runs = _runs(workspace)
        if shown == [(len(runs), choosing.measure)]:
            return
        shown[:] = [(len(runs), choosing.measure)]
        drawn = bars.options(runs, choosing.measure)
        chart.style(f"height: {64 + 30 * len(drawn['yAxis']['data'])}px")
        chart.options.clear()
        chart.options.update(drawn)
        chart.update()

    look()
    ui.timer(0.3, look)


def _table(workspace: Workspace, runs: list[Compared]) -> None:
    heads = (
        "Algorithm",
        "Answer",
        "Detail lost",
        "Discernibility",
        "Groups",
        "Smallest",
        "Left out",
        "Seconds",
        "",
    )
    with ui.element("div").classes("scroll"), ui.element("table").classes("plain"):
        with ui.element("thead"), ui.element("tr"):
            for place, head in enumerate(heads):
                cell = text("th", head).props("scope=col")
                cell.classes("n" if 2 <= place <= 7 else "")
        with ui.element("tbody"):
            for run in runs:
                _line(workspace, run)


def _line(workspace: Workspace, run: Compared) -> None:
    words, tone = _STATUS.get(run.status, (run.status, ""))
    if bars.breaks_k(run):
        words, tone = f"Does not keep k = {run.k:,}", "bad"
    with ui.element("tr"):
        text("td", bars.name_of(run)).classes("choose-name")
        with ui.element("td"):
            text("span", words).classes(f"badge {tone}")
            if run.status == "optimal":
                text("div", f"among {run.kind}").classes("hint")
            if run.minimized is not None:
                cost = title(cost_words(run.minimized), run.minimized)
                text("div", f"minimized {cost.lower()}").classes("hint")
        ncp = "-" if run.ncp is None else f"{100 * run.ncp:.1f} %"
        for cell in (ncp, *(number(value) for value in (run.discernibility, run.groups, run.smallest))):
            text("td", cell).classes("n")
        text("td", number(run.suppressed)).classes("n")
        text("td", "-" if run.seconds is None else f"{run.seconds:.1f}").classes("n")
        with ui.element("td"):
            _use(workspace, run)


def _use(workspace: Workspace, run: Compared) -> None:
    if run.ncp is None:
        text("span", failure(run.why)).classes("hint")
        return
    if bars.breaks_k(run):
        text("span", "Its loss cannot be compared with the others'.").classes("hint")
        return

    def use() -> None:
        use_algorithm(workspace.draft, run.algorithm, run.minimized)
        workspace.touch()
        ui.navigate.to("/search")

    button = secondary("Search with this one", use).props("dense")
    button.props["aria-label"] = f"Search with this one: {bars.name_of(run)}"
