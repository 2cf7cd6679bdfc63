"""A studio that runs as its user runs it, and a browser that notes what goes wrong or out."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from tests.report.conftest import browser as browser  # the same Chromium

ADDRESS = re.compile(r"http://\S+/\?token=\S+")


class Studio:
    """A studio as a process of its own, on any free port, with one opened folder."""

    def __init__(
        self,
        folder: Path,
        temporary: Path,
        *flags: str,
        program: tuple[str, ...] = ("-m", "shoal.cli", "studio"),
    ) -> None:
        self.folder = folder
        self.temporary = temporary
        self.process = subprocess.Popen(
            [sys.executable, *program, str(folder), "--no-browser", *flags],
            stderr=subprocess.PIPE,
            text=True,
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

    def end(self) -> str:
        """Ctrl-C; what it said."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGINT)
        try:
            return self.process.communicate(timeout=20)[1]
        except subprocess.TimeoutExpired:
            self.process.kill()
            raise


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


@pytest.fixture
def studio(start: Callable[..., Studio]) -> Studio:
    """A studio that was just started."""
    return start()


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
        page.set_default_timeout(20_000)
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


@pytest.fixture
def tab(browser: Any, studio: Studio) -> Iterator[Tab]:
    """A page of the studio that was just started."""
    opened = Tab(browser, studio)
    yield opened
    opened.context.close()
    opened.check()
