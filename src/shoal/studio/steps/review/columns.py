"""Per column: its distribution before and after, and why it is not finer."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from nicegui import ui

from shoal import Explanation, Role, Utility
from shoal.formatting.numbers import number, percent
from shoal.studio.parts import card, secondary, text
from shoal.studio.redraw import INTERVAL
from shoal.studio.steps.review.bars import histogram, paired_bars
from shoal.studio.steps.review.measures import Filling, can_train, request
from shoal.studio.steps.review.words import utility_words
from shoal.studio.workspace import Run, Workspace

FEW = 8
"""Labels that are shown one by one; of more, the outline."""
REST, GONE = APART = "(other labels)", "not released"
"""What a distribution lists in addition to labels: infrequent labels together, and lost values."""
Share = tuple[str, float, float]
STEPS = 5
"""Finer steps that are shown: those that lose the fewest rows."""
ORDERS = {"table": "Columns as in the table", "loss": "Most changed first", "name": "By name"}


@dataclass
class Requested:
    """The order of the columns, and those whose explanation was requested."""

    order: str = "loss"
    why: set[tuple[int, str]] = field(default_factory=set)


def build(workspace: Workspace, run: Run) -> None:
    """What the release is good for, and the columns."""
    with card("Usefulness", "Compared with your table, for those who will work with the release."):
        Filling(
            workspace,
            run,
            "utility",
            "Comparing columns, counting, running random queries …",
            lambda found: _useful(workspace, run, found),
        )


def _useful(workspace: Workspace, run: Run, utility: Utility) -> None:
    trained = can_train() or not run.draft.columns(Role.CLASS)
    with ui.element("dl").classes("useful"):
        for name, words in utility_words(utility, trained=trained):
            text("dt", name)
            text("dd", words)
    quasi = run.draft.columns(Role.QUASI_IDENTIFIER)
    facts: Any = utility.to_dict()["columns"]
    shown = [column for column in facts if column["name"] in quasi]
    requested = workspace.state(Requested)
    with ui.element("div").classes("row review-columns-head"):
        text("h3", "Distributions of the quasi-identifiers")
        order = ui.select(ORDERS, value=requested.order, label="Order").props("outlined dense options-dense")
        order.classes("order").on_value_change(lambda event: setattr(requested, "order", event.value))
    box = ui.element("div").classes("review-columns")
    seen: list[str] = []

    def look() -> None:
        if seen == [requested.order]:
            return
        seen[:] = [requested.order]
        order.set_value(requested.order)
        box.clear()
        with box:
            for name in ordered(shown, requested.order):
                _column(workspace, run, name)

    look()
    ui.timer(INTERVAL, look)


def ordered(columns: list[dict[str, Any]], order: str) -> list[dict[str, Any]]:
    """The columns in an order of `ORDERS`."""
    if order == "loss":
        return sorted(columns, key=lambda each: -(each.get("value_distance") or 0.0))
    return sorted(columns, key=lambda each: str(each["name"])) if order == "name" else columns


def _column(workspace: Workspace, run: Run, facts: dict[str, Any]) -> None:
    name = facts["name"]
    with ui.element("section").classes("review-column") as box:
        box.props["aria-label"] = name
        text("h3", name)
        ui.label(distribution_words(facts)).classes("soft")
        labels, _ = paired_shares(facts)
        if 1 < len(labels) <= FEW:
            rows = [(label, "", before, after) for label, before, after in labels]
            paired_bars(rows, head="Released as", label="Shares of rows")
        elif len(labels) > FEW:
            histogram([each[1] for each in labels], [each[2] for each in labels])
            with ui.element("div").classes("legend"):
                ui.label("before").classes("key before")
                ui.label("after").classes("key after")
        _why(workspace, run, name)


def paired_shares(facts: dict[str, Any]) -> tuple[list[Share], dict[str, float]]:
    """Per released label its share before and after, in the order of the labels; and what is no label."""
    after = {str(label["label"]): float(label["share"]) for label in facts["after"]}
    before = {str(label["label"]): float(label["share"]) for label in facts["before"]}
    names = dict.fromkeys([*before, *after])
    pairs = [(name[:200], before.get(name, 0.0), after.get(name, 0.0)) for name in names if name not in APART]
    return pairs, {name: before.get(name, 0.0) for name in APART}


def distribution_words(facts: dict[str, Any]) -> str:
    """What a chart of the column shows."""
    labels, apart = paired_shares(facts)
    sentences = []
    if not labels:
        sentences.append("No row has a value of this column.")
    elif len(labels) == 1:
        sentences.append("All rows have the same label: the column has no information left.")
    else:
        most = max(labels, key=lambda each: each[2])
        many = f"More than {len(labels)}" if apart[REST] else number(len(labels))
        sentences.append(
            f"{many} labels; the most frequent has {percent(most[2])} of the rows, {percent(most[1])} before."
        )
    if apart[REST]:
        sentences.append(f"Those that are not shown have {percent(apart[REST])} of the rows before.")
    if apart[GONE]:
        sentences.append(f"The values of {percent(apart[GONE])} of the rows are not released at all.")
    off = facts.get("value_distance")
    if off is not None:
        sentences.append(f"Who knows only the release puts {percent(off)} of the rows at another value.")
    return " ".join(sentences)


def _why(workspace: Workspace, run: Run, name: str) -> None:
    requested = workspace.state(Requested)
    box = ui.element("div").classes("why")
    seen: list[bool] = []

    def want() -> None:
        requested.why.add((run.number, name))
        request(workspace, run, "why")
        look()

    def look() -> None:
        wanted = (run.number, name) in requested.why
        if seen == [wanted]:
            return
        seen[:] = [wanted]
        box.clear()
        with box:
            if wanted:
                Filling(
                    workspace, run, "why", "Trying every finer step …", lambda found: _reason(found, name)
                )
            else:
                button = secondary("Why not finer?", want)
                button.props["aria-label"] = f"Why not finer? {name}"

    look()
    ui.timer(INTERVAL, look)


def _reason(explanation: Explanation, name: str) -> None:
    column = next((attribute for attribute in explanation.attributes if attribute.name == name), None)
    text("h4", "Why not finer?")
    if column is None:
        ui.label("Nothing is known of this column: it is not among those that were explained.")
        return
    ui.label(column.words)
    ui.label(f"Released as: {column.released}.").classes("soft")
    steps = sorted((step for step in column.finer if not step.idle), key=lambda step: step.rows_lost)[:STEPS]
    if not steps:
        return
    with ui.element("div").classes("scroll"), ui.element("table").classes("plain steps"):
        with ui.element("thead"), ui.element("tr"):
            for at, head in enumerate(("Finer step", "Rows lost", "Change of cost", "")):
                text("th", head).props("scope=col").classes("n" if at in (1, 2) else "")
        with ui.element("tbody"):
            for step in steps:
                with ui.element("tr"):
                    text("td", step.step)
                    text("td", number(step.rows_lost)).classes("n")
                    change = float(step.change)
                    text("td", f"{'+' if change > 0 else ''}{number(change)}").classes("n")
                    text("td", "" if step.allowed else "not allowed: too many rows")
