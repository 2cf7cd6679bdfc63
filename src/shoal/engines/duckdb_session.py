"""A DuckDB session: limits, a private place to spill to, and errors that never quote a cell."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor, wait
from pathlib import Path
from typing import Any, TypeVar

import duckdb
import numpy as np
from numpy.typing import NDArray

from shoal.engines import sql
from shoal.engines.private_folder import PrivateFolder
from shoal.errors import EngineError, PolicyError

T = TypeVar("T")

_LOOK_FOR_SIGNALS = 0.05
_SIZE = re.compile(r"\d+(\.\d+)?\s*([KMGT]i?B|B)", re.IGNORECASE)


class DuckSession:
    """An in-memory database of its own, so that nothing is kept from one run to the next.

    Parameters
    ----------
    memory
        Most memory that DuckDB may hold before it spills to disk, as in "1GB".
    threads
        Threads for counting and writing; DuckDB's own choice when absent.
    temp_directory
        Where to spill. A folder that only this user can read is made there, and removed at the end.
    """

    def __init__(self, *, memory: str, threads: int | None, temp_directory: Path | None) -> None:
        if not _SIZE.fullmatch(memory):
            raise PolicyError(f'memory must be a size like "1GB" or "512MB"; it is {memory!r}')
        try:
            self._private = PrivateFolder(temp_directory)
        except OSError as error:
            raise EngineError(f"cannot spill to {temp_directory}: {error.strerror}") from None
        self.folder = self._private.path
        self._serial = 0
        self._worker = ThreadPoolExecutor(1, "shoal-duckdb")
        self._connection = duckdb.connect()
        settings = {
            "memory_limit": memory,
            "temp_directory": str(self.folder / "spill"),
            "preserve_insertion_order": "true",
            "TimeZone": "UTC",
            "enable_progress_bar": "false",
        }
        if threads is not None:
            # One thread cuts Parquet row groups at other rows than several do: a release written with one
            # would have other bytes.
            settings["threads"] = str(max(2, threads))
        for name, value in settings.items():
            self._connection.execute(f"SET {name} = {sql.literal(value)}")

    def close(self) -> None:
        """Give back memory and disk."""
        self._worker.shutdown()
        self._connection.close()
        self._private.remove()

    def fresh(self, what: str) -> str:
        """A name that this session has not used yet."""
        self._serial += 1
        return f"shoal_{what}_{self._serial}"

    def execute(self, statement: str, about: str) -> None:
        """Run a statement to its end; an error names what it was about, and never a cell."""
        self.rows(statement, about)

    def row(self, statement: str, about: str) -> tuple[Any, ...]:
        """The one row of an answer."""
        (found,) = self.rows(statement, about)
        return found

    def rows(self, statement: str, about: str) -> list[tuple[Any, ...]]:
        """All rows of a small answer."""
        # Always fetched to the end: DuckDB 2 runs a statement while it is fetched, and no other.
        return self._interruptibly(about, lambda: self._connection.execute(statement).fetchall())

    def arrays(self, statement: str, about: str) -> dict[str, NDArray[Any]]:
        """An answer column by column."""
        return self._interruptibly(about, lambda: self._connection.execute(statement).fetchnumpy())

    def _interruptibly(self, about: str, work: Callable[[], T]) -> T:
        """Run a statement on a thread of its own, and stop it when Ctrl-C arrives here.

        DuckDB itself looks for signals only between its tasks, and one task can take very long.
        """
        running = self._worker.submit(work)
        try:
            while not wait([running], timeout=_LOOK_FOR_SIGNALS).done:
                pass
        except BaseException:
            while not running.done():
                # Repeated: one that comes before a statement has begun is lost. More Ctrl-C change nothing.
                with contextlib.suppress(KeyboardInterrupt):
                    self._connection.interrupt()
                    wait([running], timeout=_LOOK_FOR_SIGNALS)
            raise
        with translated(about):
            return running.result()

    def register(self, what: str, columns: Mapping[str, NDArray[Any]]) -> str:
        """Make arrays a table; its name is returned."""
        name = self.fresh(what)
        self._connection.register(name, dict(columns))
        return name

    def register_frame(self, what: str, native: object, about: str) -> str:
        """Make a data frame a table; its name is returned."""
        name = self.fresh(what)
        with translated(about):
            self._connection.register(name, native)
        return name

    def unregister(self, name: str) -> None:
        self._connection.unregister(name)

    def set_list(self, what: str, values: NDArray[np.int32]) -> str:
        """Keep numbers as a list variable and return SQL for it; negative ones become NULL."""
        table = self.register("numbers", {"i": np.arange(len(values)), "v": values})
        name = self.fresh(what)
        self.execute(
            f"SET VARIABLE {name} = (SELECT list(CASE WHEN v >= 0 THEN v END ORDER BY i) FROM {table})",
            "a list",
        )
        self.unregister(table)
        return f"getvariable('{name}')"

    def set_text(self, what: str, text: str) -> str:
        """Keep a text as a variable and return SQL for it."""
        name = self.fresh(what)
        self.execute(f"SET VARIABLE {name} = {sql.literal(text)}", "a text")
        return f"getvariable('{name}')"

    def readable(self, path: Path) -> str:
        """The path as DuckDB can be told it: whole, and through a link if signs in it read as a pattern.

        Of a relative one DuckDB would take `~` for a home folder, and `file:` for an address.
        """
        path = path.absolute()
        if not any(sign in str(path) for sign in "*?[]"):
            return str(path)
        link = self.folder / f"{self.fresh('link')}{''.join(path.suffixes[-2:])}"
        with contextlib.suppress(FileExistsError):
            link.symlink_to(path.resolve())
        return str(link)


@contextlib.contextmanager
def translated(about: str) -> Iterator[None]:
    """Turn DuckDB's errors into ours. Its messages quote lines and cells, so they are not repeated."""
    try:
        yield
    except duckdb.InterruptException:
        raise KeyboardInterrupt from None
    except RuntimeError as error:
        # DuckDB reports a signal that arrived while it ran as a plain RuntimeError.
        if "interrupted" in str(error).lower():
            raise KeyboardInterrupt from None
        raise
    except duckdb.OutOfMemoryException:
        raise EngineError(f"{about}: the memory limit was reached, even with spilling; allow more") from None
    except duckdb.IOException as error:
        raise EngineError(f"{about}: {_system_words(error)}") from None
    except duckdb.Error as error:
        raise EngineError(f"{about}: {_broken_line(error)}") from None


def _system_words(error: duckdb.Error) -> str:
    """The operating system's words at the end of an I/O error; the rest can quote content."""
    found = re.search(
        r"No space left on device|Permission denied|No such file or directory|Input/output error",
        str(error),
    )
    return found[0] if found else "the file could not be read or written; is it whole?"


def _broken_line(error: duckdb.Error) -> str:
    text = str(error)
    line = re.search(r"CSV Error on Line: (\d+)", text)
    if line is not None:
        return f"line {int(line[1]):,} is broken: {_fault(text)}; nothing was skipped, correct the file"
    if "CSV" in text:
        return "its lines are not regular CSV: line ends or quotes are mixed; correct the file"
    if isinstance(error, duckdb.ConversionException):
        return "a cell is new since the rows were counted; did the source change meanwhile?"
    return f"DuckDB could not do it ({type(error).__name__})"


def _fault(text: str) -> str:
    counts = re.search(r"Expected Number of Columns: (\d+) Found: (\d+)", text)
    if counts is not None:
        return f"it has {counts[2]} fields where the header has {counts[1]}"
    if "unterminated quote" in text:
        return "a quote is not closed"
    if "unicode" in text or "utf-8" in text:
        return "it is not UTF-8 text"
    if "Maximum line size" in text:
        return "it is too long"
    return "it does not follow the CSV rules"
