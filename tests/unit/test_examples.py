"""The examples run from a clone and print what they promise."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.patience import PATIENCE

EXAMPLES = Path(__file__).parents[2] / "examples"
SCRIPTS = (
    "how_much_does_k_cost.py",
    "release_a_data_frame.py",
    "what_does_diversity_cost.py",
    "what_does_suppression_buy.py",
    "which_levels_lose_least.py",
)


@pytest.mark.parametrize("name", SCRIPTS)
def test_example_runs_and_prints_a_table(name: str, tmp_path: Path) -> None:
    """Without a warning, from any folder."""
    command = [sys.executable, "-W", "error", str(EXAMPLES / name)]
    ran = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert ran.returncode == 0, ran.stderr
    assert len(ran.stdout.splitlines()) >= 3


def test_every_example_is_run() -> None:
    """A new script is either run here or makes the data for the others."""
    assert {path.name for path in EXAMPLES.glob("*.py")} == {*SCRIPTS, "make_stays.py"}
