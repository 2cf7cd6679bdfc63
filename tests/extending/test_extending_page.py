"""docs/contributing/extending.md shows the package that the tests install."""

from __future__ import annotations

import tomllib
from configparser import ConfigParser
from pathlib import Path

import pytest

import shoal.testing
from tests.extending.installed import HERE

PAGE = HERE.parents[1] / "docs" / "contributing" / "extending.md"
FILES = sorted(path for path in (HERE / "shoal_toy").glob("*.py") if path.name != "__init__.py")


@pytest.mark.parametrize("file", FILES, ids=lambda path: path.stem)
def test_every_file_of_the_package_is_on_the_page(file: Path) -> None:
    """As it is: what a reader copies is what the tests ran."""
    assert f"```python\n{file.read_text(encoding='utf-8')}```" in PAGE.read_text(encoding="utf-8")


def test_the_entry_points_on_the_page_are_those_of_the_package() -> None:
    """A pyproject.toml writes them in its own way."""
    _, _, after = PAGE.read_text(encoding="utf-8").partition('```toml title="pyproject.toml"\n')
    written = tomllib.loads(after.partition("```")[0])["project"]["entry-points"]
    installed = ConfigParser()
    installed.read(HERE / "entry_points.txt", encoding="utf-8")
    assert written == {group: dict(installed[group]) for group in installed.sections()}


def test_every_check_is_on_the_page() -> None:
    """What is public is documented."""
    assert all(name in PAGE.read_text(encoding="utf-8") for name in shoal.testing.__all__)
