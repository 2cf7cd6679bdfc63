"""A studio that runs as its user runs it, and a browser that notes what goes wrong or out."""

from __future__ import annotations

import asyncio
import contextlib
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Coroutine, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import urlsplit
from weakref import WeakKeyDictionary

import pytest

from tests.patience import PATIENCE
from tests.studio.prepared import ASKED, READY

T = TypeVar("T")

ROOT = Path(__file__).parents[2]
ADDRESS = re.compile(r"http://\S+/\?token=\S+")


class Studio:
    """A studio as a process of its own, on any free port, with one opened folder."""

    def __init__(self, folder: Path, temporary: Path, *flags: str, program: str = "shoal.cli") -> None:
        self.folder = folder
        self.temporary = temporary
        self.process = subprocess.Popen(
            [sys.executable, "-m", program, "studio", str(folder), "--no-browser", *flags],
            stderr=subprocess.PIPE,
            text=True,
            cwd=ROOT,
            env={**os.environ, "TMPDIR": str(temporary)},
        )
        assert self.process.stderr is not None
        said = ""
        for line in self.process.stderr:
            said += line
            if found := ADDRESS.search(line):
                self.address = found[0]
                break
        else:
            raise AssertionError(f"the studio did not start: {said}")
        self.origin = "http://" + urlsplit(self.address).netloc
        self.token = self.address.partition("token=")[2]

    def anew(self, prepare: Callable[..., object] | None = None) -> None:
        """Let it be as just started, with an empty folder; `prepare` gets its workspace, there."""
        for path in self.folder.iterdir():
            shutil.rmtree(path) if path.is_dir() else path.unlink()
        asked = "" if prepare is None else f"{prepare.__module__}:{prepare.__name__}"
        (self.temporary / ASKED).write_text(asked)
        self.process.send_signal(signal.SIGUSR1)
        assert self.process.stderr is not None
        said = ""
        for line in self.process.stderr:
            said += line
            if READY in line:
                return
        raise AssertionError(f"the studio did not begin anew: {said}")

    def end(self) -> str:
        """Ctrl-C; what it said."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGINT)
        try:
            return self.process.communicate(timeout=PATIENCE)[1]
        except subprocess.TimeoutExpired:
            self.process.kill()
            raise


def workers_of(studio: Studio) -> list[int]:
    """The processes that jobs run in."""
    found = []
    for place in Path("/proc").glob("[0-9]*"):
        try:
            parent = int((place / "stat").read_text().rpartition(")")[2].split()[1])
            command = (place / "cmdline").read_text()
        except OSError:
            continue
        if parent == studio.process.pid and "spawn_main" in command:
            found.append(int(place.name))
    return found


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Callable[..., Studio]]:
    """Start a studio with flags; it is ended after the test."""
    begun: list[Studio] = []

    def started(*flags: str) -> Studio:
        folder, temporary = tmp_path / "folder", tmp_path / "temporary"
        folder.mkdir(exist_ok=True)
        temporary.mkdir(exist_ok=True)
        begun.append(Studio(folder, temporary, *flags))
        return begun[-1]

    yield started
    for each in begun:
        each.end()


@pytest.fixture(scope="session")
def one_studio(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Studio]:
    """One process for all tests that look at pages; to start one takes longer than many of them."""
    folder, temporary = tmp_path_factory.mktemp("folder"), tmp_path_factory.mktemp("temporary")
    begun = Studio(folder, temporary, program="tests.studio.prepared")
    yield begun
    begun.end()


@pytest.fixture
def studio(one_studio: Studio) -> Studio:
    """A studio as just started."""
    one_studio.anew()
    return one_studio


STUDIO_OF: WeakKeyDictionary[Any, Studio] = WeakKeyDictionary()
"""The studio behind a page."""


class Tab:
    """A page of a studio; `check` fails if the browser complained, or asked anybody else for anything."""

    def __init__(self, browser: Any, studio: Studio, **settings: Any) -> None:
        self.studio = studio
        self.context = browser.new_context(viewport={"width": 1360, "height": 900}, **settings)
        self.complaints: list[str] = []
        self.outside: list[str] = []
        self.page = self.another()

    def another(self) -> Any:
        """Another tab of the same browser."""
        page = self.context.new_page()
        STUDIO_OF[page] = self.studio
        page.set_default_timeout(1000 * PATIENCE)  # `comes` knows earlier of what will not come
        page.on("console", lambda said: self.complaints.append(said.text) if said.type == "error" else None)
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        page.on("request", lambda request: self._see(request.url))
        page.goto(self.studio.address)
        return page

    def _see(self, url: str) -> None:
        if not url.startswith(
            (self.studio.origin, "data:", "blob:", self.studio.origin.replace("http", "ws"))
        ):
            self.outside.append(url)

    def check(self) -> None:
        """No error in the console, no request to anybody else."""
        assert self.complaints == []
        assert self.outside == []


@contextlib.contextmanager
def tab_of(browser: Any, studio: Studio) -> Iterator[Tab]:
    """A page of a studio, checked at the end."""
    opened = Tab(browser, studio)
    try:
        yield opened
    except Exception as error:
        for page in opened.context.pages:
            with contextlib.suppress(Exception):  # it may be the page that is broken
                error.add_note(
                    f"{page.url.partition('?')[0]} shows:\n{page.inner_text('body', timeout=5_000)}"
                )
        raise
    finally:
        opened.context.close()
    opened.check()


@pytest.fixture
def tab(browser: Any, studio: Studio) -> Iterator[Tab]:
    """A page of a studio as just started."""
    with tab_of(browser, studio) as opened:
        yield opened


def comes(page: Any, wanted: Any) -> Any:
    """Wait until something is on the page; fail as soon as the page says that something went wrong instead.

    Parameters
    ----------
    page
        The page that a job is watched on.
    wanted
        A locator: what the page shows when the job is over.
    """
    from playwright.sync_api import TimeoutError as NotYet

    trouble = page.get_by_role("alert").filter(visible=True)
    either = wanted.or_(trouble).filter(visible=True).first
    end = time.monotonic() + PATIENCE
    while True:
        try:
            either.wait_for(timeout=10_000)
            break
        except NotYet:
            assert STUDIO_OF[page].process.poll() is None, "the studio has ended"
            if time.monotonic() > end:
                raise
    assert wanted.filter(visible=True).count(), f"the page says instead: {trouble.first.inner_text()}"
    return wanted.first


def step(page: Any, words: str) -> None:
    """Go to a step by the rail, which says what it is for."""
    page.get_by_role("navigation", name="Steps").get_by_role("link").filter(has_text=words).click()


def without_sign_off(page: Any) -> None:
    """Write a release that nobody has signed off: the button needs the words that the dialog asks for."""
    asking = page.get_by_role("alertdialog")
    button = asking.get_by_role("button", name="Write it all the same")
    assert button.is_disabled()
    asking.get_by_role("textbox").fill("Release without sign-off")
    button.click()


def awaited(answer: Coroutine[Any, Any, T]) -> T:
    """What a coroutine gives; the browser has a loop at work in this thread."""
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(asyncio.run, answer).result()
