"""A table that is being opened: a warning before runs are lost, progress, and errors."""

from __future__ import annotations

from nicegui import ui

from shoal import Inspected, InternalError, Role, ShoalError
from shoal.studio.parts import card, grid, in_background, notice, primary, secondary, text
from shoal.studio.steps.open_table.file_reading import form_of_refused
from shoal.studio.steps.open_table.first_guess import LOOKED_AT, first_guess
from shoal.studio.steps.open_table.opening import cancel, confirm_server, forget_policy, forget_refused, read
from shoal.studio.steps.open_table.paths import short
from shoal.studio.steps.open_table.pending import Opening, Pending
from shoal.studio.steps.open_table.policy_import import Continued
from shoal.studio.steps.open_table.table_panel import ROLES, trimmed
from shoal.studio.workspace import Workspace

FIRST_ROWS = 20


def way_in(workspace: Workspace) -> None:
    """Show it; nothing, when nothing is on its way."""
    opening = workspace.state(Opening)
    if opening.failure:
        _failure(workspace, opening.failure)
    if opening.policy is not None:
        _waiting_policy(workspace, opening.policy)
    if opening.pending is not None and opening.pending.server:
        _server(workspace, opening.pending)
    elif opening.pending is not None and opening.pending.unconfirmed:
        _question(workspace, opening.pending)
    elif opening.pending is not None:
        _reading(workspace, opening.pending)


def _failure(workspace: Workspace, words: str) -> None:
    kept = workspace.table
    after = (
        "Nothing was opened. Choose another below, or mend this one and open it again."
        if kept is None
        else f"{short(kept.name)} is still open, with all that was done for it."
    )

    def away() -> None:
        opening = workspace.state(Opening)
        opening.failure = ""
        forget_refused(opening)
        workspace.touch()

    refused = workspace.state(Opening).refused
    with ui.element("div").classes("open-failure"):
        with ui.element("div").classes("open-failure-words"):
            notice(f"{words}\n{after}", "bad")
            if refused is not None:
                form_of_refused(workspace, refused)
        ui.button(icon="close", on_click=away, color=None).props(
            'flat round dense aria-label="Close this message"'
        )


def _waiting_policy(workspace: Workspace, policy: Continued) -> None:
    with ui.element("div").classes("notice warn").props("role=status"):
        wanted = f", {short(policy.wanted)}," if policy.wanted else ""
        ui.label(
            f"The policy {policy.name} was read. Now open its table{wanted} below: the policy is applied to "
            "it."
        )
        with ui.element("div").classes("row open-answer"):
            secondary("Forget the policy", lambda: forget_policy(workspace))


def _server(workspace: Workspace, pending: Pending) -> None:
    with card(f"Connect to {short(pending.server)}?", classes="open-question") as box:
        box.props("role=alert")
        named = "" if pending.policy is None else f" The policy {pending.policy.name} names it."
        ui.label(
            f"The table {short(pending.name)} is on the database server {pending.server}.{named} The studio "
            "connects only to servers that you confirm, and then sends it the user's name, and the password "
            "if there is one."
        )
        with ui.element("div").classes("row open-answer"):
            primary("Connect", lambda: confirm_server(workspace))
            secondary("Do not connect", lambda: cancel(workspace))


def _question(workspace: Workspace, pending: Pending) -> None:
    table, count = workspace.table, len(workspace.runs)
    runs = "1 run" if count == 1 else f"{count} runs"
    with card(f"Open {short(pending.name)}?", classes="open-question") as box:
        box.props("role=alert")
        whose = short(table.name) if table is not None else "the open table"
        ui.label(
            f"{runs} of {whose} will be gone, with what {'it' if count == 1 else 'they'} found and what was "
            "said under Protect. Releases that were written stay."
        )
        with ui.element("div").classes("row open-answer"):
            primary(f"Open it, and lose {runs}", lambda: read(workspace))
            secondary("Keep the open table", lambda: cancel(workspace))


def _reading(workspace: Workspace, pending: Pending) -> None:
    with card(f"Reading {short(pending.name)}") as box:
        box.props("aria-busy=true")
        with ui.element("div").classes("row"):
            ui.spinner(size="22px").props("aria-hidden=true")
            words = ui.label().props("role=status").classes("open-reading")
            secondary("Cancel", lambda: cancel(workspace)).classes("open-cancel")
        rows = ui.element("div")

    def look() -> None:
        seconds = int(pending.job.seconds) if pending.job is not None else 0
        words.set_text(
            "Counting rows, missing cells and distinct values, and how unique rows are …"
            + (f" {seconds} s" if seconds > 1 else "")
        )

    async def first_rows() -> None:
        try:
            seen, guess = await in_background(
                first_guess, pending.as_read, workspace.folders.private, FIRST_ROWS
            )
        except (ShoalError, InternalError, OSError, UnicodeError):
            return  # the reader reports the reason
        if not rows.is_deleted and workspace.state(Opening).pending is pending:
            with rows:
                if guess is not None:
                    _guessed(guess)
                text("h3", "The first rows").classes("open-first")
                grid(trimmed(seen), height="300px", label="The first rows of the table that is being read")

    look()
    ui.timer(1, look)
    ui.timer(0.3, first_rows, once=True)


def _guessed(guess: Inspected) -> None:
    """The likely roles, by the first rows alone."""
    text("h3", "What the columns look like").classes("open-first")
    ui.label(
        f"Guessed from the first {min(guess.rows, LOOKED_AT):,} rows; the whole table decides. You can "
        "change every role under Protect."
    ).classes("hint")
    with ui.element("dl").classes("open-legend"):
        for role in Role:
            names = [short(name, 30) for name in guess.with_role(role)]
            if names:
                with text("dt", ""):
                    text("span", ROLES[role][0]).classes(f"badge role role-{role.value}")
                text("dd", ", ".join(names[:20]) + (" …" if len(names) > 20 else ""))
