"""Packages that are installed for one process: a folder with code and a dist-info, as pip leaves it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent


def install(folder: Path, entry_points: str, *, name: str = "shoal-toy", modules: Path | None = None) -> Path:
    """Put a package into a folder, so that a process with that folder on its path finds it."""
    info = folder / f"{name.replace('-', '_')}-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n", encoding="utf-8")
    (info / "entry_points.txt").write_text(entry_points, encoding="utf-8")
    if modules is not None:
        shutil.copytree(modules, folder / modules.name, ignore=shutil.ignore_patterns("__pycache__"))
    return folder


def install_toy(folder: Path) -> Path:
    """Install the package that adds one of everything."""
    entry_points = (HERE / "entry_points.txt").read_text(encoding="utf-8")
    return install(folder, entry_points, modules=HERE / "shoal_toy")


def run(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run Python in a process that finds what is installed in a folder."""
    path = os.pathsep.join([str(folder), *filter(None, [os.environ.get("PYTHONPATH")])])
    return subprocess.run(
        [sys.executable, *arguments],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONPATH": path},
    )
