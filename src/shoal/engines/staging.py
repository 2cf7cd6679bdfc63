"""Writes a release next to its target, and gives it its name only when it is complete and audited.

The staged release is in a private folder next to the target, under the target's own name: nobody else can
read it before it is audited, and renaming it is atomic. The next run in that folder removes what a killed run
left there, whatever its target.

Only a release of Shoal is replaced: what has a manifest next to it. The order of publication is

- for a new name: the manifest, then the release;
- for an old one: put the old manifest aside and the new one beside it, exchange the releases, name the new
  manifest, remove the old.

If the run is killed at any moment, the target is absent, or old and complete, or new and complete; and a
manifest is never next to a release that it does not describe. (Renaming alone, in either order, would leave a
moment when one of the two is new and the other old.) Between the steps a release can be without a manifest;
the next run then gives the name to that of the two which describes it. If neither does, somebody has put
something else there, and it is not replaced.
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
from shoal.model.result.manifest import is_manifest, manifest_path
from shoal.model.result.manifest_facts import ManifestError, json_object

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
    replace
        Whether something else than a release may be replaced, too.
    """

    def __init__(self, target: Path, *, replace: bool = False) -> None:
        # Follow a link: the file that it names is replaced, not the link.
        self.target = Path(os.path.realpath(target))
        self._replace = replace
        self._manifest = manifest_path(self.target)
        mark = hashlib.sha256(os.fsencode(self.target.name)).hexdigest()[:16]
        self._old = self.target.with_name(f"{_OLD}{mark}")
        self._aside = manifest_path(self._old)
        self._coming = manifest_path(self.target.with_name(f"{_NEW}{mark}"))
        self._folder: PrivateFolder | None = None

    @abstractmethod
    def _digest(self, path: Path) -> str:
        """SHA-256 of a release."""

    @abstractmethod
    def _exchange(self) -> None:
        """Give the staged release the target's name, which an old one has."""

    def check_replaceable(self) -> None:
        """Raise if the release would replace something that Shoal has not written."""
        if self._replace:
            return
        if os.path.lexists(self.target) and not self._is_release():
            raise PolicyError(
                f"{self.target} exists and is not a release of Shoal, so it is not replaced; {self._way_out}"
            )
        if os.path.lexists(self._manifest) and not _has_manifest(self._manifest):
            raise PolicyError(
                f"{self._manifest} exists and is not a manifest of Shoal, so it is not replaced; rename it, "
                "or give the release another name"
            )

    _way_out = "remove it, or give the release another name"

    def _is_release(self) -> bool:
        if os.path.lexists(self._manifest):
            return _has_manifest(self._manifest)
        return self._left_manifest() is not None

    def _left_manifest(self) -> Path | None:
        """What a killed run has left of the target's manifest, if it describes what is there."""
        return next((each for each in (self._aside, self._coming) if self._describes_target(each)), None)

    def __enter__(self) -> Self:
        try:
            if self._aside.exists() or self._coming.exists() or self._old.exists():
                with one_publication(self.target.parent):
                    self._recover()
            self._folder = PrivateFolder(self.target.parent, prefix=STAGED)
        except OSError as error:
            raise EngineError(f"cannot write {self.target.name}: {error.strerror}") from None
        return self

    def __exit__(self, *_: object) -> None:
        if self._folder is not None:
            self._folder.remove()

    @property
    def place(self) -> Path:
        assert self._folder is not None, "a release is written inside the `with` statement"
        return self._folder.path / self.target.name

    def settle(self) -> str:
        try:
            self._sync()
            return self._digest(self.place)
        except OSError as error:
            raise EngineError(f"cannot write {self.target.name}: {error.strerror}") from None

    def _sync(self) -> None:
        """Put the bytes of the staged release on disk."""
        sync(self.place)

    def publish(self, manifest: str) -> None:
        staged = manifest_path(self.place)
        try:
            write_new(staged, manifest.encode())
            with one_publication(self.target.parent), undisturbed():
                self.check_replaceable()  # again: others may have written something meanwhile
                self._recover()  # after another run that was killed meanwhile
                keep_mode(self.place, self.target)
                keep_mode(staged, self._manifest)
                if self.target.exists():
                    self._replace_old(staged)
                else:
                    self._name_new(staged)
                sync(self.target.parent)
        except OSError as error:
            raise EngineError(f"cannot publish {self.target.name}: {error.strerror}") from None

    def _name_register(self) -> None:
        """Name what accompanies the release."""

    def _name_new(self, staged: Path) -> None:
        staged.replace(self._manifest)
        self._name_register()
        try:
            self.place.rename(self.target)
        except OSError:
            self._manifest.unlink()
            raise

    def _replace_old(self, staged: Path) -> None:
        staged.replace(self._coming)
        put_aside = False
        try:
            if self._manifest.exists():
                self._manifest.replace(self._aside)
                put_aside = True
            self._exchange()
        except OSError:
            if put_aside:
                self._aside.replace(self._manifest)
            self._coming.unlink()
            raise
        self._coming.replace(self._manifest)
        self._aside.unlink(missing_ok=True)
        self._name_register()

    def _recover(self) -> None:
        """Finish what a killed run began."""
        if not self._manifest.exists() and (left := self._left_manifest()) is not None:
            left.rename(self._manifest)
        for each in (self._aside, self._coming):
            each.unlink(missing_ok=True)

    def _describes_target(self, manifest: Path) -> bool:
        try:
            facts = json_object(manifest.read_bytes())
            return bool(facts.get("release_digest") == self._digest(self.target))
        except (OSError, ManifestError, EngineError):
            return False


_OLD = ".shoal-old-"
"""An old release, or its manifest, while a new one takes its name; the rest identifies the target."""
_NEW = ".shoal-new-"
"""The manifest of a new release, until that has its name."""


def _has_manifest(path: Path) -> bool:
    try:
        return path.is_file() and is_manifest(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError):
        return False


def _is_register(path: Path) -> bool:
    try:
        return path.is_file() and path.read_bytes().startswith(b'{"register":')
    except OSError:
        return False


class Staging(PathStaging):
    """A release that is a file."""

    _way_out = "give the release another name, or let it be replaced (--replace, replace=True)"

    _register: tuple[Path, Path] | None = None
    """The private file that gets its name with the release: where it is staged, and its name."""

    def check_register(self, register: Path) -> None:
        """Raise if the name of the private file is taken by something that is no register."""
        if os.path.lexists(register) and not _is_register(register):
            raise PolicyError(
                f"{register} exists and is not a register of Shoal, so it is not replaced; rename it, or "
                "give the release another name"
            )

    def accompany(self, register: Path, content: bytes) -> None:
        """Stage a file that its owner alone can read, to be named with the release."""
        try:
            staged, named = self.place.with_name(register.name), self.target.with_name(register.name)
            write_new(staged, content, mode=0o600)
        except OSError as error:
            raise EngineError(f"cannot write {register.name}: {error.strerror}") from None
        self._register = staged, named

    def _name_register(self) -> None:
        # For a new name before the release, so that it is never without; for an old one at last: if a run is
        # killed before, the old register is next to its own release, or names another one.
        if self._register is not None:
            staged, named = self._register
            staged.replace(named)

    def _digest(self, path: Path) -> str:
        return file_digest(path)

    def _exchange(self) -> None:
        self.place.replace(self.target)


def file_staging(target: Path, inputs: Mapping[str, Path], *, replace: bool = False) -> Staging:
    """A release that is a file; raises, before any work is done, if it cannot or must not be written.

    Parameters
    ----------
    target
        The name of the release.
    inputs
        The inputs of the release: the name of each in messages -> its file.
    replace
        Whether a file that is no release may be replaced, too.
    """
    FileFormat.of(target)
    check_no_input(target, inputs, "release")
    check_place(target)
    if target.is_dir():
        raise EngineError(f"cannot write {target}: it is a folder")
    if target.exists() and not target.is_file():
        raise EngineError(f"cannot write {target}: it is a device, a pipe or a socket; name a plain file")
    staging = Staging(target, replace=replace)
    staging.check_replaceable()
    return staging


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
