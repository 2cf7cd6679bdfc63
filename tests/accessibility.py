"""What axe-core finds wrong with a page: for people who use a keyboard, a screen reader, or other colours."""

from __future__ import annotations

from importlib.resources import files
from typing import Any

_RUN = """() => axe.run(document, {resultTypes: ['violations']}).then(found => found.violations.map(each =>
  `${each.id}: ${each.help}: ${each.nodes.slice(0, 4).map(node => node.target.join(' ')).join(', ')}`))"""


def violations(page: Any, colours: str) -> list[str]:
    """What is wrong, a line each; the page's context must bypass its content security policy.

    Parameters
    ----------
    page
        A page that is drawn.
    colours
        "light" or "dark".
    """
    page.emulate_media(color_scheme=colours, reduced_motion="reduce")
    page.evaluate((files("axe_playwright_python") / "axe.min.js").read_text(encoding="utf-8"))
    found: list[str] = page.evaluate(_RUN)
    return found
