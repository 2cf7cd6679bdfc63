"""Writes a release next to its target, and gives it its name only when it is complete and audited.

The staged file is in a private folder next to the target, under the target's own name: nobody else can read
it before it is audited, and renaming it is atomic. The next run in that folder removes what a killed run left
there, whatever its target.

The order of publication is: remove the old manifest, rename the release, rename the manifest. If the run is
killed at any moment, the target is absent, or old and complete, or new and complete; and a manifest is never
next to a release that it does not describe. (Renaming alone, in either order, would leave a moment when one
of the two is new and the other old.) Between the steps a release can be without a manifest; `release_digest`
shows which one belongs to it.
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
    """A staged release. Leaving the `with` statement without `publish` destroys it."""

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
        """Sync the release to disk, and return the SHA-256 of its bytes, if it has bytes of its own.

        The audit then reads what is stored.
        """

    @abstractmethod
    def publish(self, manifest: str) -> None:
        """Give the release and its manifest their names, both or neither."""


class PathStaging(Staged):
    """A release that is a file or a folder, written in a private folder next to its target.

    Parameters
    ----------
    target
        The name of the release.
    """

    def __init__(self, target: Path) -> None:
        # Follow a link: the file that it names is replaced, not the link.
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
            with one_publication(self.target.parent), undisturbed():
                keep_mode(self.place, self.target)
                keep_mode(staged, named)
                named.unlink(missing_ok=True)
                self.place.replace(self.target)
                staged.replace(named)
                sync(self.target.parent)
        except OSError as error:
            raise EngineError(f"cannot publish {self.target.name}: {error.strerror}") from None


def check_target(target: Path, inputs: Mapping[str, Path]) -> None:
    """Raise, before any work is done, if the release cannot or must not be written there.

    Parameters
    ----------
    target
        The name of the release.
    inputs
        The inputs of the release: the name of each in messages -> its file.
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
        The name of the release.
    """
    try:
        real = Path(os.path.realpath(target))
        if not real.parent.is_dir():
            raise EngineError(f"cannot write {target}: the folder {real.parent} does not exist")
        with PrivateFolder(real.parent, prefix=STAGED) as folder:
            manifest_path(folder.path / real.name).touch()  # the longest of the names to come
    except (OSError, ValueError) as error:
        raise EngineError(f"cannot write {target}: {why(error)}") from None


def check_no_input(target: Path, inputs: Mapping[str, Path], written: str) -> None:
    """Raise if the file to write, or its manifest, is one of its own inputs.

    Parameters
    ----------
    target
        The file to write.
    inputs
        Its inputs: the name of each in messages -> its file.
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
    if os.name != "posix":  # elsewhere signal 0 does not test a process but ends it
        return True
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except OSError:
        pass
    return True


def host() -> str:
    """A mark of this machine: on a shared folder, processes of other machines cannot be checked."""
    return hashlib.sha256(socket.gethostname().encode()).hexdigest()[:8]


@contextlib.contextmanager
def one_publication(folder: Path) -> Iterator[None]:
    """Allow one publication in a folder at a time, so that release and manifest come from one run."""
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
    """Ignore Ctrl-C once renaming has begun: in a moment the release is published, and complete.

    The signal is ignored, not masked: if masked in this thread, it would reach one of DuckDB's threads.
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
