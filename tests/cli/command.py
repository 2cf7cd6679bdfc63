"""Runs `shoal` as a user does: a process of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path


def shoal(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run a command in a folder."""
    return subprocess.run(
        [sys.executable, "-W", "error", "-c", "from shoal.cli import main; main()", *arguments],
        capture_output=True,
        text=True,
        cwd=folder,
        timeout=120,
        check=False,
        env={**os.environ, "COLUMNS": "200"},
    )
