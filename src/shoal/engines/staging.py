"""Writes a release beside its name, and gives it the name only when it is whole and audited.

The staged file lies in a private folder beside the target, under the target's own name: nobody else can read
it before it is audited, and renaming it is atomic. What a killed run left there is removed by the next run in
that folder, whatever its target.

The order of publication is: remove the old manifest, rename the release, rename the manifest. Killed at any
moment, the target is absent, or old and whole, or new and whole; and a manifest never stands beside a release
that it is not about. (Renaming only, in either order, would leave a moment in which one of the two is new and
the other old.) Between the steps a release can stand without a manifest; `release_digest` tells whose it is.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import signal
import socket
import threading
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Self

from shoal.engines.duckdb.file import FileFormat, file_digest
from shoal.errors import EngineError, PolicyError
from shoal.files.private_folder import STAGED, PrivateFolder, keep_mode
from shoal.files.whole_file import sync, why, write_new
from shoal.model.result.manifest import manifest_path

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]


class Staged(ABC):
    """A release on its way to its name. Leaving the `with` statement without `publish` destroys it."""

    @property
    @abstractmethod
    def place(self) -> Any:
        """What `Engine.apply` writes to, and the audit reads."""

    @abstractmethod
    def __enter__(self) -> Staged: ...

    @abstractmethod
    def __exit__(self, *_: object) -> None: ...

    @abstractmethod
    def settle(self) -> str | None:
        """Bring what was written to the disk; the SHA-256 of its bytes, if it has bytes of its own.

        What is audited is what is stored.
        """

    @abstractmethod
    def publish(self, manifest: str) -> None:
        """Give the release and its manifest their names, both or none."""


class PathStaging(Staged):
    """A release that is a file or a folder, written in a private folder next to its target.

    Parameters
    ----------
    target
        The name that the release shall have.
    """

    def __init__(self, target: Path) -> None:
        # A link is followed: the file that it names is replaced, not the link.
        self.target = Path(os.path.realpath(target))
        self._folder: PrivateFolder | None = None

    def __enter__(self) -> Self:
        try:
            self._prepare()
            self._folder = PrivateFolder(self.target.parent, prefix=STAGED)
        except OSError as error:
            raise EngineError(f"cannot write {self.target.name}: {error.strerror}") from None
        return self

    def _prepare(self) -> None:
        """Get ready for writing."""

    def __exit__(self, *_: object) -> None:
        if self._folder is not None:
            self._folder.remove()

    @property
    def place(self) -> Path:
        assert self._folder is not None, "a release is written inside the `with` statement"
        return self._folder.path / self.target.name


class Staging(PathStaging):
    """A release that is a file."""

    def settle(self) -> str:
        try:
            sync(self.place)
            return file_digest(self.place)
        except OSError as error:
            raise EngineError(f"cannot write {self.target.name}: {error.strerror}") from None

    def publish(self, manifest: str) -> None:
        staged, named = manifest_path(self.place), manifest_path(self.target)
        try:
            write_new(staged, manifest.encode())
            with named_alone(self.target.parent), undisturbed():
                keep_mode(self.place, self.target)
                keep_mode(staged, named)
                named.unlink(missing_ok=True)
                self.place.replace(self.target)
                staged.replace(named)
                sync(self.target.parent)
        except OSError as error:
            raise EngineError(f"cannot publish {self.target.name}: {error.strerror}") from None


def check_target(target: Path, inputs: Mapping[str, Path]) -> None:
    """Raise, before any work is done, if the release could not or must not be written there.

    Parameters
    ----------
    target
        The name that the release shall have.
    inputs
        What the release is made from: what to call it -> its file.
    """
    FileFormat.of(target)
    check_no_input(target, inputs, "release")
    check_place(target)
    if target.is_dir():
        raise EngineError(f"cannot write {target}: it is a folder")
    if target.exists() and not target.is_file():
        raise EngineError(f"cannot write {target}: it is a device, a pipe or a socket; name a plain file")


def check_place(target: Path) -> None:
    """Raise, before any work is done, if no release of that name could be written there.

    Parameters
    ----------
    target
        The name that the release shall have.
    """
    try:
        real = Path(os.path.realpath(target))
        if not real.parent.is_dir():
            raise EngineError(f"cannot write {target}: there is no folder {real.parent}")
        with PrivateFolder(real.parent, prefix=STAGED) as folder:
            manifest_path(folder.path / real.name).touch()  # the longest of the names to come
    except (OSError, ValueError) as error:
        raise EngineError(f"cannot write {target}: {why(error)}") from None


def check_no_input(target: Path, inputs: Mapping[str, Path], written: str) -> None:
    """Raise if a file that is to be written, or its manifest, is one that it is made from.

    Parameters
    ----------
    target
        The file to write.
    inputs
        What it is made from: what to call it -> its file.
    written
        What to call the file to write.
    """
    for what, path in inputs.items():
        try:
            real = Path(os.path.realpath(target))
            same = Path(os.path.realpath(path)) in (real, manifest_path(real)) or (
                real.exists() and path.exists() and real.samefile(path)
            )
        except (OSError, ValueError) as error:
            raise EngineError(f"cannot write {target}, or read {what}: {why(error)}") from None
        if same:
            raise PolicyError(
                f"the {written} {target} is {what} itself; a {written} never overwrites what it is made from"
            )


def alive(process: int) -> bool:
    if os.name != "posix":  # elsewhere signal 0 is not a question but a blow
        return True
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except OSError:
        pass
    return True


def host() -> str:
    """A mark of this machine: on a shared folder, the processes of others cannot be asked for."""
    return hashlib.sha256(socket.gethostname().encode()).hexdigest()[:8]


@contextlib.contextmanager
def named_alone(folder: Path) -> Iterator[None]:
    """One publication in a folder at a time: of two runs to one target, one has both release and manifest."""
    if fcntl is None:
        yield
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        with contextlib.suppress(OSError):  # some network folders have no locks
            fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)


@contextlib.contextmanager
def undisturbed() -> Iterator[None]:
    """Ctrl-C comes too late once naming has begun: in a moment the release is published, and whole.

    The signal is ignored, not masked: masked in this thread, it would reach another one of DuckDB's.
    """
    before = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or before is None:
        yield
        return
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
