"""A headless Chromium for the tests of pages, started when the first test asks for it."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.engines.conftest import missing
from tests.report.gathered import HOSTILE, gathered, hostile


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    """The machine's Chromium; one for each process that runs tests."""
    program = shutil.which("chromium") or shutil.which("google-chrome")
    if program is None:
        missing("there is no Chromium to look at pages with")
    sync_api = pytest.importorskip("playwright.sync_api")
    with sync_api.sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=program, headless=True, args=["--no-sandbox"])
        yield opened
        opened.close()


@pytest.fixture(scope="session")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Reports as files: a release that holds, one that fails, and one whose names and labels are hostile."""
    from shoal.report.facts import facts_of
    from shoal.report.page import report_page

    folder = tmp_path_factory.mktemp("report")
    given = {"holds": gathered(), "fails": gathered(fails=True), "hostile": hostile(HOSTILE)}
    return {name: report_page(facts_of(each)).save(folder / f"{name}.html") for name, each in given.items()}
