"""The folders of the C++ core and who may use whom."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

CORE = Path(__file__).parents[2] / "cpp" / "core"
FOLDERS = ("base", "privacy", "cuts", "lattice", "rows", "cells", "histories", "histories_levels")
"""In the order of cpp/README.md."""


@pytest.mark.parametrize("folder", FOLDERS)
def test_a_folder_of_the_core_uses_only_those_above_it(folder: str) -> None:
    """The table of folders is the order in which the core can be read."""
    above = FOLDERS[: FOLDERS.index(folder) + 1]
    sources = [path for path in (CORE / folder).iterdir() if path.suffix in {".h", ".cpp"}]
    used = {name for path in sources for name in re.findall(r'#include "core/(\w+)/', path.read_text())}
    assert used
    assert used <= set(above)


def test_the_core_has_no_other_folder_and_no_python() -> None:
    """What knows both languages is in cpp/bindings."""
    assert {path.name for path in CORE.iterdir()} == set(FOLDERS)
    assert not [path for path in CORE.rglob("*.*") if re.search(r"<(nanobind|Python)", path.read_text())]
