"""What holds for all tests."""

from __future__ import annotations

import os
import shutil
import signal
from collections.abc import Generator, Iterator
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

from tests.cases import enough_cases
from tests.engines.conftest import missing
from tests.engines.places import PLACES
from tests.patience import PATIENCE

# No property fails because the machine has other work: neither a case nor the making of one has a time limit.
settings.register_profile(
    "any machine", settings(), deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("any machine")


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


SERVERS = {"sparks": "spark", "postgres_server": "postgres", "mariadb": "mariadb", "browser": "browser"}
"""Per fixture that every test of a server depends on, the mark of such tests."""


def process_of(item: pytest.Item, servers: set[str]) -> str | None:
    """What tests of the same process have in common; nothing, if any process will do.

    Java, and Chromium with its studio, take longer to start than many tests. But one process for all of them
    would run on when everything else is done: a file with pages goes to one process, and so does the cluster.
    """
    if "cluster" in getattr(item, "fixturenames", ()):
        return "cluster"
    for server in ("spark", "mariadb"):
        if server in servers:
            return server
    return item.nodeid.partition("::")[0] if "browser" in servers else None


def servers_of(item: pytest.Item) -> set[str]:
    """The servers that a test needs, by its fixtures and by the place that its table is in."""
    found = {SERVERS[name] for name in getattr(item, "fixturenames", ()) if name in SERVERS}
    place = item.callspec.params.get("place") if hasattr(item, "callspec") else None
    if place in PLACES and PLACES[place].server:
        found.add(PLACES[place].server)
    return found


# First: xdist reads the groups in this hook, too, and pytest the marks.
@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark tests by the servers that they need. Those that need a Spark cluster come last.

    There is room for one Spark session in a process, and none is then opened twice.
    """
    for item in items:
        servers = servers_of(item)
        for server in servers:
            item.add_marker(server)
        if process := process_of(item, servers):
            item.add_marker(pytest.mark.xdist_group(process))
    items.sort(key=lambda item: "cluster" in getattr(item, "fixturenames", ()))


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
