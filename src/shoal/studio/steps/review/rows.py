"""Before and after: pages of rows in one grid, each column twice, changed cells marked."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field

from nicegui import ui

import shoal
from shoal import InternalError, ShoalError, SideBySide
from shoal.formatting.numbers import number
from shoal.studio.parts import card, grid, in_background, notice, row_grid, secondary, sentence, show_errors
from shoal.studio.redraw import INTERVAL
from shoal.studio.steps.review.cells import column_definitions, row_data, summary
from shoal.studio.steps.review.measures import Filling, pairs_path, unpaired_words
from shoal.studio.workspace import Run, Workspace

PAGE = 50
"""Rows on a page."""


@dataclass
class Position:
    """Where in the table people look: the first row by run, and which columns."""

    start: dict[int, int] = field(default_factory=dict)
    only_changed: bool = False


def build(workspace: Workspace, run: Run) -> None:
    """The card with the rows."""
    with card(
        "Before and after",
        "Your rows as they are, and as they were released. Only you see this: it shows your own data.",
    ):
        why = unpaired_words(workspace, run)
        if why:
            _alone(run, why)
            return
        Filling(
            workspace,
            run,
            "pairs",
            "Finding out which released row is which of yours …",
            lambda found: Pages(workspace, run, found).show(),
        )


def _alone(run: Run, why: str) -> None:
    """The released rows by themselves, and why they are alone."""
    notice(why)
    place = ui.element("div")

    async def show() -> None:
        seen = await show_errors(in_background(shoal.preview, run.release_path, rows=PAGE), place)
        if seen is not None and not place.is_deleted:
            with place:
                grid(seen, label="The first released rows")

    ui.timer(0, show, once=True)


class Pages:
    """Rows to page through. What is shown is kept in the workspace: every tab shows the same.

    Parameters
    ----------
    workspace, run
        Whose rows.
    whole
        What is known of the table as a whole; it has no rows.
    """

    def __init__(self, workspace: Workspace, run: Run, whole: SideBySide) -> None:
        self._position, self._run, self._whole = workspace.state(Position), run, whole
        self._shown: tuple[int, bool] | None = None
        self._reading = asyncio.Lock()
        for words, tone in summary(whole):
            notice(words, tone) if tone != "plain" else ui.label(words).classes("soft")
        self._tools()
        self._place = ui.element("div")
        with self._place:
            ui.label("Reading the rows …").classes("waiting")
        self._grid: ui.aggrid | None = None
        with ui.element("div").classes("legend"):
            ui.label("≠ changed").classes("key changed")
            ui.label("✕ not released, or a column that was dropped").classes("key gone")
            ui.label("No sign: as it was").classes("key")

    def show(self) -> None:
        """Show the page of rows from `start`, here and in other tabs."""
        ui.timer(INTERVAL, self._look)

    @property
    def start(self) -> int:
        """The first row, from 0."""
        return min(self._position.start.get(self._run.number, 0), max(0, self._whole.originals - 1))

    def _tools(self) -> None:
        with ui.element("div").classes("row pages"):
            self._back = secondary("Previous", lambda: self._go(self.start - PAGE), icon="chevron_left")
            self._on = secondary("Next", lambda: self._go(self.start + PAGE), icon="chevron_right")
            self._where = ui.label().classes("where").props("role=status")
            self._row = ui.number("Row", min=1, max=self._whole.originals, precision=0, format="%d")
            self._row.props("outlined dense").classes("row-field").on("keydown.enter", self._jump)
            secondary("Go to row", self._jump)
            columns = ui.checkbox(
                "Only columns that changed",
                value=self._position.only_changed,
                on_change=lambda event: setattr(self._position, "only_changed", bool(event.value)),
            )
            self._columns = columns

    def _jump(self) -> None:
        if self._row.value is not None:
            self._go((int(self._row.value) - 1) // PAGE * PAGE)

    def _go(self, start: int) -> None:
        self._position.start[self._run.number] = max(0, min(start, self._whole.originals - 1))

    async def _look(self) -> None:
        wanted = self.start, self._position.only_changed
        if wanted == self._shown or self._reading.locked():
            return
        async with self._reading:
            self._where.set_text("Reading …")
            try:
                seen = await in_background(
                    shoal.side_by_side,
                    self._run.release_path,
                    policy=self._run.policy_path,
                    start=wanted[0],
                    rows=PAGE,
                    pairs=pairs_path(self._run),
                )
            except (ShoalError, InternalError) as error:
                self._shown = wanted
                if not self._place.is_deleted:
                    self._where.set_text("")
                    self._place.clear()
                    self._grid = None
                    with self._place:
                        notice(sentence(error), "bad")
                return
            if self._place.is_deleted:  # the user has left the page
                return
            self._show(seen, wanted[1])
            self._shown = wanted

    def _show(self, seen: SideBySide, only_changed: bool) -> None:
        last = seen.start + len(seen.before)
        self._where.set_text(f"Rows {number(seen.start + 1)} to {number(last)} of {number(seen.originals)}")
        self._back.set_enabled(seen.start > 0)
        self._on.set_enabled(last < seen.originals)
        self._columns.set_value(self._position.only_changed)  # another tab may have set it
        rows = row_data(seen)
        if self._grid is not None and self._shown is not None and self._shown[1] == only_changed:
            # The grid stays, and with it where people scrolled to.
            self._grid.run_grid_method("setGridOption", "rowData", rows)
            return
        self._place.clear()
        with self._place:
            columns = column_definitions(seen, only_changed=only_changed)
            self._grid = row_grid(columns, rows, "Rows before and after").classes("pairs")
