"""The report in a real browser: whole, quiet, readable, and nobody's code but ours."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.accessibility import violations
from tests.report.gathered import DIGEST, HOSTILE

NAMES = ("holds", "fails", "hostile")

CONTRAST = """() => {
  const light = rgb => rgb.map(c => c / 255).map(c => c <= .03928 ? c / 12.92 : ((c + .055) / 1.055) ** 2.4)
    .reduce((sum, c, i) => sum + c * [.2126, .7152, .0722][i], 0);
  const parts = text => (text.match(/[\\d.]+/g) || []).map(Number);
  const behind = node => {
    for (let at = node; at; at = at.parentElement) {
      const [r, g, b, a = 1] = parts(getComputedStyle(at).backgroundColor);
      if (a === 1) return [r, g, b];
    }
    return [255, 255, 255];
  };
  const found = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const node = walker.currentNode.parentElement;
    if (!walker.currentNode.textContent.trim() || node.closest('title, desc')) continue;
    const style = getComputedStyle(node), inChart = node.closest('svg');
    const ink = parts(inChart ? style.fill : style.color).slice(0, 3);
    const two = [light(ink), light(behind(node))].sort((a, b) => b - a);
    found.push([(two[0] + .05) / (two[1] + .05), walker.currentNode.textContent.trim().slice(0, 40)]);
  }
  return found;
}"""


@contextmanager
def opened(browser: Any, path: Path, **context: Any) -> Iterator[Any]:
    """A page without network, with what it asked for and complained of in `asked` and `said`."""
    held = browser.new_context(offline=True, **context)
    page = held.new_page()
    page.asked, page.said = [], []
    page.on("request", lambda request: page.asked.append(request.url))
    page.on("console", lambda message: page.said.append(message.text))
    page.on("pageerror", lambda error: page.said.append(str(error)))
    page.goto(path.as_uri())
    yield page
    held.close()


@pytest.mark.parametrize("name", NAMES)
def test_a_page_asks_for_nothing_and_complains_of_nothing(
    browser: Any, pages: dict[str, Path], name: str
) -> None:
    """The only request is the file itself; no error or warning in the console."""
    with opened(browser, pages[name]) as page:
        page.wait_for_load_state("networkidle")
        assert page.asked == [pages[name].as_uri()]
        assert page.said == []


def test_hostile_names_are_text(browser: Any, pages: dict[str, Path]) -> None:
    """Nothing is executed, nothing is styled away, and the names can be read."""
    with opened(browser, pages["hostile"]) as page:
        assert page.evaluate("window.hurt") is None
        assert page.locator("script, img").count() == 0
        assert page.locator("style").count() == 1
        assert page.evaluate("getComputedStyle(document.body).display") == "block"
        text = page.locator("body").inner_text()
        for name in HOSTILE[:3]:
            assert name in text
        assert "49" not in page.locator("h1").inner_text()
        assert "[U+202E]gnp.[U+200F]exe" in text
        assert "\u202e" not in text


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("width", [375, 1280])
def test_nothing_is_wider_than_the_window(
    browser: Any, pages: dict[str, Path], name: str, width: int
) -> None:
    """No sideways scrolling of the page, on a phone or a desk."""
    with opened(browser, pages[name], viewport={"width": width, "height": 800}) as page:
        assert page.evaluate("document.documentElement.scrollWidth") <= width


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("name", ["holds", "fails"])
def test_text_can_be_read_in_light_and_dark(
    browser: Any, pages: dict[str, Path], name: str, scheme: str
) -> None:
    """Contrast of all text is at least 4.5 to 1 (WCAG AA)."""
    with opened(browser, pages[name], color_scheme=scheme) as page:
        found = page.evaluate(CONTRAST)
        assert len(found) > 200
        assert [each for each in found if each[0] < 4.5] == []


def test_dark_is_dark(browser: Any, pages: dict[str, Path]) -> None:
    """The scheme of the reader decides."""
    seen = set()
    for scheme in ("light", "dark"):
        with opened(browser, pages["holds"], color_scheme=scheme) as page:
            seen.add(page.evaluate("getComputedStyle(document.body).backgroundColor"))
    assert len(seen) == 2


def test_charts_have_names_and_links_have_places(browser: Any, pages: dict[str, Path]) -> None:
    """Who cannot see a chart is told what it shows; every link inside the page leads somewhere."""
    with opened(browser, pages["holds"]) as page:
        charts = page.locator("svg")
        assert charts.count() >= 6
        for index in range(charts.count()):
            chart = charts.nth(index)
            assert chart.get_attribute("role") == "img"
            assert chart.get_attribute("aria-label")
            assert chart.locator("> title").count() == chart.locator("> desc").count() == 1
        links = page.locator("a").evaluate_all("all => all.map(each => each.getAttribute('href'))")
        assert links
        assert all(link.startswith("#") and page.locator(link).count() == 1 for link in links)
        assert page.locator("h1").count() == 1


def test_paper_has_pages_and_the_digest(browser: Any, pages: dict[str, Path]) -> None:
    """The page prints to more than one sheet of A4; its digest is on each of them by the style sheet."""
    with opened(browser, pages["holds"]) as page:
        printed = page.pdf(prefer_css_page_size=True, print_background=True)
    assert printed.startswith(b"%PDF")
    assert len(re.findall(rb"/Type\s*/Page\b", printed)) > 2
    assert b"[0 0 594.95996 841.91998]" in printed or re.search(rb"/MediaBox \[0 0 59\d[.\d]* 84\d", printed)
    style = pages["holds"].read_text(encoding="utf-8").split("</style>")[0]
    assert DIGEST in style.split("@bottom-left")[1]


def test_a_report_is_printed_by_the_browser_of_the_machine(
    browser: Any, pages: dict[str, Path], tmp_path: Path
) -> None:
    """`save` with .pdf needs nothing but a Chromium."""
    from shoal.reports.pdf import write_pdf

    write_pdf(pages["holds"].read_text(encoding="utf-8"), tmp_path / "report.pdf")
    printed = (tmp_path / "report.pdf").read_bytes()
    assert printed.startswith(b"%PDF")
    assert len(re.findall(rb"/Type\s*/Page\b", printed)) > 2
    # Headings and tables are marked for screen readers, and a reader has an outline to go by.
    for mark in (b"/StructTreeRoot", b"/Marked true", b"/Lang", b"/Outlines"):
        assert mark in printed


@pytest.mark.parametrize("name", NAMES)
def test_a_report_is_for_everybody(browser: Any, pages: dict[str, Path], name: str) -> None:
    """axe-core finds nothing wrong with it, in light and in dark."""
    with opened(browser, pages[name], bypass_csp=True) as page:
        assert {colours: violations(page, colours) for colours in ("light", "dark")} == {
            "light": [],
            "dark": [],
        }
