"""What each level makes of the data: its labels with their rows, which are rare, the values under them."""

from __future__ import annotations

from collections.abc import Sequence

from nicegui import events, ui

from shoal.formatting.numbers import number
from shoal.studio.parts import secondary, text
from shoal.studio.steps.protect.hierarchies.state import CUT, Shaped, View

NAME_CUT = 160
ONE_LINE = 14
"""Signs of a label that is not broken: a date, a code, an interval."""
"""Signs of a label that are shown; the rest can be read in the tooltip."""

LabelRow = tuple[str, int, int]


def show(shaped: Shaped, view: View, k: int) -> None:
    """Draw the levels.

    Parameters
    ----------
    shaped
        The column under its hierarchy.
    view
        Where its user is.
    k
        Rows below which a label is rare.
    """
    view.level = min(view.level, len(shaped.levels) - 1)
    with ui.element("div").classes("levels"):
        with ui.element("div"):
            _ladder(shaped, k)
        with ui.element("div").classes("level-detail"):
            with ui.element("div").classes("row level-choice"):
                text("span", "Level").classes("level-word").props["aria-hidden"] = "true"
                # The browser's own: Quasar's slider takes the focus on an element without its label.
                slider = ui.element("input").props("type=range min=0 step=1").classes("level-slider")
                slider.props.update(
                    {"max": len(shaped.levels) - 1, "value": view.level, "aria-label": "Level"}
                )
                summary = ui.label().classes("level-summary").props("aria-live=polite")
            box = ui.element("div")

            def draw() -> None:
                summary.set_text(_said(shaped, view.level, k))
                box.clear()
                with box:
                    _detail(shaped, view, k, draw)

            def turn(event: events.GenericEventArguments) -> None:
                view.level = max(0, min(int(event.args), len(shaped.levels) - 1))
                view.shown = 12
                draw()

            slider.on("input", turn, js_handler="(event) => emit(Number(event.target.value))")
            draw()


def rare_of(labels: Sequence[LabelRow], k: int) -> list[LabelRow]:
    """The labels that fewer than k rows have."""
    return [label for label in labels if label[2] < k]


def _said(shaped: Shaped, level: int, k: int) -> str:
    labels = shaped.levels[level]
    name = "the values themselves" if level == 0 else f"{len(labels):,} label{'s' * (len(labels) != 1)}"
    few = rare_of(labels, k)
    if not few:
        return f"{level}: {name}; each has at least {k} rows"
    rows = sum(label[2] for label in few)
    return f"{level}: {name}; {len(few):,} of {len(labels):,} have fewer than {k} rows ({rows:,} rows in all)"


def _ladder(shaped: Shaped, k: int) -> None:
    with ui.element("div").classes("scroll"), ui.element("table").classes("plain ladder"):
        with ui.element("thead"), ui.element("tr"):
            for name, classes in (("Level", ""), ("Labels", "n"), ("Fewest rows", "n"), ("Rare", "n")):
                text("th", name).classes(classes).props("scope=col")
        with ui.element("tbody"):
            for level, labels in enumerate(shaped.levels):
                few = rare_of(labels, k)
                with ui.element("tr"):
                    name = {0: "0, unchanged", len(shaped.levels) - 1: f"{level}, the top"}.get(
                        level, str(level)
                    )
                    text("th", name).props("scope=row")
                    text("td", f"{len(labels):,}").classes("n")
                    text("td", number(min((label[2] for label in labels), default=0))).classes("n")
                    with ui.element("td").classes("n"):
                        ui.label(f"{len(few):,}" if few else "none").classes(f"badge {'warn' if few else ''}")
    words = (
        f"Rare: fewer than k = {k} rows have the label. Such rows must be joined with others or suppressed."
    )
    ui.label(words).classes("hint")


def _detail(shaped: Shaped, view: View, k: int, redraw: object) -> None:
    with ui.element("div").classes("halves"):
        with ui.element("div"):
            text("h3", "Labels at this level")
            _labels(shaped, view, k)
        with ui.element("div"):
            text("h3", "Values with their labels")
            _values(shaped, view)
    longest = max(len(shaped.levels[view.level]), len(shaped.column.values))
    if longest > view.shown:

        def more() -> None:
            view.shown += CUT
            redraw()  # type: ignore[operator]

        with ui.element("div").classes("row"):
            secondary("Show more", more)


def _labels(shaped: Shaped, view: View, k: int) -> None:
    labels = shaped.levels[view.level]
    most = max((each[2] for each in labels), default=1) or 1
    with ui.element("table").classes("plain labels"):
        with ui.element("thead"), ui.element("tr"):
            for name, classes in (("Label", ""), ("Values", "n"), ("Rows", "n"), ("", "")):
                text("th", name).classes(classes).props("scope=col")
        with ui.element("tbody"):
            for label, values, rows in labels[: view.shown]:
                with ui.element("tr"):
                    with ui.element("td").classes("label-cell"):
                        named(label)
                        if rows < k:
                            ui.label("rare").classes("badge warn")
                    text("td", f"{values:,}").classes("n")
                    text("td", f"{rows:,}").classes("n")
                    with ui.element("td").classes("level-bar-cell").props("aria-hidden=true"):
                        # A computed number: nothing of the table gets into the style.
                        width = max(100 * rows / most, 0.5)
                        ui.element("div").classes("level-bar").style(f"width: {width:.1f}%")
    _cut(len(labels), view.shown, "labels")
    if shaped.column.missing:
        ui.label(f"{shaped.column.missing:,} rows have no value; they form their own label.").classes("hint")


def _values(shaped: Shaped, view: View) -> None:
    column = shaped.column
    above = column.hierarchy.level(view.level)
    with ui.element("table").classes("plain labels"):
        with ui.element("thead"), ui.element("tr"):
            for name, classes in (("Value", ""), ("Becomes", ""), ("Rows", "n")):
                text("th", name).classes(classes).props("scope=col")
        with ui.element("tbody"):
            for value, count in [*zip(column.values, column.counts, strict=True)][: view.shown]:
                place = column.hierarchy.find(value)
                with ui.element("tr"):
                    with ui.element("td"):
                        named(value)
                    with ui.element("td"):
                        named("-" if place is None else above[place])
                    text("td", f"{count:,}").classes("n")
    _cut(len(column.values), view.shown, "values")


def named(words: str) -> None:
    """A label or value of the table, as text, cut if it is very long."""
    shown = words if len(words) <= NAME_CUT else words[:NAME_CUT] + " …"
    whole = " whole" if len(words) <= ONE_LINE else ""
    text("bdi", shown).classes(f"cell-text{whole}").props["title"] = words[:2000]


def _cut(total: int, shown: int, what: str) -> None:
    if total > shown:
        ui.label(f"{shown:,} of {total:,} {what} are shown").classes("hint")
