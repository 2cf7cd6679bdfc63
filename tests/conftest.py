"""What holds for all tests."""

from __future__ import annotations

import os
import shutil
import signal
from collections.abc import Generator, Iterator
from typing import Any

import pytest

from tests.cases import enough_cases
from tests.engines.conftest import missing
from tests.patience import PATIENCE


def pytest_configure() -> None:
    """Let Ctrl-C be heard: in the background of a shell it is ignored, and by all that is started there."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_xdist_auto_num_workers() -> int | None:
    """One process more than there are cores: many tests wait for a server, a page or another process."""
    if "PYTEST_XDIST_AUTO_NUM_WORKERS" in os.environ:
        return None
    available = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return available + 1


# First: xdist reads the groups in this hook, too.
@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Tests that look at pages go to one process: each would start a Chromium and a studio of its own."""
    for item in items:
        if "browser" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.xdist_group("browser"))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, object, object]:
    """Properties see enough cases."""
    with enough_cases(item):
        return (yield)


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    """The machine's Chromium; one for each process: Playwright begins a loop that there can be but one of."""
    program = shutil.which("chromium") or shutil.which("google-chrome")
    if program is None:
        missing("there is no Chromium to look at pages with")
    sync_api = pytest.importorskip("playwright.sync_api")
    with sync_api.sync_playwright() as playwright:
        # Containers often give 64 MB of shared memory, and no graphics.
        flags = ["--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu"]
        opened = playwright.chromium.launch(
            executable_path=program, headless=True, args=flags, timeout=1000 * PATIENCE
        )
        yield opened
        opened.close()
