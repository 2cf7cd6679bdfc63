"""The front on the page: what to weigh, how far the search is, the points as a chart and as a list."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

from nicegui import ui
from nicegui.events import EChartPointClickEventArguments, GenericEventArguments, ValueChangeEventArguments

from shoal import Front, Role
from shoal.cost import METRICS
from shoal.formatting.numbers import percent
from shoal.studio.charts import Chart
from shoal.studio.jobs import Job
from shoal.studio.parts import card, notice, primary, secondary
from shoal.studio.redraw import Redraw
from shoal.studio.steps.choose import point_panel, scatter, wording
from shoal.studio.steps.choose.buttons import tried
from shoal.studio.steps.choose.requests import (
    FRONT,
    Choosing,
    by_rows,
    first_point,
    front_of,
    ignored_demands,
    is_earlier,
    least_loss,
    limit,
    make_front,
)
from shoal.studio.workspace import Workspace

_NOTHING_YET = (
    "A front makes a release for each of several k, without writing it, and keeps those that nothing else "
    "beats: more privacy for the same detail, or more detail for the same privacy. Nothing is released until "
    "you pick a point."
)
_IN_BACKGROUND = (
    "It continues if you go to other steps or close the page. If you stop it, you see the best so "
    "far, but none of them can be released."
)
_EARLIER = (
    "This front is of an earlier policy, or of other settings than those above. Make it again to see what "
    "holds now."
)


def build(workspace: Workspace, choosing: Choosing) -> None:
    """Show the front, and how to make one."""

    def state() -> tuple[Job | None, str]:
        job = workspace.jobs.get(FRONT)
        return job, "" if job is None else job.state

    with card("What to weigh"):
        Redraw(
            lambda: (
                tuple(ignored_demands(workspace.draft, choosing)),
                tuple(workspace.draft.columns(Role.SENSITIVE)),
                state(),
            ),
            lambda: _form(workspace, choosing),
        )
    Redraw(state, lambda: _found(workspace, choosing))


def _form(workspace: Workspace, choosing: Choosing) -> None:
    missing = ignored_demands(workspace.draft, choosing)
    rows = by_rows(workspace.draft, choosing)
    job = workspace.jobs.get(FRONT)
    with ui.element("div").classes("choose-form"):
        _inputs(workspace, choosing)
    if missing:
        notice(
            f"A front like this ignores {wording.listed(missing)}. What you pick is then not judged by that. "
            "To apply the whole policy, use Search.",
            "warn",
        )
        ui.checkbox("Make the front without them").bind_value(choosing, "without")
    with ui.element("div").classes("row"):
        if job is not None and job.is_running:
            words = ui.label().classes("choose-progress").props("role=status aria-live=off")
            ui.timer(
                0.3,
                lambda: words.set_text(wording.progress((job.reports or [None])[-1], job.seconds, rows=rows)),
            )
            secondary("Stop" if job.state == "running" else "Stop at once", job.stop)
            return
        make = tried(lambda: make_front(workspace, choosing))
        button = primary("Make the front", make) if job is None else secondary("Make it again", make)
        if missing:
            button.bind_enabled_from(choosing, "without")


def _inputs(workspace: Workspace, choosing: Choosing) -> None:
    draft = workspace.draft
    losses = {
        name: words
        for name, words in wording.losses().items()
        if not METRICS[name].needs_class or draft.columns(Role.CLASS)
    }
    if choosing.loss not in losses:
        choosing.loss = next(iter(losses))
    ui.select(losses, label="Weigh k against").props("outlined dense").classes("field").bind_value(
        choosing, "loss"
    )
    sensitive = draft.columns(Role.SENSITIVE)
    if sensitive:
        # Generated keys: a column's name may be anything.
        names = {-1: "Nothing else"} | {
            place: f"Different values of {wording.shortened(name)} in a group (l)"
            for place, name in enumerate(sensitive)
        }

        def weigh(event: ValueChangeEventArguments[Any]) -> None:
            choosing.diverse = None if event.value == -1 else sensitive[event.value]

        here = sensitive.index(choosing.diverse) if choosing.diverse in sensitive else -1
        ui.select(names, value=here, label="Also weigh", on_change=weigh).props("outlined dense").classes(
            "field"
        )

    def most(event: ValueChangeEventArguments[Any]) -> None:
        choosing.suppression = (event.value or "").replace(" ", "").replace(",", "") or None

    ui.select(wording.RISKS, label="Risk that the suggestion meets").props("outlined dense").classes(
        "field"
    ).bind_value(choosing, "risk")
    ui.input("Rows that may be left out", value=limit(draft, choosing), on_change=most).props(
        'outlined dense hint="a share as 5%, or a number of rows"'
    ).classes("field")


def _found(workspace: Workspace, choosing: Choosing) -> None:
    job = workspace.jobs.get(FRONT)
    front = front_of(workspace)
    if job is None:
        with ui.element("section").classes("card empty"):
            ui.label("There is no front yet.").classes("empty-words")
            ui.label(_NOTHING_YET).classes("hint choose-centred")
    elif job.is_running:
        with ui.element("section").classes("card empty"):
            ui.label("The front is being made.").classes("empty-words")
            ui.label(_IN_BACKGROUND).classes("hint choose-centred")
    elif job.state == "failed":
        notice(wording.failure(job.error), "bad")
    elif job.state == "stopped":
        notice("The front was stopped before there was anything to show. Make it again when you like.")
    elif front is not None and not front.points:
        notice("No release is left over within the limit of rows that may be left out.", "warn")
    elif front is not None:
        _show(workspace, choosing, front)


def _show(workspace: Workspace, choosing: Choosing, front: Front) -> None:
    if choosing.selected is None:
        choosing.selected = first_point(front).number
    Redraw(
        lambda: is_earlier(workspace.draft, choosing),
        lambda: notice(_EARLIER, "warn") if is_earlier(workspace.draft, choosing) else None,
        seconds=1,
    )
    words, proved = wording.proof(front)
    notice(words, "good" if proved else "warn")
    words, found = wording.suggestion(front)
    notice(words, "good" if found else "warn")
    enough = len(front.where(k=(front.policy.k, None)))
    k = front.policy.k
    if not enough and not front.interrupted:
        notice(
            f"No point reaches the policy's k of {k:,}: nothing here can be released. Let more rows be left "
            "out, or lower k in Protect.",
            "bad",
        )
    hint = (
        f"{len(front):,} points, of which the policy's k of {k:,} allows {enough:,}. Click a point in the "
        "chart, or walk through the list with the arrow keys."
    )
    with card("The front", hint), ui.element("div").classes("choose-front"):
        # Called when a point is selected here: who clicks in the panel below must not meet the one before.
        _chart_and_list(choosing, front, lambda: panel.look())
    panel = Redraw(lambda: choosing.selected, lambda: point_panel.build(workspace, choosing, front))


def _chart_and_list(choosing: Choosing, front: Front, on_select: Callable[[], None]) -> None:
    """Both show the same points and the same choice; each page follows the choice of all."""
    least = least_loss(front)
    assert choosing.selected is not None
    shown: list[int | None] = [choosing.selected]

    def picture(event: EChartPointClickEventArguments) -> None:
        choosing.selected = cast("dict[str, int]", event.data)["number"]
        follow()
        on_select()

    def line(event: GenericEventArguments) -> None:
        place = event.args.get("rowIndex")
        if isinstance(place, int) and 0 <= place < len(front):
            choosing.selected = front[place].number
            follow()
            on_select()

    with ui.element("div").classes("choose-picture"):
        options = scatter.options(front, front.point(choosing.selected))
        chart = Chart(options, on_point_click=picture).classes("choose-chart").props("role=img")
        chart.props["aria-label"] = (
            f"{wording.loss_words(front)} against k for {len(front):,} points; the list has the same"
        )
        if len(front) > scatter.MOST_DRAWN:
            ui.label(f"{scatter.MOST_DRAWN:,} of the points are drawn; the list has all.").classes("hint")
    rows = [_row(front, place, wording.remark(front, front[place], least)) for place in range(len(front))]
    grid = _list(front, rows)
    places = {point.number: place for place, point in enumerate(front.points)}

    def highlight() -> None:
        if choosing.selected in places:
            grid.run_row_method(str(choosing.selected), "setSelected", True, True)
            grid.run_grid_method("ensureIndexVisible", places[choosing.selected])

    def follow() -> None:
        if choosing.selected == shown[0] or choosing.selected not in places:
            return
        shown[0] = choosing.selected
        # Into the options and not by a method: a tab that is shown again draws the options.
        chart.options["series"][-1] = scatter.chosen(front, front.point(choosing.selected))
        chart.update()
        highlight()

    grid.on("cellFocused", line, args=["rowIndex"])
    grid.on("firstDataRendered", highlight, args=[])
    ui.timer(0.4, follow)


def _row(front: Front, place: int, mark: str) -> dict[str, object]:
    point = front[place]
    diverse = wording.diversity_of(front)
    return {
        "id": str(point.number),
        "k": f"{point.k:,}",
        "risk": percent(point.risk),
        "l": "" if diverse is None else f"{float(point.values[diverse]):g}",
        "loss": wording.loss(front, point),
        "out": wording.left_out(front, point),
        "groups": f"{point.groups:,}",
        "mark": mark,
        "below": point.k < front.policy.k,
    }


def _list(front: Front, rows: list[dict[str, object]]) -> ui.aggrid:
    heads = [
        ("Point", "id", 66),
        ("k", "k", 72),
        ("Risk", "risk", 76),
        (wording.loss_words(front), "loss", 102),
    ]
    heads += [("Left out", "out", 82), ("Groups", "groups", 78)]
    if wording.diversity_of(front) is not None:
        heads.insert(2, ("l", "l", 46))
    columns: list[dict[str, object]] = [
        {"headerName": head, "field": key, "width": width, "type": "rightAligned"}
        for head, key, width in heads
    ]
    columns.append(
        {"headerName": "Mark", "field": "mark", "flex": 1, "minWidth": 104, "cellClass": "choose-mark"}
    )
    table = ui.aggrid(
        {
            "columnDefs": columns,
            "rowData": rows,
            "defaultColDef": {"sortable": False, "resizable": True, "suppressMovable": True},
            "rowSelection": {"mode": "singleRow", "checkboxes": False, "enableClickSelection": False},
            ":getRowId": "params => params.data.id",
            "rowClassRules": {"choose-below": "data.below"},
        },
        auto_size_columns=False,
    )
    table.classes("grid choose-list").props("role=region").props["aria-label"] = "The points of the front"
    return table
