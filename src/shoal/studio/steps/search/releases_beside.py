"""Two or three releases side by side: what each demands, leaves out and loses, column by column."""

from __future__ import annotations

from collections.abc import Sequence

from nicegui import ui

from shoal.formatting.columns import Column
from shoal.formatting.numbers import MISSING, percent
from shoal.studio.parts import text
from shoal.studio.steps.search.wording import algorithm, demands, lost, metric_name
from shoal.studio.workspace import Run

LONGEST = 36
BEST = "keeps most"


def releases_beside(runs: Sequence[Run]) -> None:
    """Put the table onto the page; nothing, if fewer than two of the runs have a release."""
    released = [run for run in runs if run.release is not None]
    if len(released) < 2:
        return
    text("h3", "The releases side by side").classes("beside-title")
    with ui.element("div").classes("scroll"), ui.element("table").classes("plain beside") as table:
        table.props["aria-label"] = "The releases side by side"
        with ui.element("thead"), ui.element("tr"):
            text("th", "").props('scope=col aria-label="What is compared"')
            for run in released:
                text("th", run.title).props("scope=col")
        with ui.element("tbody"):
            for name, cells in _facts(released):
                _line(name, cells)
            for name in _columns(released):
                _column(name, released)


def _facts(runs: Sequence[Run]) -> list[tuple[str, list[str]]]:
    facts = [(run, run.release.manifest) for run in runs if run.release is not None]
    return [
        ("Demand", [demands(run.draft) for run in runs]),
        ("Search", [algorithm(run) for run in runs]),
        ("Lost", [f"{lost(run, _cost(run))} ({metric_name(run).lower()})" for run in runs]),
        ("Rows left out", [f"{each.suppressed:,} of {each.rows:,}" for _, each in facts]),
        ("Groups", [f"{each.groups:,}" for _, each in facts]),
    ]


def _cost(run: Run) -> float | None:
    assert run.release is not None
    cost = run.release.manifest.cost
    return None if cost is None else float(cost)


def _line(name: str, cells: Sequence[str]) -> None:
    with ui.element("tr"):
        text("th", name).props("scope=row")
        for cell in cells:
            text("td", cell)


def _columns(runs: Sequence[Run]) -> list[str]:
    named = (column.name for run in runs if run.release is not None for column in run.release.columns)
    return [*dict.fromkeys(named)]


def _column(name: str, runs: Sequence[Run]) -> None:
    """What a column loses in each release; the least loss is marked in words."""
    found = [_of(run, name) for run in runs]
    losses = [None if column is None else _loss(column) for column in found]
    known = [loss for loss in losses if loss is not None]
    with ui.element("tr"):
        text("th", _cut(name)).props("scope=row")
        for column, loss in zip(found, losses, strict=True):
            with ui.element("td"):
                if column is None or loss is None:
                    ui.label("not made coarser")
                    continue
                best = len(known) > 1 and loss == min(known) < max(known)
                ui.label(f"{percent(loss)} lost" + (f", {BEST}" if best else "")).classes(
                    "beside-best" if best else ""
                )
                before = MISSING if column.value is None else _cut(column.value)
                after = MISSING if column.label is None else _cut(column.label)
                ui.label(f"{before} as {after}").classes("soft")


def _of(run: Run, name: str) -> Column | None:
    assert run.release is not None
    return next((column for column in run.release.columns if column.name == name), None)


def _loss(column: Column) -> float | None:
    return 1.0 if column.joined else column.loss


def _cut(words: str) -> str:
    return words if len(words) <= LONGEST else words[: LONGEST - 1] + "…"
