"""The page of the documentation that shows a notebook: its texts, its cells, and what they print."""

from __future__ import annotations

from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
NOT_RUN = "<!-- not run: tests/notebook runs the notebook -->"


def place_of(notebook: Path) -> Path:
    """The page of a notebook."""
    return ROOT / "docs" / "how-to" / f"{notebook.stem}.md"


def page_of(notebook: Any, name: str) -> str:
    """The page.

    Parameters
    ----------
    notebook
        A notebook with outputs.
    name
        Its file in `examples`.
    """
    first, *others = notebook.cells
    title, _, rest = first.source.partition("\n")
    note = (
        f"*This page is the notebook [examples/{name}](../../examples/{name}). To run it, put it next to "
        "[stays.csv](../../examples/stays.csv).*"
    )
    parts = [f"{title}\n\n{note}\n{rest}"]
    for cell in others:
        if cell.cell_type == "markdown":
            parts.append(cell.source)
            continue
        parts.append(f"{NOT_RUN}\n```python\n{cell.source.rstrip()}\n```")
        printed = "\n".join(filter(None, map(_text, cell.outputs)))
        if printed:
            parts[-1] += f"\n```text\n{printed}\n```"
    return "\n\n".join(parts) + "\n"


def _text(output: Any) -> str:
    """What an output prints; a card is described in its place."""
    if output.output_type == "stream":
        return str(output.text).rstrip()
    if "shoal-card" in output.data.get("text/html", ""):
        return "(the card of the release)"
    lines = output.data["text/plain"].splitlines()
    return "\n".join(line.rstrip() for line in lines)
