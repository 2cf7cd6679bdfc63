"""Risks before and after, and how far attacks get."""

from __future__ import annotations

from typing import Any

from nicegui import ui

from shoal import AttackReport, RiskReport
from shoal.formatting.attack_words import attack_words, success_words, verdict_words
from shoal.formatting.numbers import percent
from shoal.formatting.risk_words import (
    THRESHOLD_HEAD,
    THRESHOLD_NOTE,
    highest_words,
    risk_rows,
    threshold_rows,
)
from shoal.studio.parts import card, notice, text
from shoal.studio.redraw import INTERVAL
from shoal.studio.steps.review.bars import paired_bars
from shoal.studio.steps.review.measures import Filling, job_name
from shoal.studio.steps.review.words import risk_words
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
    facts = after.to_dict()
    ui.label(highest_words(facts)).classes("says")
    box = ui.element("div")
    seen: list[str] = []

    def look() -> None:
        job = workspace.jobs.get(job_name(run, "risk-before"))
        state = "running" if job is None else job.state
        if seen == [state]:
            return
        seen[:] = [state]
        before = job.result.to_dict() if job is not None and isinstance(job.result, RiskReport) else None
        box.clear()
        with box:
            rows = [(row.name, row.words, row.before, row.after) for row in risk_rows(before, facts)]
            paired_bars(rows, head="Risk", label="Risks before and after")
            if job is not None and job.error:
                notice(f"The original could not be measured. {job.error}", "warn")
            elif before is None:
                ui.label("Measuring the original, to compare with …").classes("waiting")
            for words in risk_words(after):
                ui.label(words).classes("soft")

    look()
    ui.timer(INTERVAL, look)
    _thresholds(facts, run.draft.stated["privacy"].get("k"))


def _thresholds(after: Any, k: Any) -> None:
    """The residual risk next to thresholds that people know."""
    text("h3", "Residual risk and thresholds")
    with ui.element("div").classes("scroll"), ui.element("table").classes("plain thresholds") as table:
        table.props["aria-label"] = "Residual risk and thresholds"
        with ui.element("thead"), ui.element("tr"):
            for at, head in enumerate(THRESHOLD_HEAD):
                text("th", head).props("scope=col").classes("n" if at == 0 else "")
        with ui.element("tbody"):
            for row in threshold_rows(after, k if isinstance(k, int) else None):
                with ui.element("tr"):
                    text("td", percent(row.limit)).classes("n")
                    text("td", row.who)
                    with ui.element("td"):
                        tone, sign = ("good", "✓") if row.highest else ("warn", "△")
                        ui.label(f"{sign} {row.words}").classes(f"badge {tone}")
    ui.label(THRESHOLD_NOTE).classes("soft")


def _attacks(report: AttackReport) -> None:
    facts = report.to_dict()
    results: Any = facts["attacks"]
    with ui.element("div").classes("scroll"), ui.element("table").classes("plain attacks"):
        with ui.element("thead"), ui.element("tr"):
            for at, head in enumerate(("Attack", "Succeeds", "What it found", "Verdict")):
                text("th", head).props("scope=col").classes("n" if at == 1 else "")
        with ui.element("tbody"):
            for name, result in results.items():
                _attack(name, result)
    _not_tried(dict(report.skipped))


def _attack(name: str, result: dict[str, Any]) -> None:
    words = attack_words(name)
    holds, judged = verdict_words(result)
    with ui.element("tr"):
        with ui.element("td"):
            ui.label(words.title)
            ui.label(f"{words.attacker} If it succeeds: {words.person}").classes("soft")
        text("td", success_words(result)).classes("n")
        text("td", result["words"])
        with ui.element("td"):
            tone, sign = {True: ("good", "✓ "), False: ("bad", "✗ "), None: ("", "")}[holds]
            ui.label(f"{sign}{judged}").classes(f"badge {tone}")


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
                text("li", f"{attack_words(name).title} ({name}): {why}.")
