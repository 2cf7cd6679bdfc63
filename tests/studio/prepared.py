"""A studio that can begin anew: tests share one process, and each finds it as it was just started.

On SIGUSR1 its jobs end and its workspace is a new one; the function that was asked for, if any, then opens a
table in it, or does what else a test does not want to click through; what it returns is called before the
next one. It is done when it says so.
"""

from __future__ import annotations

import importlib
import os
import shutil
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from shoal.studio.workspace import Opened, Workspace

READY = "ready for the next test"
ASKED = "prepare"
"""The file, in the folder for temporary files, that names a function as module:function."""


def stated_when_opened(workspace: Workspace, key: str, value: object) -> None:
    """Let the search of every table that is opened from now on begin with a setting."""
    opens = workspace.open

    def opened(table: Opened) -> None:
        opens(table)
        workspace.draft.say("search", key, value)

    workspace.open = opened  # type: ignore[method-assign]


def main() -> None:
    """`python -m tests.studio.prepared studio FOLDER ...`: as `shoal studio`."""
    # Imported here: workers import this module, too.
    import shoal.cli
    from shoal.studio.workspace import Workspace

    asked = Path(os.environ["TMPDIR"]) / ASKED
    begin = Workspace.__init__
    begun: list[tuple[Any, ...]] = []

    def remember(*given: Any) -> None:
        begin(*given)
        begun.append(given)

    undo: list[Callable[[], None]] = []

    def anew(*_: object) -> None:
        workspace, folders, _ = begun[0]
        most_upload = workspace.most_upload
        workspace.close_table()
        while undo:
            undo.pop()()
        for left in folders.private.glob("run-*"):
            shutil.rmtree(left, ignore_errors=True)
        vars(workspace).clear()
        begin(*begun[0])
        workspace.most_upload = most_upload
        if name := asked.read_text():
            module, _, function = name.partition(":")
            if undone := getattr(importlib.import_module(module), function)(workspace):
                undo.append(undone)
        print(READY, file=sys.stderr, flush=True)

    Workspace.__init__ = remember  # type: ignore[assignment]
    signal.signal(signal.SIGUSR1, anew)
    shoal.cli.main()


if __name__ == "__main__":
    main()
