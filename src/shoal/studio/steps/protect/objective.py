"""What the release may lose: suppressed rows, the cost, the kind of recoding."""

from __future__ import annotations

from typing import Any

from nicegui import ui

from shoal.algorithms import RecodingModel
from shoal.cost import METRICS
from shoal.privacy import Description
from shoal.studio.parts import card, text
from shoal.studio.policy_key import policy_key
from shoal.studio.steps.protect.fields import ChangeListener, Field, choice_field, text_field
from shoal.studio.steps.protect.wording import most_suppressed
from shoal.studio.workspace import Workspace

MOST_BY_SLIDER = 20.0
FIRST = ("general-loss", "discernibility", "classification", "ncp", "entropy", "precision")
"""The costs in the order in which people want them; the others follow."""

NONE = ""


def show(workspace: Workspace, listener: ChangeListener) -> None:
    """Put the card onto the page."""
    with card("What may be lost", "Protection costs detail. Say which matters, and how many rows may go."):
        _suppression(workspace, listener)
        with ui.element("div").classes("halves"):
            with ui.element("div"):
                _cost(workspace, listener)
            with ui.element("div"):
                _recoding(workspace, listener)
        _consistent(workspace, listener)
        _of_release(workspace, listener, "suppressed")
        _of_release(workspace, listener, "order")
        _companions(workspace, listener)


def suppression_of(typed: str, rows: int) -> int | str | None:
    """A limit as a policy states it; `PolicyError` if the text is none.

    Parameters
    ----------
    typed
        A share like "5%" or "0.5 %", rows like "120" or "1,200", or "unlimited".
    rows
        Rows of the table.
    """
    plain = typed.strip().lower().replace(",", "")
    stated: int | str = int(plain) if plain.isascii() and plain.isdigit() else plain.replace(" ", "")
    most_suppressed(stated, rows)
    return stated


def share_of(stated: Any, rows: int) -> float:
    """The position of the slider, in percent."""
    most = most_suppressed(stated, rows)
    if most is None:
        return MOST_BY_SLIDER
    if isinstance(stated, str):
        return min(float(stated.strip(" %")), MOST_BY_SLIDER)
    return min(100 * most / rows, MOST_BY_SLIDER)


def suppression_in_words(stated: Any, rows: int) -> str:
    """What a limit means for this table."""
    most = most_suppressed(stated, rows)
    if most is None:
        return "Any number of rows may be left out: unusual people may vanish from the release."
    if most == 0:
        return "No row may be left out: a single unusual person can make a whole column coarse."
    return (
        f"At most {most:,} of {rows:,} rows may be left out. To leave out a few unusual people keeps "
        "much detail of all others."
    )


def _suppression(workspace: Workspace, listener: ChangeListener) -> None:
    rows = workspace.needed_table().inspected.rows

    def stated() -> Any:
        return workspace.draft.stated["objective"].get("suppression", 0)

    def write(value: Any) -> None:
        workspace.draft.say("objective", "suppression", suppression_of(str(value or ""), rows))

    key = policy_key("objective", "suppression")
    text("h3", key.label).classes("part-title")
    with ui.element("div").classes("slider-row"):
        slider = ui.slider(min=0, max=MOST_BY_SLIDER, step=0.5).props(
            "aria-label='Percent of rows by slider'"
        )
        field = text_field("Exactly", key.hint).classes("short-field")
        Field(listener, field, lambda: str(stated()), write)

        def slid(value: Any) -> None:
            if value is not None and abs(value - share_of(stated(), rows)) > 1e-9:
                workspace.draft.say("objective", "suppression", f"{value:g}%")
                listener.changed()

        slider.value = share_of(stated(), rows)
        slider.on_value_change(lambda event: slid(event.value))
    words = ui.label(suppression_in_words(stated(), rows)).classes("soft").props("aria-live=polite")

    def follow() -> None:
        slider.value = share_of(stated(), rows)
        words.set_text(suppression_in_words(stated(), rows))

    listener.add(words, follow)


def _cost(workspace: Workspace, listener: ChangeListener) -> None:
    names = [*FIRST, *(name for name in METRICS if name not in FIRST)]
    words = {name: METRICS[name].description for name in names}
    options = {
        NONE: "What is usual",
        **{name: f"{description.title}: {description.short.lower()}" for name, description in words.items()},
    }
    _named(
        workspace,
        listener,
        "cost",
        "What counts as lost",
        options,
        words,
        "The mean loss of a cell (general loss), unless the kind of recoding implies another.",
    )


def _recoding(workspace: Workspace, listener: ChangeListener) -> None:
    words = {each.value: each.description for each in RecodingModel}
    options = {
        NONE: "Any: what the search makes",
        **{name: f"{description.title} ({name})" for name, description in words.items()},
    }
    _named(
        workspace,
        listener,
        "recoding_model",
        "Kind of recoding",
        options,
        words,
        "The algorithm decides; whole columns become coarser unless you choose another in the search.",
    )


def _named(
    workspace: Workspace,
    listener: ChangeListener,
    key: str,
    title: str,
    options: dict[str, str],
    words: dict[str, Description],
    otherwise: str,
) -> None:
    """A choice among names, with the words of the one that is chosen."""
    text("h3", title)
    field = choice_field(policy_key("objective", key).label, options).classes(replace="wide-choice")

    def read() -> str:
        stated = workspace.draft.stated["objective"].get(key, NONE)
        return stated if stated in options else NONE

    def explain() -> None:
        chosen = words.get(read())
        line.set_text(f"{chosen.meaning} {chosen.when}" if chosen else otherwise)

    Field(listener, field, read, lambda value: workspace.draft.say("objective", key, value or None))
    line = ui.label().classes("soft").props("aria-live=polite")
    explain()
    listener.add(line, explain)


def _consistent(workspace: Workspace, listener: ChangeListener) -> None:
    key = policy_key("objective", "consistent")
    field = ui.checkbox(f"{key.label}: easier to count with, and loses more").classes("model-check")

    def read() -> bool:
        return bool(workspace.draft.stated["objective"].get(key.name, key.default))

    Field(listener, field, read, lambda value: workspace.draft.say("objective", key.name, value or None))


def _companions(workspace: Workspace, listener: ChangeListener) -> None:
    key = policy_key("release", "companions")
    field = ui.checkbox(f"{key.label}, such as age_low and age_high").classes("model-check")

    def read() -> bool:
        return bool(workspace.draft.stated.get("release", {}).get(key.name, key.default))

    Field(listener, field, read, lambda value: workspace.draft.say("release", key.name, value or None))


def _of_release(workspace: Workspace, listener: ChangeListener, name: str) -> None:
    key = policy_key("release", name)
    text("h3", key.label).classes("part-title")
    field = ui.radio(dict(key.choices)).props(f"inline dense aria-label='{key.label}'").classes("plain-radio")

    def read() -> Any:
        return workspace.draft.stated.get("release", {}).get(key.name, key.default)

    def write(value: Any) -> None:
        workspace.draft.say("release", key.name, None if value == key.default else value)

    Field(listener, field, read, write)
