"""Pieces of SVG that the charts share."""

from __future__ import annotations

import html
import math
from collections.abc import Callable, Sequence

WIDTH = 640
LETTER = 6.7
"""What a letter of a label takes, on the average of the fonts that a page may find."""


def svg(height: float, title: str, description: str, parts: Sequence[str], width: int = WIDTH) -> str:
    """A whole chart.

    Parameters
    ----------
    height, width
        In units of which a letter is 12 high.
    title, description
        A description for readers who cannot see it.
    parts
        Its content.
    """
    # The name is an attribute in addition to the title: browsers differ in which one they announce.
    return (
        f'<svg class="chart" viewBox="0 0 {width} {place(height)}" role="img" aria-label="{text(title)}">'
        f"<title>{text(title)}</title><desc>{text(description)}</desc>{''.join(parts)}</svg>"
    )


def text(value: object) -> str:
    """A text that is safe in SVG and HTML, also in an attribute."""
    return html.escape(str(value), quote=True)


def place(value: float) -> str:
    """A coordinate: no more digits than can be seen, and the same on every machine."""
    return f"{value:.1f}".removesuffix(".0")


def label(x: float, y: float, words: object, *, kind: str = "", anchor: str = "start") -> str:
    """A text at a place."""
    style = f' class="{kind}"' if kind else ""
    return f'<text{style} x="{place(x)}" y="{place(y)}" text-anchor="{anchor}">{text(words)}</text>'


def line(x1: float, y1: float, x2: float, y2: float, kind: str) -> str:
    """A straight line."""
    return f'<line class="{kind}" x1="{place(x1)}" y1="{place(y1)}" x2="{place(x2)}" y2="{place(y2)}"/>'


def bar(x: float, y: float, width: float, height: float, kind: str, tooltip: str = "") -> str:
    """A bar; what is more than nothing is at least a line."""
    wide = max(width, 0.8 if width > 0 else 0)
    inside = f"<title>{text(tooltip)}</title>" if tooltip else ""
    return (
        f'<rect class="{kind}" x="{place(x)}" y="{place(y)}" width="{place(wide)}" '
        f'height="{place(height)}" rx="1.5">{inside}</rect>'
    )


def legend(x: float, y: float, entries: Sequence[tuple[str, str]]) -> str:
    """What the kinds of bars mean, in a row."""
    parts = []
    for kind, words in entries:
        parts.append(bar(x, y - 9, 14, 10, kind))
        parts.append(label(x + 20, y, words))
        x += 20 + len(words) * LETTER + 18
    return "".join(parts)


def ticks(most: float, about: int = 5) -> list[float]:
    """Round numbers from 0 up to at least `most`."""
    if most <= 0:
        return [0.0, 1.0]
    raw = most / about
    unit = 10.0 ** math.floor(math.log10(raw))
    step = next(factor * unit for factor in (1, 2, 2.5, 5, 10) if factor * unit >= raw * (1 - 1e-9))
    count = math.ceil(most / step - 1e-9)
    return [round(index * step, 12) for index in range(count + 1)]


def percent_axis(
    at: Callable[[float], float], values: Sequence[float], top: float, bottom: float
) -> list[str]:
    """Lines of a grid for shares, and their numbers below."""
    parts = []
    for value in values:
        x = at(value)
        parts.append(line(x, top, x, bottom, "grid"))
        parts.append(label(x, bottom + 16, f"{100 * value:.4g} %", anchor="middle"))
    return parts
