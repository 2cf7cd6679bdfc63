"""All that the studio holds: the opened table, the policy that is written for it, and what ran. No page code.

Every page shows this one workspace. Every change calls `touch`; pages check `revision` now and
then.
"""

from __future__ import annotations

import copy
import itertools
import re
import shutil
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

import shoal
from shoal import FileSource, Inspected, PolicyError, Release, TableSource
from shoal.engines.duckdb.files.formats import COMPRESSIONS, SUFFIXES
from shoal.studio import first_look
from shoal.studio.draft import Draft
from shoal.studio.folders import Folders
from shoal.studio.history import History
from shoal.studio.jobs import Job, Workers
from shoal.studio.run_key import new_key, with_key

T = TypeVar("T")

MOST_STAMPED = 1_000
"""Most files of a folder that are checked for changes."""

COMMAND = "shoal anonymize {policy} -o {release}"
"""What does the same as a search here."""


PACKED = 8
"""How much larger a table may be than its file."""

MISSING = "missing"
"""The key of [source] that is about cells, not about the file."""

_TEXT = ("csv", "excel", "json")
"""Kinds of files whose release is text; the others have types, and their release is Parquet."""

_PASSWORD = re.compile(r"(?<=://)([^/?#:@]*):[^/?#]*(?=@)")
_SECRET = re.compile(r"(?i)([?&])(password|passwd|pwd|sslpassword|token|secret)=[^&#]*&?")


def without_password(url: str) -> str:
    """The address of a database without what only its owner knows; the user's name stays."""
    return _SECRET.sub(r"\1", _PASSWORD.sub(r"\1", url)).rstrip("?&")


def as_stated(source: Path | TableSource, how: Mapping[str, Any]) -> FileSource | TableSource:
    """A table with what was stated about its file, as Shoal's functions take it.

    Parameters
    ----------
    source
        The file, or where the table lives.
    how
        Keys of [source]; those that are about cells are left out.
    """
    if isinstance(source, TableSource):
        return source
    return FileSource(source, **{key: value for key, value in how.items() if key != MISSING})


def stamp_of(source: Path | TableSource) -> object:
    """What changes when a file does: sizes and times; `None` of a table in a database, which has neither."""
    if isinstance(source, TableSource):
        return None
    try:
        files = sorted(source.rglob("*.parquet"))[:MOST_STAMPED] if source.is_dir() else [source]
        return [(str(file), file.stat().st_size, file.stat().st_mtime_ns) for file in files]
    except OSError:
        return "gone"


@dataclass(frozen=True, kw_only=True)
class Opened:
    """The table that was opened.

    Parameters
    ----------
    source
        Its file, or where it lives.
    name
        What to call it.
    inspected
        What is known of its columns.
    how
        Further keys of [source]: how its file is written, and what stands for missing.
    uploaded
        Whether it was uploaded: then it is in the private folder, and its policy names the
        file as its owner knows it.
    hierarchies
        Column -> hierarchy file that comes with it; of the bundled example.
    """

    source: Path | TableSource
    name: str
    inspected: Inspected
    how: Mapping[str, Any] = field(default_factory=dict)
    uploaded: bool = False
    hierarchies: dict[str, Path] = field(default_factory=dict)
    stamp: object = field(init=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "stamp", stamp_of(self.source))

    @property
    def has_changed(self) -> bool:
        """Whether its file is another one, or gone, since it was opened."""
        return stamp_of(self.source) != self.stamp

    @property
    def as_read(self) -> FileSource | TableSource:
        """The table with what was stated about its file."""
        return as_stated(self.source, self.how)

    def stated(self, *, portable: bool = False) -> dict[str, Any]:
        """The table [source] of a policy for it; `portable`, as its owner would write it."""
        if isinstance(self.source, TableSource):
            url = str(self.source.connection)
            stated = without_password(url) if portable else url
            return {"connection": stated, "table": str(self.source.table), **self.how}
        return {"path": self.name if portable and self.uploaded else str(self.source), **self.how}

    @property
    def suffix(self) -> str:
        """How a release of it ends: as on the command line, but not compressed; from a database, CSV."""
        if isinstance(self.source, TableSource):
            return ".csv"
        endings = [ending.lower() for ending in self.source.suffixes if ending.lower() not in COMPRESSIONS]
        ending = endings[-1] if endings else ""
        if ending in (".csv", ".tsv", ".parquet"):
            return ending
        typed = self.source.is_dir() or SUFFIXES.get(ending, "csv") not in _TEXT
        return ".parquet" if typed else ".csv"


@dataclass(eq=False, kw_only=True)
class Run:
    """A search for a release by a policy, or the pick of a front's point.

    Parameters
    ----------
    number, title
        Its place in the list, and what people call it.
    draft
        The policy as it was then.
    folder
        Where its policy and its release lie.
    release_path
        The file that it writes.
    job
        The work.
    command
        The command that does the same, with `{policy}` and `{release}` for the files.
    key
        Its secret key; `None` if that is the studio's.
    """

    number: int
    title: str
    draft: Draft
    folder: Path
    release_path: Path
    job: Job
    command: str
    key: str | None = field(default=None, repr=False)
    facts: dict[str, Any] = field(default_factory=dict)

    @property
    def release(self) -> Release | None:
        """What was released, if the search is over and found something."""
        return self.job.result if isinstance(self.job.result, Release) else None

    @property
    def policy_path(self) -> Path:
        """Its policy."""
        return self.folder / "policy.toml"


class Workspace:
    """One person's work in the studio.

    Parameters
    ----------
    folders
        The files that may be touched.
    workers
        Where jobs run.
    """

    def __init__(self, folders: Folders, workers: Workers) -> None:
        self.folders = folders
        self.workers = workers
        self.table: Opened | None = None
        self.draft = Draft()
        self.history = History()
        """The policy before each change, to take changes back."""
        self.runs: list[Run] = []
        self.chosen: Run | None = None
        self.jobs: dict[str, Job] = {}
        """Other work by its name: the front, a comparison, what is measured for a review."""
        self.servers: set[str] = set()
        """Database servers that the user has confirmed; nothing else is connected to."""
        self.revision = 0
        self.dark: bool | None = None
        self.most_upload = 0
        self._numbers = itertools.count(1)
        self._states: dict[type, Any] = {}

    def touch(self) -> None:
        """Say that something changed."""
        self.history.look(self.draft)
        self.revision += 1

    def open(self, table: Opened) -> None:
        """Begin with another table: what was known and ran of the last one is forgotten."""
        self.close_table(kept=table.source)
        self.table = table
        self.draft = Draft.suggested(table.inspected)
        for column, path in table.hierarchies.items():
            if self.draft.role(column) is shoal.Role.QUASI_IDENTIFIER:
                self.draft.set_hierarchy_file(column, path.read_text(encoding="utf-8"))
        self.history.begin(self.draft)
        self.touch()

    def close_table(self, kept: object = None) -> None:
        """Forget the table, its runs and its upload, unless that is the file that is `kept`."""
        for job in [*(run.job for run in self.runs), *self.jobs.values()]:
            job.stop()
            job.stop()  # at once
        for run in self.runs:
            shutil.rmtree(run.folder, ignore_errors=True)
        table = self.table
        if table is not None and table.uploaded and isinstance(table.source, Path) and table.source != kept:
            table.source.unlink(missing_ok=True)
        self.table, self.runs, self.chosen, self.jobs, self._states = None, [], None, {}, {}
        self.touch()

    def state(self, kind: type[T]) -> T:
        """What a step remembers of this table beyond the policy and the runs, created when first needed."""
        if kind not in self._states:
            self._states[kind] = kind()
        stored: T = self._states[kind]
        return stored

    def needed_table(self) -> Opened:
        """The table; `PolicyError` if none is open."""
        if self.table is None:
            raise PolicyError("open a table first")
        return self.table

    def search(self, title: str, draft: Draft | None = None) -> Run:
        """Start a search by the current policy, or by another; it runs independently of the pages."""
        table = self.needed_table()
        draft = (draft or self.draft).copy()
        folder, place = self.new_folder()
        policy = draft.write(folder, table.stated())
        key = new_key()
        job = self.workers.start(
            title,
            with_key,
            key,
            shoal.anonymize,
            policy=policy,
            path=place,
            reports="on_progress",
            queued=True,
        )
        run = self.add(title, draft, place, job, key=key)
        first_look.begin(self, run)
        return run

    def new_folder(self) -> tuple[Path, Path]:
        """A folder for a run, and the path of its release."""
        number = next(self._numbers)
        source = self.needed_table().source
        # Sizes are those of the files; a packed one holds several times as much.
        size = PACKED * source.stat().st_size if isinstance(source, Path) and source.is_file() else None
        folder = self.folders.place_for(size) / f"run-{number}"
        folder.mkdir()
        return folder, folder / f"release{self.needed_table().suffix}"

    def add(
        self,
        title: str,
        draft: Draft,
        place: Path,
        job: Job,
        command: str | None = None,
        key: str | None = None,
    ) -> Run:
        """Put a run into the list."""
        folder = place.parent
        run = Run(
            number=int(folder.name.removeprefix("run-")),
            title=title,
            draft=draft,
            folder=folder,
            release_path=place,
            job=job,
            command=command or COMMAND,
            key=key,
        )
        # Before it reads: better to report a concurrent change twice than to miss it.
        run.facts["source"] = stamp_of(self.needed_table().source)
        # A point of a front has a derived policy; it answers the one that is shown.
        run.facts["demanded"] = copy.deepcopy((draft if run.command == COMMAND else self.draft).demanded)
        self.runs.append(run)
        self.touch()
        return run

    def source_changed(self, run: Run) -> bool:
        """Whether the table on disk is no longer the one that a run was started with."""
        table = self.table
        return table is not None and "source" in run.facts and stamp_of(table.source) != run.facts["source"]

    def run(self, number: int) -> Run | None:
        """A run by its number."""
        return next((run for run in self.runs if run.number == number), None)

    @property
    def running(self) -> list[Job]:
        """What is at work."""
        return [job for job in [*(run.job for run in self.runs), *self.jobs.values()] if job.is_running]
