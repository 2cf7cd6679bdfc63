"""Several files named by one pattern, like `stays-*.csv`."""

from __future__ import annotations

import glob
from pathlib import Path


def is_pattern(path: Path) -> bool:
    """Whether a path names several files; a file that has such a name itself comes first."""
    return glob.has_magic(str(path)) and not path.exists()


def matching(path: Path) -> list[Path]:
    """The files that a pattern names, in the order of their names; hidden files are left out."""
    return sorted(Path(each) for each in glob.glob(str(path), recursive=True) if Path(each).is_file())  # noqa: PTH207
