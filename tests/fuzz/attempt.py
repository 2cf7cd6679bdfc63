"""One try from beginning to end: through the door, judged, and what comes after."""

from __future__ import annotations

import shutil
import signal
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import shoal
from tests.fuzz.aftermath import after, compared
from tests.fuzz.doors import run
from tests.fuzz.instance import Instance
from tests.fuzz.judge import Finding, judge

SECONDS = 60
"""A small table takes milliseconds; one that takes this long hangs."""


@dataclass(frozen=True)
class Attempt:
    """What became of an instance: how it ended, the searches that it ran, and the faults."""

    ended: str
    searches: int
    findings: tuple[Finding, ...]


class HangError(Exception):
    """A try took longer than any try should."""


def attempt(instance: Instance, engine: shoal.DuckDB) -> Attempt:
    """Take an instance through its door and judge what comes out."""
    folder = Path(tempfile.mkdtemp(prefix="fuzz-"))
    try:
        with _limited():
            if instance.door == "compare":
                return Attempt("compared", *compared(instance, engine))
            outcome = run(instance, folder, engine)
            faults = [*judge(instance, outcome)]
            if outcome.error is None:
                faults += after(instance, outcome, folder, engine)
            ended = "released" if outcome.error is None else outcome.error
            return Attempt(ended, 1, tuple(faults))
    except HangError:
        return Attempt("hang", 1, (Finding("hang", f"more than {SECONDS} seconds"),))
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def findings(instance: Instance) -> list[Finding]:
    """The faults of an instance: what a printed test asserts that there are none of."""
    with shoal.DuckDB(threads=1) as engine:
        return list(attempt(instance, engine).findings)


@contextmanager
def _limited() -> Iterator[None]:
    def late(*_: Any) -> None:
        raise HangError

    before: Callable[..., Any] | int | None = signal.signal(signal.SIGALRM, late)
    signal.setitimer(signal.ITIMER_REAL, SECONDS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
