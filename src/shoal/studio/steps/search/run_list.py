"""All runs in a table: the selected one, their states, and two or three of them in one plot."""

from __future__ import annotations

from dataclasses import dataclass

from nicegui import events, ui

from shoal.studio.parts import card, notice, text
from shoal.studio.redraw import INTERVAL
from shoal.studio.steps.search.plot import Compared, moments
from shoal.studio.steps.search.releases_beside import releases_beside
from shoal.studio.steps.search.selection import MOST_COMPARED, SearchSelection
from shoal.studio.steps.search.wording import (
    algorithm,
    demands,
    gap,
    last,
    lost_figure,
    metric,
    metric_name,
    status,
)
from shoal.studio.workspace import Run, Workspace

HEADS = (
    "Run",
    "Status",
    "Search",
    "Demand",
    "Loss",
    "Counted as",
    "Groups",
    "Rows left out",
    "Seconds",
    "Compare",
)
DIFFERENT = (
    "These runs count the loss in different ways, so their numbers cannot be compared. Choose runs "
    "with the same cost, or compare what they release in Review."
)
NUMBERS = ("Loss", "Groups", "Rows left out", "Seconds")


@dataclass(eq=False)
class Row:
    """A run's row, and what changes in it."""

    run: Run
    row: ui.element
    button: ui.button
    cells: dict[str, ui.label]


class Listing:
    """The table; its rows stay while their texts change, so that the keyboard does not lose its place."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self._rows: list[Row] = []
        self._kept: object = None
        self._drawn: object = None
        self._compared: Compared | None = None
        with card(
            "Runs", "Choose one to see how it went. Tick two or three to see them side by side."
        ) as box:
            self._card = box
            self._table = ui.element("div").classes("scroll")
            self._table.props('tabindex=0 role=region aria-label="Table of runs"')
            self._plot = ui.element("div")
        self.look()
        ui.timer(INTERVAL, self.look)

    @property
    def _remembered(self) -> SearchSelection:
        return self._workspace.state(SearchSelection)

    def look(self) -> None:
        """See what has changed."""
        runs = self._workspace.runs
        self._card.set_visibility(bool(runs))
        kept = [(run.number, run.title, run is self._workspace.chosen) for run in runs]
        if kept != self._kept:
            self._kept = kept
            self._table.clear()
            self._rows = []
            with self._table:
                self._draw()
        selected = self._remembered.run(self._workspace)
        for row in self._rows:
            here = row.run is selected
            row.row.classes(add="here" if here else "", remove="" if here else "here")
            pressed = "true" if here else "false"
            if row.button.props.get("aria-pressed") != pressed:
                row.button.props["aria-pressed"] = pressed
            _fill(row)
        self._compare_all()

    def _draw(self) -> None:
        with ui.element("table").classes("plain search-runs"):
            with ui.element("thead"), ui.element("tr"):
                for head in HEADS:
                    text("th", head).props("scope=col").classes("n" if head in NUMBERS else "")
            with ui.element("tbody"):
                for run in self._workspace.runs:
                    self._rows.append(self._row(run))

    def _row(self, run: Run) -> Row:
        cells: dict[str, ui.label] = {}
        with ui.element("tr") as row:
            with ui.element("td"):
                button = ui.button(run.title, on_click=lambda: self._choose(run), color=None)
                button.props("flat dense no-caps").classes("search-run")
                if run is self._workspace.chosen:
                    ui.label("for review").classes("badge good")
            for head in HEADS[1:-1]:
                with ui.element("td").classes("n" if head in NUMBERS else ""):
                    cells[head] = ui.label()
            with ui.element("td"):
                box = ui.checkbox(
                    value=run.number in self._remembered.compared,
                    on_change=lambda event: self._compare(run, event),
                )
                box.props["aria-label"] = f"Compare {run.title}"
        return Row(run, row, button, cells)

    def _choose(self, run: Run) -> None:
        self._remembered.selected = run.number
        self.look()

    def _compare(self, run: Run, event: events.ValueChangeEventArguments[bool]) -> None:
        others = [number for number in self._remembered.compared if number != run.number]
        self._remembered.compared = [*others, run.number] if event.value else others
        self.look()

    def _compare_all(self) -> None:
        """Redraw the comparison when others are compared; update it when one of them has progressed."""
        runs = self._remembered.runs_compared(self._workspace)
        compared = [(run.number, run.title, metric(run), run.release is None) for run in runs]
        points = [(run.title, moments(run.job.reports)) for run in runs]
        if compared != self._drawn:
            self._drawn = compared
            self._plot.clear()
            self._compared = None
            if len(runs) > 1:
                with self._plot:
                    self._draw_comparison(runs)
        if self._compared is not None:
            self._compared.move(points)

    def _draw_comparison(self, runs: list[Run]) -> None:
        if len(runs) > MOST_COMPARED:
            notice(f"At most {MOST_COMPARED} runs fit into one plot; untick one.", "warn")
        elif len({metric(run) for run in runs}) > 1:
            notice(DIFFERENT, "warn")
        else:
            self._compared = Compared(
                f"{metric_name(runs[0])} over time of {len(runs)} runs, as in the table"
            )
            ui.label("Solid: the best found. Dashed: what no release can go below.").classes("hint")
        if len(runs) <= MOST_COMPARED:
            releases_beside(runs)


def _fill(row: Row) -> None:
    run, cells = row.run, row.cells
    moment = last(run)
    words, tone = status(run)
    release = run.release
    if run.job.is_running and (known := gap(run)) != "-":
        words += f", gap {known}"
    seen = {
        "Status": words,
        "Search": algorithm(run),
        "Demand": demands(run.draft),
        "Loss": lost_figure(run, moment.cost) if moment else "-",
        "Counted as": metric_name(run),
        "Groups": f"{release.manifest.groups:,}" if release else "-",
        "Rows left out": f"{release.manifest.suppressed:,}" if release else "-",
        "Seconds": f"{moment.seconds if moment else run.job.seconds:,.1f}",
    }
    for head, content in seen.items():
        cells[head].set_text(content)
    cells["Status"].classes(replace=f"badge {tone}")
