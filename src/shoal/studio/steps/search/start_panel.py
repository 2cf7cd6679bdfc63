"""The start panel: what is demanded, how long it may take, and optionally how to search."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

from nicegui import events, ui

from shoal import InternalError, Role, ShoalError
from shoal.algorithms import ALGORITHMS, Parameter, parameters_of
from shoal.studio.descriptions import algorithm_words
from shoal.studio.parts import card, in_background, notice, primary, sentence
from shoal.studio.policy_key import UNLIMITED, policy_key
from shoal.studio.redraw import Redraw, Watch
from shoal.studio.steps.search.options import choose_algorithm
from shoal.studio.steps.search.selection import SearchSelection
from shoal.studio.steps.search.wording import AUTOMATIC, demanded
from shoal.studio.workspace import Workspace

PROVED, OWN = "proved", "own"
TIMES = {
    "30": "30 seconds",
    "120": "2 minutes",
    "600": "10 minutes",
    PROVED: "Until it is proved",
    OWN: "Other",
}
AUTOMATIC_WORDS = (
    "Shoal takes the search that suits the policy, and proves how good the release is while it runs."
)


Changed = events.ValueChangeEventArguments[Any]


class StartPanel:
    """The panel; input enters the draft at once, so that all tabs and the policy have it.

    Each part is redrawn only when its content changes, and the button never is: a click on a button
    that is just being replaced is lost, and on a busy machine that takes long enough to happen.
    """

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self._own = False
        with card("A new search") as box:
            box.classes("search-start-panel")
            Redraw(lambda: demanded(workspace.draft), self._draw_demanded)
            self._times = Redraw(self._shown_time, self._draw_time)
            with ui.expansion("How to search").classes("search-how") as self._how:
                self._ways = Redraw(self._shown_algorithm, self._draw_algorithm)
            with ui.element("div").classes("row search-start"):
                self._title = ui.input("Name of the run").props("outlined dense maxlength=80")
                self._suggested = ""
                self._button = primary("Start the search", self._start, icon="play_arrow")
            # Errors of a policy are shown until the policy changes.
            self._trouble = Redraw(lambda: (demanded(workspace.draft), dict(self._said)), self._draw_trouble)
            self._suggest()
            Watch(self._next_title, self._suggest)

    @property
    def _said(self) -> dict[str, Any]:
        settings: dict[str, Any] = self._workspace.draft.stated["search"]
        return settings

    def _shown_time(self) -> object:
        return self._own, self._said.get("seconds"), self._said.get("gap")

    def _shown_algorithm(self) -> object:
        return {key: value for key, value in self._said.items() if key not in ("seconds", "gap")}

    def _draw_demanded(self) -> None:
        ui.label(demanded(self._workspace.draft)).classes("search-demanded")
        ui.link("Change what must hold", "/protect").classes("search-change")

    def _draw_trouble(self) -> None:
        if not self._workspace.draft.columns(Role.QUASI_IDENTIFIER):
            notice("Say first which columns others may know of a person: step Protect.", "warn")

    def _suggest(self) -> None:
        """Offer the next name, unless somebody has typed one."""
        if self._title.value in ("", self._suggested):
            self._title.value = self._next_title()
        self._suggested = self._next_title()

    def _next_title(self) -> str:
        return f"Search {max((run.number for run in self._workspace.runs), default=0) + 1}"

    @property
    def _time(self) -> str:
        """The choice that the policy's seconds are."""
        seconds = self._said.get("seconds", policy_key("search", "seconds").default)
        plain = PROVED if seconds == UNLIMITED else f"{seconds:g}"
        return OWN if self._own or plain not in TIMES else plain

    def _draw_time(self) -> None:
        seconds, value = self._said.get("seconds"), self._time
        with ui.element("fieldset").classes("search-time"):
            legend = ui.element("legend")
            legend._text = "How long may it take?"
            ui.radio(TIMES, value=value, on_change=self._take_time).props("inline")
            with ui.element("div").classes("row"):
                if value == OWN:
                    ui.number(
                        policy_key("search", "seconds").label,
                        value=seconds,
                        min=1,
                        on_change=self._take_seconds,
                    ).props("outlined dense")
                gap = self._said.get("gap")
                ui.number(
                    policy_key("search", "gap").label,
                    value=None if gap is None else round(100 * gap, 6),
                    min=0,
                    max=100,
                    on_change=self._take_gap,
                ).props("outlined dense clearable").classes("search-gap")
        ui.label(
            "It ends earlier once it is proved that no other recoding of the kind that is searched loses "
            "less. You can stop it at any time and keep the best."
        ).classes("hint")

    def _take_time(self, event: Changed) -> None:
        was, self._own = self._time, event.value == OWN
        if not self._own:
            self._workspace.draft.say(
                "search", "seconds", UNLIMITED if event.value == PROVED else int(event.value)
            )
        elif self._said.get("seconds", UNLIMITED) == UNLIMITED:
            self._workspace.draft.say("search", "seconds", 60)
        if self._own is (was == OWN):
            # No field appears or disappears, so nothing is redrawn under the next click.
            self._times.accept()
        else:
            self._times.redraw()
        self._workspace.touch()

    def _take_seconds(self, event: Changed) -> None:
        if event.value is not None and event.value > 0:
            self._say("seconds", _whole(event.value), self._times)

    def _take_gap(self, event: Changed) -> None:
        gap = None if event.value is None else min(1.0, max(0.0, event.value / 100))
        self._say("gap", gap, self._times)

    def _say(self, key: str, value: Any, shown_by: Redraw) -> None:
        self._workspace.draft.say("search", key, value)
        shown_by.accept()
        self._workspace.touch()

    def _algorithm_name(self) -> str:
        name = str(self._said.get("algorithm", AUTOMATIC))
        words = algorithm_words(name)
        return "Automatic" if words is None else words.title

    def _draw_algorithm(self) -> None:
        self._how.props["caption"] = self._algorithm_name()
        name = str(self._said.get("algorithm", AUTOMATIC))
        choices = {
            AUTOMATIC: "Automatic",
            **{
                name: f"{algorithm.description.title}: {algorithm.description.short}"
                for name, algorithm in ALGORITHMS.items()
            },
        }
        ui.select(
            choices,
            value=name if name in choices else AUTOMATIC,
            label=policy_key("search", "algorithm").label,
            on_change=self._take_algorithm,
        ).props("outlined dense options-dense").classes("field")
        words = algorithm_words(name)
        ui.label(f"{words.meaning} {words.when}" if words else AUTOMATIC_WORDS).classes("hint")
        with ui.element("div").classes("row search-options"):
            if words is not None:
                for key, option in parameters_of(ALGORITHMS[name]).items():
                    if option.in_form:
                        self._draw_option(key, option, getattr(ALGORITHMS[name], key))
            for common, least in (("nodes", 1), ("seed", 0), ("threads", 1)):
                self._number(common, policy_key("search", common).label, least)

    def _take_algorithm(self, event: Changed) -> None:
        choose_algorithm(self._workspace.draft, None if event.value == AUTOMATIC else str(event.value))
        self._ways.redraw()
        self._workspace.touch()

    def _number(self, key: str, label: str, least: int) -> None:
        def take(event: Changed) -> None:
            value = event.value
            self._say(key, None if value is None or value < least else int(value), self._ways)

        ui.number(label, value=self._said.get(key), min=least, precision=0, on_change=take).props(
            "outlined dense clearable"
        )

    def _draw_option(self, key: str, option: Parameter, default: Any) -> None:
        value = self._said.get(key, default)

        def take(event: Changed) -> None:
            self._say(key, event.value, self._ways)

        if option.choices:
            ui.select(
                dict(option.choices),
                value=value if value in option.choices else default,
                label=option.label,
                on_change=take,
            ).props("outlined dense")
        elif isinstance(default, bool):
            ui.checkbox(option.label, value=bool(value), on_change=take)
        else:
            self._number(key, option.label, int(option.least))

    async def _start(self) -> None:
        workspace, title = self._workspace, (self._title.value or "").strip()
        self._trouble.redraw()
        self._button.disable()
        try:
            # Read as the search reads it: errors are shown here, before anything runs.
            table, draft = workspace.needed_table(), workspace.draft.copy()
            with tempfile.TemporaryDirectory(dir=workspace.folders.private, prefix="start-") as folder:
                await in_background(draft.checked, Path(folder), table.stated())
            if (
                workspace.table is not table
            ):  # another tab opened another one: nobody requested a search of that
                return
            run = workspace.search((title or self._next_title())[:80], draft)
        except (ShoalError, InternalError) as error:
            self._show(error)
            return
        finally:
            if not self._button.is_deleted:
                self._button.enable()
        if not self._title.is_deleted:
            self._title.value = ""
            self._suggest()
        workspace.state(SearchSelection).selected = run.number
        workspace.touch()

    def _show(self, error: Exception) -> None:
        if self._trouble.box.is_deleted:
            return
        with self._trouble.box:
            notice(sentence(error), "bad")
            ui.link("Go to Protect", "/protect").classes("button")


def _whole(value: float) -> int | float:
    return int(value) if float(value).is_integer() else value
