"""Risks before and after, and how far attacks get."""

from __future__ import annotations

from typing import Any

from nicegui import ui

from shoal import AttackReport, RiskReport
from shoal.formatting.numbers import number, percent
from shoal.studio.parts import card, notice, text
from shoal.studio.redraw import INTERVAL
from shoal.studio.steps.review.bars import paired_bars
from shoal.studio.steps.review.measures import Filling, job_name
from shoal.studio.steps.review.words import ATTACKS, chance, risk_rows, risk_words
from shoal.studio.workspace import Run, Workspace


def build(workspace: Workspace, run: Run) -> None:
    """The two cards."""
    with card("Risk of being recognized", "By somebody who knows the quasi-identifiers of a person."):
        Filling(
            workspace,
            run,
            "risk",
            "Measuring how easily a person is found …",
            lambda found: _risks(workspace, run, found),
        )
    with card(
        "Attacks", "Shoal attacks the release itself, with all that an attacker could have: your own table."
    ):
        Filling(workspace, run, "attack", "Playing the attackers …", _attacks)


def _risks(workspace: Workspace, run: Run, after: RiskReport) -> None:
    ui.label(
        f"At most {chance(after.prosecutor.highest)}: the risk of the person who is easiest to find."
    ).classes("says")
    box = ui.element("div")
    seen: list[str] = []

    def look() -> None:
        job = workspace.jobs.get(job_name(run, "risk-before"))
        state = "running" if job is None else job.state
        if seen == [state]:
            return
        seen[:] = [state]
        before = job.result if job is not None and isinstance(job.result, RiskReport) else None
        box.clear()
        with box:
            paired_bars(risk_rows(after, before), head="Risk", label="Risks before and after")
            if job is not None and job.error:
                notice(f"The original could not be measured. {job.error}", "warn")
            elif before is None:
                ui.label("Measuring the original, to compare with …").classes("waiting")
            for words in risk_words(after):
                ui.label(words).classes("soft")

    look()
    ui.timer(INTERVAL, look)


def _attacks(report: AttackReport) -> None:
    facts = report.to_dict()
    results: Any = facts["attacks"]
    if report.failures:
        notice("\n".join(report.failures), "bad")
    with ui.element("div").classes("scroll"), ui.element("table").classes("plain attacks"):
        with ui.element("thead"), ui.element("tr"):
            for at, head in enumerate(("Attack", "Succeeds", "What it found", "")):
                text("th", head).props("scope=col").classes("n" if at == 1 else "")
        with ui.element("tbody"):
            for name, result in results.items():
                _attack(name, result)
    _not_tried(dict(report.skipped))


def _attack(name: str, result: dict[str, Any]) -> None:
    title, attacker = ATTACKS.get(name, (name, ""))
    with ui.element("tr"):
        with ui.element("td"):
            ui.label(title)
            ui.label(attacker).classes("soft")
        with ui.element("td").classes("n"):
            if result["tried"]:
                ui.label(percent(result["rate"]))
                ui.label(f"{number(round(result['succeeded'], 1))} of {number(result['tried'])}").classes(
                    "soft"
                )
            else:
                ui.label("-")
        text("td", result["words"])
        with ui.element("td"):
            if not result["holds"]:
                ui.label("✗ above the limit").classes("badge bad")
            elif not result["tried"]:
                ui.label("△ review this").classes("badge warn")
            elif result["judged"]:
                ui.label(f"✓ within {percent(result['threshold'])}").classes("badge good")
            else:
                ui.label("no limit set").classes("badge")


def _not_tried(skipped: dict[str, str]) -> None:
    ui.label(
        "A release withstands what was tried; nothing else is known. An attack without a limit is shown, "
        "not judged: set one in the policy's table [attacks] to have it judged."
    ).classes("soft")
    if not skipped:
        return
    with ui.element("details").classes("also"):
        text("summary", f"Not tried: {len(skipped)} attacks")
        with ui.element("ul"):
            for name, why in skipped.items():
                text("li", f"{ATTACKS.get(name, (name, ''))[0]} ({name}): {why}.")
