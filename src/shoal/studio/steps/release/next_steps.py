"""What to do once a release is written: in the order in which a steward does it."""

from __future__ import annotations

from nicegui import ui

from shoal.studio.parts import text
from shoal.studio.steps.release.download_links import anchor
from shoal.studio.steps.release.downloads import address
from shoal.studio.workspace import Run
from shoal.studio.write_order import Written


def next_steps(run: Run, written: Written, *, signed: bool) -> None:
    """Put the list onto the page.

    Parameters
    ----------
    run, written
        The release, and what was written of it.
    signed
        Whether somebody's name and purpose are in the report.
    """
    text("h3", "What comes next").classes("next-title")
    with ui.element("ol").classes("next-steps"):
        if "html" in written.reports:
            words = "Read the report once more, and sign it." if signed else "Read the report, and sign it."
            how = "Print it, or sign the PDF; page one has everything that the signature is for."
            with _step(words, how):
                anchor("Open the report", address(run, "report"), new_tab=True).classes("button primary")
        else:
            _step("Make the report, and sign it.", "Under Take it along: it is what you answer for.")
        if written.order.folder is not None:
            name = written.order.name
            _step(
                f"Hand over {name}, with its manifest.",
                "Nothing else: the report and the policy name values of your table, and stay here unless "
                "the recipient needs them.",
            )
        recorded = written.order.ledger
        if recorded is not None:
            _step(
                f"It is recorded in {recorded.name}.",
                "The next release of these people is checked against it.",
            )
        else:
            _step(
                "Record it in a ledger, if these people may be released again.",
                "Choose one below, and write the release again: two releases can reveal more together.",
            )
        with _step(
            "Share the policy with whoever repeats this.",
            "It makes the same release from the same table on the command line. No row is in it, but its "
            "hierarchies name values.",
        ):
            anchor("Download the policy", address(run, "policy")).classes("button")


def _step(words: str, how: str) -> ui.element:
    with ui.element("li") as line:
        ui.label(words).classes("next-words")
        ui.label(how).classes("hint")
    return line
