"""Every code block of the documentation runs and prints what the page shows, or says why it cannot."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from tests.docs.blocks import KINDS, blocks, commands
from tests.docs.page import differences, same
from tests.docs.place import PAGES, ROOT, commands_at_hand, stays_folder

WITH_BLOCKS = [page for page in PAGES if any(block.kind != "text" for block in blocks(page))]
MOST_NOT_RUN = 28  # what several parties do needs several machines; tests/joint and tests/channel run it
RUN_ELSEWHERE = "tests/notebook runs the notebook"


@pytest.fixture(scope="session")
def environment(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Mapping[str, str]]:
    """Commands that start at once, no colours, lines as long as they are."""
    with commands_at_hand(tmp_path_factory.mktemp("warm")) as variables:
        yield variables


@pytest.fixture(scope="session")
def stays(tmp_path_factory: pytest.TempPathFactory, environment: Mapping[str, str]) -> Path:
    """What the pages take for granted, made once."""
    return stays_folder(tmp_path_factory.mktemp("stays") / "folder", environment)


@pytest.mark.parametrize("page", WITH_BLOCKS, ids=lambda page: str(page.relative_to(ROOT)))
def test_the_blocks_of_a_page_print_what_it_shows(
    page: Path, stays: Path, environment: Mapping[str, str], tmp_path: Path
) -> None:
    """From top to bottom in one folder. To take over what is printed: python -m tests.docs PAGE."""
    folder = tmp_path / "folder"
    shutil.copytree(stays, folder)
    different = "\n".join(str(each) for each in differences(page, folder, environment))
    assert not different, f"{page.relative_to(ROOT)} shows (-) what is not printed (+):\n{different}"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_block_says_what_it_is(page: Path) -> None:
    """A block without a kind would not be run."""
    for block in blocks(page):
        assert block.kind in KINDS | {"run"}, f"line {block.line}: name the kind of this block"


def test_few_blocks_are_not_run() -> None:
    """What needs a server, a cluster or another's data says so in the page; the rest runs."""
    skipped = [
        (page.name, block.line, block.not_run)
        for page in PAGES
        for block in blocks(page)
        if block.not_run not in (None, "", RUN_ELSEWHERE)
    ]
    assert len(skipped) <= MOST_NOT_RUN, skipped


def test_differences_are_noticed() -> None:
    """The comparison itself: a wrong word or number is a difference, unless the page says that it varies."""
    assert same(("k 5   rows ...",), ("k 5   rows 7",), numbers=True)
    assert same(("first", "...", "last"), ("first", "a", "b", "last"), numbers=True)
    assert not same(("first", "last"), ("first", "a", "last"), numbers=True)
    assert not same(("k 5",), ("k 6",), numbers=True)
    assert same(("took 2.5 s",), ("took 13 s",), numbers=False)
    assert not same(("took 2.5 s",), ("took 13 min",), numbers=False)
    assert not same((), ("warning",), numbers=True)


def test_a_console_block_is_taken_apart(tmp_path: Path) -> None:
    """Commands go on after a backslash or `> `; everything else up to the next `$ ` is output."""
    page = tmp_path / "page.md"
    page.write_text("```console\n$ a \\\n    b\nout\n$ for x in y; do\n> z; done\n```\n")
    (block,) = blocks(page)
    assert [(each.text, each.printed) for each in commands(block)] == [
        ("a \\\n    b", ("out",)),
        ("for x in y; do\nz; done", ()),
    ]
