"""Protect in a real browser: roles, models, objective, two tabs, import; and names that want to be more."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

import shoal
from shoal.studio.workspace import Opened, Workspace
from tests.studio.conftest import Studio, Tab, step, tab_of

HOSTILE = "<img src=x onerror=alert(1)>"


def opened(workspace: Workspace) -> None:
    """200 stays; how a table is opened is another step's matter."""
    lines = [f"patient,age,zip,sex,diagnosis,{HOSTILE},{{{{7*7}}}},{'x' * 3000}"]
    for at in range(200):
        diagnosis = ("flu", "asthma", "HIV", "")[at % 4]
        lines.append(f"{at},{20 + at % 50},0{2000 + at % 9},{'fm'[at % 2]},{diagnosis},{at % 3},{at % 2},1")
    path = workspace.folders.opened[0] / "stays.csv"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    workspace.open(Opened(source=path, name=path.name, inspected=shoal.inspect(path)))


@pytest.fixture
def protect(browser: Any, one_studio: Studio) -> Iterator[Tab]:
    """The step Protect, of 200 stays."""
    one_studio.anew(opened)
    with tab_of(browser, one_studio) as tab:
        to_protect(tab.page)
        yield tab


def to_protect(page: Any) -> None:
    """Go to the step."""
    step(page, "Say what must hold")
    page.get_by_role("heading", name="Protect").wait_for()


def choose(page: Any, label: str, option: str) -> None:
    """Choose from a list."""
    page.get_by_label(label, exact=True).click()
    page.get_by_role("option", name=option, exact=True).click()


def file_of(page: Any) -> str:
    """The policy's file, as the page shows it."""
    page.get_by_role("button", name="Show the file").click()
    words: str = page.get_by_label("policy.toml").inner_text()
    page.get_by_role("button", name="Close", exact=True).click()
    page.get_by_label("policy.toml").wait_for(state="hidden")
    return words


@pytest.mark.slow
def test_a_policy_is_written_by_hand_and_seen_in_both_tabs(protect: Tab) -> None:
    """Roles, a model, k and the objective go into the file; a second tab shows them and keeps its focus."""
    page = protect.page
    summary = page.get_by_label("The policy so far")
    summary.get_by_text("diagnosis is sensitive, and no model protects it").wait_for()
    other = protect.another()
    to_protect(other)
    typing = other.get_by_label("Find a column")
    typing.fill("a")

    page.get_by_label("Role of {{7*7}}").select_option("quasi-identifier")
    summary.get_by_text("On these 4 columns").wait_for()
    page.get_by_role("button", name="Add a privacy model").click()
    page.get_by_role("button", name="Add Distinct l-diversity").click()
    model = page.get_by_label("Model 1: Distinct l-diversity")
    model.get_by_label("l", exact=True).fill("0")
    model.get_by_text("The policy keeps what it had").wait_for()
    assert "l = 3" in file_of(page)
    model.get_by_label("l", exact=True).fill("2")
    summary.get_by_text("at least 2 distinct values of diagnosis").wait_for()
    k = page.get_by_label("k", exact=True)
    k.fill("7")
    summary.get_by_text("at least 7 rows").wait_for()
    k.fill("2000")
    page.get_by_text("k is a whole number from 1 to 200").wait_for()
    page.get_by_label("Exactly").fill("12")
    page.get_by_text("At most 12 of 200 rows may be left out").wait_for()
    summary.get_by_text("'diagnosis' is released unchanged and gives away 'sex'").wait_for()
    written = file_of(page)
    for line in ("k = 7", "l = 2", "suppression = 12", '[attributes."{{7*7}}"]'):
        assert line in written

    other.get_by_label("The policy so far").get_by_text("at least 7 rows").wait_for()
    assert other.get_by_label("k", exact=True).input_value() == "7"
    assert other.evaluate("document.activeElement.getAttribute('aria-label')") == "Find a column"
    assert typing.input_value() == "a"
    page.reload()
    page.get_by_label("The policy so far").get_by_text("at least 7 rows").wait_for()
    page.get_by_role("link", name="Next: Search").click()
    page.get_by_role("heading", name="Search", exact=True).wait_for()


@pytest.mark.slow
def test_many_columns_at_once_by_keyboard_and_a_policy_from_elsewhere(protect: Tab) -> None:
    """The space bar selects, a preset can be undone, and a bad setting or file changes nothing."""
    page = protect.page
    summary = page.get_by_label("The policy so far")
    assert page.get_by_label(f"Role of {HOSTILE}").input_value() == "other"
    for column in ("age", "zip", "sex"):
        page.get_by_label(f"Select {column}", exact=True).focus()
        page.keyboard.press("Space")
    page.get_by_role("button", name="Make the selected Other").click()
    summary.get_by_text("No quasi-identifier yet").wait_for()
    page.get_by_role("button", name="Back to the suggestions").click()
    summary.get_by_text("Not ready").wait_for(state="hidden")

    page.get_by_text("Presets: begin with what others use").click()
    page.get_by_role("button", name="Use the preset Public use file").click()
    summary.get_by_text("at least 12 rows").wait_for()
    page.get_by_role("button", name="Undo the preset").click()
    summary.get_by_text("at least 10 rows").wait_for()

    page.get_by_role("button", name="Settings of age").click()
    page.get_by_label("Width of bins").fill("-5")
    page.get_by_text("bin must be").first.wait_for()
    page.get_by_label("Width of bins").fill("5")

    page.get_by_text("Persons and population").click()
    page.get_by_label("Population table").fill("/etc/passwd")
    page.get_by_text("That path is in none of the folders").wait_for()

    linkable = page.get_by_label("Rows of a person stay linkable")
    assert linkable.count() == 0 or not linkable.is_visible()
    choose(page, "One person, several rows", "patient")
    summary.get_by_text("patient identifies persons: it is dropped").wait_for()
    choose(page, "Household", "zip")
    page.get_by_text("A quasi-identifier is recoded and cannot be used here").wait_for()
    choose(page, "Household", "diagnosis")
    page.get_by_text("There is a column of persons already").wait_for()
    choose(page, "Household", "No households")
    choose(page, "Rows of a person stay linkable", "Yes, by fresh pseudonyms")
    summary.get_by_text("patient is to be dropped, and its rows are to stay linkable").wait_for()
    page.get_by_label("Rows that an attacker may know").fill("0")
    page.get_by_text("Use a whole number of at least 1").wait_for()
    choose(page, "One person, several rows", "Every row is a person")
    linkable.wait_for(state="hidden")

    page.get_by_role("button", name="Import a policy").click()
    text = page.get_by_label("Text of the policy")
    text.fill("[attributes.shoe]\nrole = 'quasi-identifier'\n")
    page.get_by_role("button", name="Take this policy").click()
    page.get_by_text("The policy that is shown was not changed").wait_for()
    text.fill("[attributes.zip]\nrole = 'quasi-identifier'\n[privacy]\nk = 3\n")
    page.get_by_role("button", name="Take this policy").click()
    summary.get_by_text(
        "The column zip is made coarser until everybody hides among at least 3 rows"
    ).wait_for()
    assert page.get_by_label("Role of age").input_value() == "other"
