"""What holds for all tests."""

from __future__ import annotations

import shutil
import signal
from collections.abc import Iterator
from typing import Any

import pytest

from tests.engines.conftest import missing


def pytest_configure() -> None:
    """Let Ctrl-C be heard: in the background of a shell it is ignored, and by all that is started there."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    """The machine's Chromium; one for each process: Playwright begins a loop that there can be but one of."""
    program = shutil.which("chromium") or shutil.which("google-chrome")
    if program is None:
        missing("there is no Chromium to look at pages with")
    sync_api = pytest.importorskip("playwright.sync_api")
    with sync_api.sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=program, headless=True, args=["--no-sandbox"])
        yield opened
        opened.close()
