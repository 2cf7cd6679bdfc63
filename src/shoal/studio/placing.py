"""Puts files into a folder: all of them, whole, or none of them.

Every file is first written under a hidden name beside its own and brought to the disk; then each gets its
name. What stood there before is kept under a hidden name until all is well, and comes back if it is not. From
the first name that is given until all is well, a hidden file says so: if the process is killed, that file
tells whether there is anything to take back.
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

MARK = ".shoal-studio-"
_PIECE = 1 << 20


def new_token() -> str:
    """What the hidden names of one placing have in common."""
    return secrets.token_hex(6)


class Placing:
    """Files on their way to their names. Leaving the `with` statement without `keep` takes all back.

    Parameters
    ----------
    token
        Part of the hidden names; who knows it can sweep up after a process that was killed.
    """

    def __init__(self, token: str) -> None:
        self._token = token
        self._staged: dict[Path, Path] = {}
        self._backups: dict[Path, Path] = {}
        self._placed: list[Path] = []
        self._begun: Path | None = None
        self._folders: list[Path] = []
        self._kept = False

    def __enter__(self) -> Placing:
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
            The name that it shall have; no link is followed, so resolve it first.
        content
            What goes into it.
        """
        with _told(target):
            if not target.parent.exists():
                target.parent.mkdir()
                self._folders.append(target.parent)
            hidden = self._staged[target] = _hidden(target, self._token, "new")
            _write(hidden, content)

    def place(self, *, gone_first: Sequence[Path] = ()) -> None:
        """Give every file its name, in the order in which they were staged.

        Parameters
        ----------
        gone_first
            Files that are removed before: an old manifest must not stand beside a new release.
        """
        for target, hidden in self._staged.items():
            with _told(target):
                self._back_up(target)
                hidden.chmod(usual_mode(target))
        self._begin()
        for target in gone_first:
            with _told(target):
                target.unlink(missing_ok=True)
        for target, hidden in self._staged.items():
            with _told(target):
                self._placed.append(target)
                hidden.replace(target)
        for folder in {target.parent for target in self._staged}:
            _sync_folder(folder)

    def keep(self) -> None:
        """All is well: what stood there before is not needed any more."""
        if self._begun is not None:
            with _told(self._begun):
                self._begun.unlink()
                _sync_folder(self._begun.parent)
        self._kept = True

    def _begin(self) -> None:
        """Say that names are given from now on, and which of them nobody had."""
        if not self._staged:
            return
        first = next(iter(self._staged))
        new = [str(target) for target in self._staged if target not in self._backups]
        with _told(first):
            self._begun = _begun(first, self._token)
            _write(self._begun, json.dumps(new).encode())
            for folder in {target.parent for target in self._staged}:
                _sync_folder(folder)

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


def swept(targets: Sequence[Path], token: str) -> None:
    """Take back what a placing did whose process was killed, unless all was well before.

    Parameters
    ----------
    targets
        The names that the files should have had, one beside the first that was staged at the beginning.
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


def _write(place: Path, content: bytes | Path) -> None:
    # Private from the first byte; `place` gives it the mode that the file shall have.
    handle = os.open(place, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o600)
    with os.fdopen(handle, "wb") as file:
        if isinstance(content, Path):
            with content.open("rb") as source:
                shutil.copyfileobj(source, file, _PIECE)
        else:
            file.write(content)
        file.flush()
        os.fsync(file.fileno())


def _hidden(target: Path, token: str, what: str) -> Path:
    # Not the whole name, with which it may be too long; nor a part of it, which others may have, too.
    name = hashlib.sha256(target.name.encode(errors="surrogateescape")).hexdigest()[:16]
    return target.with_name(f"{MARK}{token}-{what}-{name}")


def _sync_folder(folder: Path) -> None:
    with contextlib.suppress(OSError):  # Windows cannot
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


@contextlib.contextmanager
def _told(target: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise EngineError(
            f"cannot write {target.name} into {target.parent.name or target.parent}: "
            f"{error.strerror or 'the file system refused'}; nothing was written there. Choose another "
            "folder, or make room"
        ) from None
