"""The ledger's file: read as a whole, appended to under a lock, never rewritten."""

from __future__ import annotations

import contextlib
import datetime
import os
from collections.abc import Iterator, Mapping
from pathlib import Path

from shoal.errors import AuditError, EngineError
from shoal.files.private_folder import STAGED, PrivateFolder
from shoal.files.whole_file import sync
from shoal.ledger.chain import Chain, Entry, Event, read_chain

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]


class Ledger:
    """A file of releases, each line chained to the one before.

    Parameters
    ----------
    path
        The file; the first release makes it.
    """

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        if "\0" in str(self.path):
            raise EngineError("cannot open the ledger: its name has a zero byte, which no file's can have")

    def __repr__(self) -> str:
        return f"Ledger({str(self.path)!r})"

    def read(self) -> Chain:
        """All lines, verified; none if there is no file. `AuditError` names the first line that is broken."""
        try:
            # Locked: a line that is being written is not a part that a killed process left.
            with self._opened(os.O_RDONLY) as handle:
                return read_chain(_bytes(handle), self.path.name)
        except FileNotFoundError:
            return Chain()
        except OSError as error:
            raise EngineError(f"cannot read the ledger {self.path}: {error.strerror}") from None

    @property
    def releases(self) -> tuple[Entry, ...]:
        """The releases, in the order in which they were announced."""
        return self.read().entries

    def verify(self, head: str | None = None) -> Chain:
        """All lines, verified; `AuditError` also if there is no file, or no line with a hash that was kept.

        Parameters
        ----------
        head
            The hash of a line, kept elsewhere. Without it, lines that were cut off at the end are not missed.
        """
        if not self.path.is_file():
            raise EngineError(f"there is no ledger {self.path}")
        chain = self.read()
        if head is not None and all(line["hash"] != head for line in chain.lines):
            raise AuditError(
                f"the ledger {self.path.name} has no line with the hash that was kept: lines were cut off "
                f"after line {len(chain.lines)}, or it is another ledger"
            )
        return chain

    def check_writable(self) -> None:
        """Raise, before any work is done, if the ledger could not be written."""
        folder = Path(os.path.realpath(self.path)).parent
        self._check_file()
        if not folder.is_dir():
            raise EngineError(f"cannot write the ledger {self.path}: there is no folder {folder}")
        try:
            if self.path.exists():
                os.close(os.open(self.path, os.O_RDWR | os.O_APPEND))
            else:
                with PrivateFolder(folder, prefix=STAGED) as probed:
                    (probed.path / self.path.name).touch()
        except OSError as error:
            raise EngineError(f"cannot write the ledger {self.path}: {error.strerror}") from None

    def announce(self, facts: Mapping[str, object], *, after: str | None) -> int | None:
        """Write down a release that is about to be published; the number of its line.

        `None`, and nothing is written, if the ledger has grown since it was read.

        Parameters
        ----------
        facts
            What is released and how.
        after
            The hash of the last line that was read, so that no earlier release was missed.
        """
        return self._append("announced", facts, after=after)

    def settle(self, serial: int, event: Event) -> None:
        """Write down that an announced release was published, or that it certainly was not."""
        self._append(event, {"of": serial})

    def _append(self, event: Event, facts: Mapping[str, object], *, after: str | None = "") -> int | None:
        """Append a line after `after`, the empty text standing for any."""
        new = not self.path.exists()
        try:
            with self._opened(os.O_RDWR | os.O_CREAT | os.O_APPEND) as handle:
                chain = read_chain(_bytes(handle), self.path.name)
                if after not in ("", chain.head):
                    return None
                now = datetime.datetime.now(datetime.UTC).replace(microsecond=0, tzinfo=None)
                line, rest = chain.next(event, f"{now.isoformat()}Z", facts)
                while rest:
                    rest = rest[os.write(handle, rest) :]
                os.fsync(handle)
            if new:
                sync(Path(os.path.realpath(self.path)).parent)
        except OSError as error:
            raise EngineError(f"cannot write the ledger {self.path}: {error.strerror}") from None
        return int(line["serial"])

    def _check_file(self) -> None:
        """Raise if something else has the name: a pipe would never be opened, a device never end."""
        if self.path.exists() and not self.path.is_file():
            what = "a folder" if self.path.is_dir() else "no file"
            raise EngineError(f"cannot open the ledger {self.path}: it is {what}")

    @contextlib.contextmanager
    def _opened(self, flags: int) -> Iterator[int]:
        """The file, locked; closing it frees the lock."""
        self._check_file()
        handle = os.open(self.path, flags | getattr(os, "O_BINARY", 0), 0o666)
        try:
            if fcntl is not None:
                fcntl.flock(handle, fcntl.LOCK_SH if flags == os.O_RDONLY else fcntl.LOCK_EX)
            yield handle
        finally:
            os.close(handle)


def _bytes(handle: int) -> bytes:
    os.lseek(handle, 0, os.SEEK_SET)
    return b"".join(iter(lambda: os.read(handle, 1 << 20), b""))
