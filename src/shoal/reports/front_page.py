"""The page of a front: one file with its data, styles and script, and no request to anywhere.

It shows labels and sizes of groups that a release would have, never a row. It is for the person who chooses:
the examples of several recodings next to each other reveal more than one release does: do not publish the
page.
"""

from __future__ import annotations

import html
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib.resources import files
from pathlib import Path
from typing import Any

from shoal.files.whole_file import write_text

HEIGHT = 720
"""Of the page in a notebook, in pixels."""


@dataclass(frozen=True)
class FrontPage:
    """A page that shows itself in a notebook.

    Parameters
    ----------
    html
        The whole page.
    """

    html: str = field(repr=False)

    def save(self, path: str | Path) -> Path:
        """Write the page to a file."""
        path = Path(path)
        write_text(path, self.html)
        return path

    def _repr_html_(self) -> str:
        # In a separate frame: neither the notebook's styles nor those of the page reach the other.
        return (
            f'<iframe title="front" sandbox="allow-scripts" style="width:100%;height:{HEIGHT}px;border:0" '
            f'srcdoc="{html.escape(self.html, quote=True)}"></iframe>'
        )


def front_page(facts: Mapping[str, Any]) -> FrontPage:
    """The page that shows a front.

    Parameters
    ----------
    facts
        What `Front.facts` returns, with examples.
    """
    page = (files("shoal.reports") / "front.html").read_text(encoding="utf-8")
    # Inside a script only the end of the script could be mistaken; no sign of it may stay.
    data = json.dumps(facts, ensure_ascii=False).replace("<", "\\u003c").replace("\u2028", "\\u2028")
    return FrontPage(page.replace("/*DATA*/null", data, 1))
