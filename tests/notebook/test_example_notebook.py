"""The example notebook runs, its answers hold, and it is committed as it runs."""

from __future__ import annotations

import copy
import re
import shutil
from pathlib import Path
from typing import Any

import nbformat
import pytest

from tests.notebook.kernel import executed, tidied
from tests.notebook.page import ROOT, page_of, place_of

NOTEBOOK = ROOT / "examples" / "five-questions.ipynb"
MOST_BYTES = 100_000


@pytest.fixture(scope="module")
def committed() -> Any:
    """The notebook as it is in the repository."""
    return nbformat.read(NOTEBOOK, as_version=4)


@pytest.fixture(scope="module")
def run(committed: Any, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """The notebook, run again next to its table alone."""
    folder = tmp_path_factory.mktemp("examples")
    shutil.copy(NOTEBOOK.parent / "stays.csv", folder)
    notebook = tidied(executed(copy.deepcopy(committed), folder).nb)
    assert [path.name for path in folder.iterdir()] == ["stays.csv"]
    return notebook


def texts(notebook: Any) -> list[str]:
    """What its cells print, without the seconds of a run."""
    outputs = [output for cell in notebook.cells for output in cell.get("outputs", ())]
    printed = [output.get("text") or output.data["text/plain"] for output in outputs]
    return [re.sub(r"[\d.]+ s\b", "s", text) for text in printed]


def test_the_notebook_prints_what_is_committed(committed: Any, run: Any) -> None:
    """Otherwise run `python -m tests.notebook examples/five-questions.ipynb` and look at the difference."""
    assert texts(run) == texts(committed)


def test_every_true_answer_lies_within_what_the_release_leaves_open(run: Any) -> None:
    """Five questions, with all cells of the table: 27 answers; the notebook's own check can fail."""
    assert any("27 of 27 answers lie within" in text for text in texts(run))
    assert any('assert table["within"].all()' in cell.source for cell in run.cells)


def test_the_notebook_is_light_and_valid(committed: Any) -> None:
    """No picture, no path of a machine, one card."""
    nbformat.validate(committed)
    text = NOTEBOOK.read_text(encoding="utf-8")
    assert len(text) < MOST_BYTES
    assert "image/png" not in text
    assert str(Path.home()) not in text
    assert str(ROOT) not in text
    cards = [
        output
        for cell in committed.cells
        for output in cell.get("outputs", ())
        if "shoal-card" in output.get("data", {}).get("text/html", "")
    ]
    assert len(cards) == 1


def test_the_page_of_the_documentation_shows_the_notebook(committed: Any) -> None:
    """Written by the same command as the outputs."""
    assert place_of(NOTEBOOK).read_text(encoding="utf-8") == page_of(committed, NOTEBOOK.name)
