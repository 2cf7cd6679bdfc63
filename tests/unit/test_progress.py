"""Progress in Python: a line where somebody watches, and silence elsewhere."""

from __future__ import annotations

import io
import sys
from types import ModuleType, SimpleNamespace
from typing import Any

import pandas
import pytest

import shoal
from shoal.api import _progress
from shoal.api._progress import ProgressLine, line, place_of, shown

MOMENT = shoal.Progress(cost=0.25, bound=0.2, nodes=1234, seconds=3.4)
WORDS = "searching   cost 0.25   bound 0.2   gap 20.0 %   nodes 1,234   3 s"
TABLE = pandas.DataFrame({"age": [1, 2, 3, 4]})


class Terminal(io.StringIO):
    """A standard error that is a terminal."""

    def isatty(self) -> bool:
        return True


def terminal(monkeypatch: pytest.MonkeyPatch) -> Terminal:
    """Standard error as a terminal; in the test itself, since pytest sets it anew after fixtures."""
    made = Terminal()
    monkeypatch.setattr(sys, "stderr", made)
    return made


@pytest.fixture
def notebook(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """What a notebook is told to show, one after the other."""
    told: list[Any] = []

    def display(shown: Any, **_: Any) -> Any:
        told.append(shown["text/plain"])
        return SimpleNamespace(update=lambda shown, **_: told.append(shown["text/plain"]))

    ipython, displays = ModuleType("IPython"), ModuleType("IPython.display")
    ipython.get_ipython = lambda: SimpleNamespace(kernel=True)  # type: ignore[attr-defined]
    displays.display = display  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "IPython", ipython)
    monkeypatch.setitem(sys.modules, "IPython.display", displays)
    return told


def test_a_terminal_shows_a_line(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is there while the search runs."""
    stderr = terminal(monkeypatch)
    assert place_of(None) == place_of(True) == "terminal"
    with ProgressLine("terminal") as progress:
        progress(MOMENT)
    assert "searching" in stderr.getvalue()


def test_a_notebook_shows_one_line_and_takes_it_away(
    notebook: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The line changes in place, and the cell's output is clean at the end."""
    monkeypatch.setattr(_progress, "NOTEBOOK_EVERY", 0)
    with shown(None, None) as watch:
        assert watch is not None
        watch(MOMENT)
        watch(MOMENT)
    assert notebook == [WORDS, WORDS, ""]


def test_elsewhere_nothing_is_shown_unless_it_is_wanted(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """In a program or a log, a line now and then, if it is requested."""
    assert (place_of(None), place_of(True)) == ("nowhere", "log")
    monkeypatch.setattr(_progress, "LOG_EVERY", 0)
    with shown(True, None) as watch:
        assert watch is not None
        watch(MOMENT)
    assert capsys.readouterr().err == f"{WORDS}\n"
    with shown(None, None) as nothing:
        assert nothing is None


def test_false_is_silent(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also on a terminal."""
    terminal(monkeypatch)
    assert place_of(False) == "nowhere"
    with shown(False, None) as watch:
        assert watch is None


def test_a_callback_takes_the_place_of_the_line_unless_both_are_wanted(notebook: list[Any]) -> None:
    """Who gives a callback shows progress in another way."""
    seen: list[shoal.Progress] = []
    with shown(None, seen.append) as watch:
        assert watch == seen.append
    with shown(True, seen.append) as watch:
        assert watch is not None
        watch(MOMENT)
    assert seen == [MOMENT]
    assert notebook == [WORDS, ""]


def test_every_search_takes_progress(monkeypatch: pytest.MonkeyPatch) -> None:
    """The release is the same whether or not it is shown."""
    terminal(monkeypatch)
    asked: dict[str, Any] = {"quasi_identifiers": ["age"], "k": 2}
    loud, silent = (shoal.anonymize(TABLE, **asked, progress=progress) for progress in (True, False))
    assert loud.data.equals(silent.data)
    shoal.explain(TABLE, **asked, progress=False)
    shoal.front(TABLE, quasi_identifiers=["age"], progress=False)
    policy = shoal.Policy(attributes=(shoal.Attribute(name="age", role=shoal.Role.QUASI_IDENTIFIER),), k=2)
    shoal.recoding_sql(TABLE, policy, table="people", progress=False)
    shoal.anonymize(TABLE, policy, progress=True)


def test_a_line_tells_a_moment() -> None:
    """Cost, bound, gap, nodes and seconds."""
    assert line(MOMENT) == WORDS
