"""Cards on pages of every theme: text as readable as the page's own, and nothing else on the page changes."""

from __future__ import annotations

from typing import Any

import pytest

from shoal.formatting.card import Badge, Card, Grid

CARD = Card(
    title="Title",
    badges=(Badge(text="holds", tone="good"), Badge(text="fails", tone="bad"), Badge(text="so", tone="note")),
    facts=(("rows", "1,200"),),
    lines=("A sentence.",),
    failures=("something",),
    warnings=("something else",),
    tables=(Grid(caption="caption", head=("a", "b"), rows=(("x", "1"),), bars=((1, (0.5,)),)),),
    folded=(("more", ("words",)),),
).html()
OTHERS = (
    "<table id='other'><tr><td>1</td></tr></table><p id='words'>p</p><details><summary>s</summary></details>"
)
# Rules of notebooks that a card has to win against.
NOTEBOOK = """<style>
.out table { table-layout: fixed } .out tbody tr:nth-child(odd) { background: rgb(250, 0, 250) }
.out td, .out th { text-align: right; color: rgb(250, 0, 250) } .out dt { float: left; width: 20% }
.out dd { float: left; width: 10px } .out p { color: rgb(250, 0, 250) }
</style>"""
STYLES = "each => JSON.stringify(Object.fromEntries(Object.entries(getComputedStyle(each))))"


def luminance(colour: str) -> float:
    """Relative luminance of an `rgb(...)`, as the accessibility guidelines define it."""
    channels = [int(part.split(".")[0]) / 255 for part in colour[4:-1].split(",")[:3]]
    linear = [each / 12.92 if each <= 0.04045 else ((each + 0.055) / 1.055) ** 2.4 for each in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    """The contrast of two colours, from 1 to 21."""
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


@pytest.fixture(scope="module")
def page(browser: Any) -> Any:
    """One window for all themes."""
    opened = browser.new_page()
    yield opened
    opened.close()


@pytest.mark.parametrize("system", ["light", "dark"])
@pytest.mark.parametrize(("paper", "ink"), [("255, 255, 255", "20, 20, 20"), ("17, 17, 17", "224, 224, 224")])
def test_a_card_is_readable_whatever_the_system_says(page: Any, system: str, paper: str, ink: str) -> None:
    """A light page stays readable on a dark system, where colours by the system alone would vanish."""
    agree = (system == "dark") == (paper == "17, 17, 17")  # no colour has 4.5 on white and on black
    page.emulate_media(color_scheme=system)
    page.set_content(
        f"<body style='background:rgb({paper});color:rgb({ink})'>{NOTEBOOK}<div class='out'>{CARD}</div>"
    )
    for element in ("strong", "dd", "dl + p", "td", "th", "summary"):
        shown = page.eval_on_selector(f".shoal-card {element}", "each => getComputedStyle(each).color")
        assert shown == f"rgb({ink})", element
    for tone in ("good", "bad", "note"):
        colour = page.eval_on_selector(f".shoal-badge.shoal-{tone}", "each => getComputedStyle(each).color")
        assert contrast(colour, f"rgb({paper})") >= (4.5 if agree else 3), tone
    row = page.eval_on_selector(".shoal-card tbody tr", "each => getComputedStyle(each).backgroundColor")
    assert row == "rgba(0, 0, 0, 0)"
    width = page.eval_on_selector(".shoal-card dd", "each => each.offsetWidth")
    assert width > 20


def test_a_card_changes_nothing_around_it(page: Any) -> None:
    """Every computed style of other elements is the same with and without a card on the page."""
    styles = []
    for before in ("<div></div>", f"<div>{CARD}</div>"):
        page.set_content(f"<!doctype html><body>{OTHERS}{before}")
        styles.append(
            [page.eval_on_selector(each, STYLES) for each in ("#other", "#other td", "#words", "summary")]
        )
    assert styles[0] == styles[1]
