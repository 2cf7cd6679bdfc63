"""Who releases, what for, and what they have made sure of."""

from __future__ import annotations

from nicegui import ui

from shoal.studio.parts import card
from shoal.studio.steps.release.state import ReleaseState
from shoal.studio.workspace import Run, Workspace

CHECKLIST = {
    "review": "I have read the review: the release is useful, and I know what its risks are.",
    "unchanged": "Columns that are released as they are hold no names, numbers of persons or free text.",
    "recipients": "Everybody who gets it is covered by the purpose above.",
    "earlier": "Earlier releases of the same people were thought of, or are in the ledger below.",
    "original": "The original stays here; manifest and report go only to those who need them.",
}
"""What should be made sure of, in plain words."""


def sign(workspace: Workspace, _: Run) -> None:
    """The form; the report prints it next to the line for the signature."""
    state = workspace.state(ReleaseState)
    with card("1. Sign", "This is printed in the report, where it can be signed on paper or in the PDF."):
        with ui.element("div").classes("release-fields"):
            for label, kept in (("Who releases it", "signer"), ("Role", "role")):
                ui.input(label).props("outlined dense").classes("field").bind_value(state, kept)
            purpose = ui.textarea("What it is for, and who gets it").props("outlined dense autogrow")
            purpose.classes("field wide").bind_value(state, "purpose")
            date = ui.input("Date").props("outlined dense type=date stack-label").classes("field")
            date.bind_value(state, "date")
        with ui.element("fieldset").classes("checklist"):
            ui.element("legend")._text = "Before publication"
            for key, words in CHECKLIST.items():
                ui.checkbox(
                    words, value=key in state.checked, on_change=lambda event, key=key: mark(key, event.value)
                )

    def mark(key: str, value: bool) -> None:
        (state.checked.add if value else state.checked.discard)(key)


def unchecked(state: ReleaseState) -> list[str]:
    """What nobody has made sure of yet."""
    return [words for key, words in CHECKLIST.items() if key not in state.checked]
