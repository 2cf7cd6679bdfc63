"""The whole way in a browser: from the bundled data to a release that the command line makes, too."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import shoal
from shoal.studio.workspace import Workspace
from tests.cli.command import shoal as command
from tests.patience import PATIENCE, until
from tests.studio.conftest import Studio, Tab, comes, step, tab_of, without_sign_off
from tests.studio.test_choose import with_stays


def with_a_run(workspace: Workspace) -> None:
    """A small table that is open, and a search that is over."""
    with_stays(workspace)
    workspace.draft.say("search", "algorithm", "lattice")
    assert workspace.search("Search 1").job.wait(PATIENCE)


@pytest.fixture
def searched_tab(browser: Any, one_studio: Studio) -> Iterator[Tab]:
    """A page of a studio that has a release."""
    one_studio.anew(with_a_run)
    with tab_of(browser, one_studio) as opened:
        yield opened


def opened(page: Any) -> None:
    """The bundled example."""
    page.get_by_role("button", name="Open the example").click()
    page.get_by_text("30,162 rows").first.wait_for()


def searched(page: Any) -> None:
    """From the bundled example to a run that has a release, by a search that is proved in seconds."""
    opened(page)
    step(page, "Find the best release")
    page.get_by_role("button", name="How to search").click()
    page.get_by_label("Search by").click()
    page.get_by_role("option").filter(has_text="Levels").first.click()
    page.get_by_role("button", name="Start the search").click()
    comes(page, page.get_by_role("button", name="Review this release"))


def signed(page: Any) -> None:
    """Fill in the form."""
    page.get_by_label("Who releases it").fill("R. Rivera")
    page.get_by_label("Role").fill("Data protection")
    page.get_by_label("What it is for, and who gets it").fill("Flu <b>study</b>")
    for box in page.get_by_role("group", name="Before publication").get_by_role("checkbox").all():
        box.click()
    keep = page.get_by_role("button", name="Keep it on purpose")
    for left in reversed(range(keep.count())):  # else the studio asks for words
        keep.first.click()
        until(lambda left=left: keep.count() == left)  # type: ignore[misc]


@pytest.mark.slow
def test_from_the_example_to_a_signed_release_that_the_command_line_makes_too(
    tab: Tab, tmp_path: Path
) -> None:
    """What is written holds, is the same by the policy that is downloaded, and survives a reload."""
    page, folder = tab.page, tab.studio.folder
    searched(page)
    step(page, "Before and after")
    page.get_by_text("every row hides among at least 10.").first.wait_for()
    comes(page, page.get_by_text("not released"))
    step(page, "Write and sign")
    page.get_by_role("heading", name="1. Sign").wait_for()
    signed(page)
    page.get_by_label("Name of the release").fill("people.csv")
    page.get_by_role("button", name="Write the release").click()
    comes(page, page.get_by_role("heading", name="Released"))
    page.reload()
    page.get_by_role("heading", name="Released").wait_for()
    page.get_by_text("It is the release that you reviewed, to the byte.").wait_for()
    assert page.get_by_label("Who releases it").input_value() == "R. Rivera"
    with page.expect_download() as fetched:
        page.get_by_role("link", name="Download the policy").first.click()
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


@pytest.mark.slow
def test_the_page_checks_the_command_line_and_asks_before_it_replaces(searched_tab: Tab) -> None:
    """The button says that the bytes are the same; a file that is there is replaced only after a question."""
    page, folder = searched_tab.page, searched_tab.studio.folder
    (folder / "people.csv").write_text("mine\n")
    step(page, "Write and sign")
    page.get_by_role("heading", name="1. Sign").wait_for()
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
    without_sign_off(page)
    comes(page, page.get_by_role("heading", name="Released"))
    assert (folder / "people.csv").read_text() != "mine\n"
    comes(page, page.get_by_text("The same to the byte"))


INFEASIBLE = """
[attributes]
age = { role = "quasi-identifier" }
income = { role = "sensitive" }
[privacy]
k = 5
models = [{ name = "distinct-l-diversity", attribute = "income", l = 3 }]
"""
"""Three values of a column that has two."""


@pytest.mark.slow
def test_what_cannot_be_done_is_said_with_a_way_out(tab: Tab) -> None:
    """No release has what the policy asks: a sentence, a link to where it can be changed, no file."""
    page: Any = tab.page
    opened(page)
    step(page, "Say what must hold")
    page.get_by_role("button", name="Import a policy").click()
    page.get_by_label("Text of the policy").fill(INFEASIBLE)
    page.get_by_role("button", name="Take this policy").click()
    page.get_by_label("The policy so far").get_by_text("at least 5 rows").wait_for()
    step(page, "Find the best release")
    page.get_by_role("button", name="Start the search").click()
    page.get_by_text("no release possible").first.wait_for()
    page.get_by_role("alert").filter(has_text="income").first.wait_for()
    page.get_by_role("link", name="Change the policy: to Protect").click()
    page.get_by_role("heading", name="Protect").wait_for()
    assert not list(tab.studio.folder.iterdir())
