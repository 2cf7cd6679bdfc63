"""The whole way in a browser: from the bundled data to a release that the command line makes, too."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import shoal
from tests.cli.command import shoal as command
from tests.studio.conftest import Studio, Tab

LATTICE = """
from shoal.studio.draft import Draft
suggested = Draft.suggested.__func__
def with_lattice(cls, inspected):
    draft = suggested(cls, inspected)
    draft.say("search", "algorithm", "lattice")
    return draft
Draft.suggested = classmethod(with_lattice)
from shoal.cli.app import app
app()
"""
"""The studio with a search that is proved in seconds."""


@pytest.fixture
def tab(browser: Any, tmp_path: Path) -> Iterator[Tab]:
    """A page of a studio, checked for complaints and outside requests at the end."""
    for name in ("folder", "temporary"):
        (tmp_path / name).mkdir()
    studio = Studio(tmp_path / "folder", tmp_path / "temporary", program=("-c", LATTICE))
    try:
        opened = Tab(browser, studio)
        yield opened
        opened.context.close()
        opened.check()
    finally:
        studio.end()


def step(page: Any, name: str) -> None:
    """Go to a step by the rail."""
    page.get_by_role("navigation", name="Steps").get_by_role("link").filter(has_text=name).click()


def searched(page: Any) -> None:
    """From the bundled example to a run that has a release."""
    page.get_by_role("button", name="Open the example").click()
    page.get_by_text("30,162 rows").first.wait_for()
    step(page, "Find the best release")
    page.get_by_role("button", name="Start").first.click()
    # One step after the other: a page that is still being redrawn would take what is typed with it.
    page.get_by_role("button", name="Review this release").wait_for(timeout=60_000)
    step(page, "Write and sign")
    page.get_by_role("heading", name="1. Sign").wait_for()


def signed(page: Any) -> None:
    """Fill in the form."""
    page.get_by_label("Who releases it").fill("R. Rivera")
    page.get_by_label("Role").fill("Data protection")
    page.get_by_label("What it is for, and who gets it").fill("Flu <b>study</b>")
    for box in page.get_by_role("group", name="Before it goes out").get_by_role("checkbox").all():
        box.click()


def test_from_the_example_to_a_signed_release_that_the_command_line_makes_too(
    tab: Tab, tmp_path: Path
) -> None:
    """What is written holds, is the same by the policy that is downloaded, and survives a reload."""
    page, folder = tab.page, tab.studio.folder
    searched(page)
    signed(page)
    page.get_by_label("Name of the release").fill("people.csv")
    page.get_by_role("button", name="Write the release").click()
    page.get_by_role("heading", name="Released").wait_for(timeout=120_000)
    page.reload()
    page.get_by_role("heading", name="Released").wait_for()
    page.get_by_text("It is the release that you reviewed, to the byte.").wait_for()
    assert page.get_by_label("Who releases it").input_value() == "R. Rivera"
    with page.expect_download() as fetched:
        page.get_by_role("link", name="Download the policy").click()
    assert fetched.value.suggested_filename == "people-policy.zip"
    with zipfile.ZipFile(io.BytesIO(Path(fetched.value.path()).read_bytes())) as made:
        made.extractall(tmp_path / "elsewhere")
    again = command(tmp_path / "elsewhere" / "people-policy", "anonymize", "policy.toml", "-o", "again.csv")
    assert again.returncode == 0, again.stderr
    written = (folder / "people.csv").read_bytes()
    assert (tmp_path / "elsewhere" / "people-policy" / "again.csv").read_bytes() == written
    with page.expect_download() as fetched:
        page.get_by_role("link", name="Download the release").click()
    assert Path(fetched.value.path()).read_bytes() == written
    assert shoal.audit(folder / "people.csv", policy=folder / "people.policy.toml").meets
    with page.context.expect_page() as opened:
        page.get_by_role("link", name="Open the report").first.click()
    opened.value.get_by_text("Flu <b>study</b>").wait_for()
    opened.value.close()


def test_the_page_checks_the_command_line_and_asks_before_it_replaces(tab: Tab) -> None:
    """The button says that the bytes are the same; a file that is there is replaced only after a question."""
    page, folder = tab.page, tab.studio.folder
    (folder / "people.csv").write_text("mine\n")
    searched(page)
    page.get_by_role("button", name="Check it now").click()
    page.get_by_label("Name of the release").fill("../people.csv")
    page.get_by_label("Name of the release").blur()
    page.get_by_role("button", name="Write the release").click()
    page.get_by_role("alert").filter(has_text="plain file name").wait_for()
    page.get_by_label("Name of the release").fill("people.csv")
    page.get_by_text("The report, as a page").click()
    page.get_by_role("button", name="Write the release").click()
    asking = page.get_by_role("alertdialog")
    asking.get_by_text("people.csv").wait_for()
    asking.get_by_role("button", name="Not yet").click()
    assert (folder / "people.csv").read_text() == "mine\n"
    page.get_by_role("button", name="Write the release").click()
    page.get_by_role("button", name="Replace and write").click()
    page.get_by_role("heading", name="Released").wait_for(timeout=60_000)
    assert (folder / "people.csv").read_text() != "mine\n"
    page.get_by_text("The same to the byte").wait_for(timeout=60_000)
