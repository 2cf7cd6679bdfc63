"""The examples run from a clone and print what they promise."""

from __future__ import annotations

import runpy
import sys
import warnings
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[2] / "examples"
SCRIPTS = (
    "can_a_commuter_be_followed.py",
    "can_a_patient_be_followed.py",
    "release_a_data_frame.py",
    "what_can_i_compute_from_a_release.py",
    "what_does_diversity_cost.py",
    "which_levels_lose_least.py",
)
# tests/docs compares what these print with the pages that show it.
SHOWN = ("how_much_does_k_cost.py", "what_does_suppression_buy.py")


@pytest.mark.parametrize("name", SCRIPTS)
def test_example_runs_and_prints_a_table(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Without a warning, from any folder."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", [name])
    monkeypatch.syspath_prepend(EXAMPLES)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        runpy.run_path(str(EXAMPLES / name), run_name="__main__")
    assert len(capsys.readouterr().out.splitlines()) >= 3


def test_every_example_is_run() -> None:
    """A new script is either run here or makes the data for the others."""
    assert {path.name for path in EXAMPLES.glob("*.py")} == {*SCRIPTS, *SHOWN, "make_stays.py"}
