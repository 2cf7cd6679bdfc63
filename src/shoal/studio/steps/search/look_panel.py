"""What the selected run would release by now, and what it does release in the end: columns, and some rows."""

from __future__ import annotations

from collections.abc import Sequence

from nicegui import ui

from shoal import SideBySide
from shoal.formatting.columns import Column, joined_words
from shoal.formatting.numbers import MISSING, percent
from shoal.studio import first_look
from shoal.studio.first_look import FirstLook
from shoal.studio.parts import card, notice, text
from shoal.studio.redraw import INTERVAL
from shoal.studio.steps.search.selection import SearchSelection
from shoal.studio.workspace import Run, Workspace

LONGEST = 40
CAUSE = (
    "A few rows with rare values usually force this. Allow some rows to be left out, give the column a "
    "hierarchy, or drop a column that nobody needs: all three under Protect. Review says of each column why "
    "it is not finer."
)


class LookPanel:
    """The panel below a run; redrawn when there is more to show."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self._box = ui.element("div")
        self._key: object = None
        self.look()
        ui.timer(INTERVAL, self.look)

    def look(self) -> None:
        """See what has changed."""
        run = self._workspace.state(SearchSelection).run(self._workspace)
        job = None if run is None else self._workspace.jobs.get(first_look.job_name(run))
        key = run and (run.number, run.job.is_running, job and job.state)
        if key == self._key:
            return
        self._key = key
        self._box.clear()
        if run is None:
            return
        with self._box:
            if run.release is not None:
                with card("What became of each column", _how_good(run)):
                    columns_table(run.release.columns)
            elif run.job.is_running and job is not None and isinstance(job.result, FirstLook):
                self._first(job.result)
            elif run.job.is_running and job is not None and job.is_running:
                with card("A first look"):
                    ui.label("Making a release with two seconds of search, to show what to expect …").classes(
                        "waiting"
                    )

    def _first(self, seen: FirstLook) -> None:
        hint = (
            "If the search ended now: a complete release of all rows, audited, after two seconds of search. "
            "What comes in the end loses less."
        )
        with card("A first look at what is released", hint):
            columns_table(seen.columns)
            if seen.rows is not None:
                text("h3", "The first rows").classes("open-first")
                _rows(seen.rows)


def _how_good(run: Run) -> str:
    assert run.release is not None
    lost = [column.loss for column in run.release.columns if column.loss is not None]
    kept = sum(share < 0.005 for share in lost)
    whole = f"{kept} of {len(lost)} columns keep all their detail, or nearly all. " if kept else ""
    return whole + "0 % lost is the column as it was; at 100 % it has one label for all rows."


def columns_table(columns: Sequence[Column]) -> None:
    """A line per column: what it loses, with a bar; how many values became how many labels; an example."""
    with ui.element("div").classes("scroll"), ui.element("table").classes("plain look-columns") as table:
        table.props["aria-label"] = "What became of each column"
        with ui.element("thead"), ui.element("tr"):
            for name in ("Column", "Detail lost", "Values", "Example", "Released as"):
                text("th", name).props("scope=col")
        with ui.element("tbody"):
            for column in columns:
                _column(column)
    warning = joined_words(columns)
    if warning is not None:
        notice(f"{warning[:1].upper()}{warning[1:]}.\n{CAUSE}", "warn")


def _column(column: Column) -> None:
    lost = 1.0 if column.joined else column.loss
    with ui.element("tr"):
        text("td", _cut(column.name)).classes("look-name")
        with ui.element("td"), ui.element("div").classes("look-lost"):
            with ui.element("span").classes("bar-track").props("aria-hidden=true"):
                ui.element("span").classes("bar after").style(f"width: {100 * (lost or 0):.2f}%")
            text("span", percent(lost)).classes("bar-number")
        many = "1 label for all" if column.joined else f"{column.values:,} as {column.labels:,} labels"
        text("td", many)
        text("td", MISSING if column.value is None else _cut(column.value))
        text("td", MISSING if column.label is None else _cut(column.label))


def _rows(seen: SideBySide) -> None:
    shown = [
        place
        for place, name in enumerate(seen.columns)
        if name not in seen.dropped and any(place in marks for marks in seen.marked)
    ]
    with ui.element("div").classes("scroll"), ui.element("table").classes("plain look-rows") as table:
        table.props["aria-label"] = "The first rows, before and after; columns that change"
        with ui.element("thead"), ui.element("tr"):
            for place in shown:
                text("th", _cut(seen.columns[place])).props("scope=col")
        with ui.element("tbody"):
            for before, after in zip(seen.before, seen.after, strict=True):
                with ui.element("tr"):
                    for place in shown:
                        _cell(before[place], None if after is None else after[place], gone=after is None)


def _cell(before: str | None, after: str | None, *, gone: bool) -> None:
    was = MISSING if before is None else _cut(before)
    now = "left out" if gone else MISSING if after is None else _cut(after)
    with ui.element("td").classes("look-changed" if now != was else ""):
        ui.label(now)
        if now != was:
            ui.label(f"was {was}").classes("soft")


def _cut(words: str) -> str:
    return words if len(words) <= LONGEST else words[: LONGEST - 1] + "…"
