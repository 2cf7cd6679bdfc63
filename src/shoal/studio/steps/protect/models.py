"""Privacy: k, presets, and further models with their forms."""

from __future__ import annotations

import copy
from typing import Any

from nicegui import ui

from shoal import Role, privacy
from shoal.privacy import Description
from shoal.studio.descriptions import model_words
from shoal.studio.draft import Draft
from shoal.studio.parts import card, secondary, text
from shoal.studio.steps.protect import people
from shoal.studio.steps.protect.fields import ChangeListener, Field, number_field, whole
from shoal.studio.steps.protect.model_form import ModelForm, models_of, new_model
from shoal.studio.steps.protect.presets import PRESETS, Preset, apply
from shoal.studio.steps.protect.wording import k_in_words, problems
from shoal.studio.workspace import Workspace

MOST_BY_SLIDER = 50


def show(workspace: Workspace, listener: ChangeListener) -> None:
    """Put the card onto the page."""
    with card("Privacy", "How well everybody hides. Begin with a preset, or set k and add what must hold."):
        _presets(workspace, listener)
        _k(workspace, listener)
        text("h3", "Further models").classes("part-title")
        _models(workspace, listener)
        people.show(workspace, listener)


def _k(workspace: Workspace, listener: ChangeListener) -> None:
    check = whole("k", 1, workspace.needed_table().inspected.rows)

    def read() -> int:
        return int(workspace.draft.stated["privacy"].get("k", 1))

    def write(value: Any) -> None:
        workspace.draft.say("privacy", "k", check(value))

    text("h3", "k: the least size of a group").classes("part-title")
    with ui.element("div").classes("slider-row"):
        slider = ui.slider(min=1, max=MOST_BY_SLIDER, step=1).props("aria-label='k by slider' label")
        field = number_field("k", step=1)
        Field(listener, field, read, write)

        def slid(value: Any) -> None:
            if value is not None and value != min(read(), MOST_BY_SLIDER):
                write(value)
                listener.changed()

        slider.value = min(read(), MOST_BY_SLIDER)
        slider.on_value_change(lambda event: slid(event.value))
    words = ui.label(k_in_words(workspace.draft)).classes("soft").props("aria-live=polite")

    def follow() -> None:
        slider.value = min(read(), MOST_BY_SLIDER)
        words.set_text(k_in_words(workspace.draft))

    listener.add(words, follow)


def _presets(workspace: Workspace, listener: ChangeListener) -> None:
    box = ui.element("div")
    before: list[Draft] = []

    def take(preset: Preset) -> None:
        before[:] = [workspace.draft.copy()]
        apply(preset, workspace.draft, workspace.needed_table().inspected)
        listener.changed()
        sentence.set_text(f"“{preset.name}” sets {preset.sets}.")
        notice_box.set_visibility(True)

    def undo() -> None:
        workspace.draft.stated["privacy"] = copy.deepcopy(before[0].stated["privacy"])
        listener.changed()
        notice_box.set_visibility(False)

    with box, ui.expansion("Presets: begin with what others use").classes("quiet-expansion"):
        with ui.element("div").classes("preset-grid"):
            for preset in PRESETS:
                _preset(preset, take)
        ui.label(
            "A preset sets k and the models; of a column with fewer values than it asks for, as many as "
            "there are. It is a beginning, not a certificate."
        ).classes("soft")
    with ui.element("div").classes("notice good row").props("role=status") as notice_box:
        sentence = ui.label().classes("grow")
        secondary("Undo the preset", undo)
    notice_box.set_visibility(False)


def _preset(preset: Preset, take: Any) -> None:
    with ui.element("div").classes("preset"):
        text("h4", preset.name)
        ui.label(preset.purpose).classes("soft")
        ui.label(f"Sets {preset.sets}.").classes("preset-sets")
        button = secondary("Use this", lambda: take(preset))
        button.props["aria-label"] = f"Use the preset {preset.name}"


def _models(workspace: Workspace, listener: ChangeListener) -> None:
    """The list; redrawn when models are added, removed or changed elsewhere, not by its own fields."""
    box = ui.element("div")
    shown: list[Any] = [None]

    def now() -> Any:
        return copy.deepcopy((models_of(workspace.draft), workspace.draft.columns(Role.SENSITIVE)))

    def draw() -> None:
        shown[0] = now()
        box.clear()
        with box:
            if not models_of(workspace.draft):
                ui.label("None yet. k alone does not hide what the rows of a group have in common.").classes(
                    "soft"
                )
            for at in range(len(models_of(workspace.draft))):
                _model(workspace, listener, at, changed, draw_and_touch)

    def changed() -> None:
        shown[0] = now()
        listener.changed()

    def draw_and_touch() -> None:
        draw()
        listener.changed()

    def follow() -> None:
        if shown[0] != now():
            draw()

    draw()
    listener.add(box, follow)
    dialog = _adding(workspace, draw_and_touch)
    secondary("Add a privacy model", dialog).classes("add-model")


def _model(workspace: Workspace, listener: ChangeListener, at: int, changed: Any, redraw: Any) -> None:
    stated = models_of(workspace.draft)[at]
    words = model_words(stated.get("name"))
    with ui.element("section").classes("model") as box:
        title = words.title if words else "A model that Shoal does not know"
        box.props["aria-label"] = f"Model {at + 1}: {title}"

        def remove() -> None:
            del models_of(workspace.draft)[at]
            if not models_of(workspace.draft):
                workspace.draft.say("privacy", "models", None)
            redraw()

        with ui.element("div").classes("model-head"):
            text("h4", title)
            ui.label(words.short if words else "").classes("soft grow")
            button = ui.button(icon="close", on_click=remove).props("flat round dense size=sm")
            button.props["aria-label"] = f"Remove {title}"
        if words is None:
            return

        def write(model: dict[str, Any]) -> None:
            models_of(workspace.draft)[at] = model
            changed()

        ModelForm(workspace.draft, stated, write, redraw)
        wrong = ui.label().classes("field-error").props("aria-live=polite")

        def draw_wrong() -> None:
            wrongs = [
                problem.words
                for problem in problems(workspace.draft, workspace.needed_table())
                if problem.model == at
            ]
            wrong.set_text(" ".join(wrongs))
            wrong.set_visibility(bool(wrongs))

        draw_wrong()
        listener.add(wrong, draw_wrong)
        with ui.expansion("What it means").classes("quiet-expansion"):
            explanation(words)


def explanation(words: Description) -> None:
    """A model in full: what it means, what it leaves open, an example."""
    with ui.element("dl").classes("explained"):
        for name, sentence in (
            ("Means", words.meaning),
            ("Choose it", words.when),
            ("Does not", words.limits),
            ("Example", words.example),
        ):
            text("dt", name)
            text("dd", sentence)


def _adding(workspace: Workspace, added: Any) -> Any:
    """A dialog with every model and when to choose it; gives what opens it."""
    with ui.dialog() as dialog, ui.card().classes("wide-dialog"):
        text("h2", "Add a privacy model").classes("card-title")
        ui.label("Begin with what you fear. Several models can be combined.").classes("hint")
        filling = ui.element("div").classes("model-list")
        with ui.element("div").classes("row end"):
            secondary("Close", dialog.close)

    def add(name: str) -> None:
        workspace.draft.stated["privacy"].setdefault("models", []).append(
            new_model(name, workspace.draft, workspace.needed_table().inspected)
        )
        dialog.close()
        added()

    def open_() -> None:
        filling.clear()
        with filling:
            for name, model in privacy.MODELS.items():
                _offer(workspace, name, model.description, add)
        dialog.open()

    return open_


def _offer(workspace: Workspace, name: str, words: Description, add: Any) -> None:
    needs_column = issubclass(privacy.MODELS[name], privacy.SensitiveModel)
    possible = not needs_column or bool(workspace.draft.columns(Role.SENSITIVE))
    with ui.element("div").classes("offer"):
        with ui.element("div"):
            text("h4", words.title)
            ui.label(f"{words.short}. {words.when}")
            with ui.expansion("What it means").classes("quiet-expansion"):
                explanation(words)
            if not possible:
                ui.label("Give a column the role sensitive first.").classes("field-error")
        button = secondary("Add", lambda: add(name))
        button.props["aria-label"] = f"Add {words.title}"
        button.set_enabled(possible)
