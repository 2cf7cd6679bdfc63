"""The selected run: its plot, its numbers in words, and its actions."""

from __future__ import annotations

import time

from nicegui import ui

from shoal.formatting.numbers import percent
from shoal.studio.parts import notice, primary, secondary, sentence, text
from shoal.studio.process import CAN_PAUSE
from shoal.studio.redraw import INTERVAL
from shoal.studio.reproducibility import repeatable, reproducible
from shoal.studio.steps.search import run_actions
from shoal.studio.steps.search.plot import Plot, moments
from shoal.studio.steps.search.selection import SearchSelection
from shoal.studio.steps.search.wording import gap, last, lost_figure, lost_name, standing, status
from shoal.studio.workspace import Run, Workspace

SPOKEN_EVERY = 5.0
"""Seconds between two announcements for screen readers."""


OTHER_PHASES = ("count", "write", "audit")
"""What a run does besides the search."""


class RunPanel:
    """The panel of one run; redrawn when the run, its state or its name changes, and otherwise updated."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self._box = ui.element("div")
        self._key: object = None
        self._plot: Plot | None = None
        self._spoken = 0.0
        self.look()
        ui.timer(INTERVAL, self.look)

    def look(self) -> None:
        """See what has changed."""
        run = self._workspace.state(SearchSelection).run(self._workspace)
        key = run and (run.number, run.title, run.job.state, self._workspace.chosen is run)
        if key != self._key:
            self._key = key
            self._plot = None
            self._box.clear()
            with self._box:
                self._draw(run) if run is not None else self._nothing()
        if run is not None:
            self._move(run)

    def _nothing(self) -> None:
        with ui.element("section").classes("card empty search-empty"):
            ui.label("No search yet.").classes("empty-words")
            ui.label(
                "Start one: the plot shows what the best release so far loses, and what none can go below."
            ).classes("soft")

    def _draw(self, run: Run) -> None:
        with ui.element("section").classes("card") as box:
            box.props["aria-label"] = "The run"
            with ui.element("div").classes("row search-head"):
                text("h2", run.title).classes("card-title")
                words, tone = status(run)
                self._badge = ui.label(words).classes(f"badge {tone}")
            self._trouble(run)
            self._sentence = ui.label(standing(run)).classes("search-standing")
            self._sentence.props("role=status aria-live=polite")
            if run.job.state != "waiting" and not (run.job.error and last(run) is None):
                label = (
                    f"Loss over time of {run.title}: the best found and the proved bound, as described above"
                )
                self._plot = Plot(_points(run), label)
                ui.label(
                    "Solid: what the best release so far loses. Dashed: what no release of the kind that is "
                    "searched can go below. The shaded gap between them is what could still be saved; when "
                    "it closes, no other release of that kind loses less."
                ).classes("hint")
                self._tiles(run)
            self._repeats(run)
            self._buttons(run)

    def _trouble(self, run: Run) -> None:
        error = run.job.error
        if error is not None:
            notice(sentence(RuntimeError(error)), "bad")
            if run.job.error_kind in ("InfeasibleError", "PolicyError"):
                ui.link("Change the policy: to Protect", "/protect").classes("button search-way-out")
        elif run.job.state == "stopped":
            notice(
                "It was ended before it had a release to keep. Start it again to search from the beginning."
            )
        elif run.job.state == "paused":
            notice("Paused: it uses no processor time, and its clock is stopped.")

    def _tiles(self, run: Run) -> None:
        release = run.release
        names = [("loss", lost_name(run)), ("bound", "At least lost"), ("gap", "Could be saved")]
        names += [("nodes", "Candidates tried"), ("seconds", "Seconds")]
        if release is not None:
            names += [("groups", "Groups"), ("suppressed", "Left out")]
            names += [
                (name, f"Seconds to {name}") for name in OTHER_PHASES if name in release.manifest.phases
            ]
        self._numbers: dict[str, ui.element] = {}
        with ui.element("dl").classes("tiles search-tiles"):
            for key, name in names:
                with ui.element("div").classes("tile"):
                    text("dt", name)
                    self._numbers[key] = ui.label("-").classes("big").props("role=definition")

    def _move(self, run: Run) -> None:
        words, tone = status(run)
        self._badge.set_text(words)
        self._badge.classes(replace=f"badge {tone}")
        if self._plot is None:
            return
        self._plot.extend(_points(run))
        moment = last(run)
        seen = {"seconds": f"{moment.seconds if moment else run.job.seconds:,.1f}"}
        if moment is not None:
            seen |= {
                "loss": lost_figure(run, moment.cost),
                "bound": "-" if not moment.bound else lost_figure(run, moment.bound),
                "gap": gap(run),
                "nodes": f"{moment.nodes:,}",
            }
        if run.release is not None:
            facts = run.release.manifest
            share = facts.suppressed / facts.rows if facts.rows else 0
            seen |= {"groups": f"{facts.groups:,}", "suppressed": f"{facts.suppressed:,} ({percent(share)})"}
            seen |= {name: f"{facts.phases[name]:,.1f}" for name in OTHER_PHASES if name in facts.phases}
        for key, words in seen.items():
            label = self._numbers[key]
            if isinstance(label, ui.label):
                label.set_text(words)
        if time.monotonic() - self._spoken >= SPOKEN_EVERY:
            self._spoken = time.monotonic()
            self._sentence.set_text(standing(run))

    def _repeats(self, run: Run) -> None:
        if run.release is None:
            return
        can, why = reproducible(run)
        ui.label(why).classes("hint" if can else "search-not-repeatable")

    def _buttons(self, run: Run) -> None:
        workspace, job = self._workspace, run.job
        with ui.element("div").classes("row search-buttons"):
            if job.is_running:
                if job.state == "stopping":
                    secondary("End at once, keep nothing", job.stop, icon="cancel")
                elif job.state == "waiting":
                    secondary("Do not start it", job.stop, icon="cancel")
                else:
                    primary("Stop and keep the best", job.stop, icon="stop")
                if job.state == "running" and CAN_PAUSE:
                    secondary("Pause", job.pause, icon="pause")
                if job.state == "paused":
                    secondary("Continue", job.resume, icon="play_arrow")
            if run.release is not None:
                primary("Review this release", lambda: run_actions.choose(workspace, run), icon="fact_check")
                if run_actions.can_go_on(run):
                    words = f"Search on, with {run_actions.longer_words(run)}"
                    secondary(words, lambda: run_actions.search_on(workspace, run), icon="update")
                if not reproducible(run, with_its_key=True)[0]:
                    secondary(
                        "Make it repeatable",
                        lambda: run_actions.again(workspace, run, repeatable(run), "repeatable"),
                        icon="repeat",
                    )
            secondary("Rename", lambda: run_actions.rename(workspace, run), icon="edit")
            secondary("Change and search again", lambda: run_actions.take_policy(workspace, run), icon="tune")
            secondary("Remove", lambda: run_actions.remove(workspace, run), icon="delete")


def _points(run: Run) -> list[tuple[float, float | None, float | None]]:
    if run.release is not None:
        return moments([*run.job.reports, run.release.result.end])
    return moments(run.job.reports)
