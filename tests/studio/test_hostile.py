"""A table whose names, cells and labels are code goes through every step as text: nothing of it is run."""

from __future__ import annotations

import csv
import io
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import tomli_w

from tests.studio.conftest import Studio, Tab, comes, step, without_sign_off

IMAGE = "<img src=x onerror=window.ran=1>"
TEMPLATE = "{{constructor.constructor('window.ran=1')()}}"
CELLS = {
    "__proto__": [IMAGE, "{{7*7}}", "__proto__"],
    "constructor": ["constructor", TEMPLATE, "hasOwnProperty"],
    IMAGE: [f"{IMAGE}1", "<script>window.ran=1</script>"],
    TEMPLATE: ["</textarea><script>window.ran=1</script>", "${window.ran=1}"],
    "toString": ["1", "2", "3"],
    "\u202egnp.exe\u202c": ["\u202eabc", "<b>bold</b>"],
    "=1+1": ["=cmd|' /C calc'!A0", "@x"],
    "a.b['c']\"`${window.ran=1}": ["javascript:window.ran=1", "'\"><svg/onload=window.ran=1>"],
}
SETTLED = """async () => {
    const over = (image) => image.complete || new Promise((end) => {
        image.addEventListener('load', end);
        image.addEventListener('error', end);
    });
    const pause = (milliseconds) => new Promise((end) => setTimeout(end, milliseconds));
    // One that is loaded only when it is scrolled to does neither.
    await Promise.race([Promise.all([...document.images].map(over)), pause(2000)]);
    await pause(100);
}"""
"""Every image has come or failed, and others had their turn since: what would run has run."""
RAN = """() => [
    window.ran, ({}).x,
    [...document.querySelectorAll('img')].filter((found) => found.getAttribute('src') === 'x').length,
    document.querySelectorAll('[onload], [onerror], main script').length,
    /(^|[^0-9,.])(49|64|81)([^0-9,.]|$)/.test(document.body.innerText),
]"""
"""What would have been left by code that ran: in the window, in all objects, on the page, as a result."""
NOTHING = [None, None, 0, 0, False]


def put_into(folder: Path) -> None:
    """The table, a hierarchy for it and a policy, by names that are code as well."""
    chosen, text = random.Random(1), io.StringIO()
    written = csv.writer(text)
    written.writerow(CELLS)
    written.writerows([chosen.choice(cells) for cells in CELLS.values()] for _ in range(120))
    (folder / f"{IMAGE}{{{{7*7}}}}.csv").write_text(text.getvalue(), encoding="utf-8")
    labels = "".join(f'"{cell}";"{IMAGE}";"{{{{8*8}}}}"\n' for cell in CELLS["__proto__"])
    (folder / "labels.csv").write_text(labels, encoding="utf-8")
    known = [name for name in CELLS if name not in (TEMPLATE, "=1+1", "toString")]
    attributes: dict[str, Any] = {name: {"role": "quasi-identifier"} for name in known[:3]}
    attributes["__proto__"]["hierarchy"] = "labels.csv"
    attributes[TEMPLATE] = {"role": "sensitive"}
    policy = {
        "source": {"path": f"{IMAGE}{{{{7*7}}}}.csv"},
        "attributes": attributes,
        "privacy": {"k": 3, "models": [{"name": "distinct-l-diversity", "attribute": TEMPLATE, "l": 2}]},
        "objective": {"suppression": "5%", "consistent": True},
        "search": {"algorithm": "lattice", "seconds": 20},
    }
    (folder / "{{9*9}}.toml").write_text(tomli_w.dumps(policy), encoding="utf-8")
    (folder / TEMPLATE).mkdir()


@pytest.fixture
def tab(browser: Any, tmp_path: Path) -> Iterator[Tab]:
    """A page of a studio whose folder has it all; the studio must not have complained either."""
    for name in ("folder", "temporary"):
        (tmp_path / name).mkdir()
    put_into(tmp_path / "folder")
    studio = Studio(tmp_path / "folder", tmp_path / "temporary")
    said = ""
    try:
        opened = Tab(browser, studio)
        yield opened
        opened.context.close()
        opened.check()
    finally:
        said = studio.end()
    assert "Traceback" not in said


def nothing_ran(page: Any) -> None:
    """Fail if anything of the table was taken for more than text."""
    page.evaluate(SETTLED)
    assert page.evaluate(RAN) == NOTHING


@pytest.mark.slow
def test_nothing_of_a_hostile_table_is_run_in_any_step(tab: Tab) -> None:
    """Opened, protected, searched, weighed, reviewed, released, and the report looked at."""
    page = tab.page
    page.get_by_label("Path", exact=True).fill("{{9*9}}.toml")
    page.get_by_role("button", name="Open the path").click()
    page.get_by_text("120 rows").first.wait_for()
    nothing_ran(page)
    step(page, "Say what must hold")
    page.get_by_role("button", name="Settings").first.click()
    page.get_by_role("button", name="Own groups").click()
    nothing_ran(page)
    page.get_by_role("button", name="Show the file").click()
    page.get_by_role("dialog").wait_for()  # Escape closes what is open, and nothing that is about to be
    nothing_ran(page)
    page.keyboard.press("Escape")
    page.get_by_role("dialog").wait_for(state="hidden")
    step(page, "Find the best release")
    page.get_by_label("Name of the run").fill(IMAGE + TEMPLATE)
    page.get_by_role("button", name="Start the search").click()
    comes(page, page.get_by_role("button", name="Review this release"))
    nothing_ran(page)
    step(page, "Privacy against detail")
    page.get_by_role("button", name="Make the front").wait_for()
    page.get_by_role("checkbox").first.click()
    page.get_by_role("button", name="Make the front").click()
    comes(page, page.get_by_role("button", name="See this table"))
    nothing_ran(page)
    step(page, "Before and after")
    page.get_by_role("button", name="Go to row").wait_for()
    nothing_ran(page)
    step(page, "Write and sign")
    page.get_by_label("Who releases it").fill(f"{IMAGE}{{{{7*7}}}}")
    page.get_by_role("button", name="Write the release").click()
    without_sign_off(page)
    comes(page, page.get_by_role("heading", name="Released"))
    nothing_ran(page)
    with page.context.expect_page() as opened:
        page.get_by_role("link", name="Open the report").first.click()
    # Its scripts are switched off, so that nothing there could wait for the images.
    opened.value.wait_for_load_state("networkidle")
    assert opened.value.evaluate(RAN) == NOTHING
