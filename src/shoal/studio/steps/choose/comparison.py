"""Algorithms side by side: what each makes of the table, by measures that are the same for all."""

from __future__ import annotations

from typing import Any

from nicegui import ui
from nicegui.events import ValueChangeEventArguments

from shoal import Compared, PolicyError
from shoal.studio.jobs import Job
from shoal.studio.parts import card, notice, number, primary, secondary, text
from shoal.studio.steps.choose.asked import (
    COMPARISON,
    SHORT_LIST,
    Choosing,
    compare_algorithms,
    use_algorithm,
)
from shoal.studio.steps.choose.scatter import ACCENT, GREY
from shoal.studio.steps.choose.told import failure
from shoal.studio.steps.choose.watched import Watched, tried
from shoal.studio.words import ALGORITHM_WORDS, COST_WORDS
from shoal.studio.workspace import Workspace

MEASURES = {
    "ncp": "Detail lost (NCP, per cent)",
    "discernibility": "Discernibility",
    "groups": "Groups",
    "suppressed": "Rows left out",
    "seconds": "Seconds",
}
"""What all algorithms can be compared by. What each minimized is a cost of its own, and is not compared."""

_STATUS = {
    "optimal": ("Proved best of its kind", "good"),
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
        Watched(state, lambda: _form(workspace, choosing))
    Watched(
        lambda: _is_earlier(workspace, choosing),
        lambda: notice(_EARLIER, "warn") if _is_earlier(workspace, choosing) else None,
        seconds=1,
    )
    Watched(lambda: (state(), len(_runs(workspace))), lambda: _found(workspace, choosing))


def _is_earlier(workspace: Workspace, choosing: Choosing) -> bool:
    made, now = choosing.compared, workspace.draft
    if made is None:
        return False
    ours, theirs = ({**each.stated, "search": None} for each in (made, now))
    # The algorithm and the cost may come from this very page.
    for each in (ours, theirs):
        each["objective"] = {key: value for key, value in each["objective"].items() if key != "cost"}
    return (ours, made.used_files()) != (theirs, now.used_files())


def _runs(workspace: Workspace) -> list[Compared]:
    job = workspace.jobs.get(COMPARISON)
    return [] if job is None else list(job.reports)


def _form(workspace: Workspace, choosing: Choosing) -> None:
    job = workspace.jobs.get(COMPARISON)
    with ui.element("div").classes("choose-algorithms").props("role=group aria-label=Algorithms"):
        for name in SHORT_LIST:
            _box(choosing, name)
    others = [name for name in ALGORITHM_WORDS if name not in SHORT_LIST]
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
    words = ALGORITHM_WORDS[name]

    def turn(event: ValueChangeEventArguments[Any]) -> None:
        wanted = {*choosing.algorithms, name} if event.value else {*choosing.algorithms} - {name}
        choosing.algorithms = [each for each in (*SHORT_LIST, *ALGORITHM_WORDS) if each in wanted]
        choosing.algorithms = list(dict.fromkeys(choosing.algorithms))

    with ui.element("div").classes("choose-algorithm"):
        ui.checkbox(words.name, value=name in choosing.algorithms, on_change=turn).props("dense")
        ui.label(words.short).classes("hint")


def _found(workspace: Workspace, choosing: Choosing) -> None:
    job = workspace.jobs.get(COMPARISON)
    runs = _runs(workspace)
    if job is None:
        return
    if job.state == "failed":
        notice(failure(job.error), "bad")
    elif job.state == "stopped":
        notice("The comparison was stopped; what had ended before is below." if runs else "It was stopped.")
    if not runs:
        return
    ended = [run for run in runs if run.status != "refused"]
    with card(
        "What each makes of it",
        "Measured on what would be released, the same way for all; less loss is better.",
    ):
        if ended:
            _bars(choosing, ended)
            _table(workspace, ended)
        refused = [run for run in runs if run.status == "refused"]
        if refused:
            text("h3", "Do not apply here").classes("choose-title")
            with ui.element("ul").classes("choose-refused"):
                for run in refused:
                    with ui.element("li"):
                        text("b", _name(run))
                        text("span", ": " + failure(run.why))


def _name(run: Compared) -> str:
    known = ALGORITHM_WORDS.get(run.algorithm)
    return run.algorithm if known is None else known.name


def _bars(choosing: Choosing, runs: list[Compared]) -> None:
    with ui.element("div").classes("row"):
        chosen = ui.select(MEASURES, value=choosing.measure, label="Bars show").props("outlined dense")
        chosen.classes("choose-measure")
    chart = ui.echart(_bar_options(runs, choosing.measure)).classes("choose-bars").props("role=img")
    chart.style(f"height: {64 + 30 * len(runs)}px")
    chart.props["aria-label"] = "Bars of one measure of each algorithm; the table below has the numbers"

    def measure(event: ValueChangeEventArguments[Any]) -> None:
        choosing.measure = event.value
        chart.options.clear()
        chart.options.update(_bar_options(runs, event.value))
        chart.update()

    chosen.on_value_change(measure)


def _breaks_k(run: Compared) -> bool:
    return run.smallest is not None and run.smallest < run.k


def _value(run: Compared, measure: str) -> float | None:
    value = getattr(run, measure)
    if value is None:
        return None
    return round(100 * value, 2) if measure == "ncp" else float(value)


def _bar_options(runs: list[Compared], measure: str) -> dict[str, Any]:
    # What breaks k is told in the table; beside the others its bar would look like a better choice.
    known = [run for run in runs if _value(run, measure) is not None and not _breaks_k(run)]
    shown = sorted(known, key=lambda run: _value(run, measure) or 0)
    shown.reverse()  # a bar chart that lies begins at the bottom
    return {
        "animation": False,
        "grid": {"left": 8, "right": 80, "top": 8, "bottom": 30, "containLabel": True},
        "tooltip": {"show": False},
        "xAxis": {
            "type": "value",
            "axisLabel": {"color": GREY, "hideOverlap": True},
            "splitLine": {"lineStyle": {"color": GREY, "opacity": 0.18}},
        },
        "yAxis": {
            "type": "category",
            "data": [_name(run) for run in shown],
            "axisLabel": {"color": GREY, "fontSize": 13},
            "axisLine": {"lineStyle": {"color": GREY}},
            "axisTick": {"show": False},
        },
        "series": [
            {
                "type": "bar",
                "data": [
                    {
                        "value": _value(run, measure),
                        "label": {"formatter": number(_value(run, measure))},
                    }
                    for run in shown
                ],
                "itemStyle": {"color": ACCENT, "borderRadius": [0, 3, 3, 0]},
                "barMaxWidth": 18,
                "label": {"show": True, "position": "right", "color": GREY},
            }
        ],
    }


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
                made = text("th", head).props("scope=col")
                made.classes("n" if 2 <= place <= 7 else "")
        with ui.element("tbody"):
            for run in runs:
                _line(workspace, run)


def _line(workspace: Workspace, run: Compared) -> None:
    words, tone = _STATUS.get(run.status, (run.status, ""))
    if _breaks_k(run):
        words, tone = f"Does not keep k = {run.k:,}", "bad"
    with ui.element("tr"):
        text("td", _name(run)).classes("choose-name")
        with ui.element("td"):
            text("span", words).classes(f"badge {tone}")
            if run.minimized is not None:
                cost = COST_WORDS[run.minimized].name if run.minimized in COST_WORDS else run.minimized
                text("div", f"minimized {cost.lower()}").classes("hint")
        ncp = "-" if run.ncp is None else f"{100 * run.ncp:.1f} %"
        for cell in (ncp, *(number(each) for each in (run.discernibility, run.groups, run.smallest))):
            text("td", cell).classes("n")
        text("td", number(run.suppressed)).classes("n")
        text("td", "-" if run.seconds is None else f"{run.seconds:.1f}").classes("n")
        with ui.element("td"):
            _use(workspace, run)


def _use(workspace: Workspace, run: Compared) -> None:
    if run.ncp is None:
        text("span", failure(run.why)).classes("hint")
        return
    if _breaks_k(run):
        text("span", "Its loss cannot be compared with the others'.").classes("hint")
        return

    def use() -> None:
        use_algorithm(workspace.draft, run.algorithm, run.minimized)
        workspace.touch()
        ui.navigate.to("/search")

    made = secondary("Search with this one", use).props("dense")
    made.props["aria-label"] = f"Search with this one: {_name(run)}"
