"""Where pages run: the commands they use, and a folder with what they take for granted."""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path

from tests.docs.warm import warm_commands

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", ROOT / "examples" / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]


@contextlib.contextmanager
def commands_at_hand(folder: Path) -> Iterator[Mapping[str, str]]:
    """The environment of the commands: they start at once, print no colours, and break no lines."""
    with warm_commands(folder) as programs:
        yield {
            "PATH": f"{programs}:{os.environ['PATH']}",
            "HOME": str(folder),
            "LC_ALL": "C.UTF-8",
            "COLUMNS": "220",
            "TERM": "dumb",
            "PYTHONUTF8": "1",
        }


def stays_folder(folder: Path, environment: Mapping[str, str]) -> Path:
    """Fill a folder with the hospital stays, their policy, their release, and the examples."""
    shutil.copytree(ROOT / "examples", folder)
    shutil.copytree(ROOT / "examples", folder / "examples")
    subprocess.run(
        ["shoal", "anonymize", "stays.toml", "--quiet"], cwd=folder, env=dict(environment), check=True
    )
    return folder
