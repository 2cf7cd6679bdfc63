"""All runs in a table: which is looked at, how they stand, and two or three of them in one plot."""

from __future__ import annotations

from nicegui import events, ui

from shoal.studio.parts import EVERY, card, notice, number, percent, text
from shoal.studio.steps.search.plot import compared, moments
from shoal.studio.steps.search.remembered import MOST_COMPARED, Remembered
from shoal.studio.steps.search.telling import algorithm, demands, last, metric, metric_name, status
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
NUMBERS = ("Loss", "Groups", "Rows left out", "Seconds")


class Listing:
    """The table; its rows stay while their texts change, so that the keyboard does not lose its place."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self._box = ui.element("div")
        self._key: object = None
        self._cells: list[tuple[Run, dict[str, ui.label]]] = []
        self.look()
        ui.timer(EVERY, self.look)

    @property
    def _remembered(self) -> Remembered:
        return self._workspace.state(Remembered)

    def look(self) -> None:
        """See what has changed."""
        runs = self._workspace.runs
        looked_at = self._remembered.run(self._workspace)
        kept = [(run.number, run.title, run is self._workspace.chosen) for run in runs]
        over = [
            run.number for run in self._remembered.runs_compared(self._workspace) if not run.job.is_running
        ]
        key = (kept, looked_at and looked_at.number, list(self._remembered.compared), over)
        if key != self._key:
            self._key = key
            self._box.clear()
            self._cells = []
            if runs:
                with self._box:
                    self._draw(looked_at)
        for run, cells in self._cells:
            _fill(run, cells)

    def _draw(self, looked_at: Run | None) -> None:
        with card("Runs", "Choose one to see how it went. Tick two or three to see them in one plot."):
            with (
                ui.element("div")
                .classes("scroll")
                .props('tabindex=0 role=region aria-label="Table of runs"'),
                ui.element("table").classes("plain search-runs"),
            ):
                with ui.element("thead"), ui.element("tr"):
                    for head in HEADS:
                        text("th", head).props("scope=col").classes("n" if head in NUMBERS else "")
                with ui.element("tbody"):
                    for run in self._workspace.runs:
                        self._row(run, run is looked_at)
            self._comparison()

    def _row(self, run: Run, here: bool) -> None:
        cells: dict[str, ui.label] = {}
        with ui.element("tr").classes("here" if here else ""):
            with ui.element("td"):
                button = ui.button(run.title, on_click=lambda: self._choose(run))
                button.props("flat dense no-caps").props["aria-pressed"] = "true" if here else "false"
                button.classes("search-run")
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
        self._cells.append((run, cells))

    def _choose(self, run: Run) -> None:
        self._remembered.looked_at = run.number
        self.look()

    def _compare(self, run: Run, event: events.ValueChangeEventArguments[bool]) -> None:
        others = [each for each in self._remembered.compared if each != run.number]
        self._remembered.compared = [*others, run.number][-MOST_COMPARED:] if event.value else others
        self.look()

    def _comparison(self) -> None:
        runs = self._remembered.runs_compared(self._workspace)
        if len(runs) < 2:
            return
        if len({metric(run) for run in runs}) > 1:
            notice(
                "These runs count the loss in different ways, so their numbers cannot be compared. Choose "
                "runs with the same cost, or compare what they release in Review.",
                "warn",
            )
            return
        label = f"{metric_name(runs[0])} over time of {len(runs)} runs; the table above has the numbers."
        compared([(run.title, moments(run.job.reports)) for run in runs], label)


def _fill(run: Run, cells: dict[str, ui.label]) -> None:
    moment = last(run)
    words, tone = status(run)
    release = run.release
    if moment is not None and moment.gap is not None and run.job.is_running:
        words += f", gap {percent(moment.gap)}"
    seen = {
        "Status": words,
        "Search": algorithm(run),
        "Demand": demands(run.draft),
        "Loss": number(moment.cost) if moment else "-",
        "Counted as": metric_name(run),
        "Groups": f"{release.manifest.groups:,}" if release else "-",
        "Rows left out": f"{release.manifest.suppressed:,}" if release else "-",
        "Seconds": f"{moment.seconds if moment else run.job.seconds:,.1f}",
    }
    for head, said in seen.items():
        cells[head].set_text(said)
    cells["Status"].classes(replace=f"badge {tone}")
