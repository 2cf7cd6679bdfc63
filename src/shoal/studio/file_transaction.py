"""Writes several files: all of them completely, or none.

Every file is first written under a hidden name next to its own and synced to the disk; then each gets its
name. A replaced file is kept under a hidden name until all is done, and restored if anything fails. A hidden
marker exists from the first rename until all is done: after a crash, it shows whether there is anything to
undo.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import secrets
import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path

from shoal import EngineError
from shoal.files.private_folder import usual_mode
from shoal.files.whole_file import sync, write_new

MARK = ".shoal-studio-"


def new_token() -> str:
    """What the hidden names of one placing have in common."""
    return secrets.token_hex(6)


class FileTransaction:
    """Files on their way to their names. Leaving the `with` statement without `keep` takes all back.

    Parameters
    ----------
    token
        Part of the hidden names; with it, `recover` cleans up after a crash.
    """

    def __init__(self, token: str) -> None:
        self._token = token
        self._staged: dict[Path, Path] = {}
        self._backups: dict[Path, Path] = {}
        self._placed: list[Path] = []
        self._begun: Path | None = None
        self._folders: list[Path] = []
        self._kept = False

    def __enter__(self) -> FileTransaction:
        return self

    def __exit__(self, kind: object, error: object, trace: object) -> None:
        if not self._kept:
            self._take_back()
        begun = [] if self._begun is None else [self._begun]
        for hidden in (*begun, *self._staged.values(), *self._backups.values()):
            with contextlib.suppress(OSError):
                hidden.unlink(missing_ok=True)

    def stage(self, target: Path, content: bytes | Path) -> None:
        """Write a file under a hidden name: bytes, or a copy of another file.

        Parameters
        ----------
        target
            Its final name; no link is followed, so resolve it first.
        content
            Its content.
        """
        with _errors(target):
            if not target.parent.exists():
                target.parent.mkdir()
                self._folders.append(target.parent)
            hidden = self._staged[target] = _hidden(target, self._token, "new")
            # Private from the first byte; `place` sets the final mode.
            write_new(hidden, content, mode=0o600)

    def place(self, *, gone_first: Sequence[Path] = ()) -> None:
        """Give every file its name, in the order in which they were staged.

        Parameters
        ----------
        gone_first
            Files to remove first: an old manifest must not be next to a new release.
        """
        for target, hidden in self._staged.items():
            with _errors(target):
                self._back_up(target)
                hidden.chmod(usual_mode(target))
        self._begin()
        for target in gone_first:
            with _errors(target):
                target.unlink(missing_ok=True)
        for target, hidden in self._staged.items():
            with _errors(target):
                self._placed.append(target)
                hidden.replace(target)
        for folder in {target.parent for target in self._staged}:
            with _errors(folder):
                sync(folder)

    def keep(self) -> None:
        """All is well: what stood there before is not needed any more."""
        if self._begun is not None:
            with _errors(self._begun):
                self._begun.unlink()
                sync(self._begun.parent)
        self._kept = True

    def _begin(self) -> None:
        """Say that names are given from now on, and which of them nobody had."""
        if not self._staged:
            return
        first = next(iter(self._staged))
        new = [str(target) for target in self._staged if target not in self._backups]
        with _errors(first):
            self._begun = _begun(first, self._token)
            write_new(self._begun, json.dumps(new).encode(), mode=0o600)
            for folder in {target.parent for target in self._staged}:
                sync(folder)

    def _back_up(self, target: Path) -> None:
        if not target.exists():
            return
        hidden = self._backups[target] = _hidden(target, self._token, "old")
        try:
            os.link(target, hidden)  # the old file keeps its name until the new one takes it
        except OSError:
            shutil.copy2(target, hidden)

    def _take_back(self) -> None:
        for target in self._placed:
            if target not in self._backups:
                with contextlib.suppress(OSError):
                    target.unlink(missing_ok=True)
        for target, hidden in self._backups.items():
            with contextlib.suppress(OSError):
                hidden.replace(target)
        for hidden in self._staged.values():
            with contextlib.suppress(OSError):
                hidden.unlink(missing_ok=True)
        for folder in reversed(self._folders):
            with contextlib.suppress(OSError):
                folder.rmdir()


def recover(targets: Sequence[Path], token: str) -> None:
    """Take back what a placing did whose process was killed, unless all was well before.

    Parameters
    ----------
    targets
        The final names of the files, the one that was staged first at the beginning.
    token
        That of the placing.
    """
    if not targets:
        return
    begun = _begun(targets[0], token)
    new: list[str] | None = None
    with contextlib.suppress(OSError, ValueError):  # one that is not whole: no name was given
        new = json.loads(begun.read_bytes())
    for target in targets:
        old = _hidden(target, token, "old")
        with contextlib.suppress(OSError):
            if new is not None and str(target) in new:
                target.unlink(missing_ok=True)
            elif new is not None and old.exists():
                old.replace(target)
        for hidden in (_hidden(target, token, "new"), old):  # two names of one file stay two when renamed
            with contextlib.suppress(OSError):
                hidden.unlink(missing_ok=True)
    for folder in {target.parent for target in targets} - {targets[0].parent}:
        with contextlib.suppress(OSError):  # it has other files
            folder.rmdir()
    with contextlib.suppress(OSError):
        begun.unlink(missing_ok=True)


def _begun(first: Path, token: str) -> Path:
    return first.with_name(f"{MARK}{token}-begun")


def _hidden(target: Path, token: str, what: str) -> Path:
    # Not the whole name, with which it may be too long; nor a part of it, which others may have, too.
    name = hashlib.sha256(target.name.encode(errors="surrogateescape")).hexdigest()[:16]
    return target.with_name(f"{MARK}{token}-{what}-{name}")


@contextlib.contextmanager
def _errors(target: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise EngineError(
            f"cannot write {target.name} into {target.parent.name or target.parent}: "
            f"{error.strerror or 'the file system refused'}; nothing was written there. Choose another "
            "folder, or make room"
        ) from None
