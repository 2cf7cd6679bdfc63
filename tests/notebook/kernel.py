"""A real kernel for tests: runs cells as a notebook does, and keeps what it sent."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import nbformat
from nbclient import NotebookClient

SECONDS = 120
"""What a cell may take before it counts as hanging."""


class Recorded(NotebookClient):  # type: ignore[misc]
    """A client that also keeps outputs which later ones replace."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.messages: list[tuple[str, dict[str, Any]]] = []

    def process_message(self, message: Any, cell: Any, place: int) -> Any:
        self.messages.append((message["msg_type"], message["content"]))
        return super().process_message(message, cell, place)


def executed(notebook: Any, folder: Path) -> Recorded:
    """Run a notebook in a fresh kernel of this interpreter; a cell that raises fails the test."""
    client = Recorded(
        notebook, timeout=SECONDS, kernel_name="python3", resources={"metadata": {"path": str(folder)}}
    )
    client.execute()
    return client


def notebook_of(*cells: str) -> Any:
    """A notebook with these cells of code."""
    return nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells])


def tidied(notebook: Any) -> Any:
    """The notebook without what differs from machine to machine, and without progress that has ended."""
    notebook.metadata = {
        "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
        "language_info": {"name": "python"},
    }
    for cell in notebook.cells:
        cell.metadata = {}
        if cell.cell_type == "code":
            cell.outputs = [each for each in cell.outputs if each.get("data") != {"text/plain": ""}]
    return notebook
