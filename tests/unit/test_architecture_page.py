"""docs/architecture.md names files and functions; they exist."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

import shoal

PACKAGE = Path(shoal.__file__).parent
ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
HOPS = re.findall(r"^\| \d+ \| `([\w/]+\.py)` \| `(\w+)` \|", PAGE, flags=re.M)


@pytest.mark.parametrize(("file", "function"), HOPS, ids=lambda each: str(each))
def test_every_hop_of_the_walk_exists_and_fits_on_a_screen(file: str, function: str) -> None:
    """A reader who follows the walk finds each function, and its body is at most 40 lines."""
    tree = ast.parse((PACKAGE / file).read_text(encoding="utf-8"))
    found = [each for each in tree.body if isinstance(each, ast.FunctionDef) and each.name == function]
    assert len(found) == 1
    body = found[0].body
    described = isinstance(body[0], ast.Expr) and isinstance(body[0].value, ast.Constant)
    first = body[1] if described else body[0]
    assert (found[0].end_lineno or 0) - first.lineno < 40


def test_the_walk_has_ten_hops_and_every_file_of_the_page_exists() -> None:
    """No row of the walk is skipped by the pattern, and no other file is misspelled."""
    assert len(HOPS) == 10
    for file in re.findall(r"`([\w/]+\.py)`", PAGE):
        assert (PACKAGE / file).is_file() or (ROOT / file).is_file(), file


def test_every_room_is_on_the_page() -> None:
    """A new room is explained."""
    rooms = {each.name for each in PACKAGE.iterdir() if each.is_dir() and (each / "__init__.py").is_file()}
    assert [room for room in sorted(rooms) if f"`{room}/`" not in PAGE] == []
