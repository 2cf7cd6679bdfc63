"""A table that was requested, and what the step remembers until it is open. No page code."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from shoal import FileSource, PolicyError, TableSource
from shoal.studio.jobs import Job
from shoal.studio.parts import sentence
from shoal.studio.steps.open_table.database import with_password
from shoal.studio.steps.open_table.paths import short
from shoal.studio.steps.open_table.policy_import import Continued
from shoal.studio.workspace import as_stated


@dataclass(eq=False, kw_only=True)
class Pending:
    """A table that was requested and is not open yet.

    Parameters
    ----------
    source, name, uploaded, hierarchies
        As of `Opened`.
    how
        As of `Opened`; those of the policy when empty.
    again
        Whether it is the table that is open, to be read in another way: its file stays.
    policy
        The policy to go on from.
    password
        Of the database.
    unconfirmed
        Whether the user must still confirm that runs may be lost.
    server
        The database server that the user must still confirm: nothing connects to it before.
    job
        The reading.
    """

    source: Path | TableSource
    name: str
    uploaded: bool = False
    hierarchies: dict[str, Path] = field(default_factory=dict)
    how: Mapping[str, Any] = field(default_factory=dict)
    again: bool = False
    policy: Continued | None = None
    password: str | None = field(default=None, repr=False)
    unconfirmed: bool = False
    server: str = ""
    job: Job | None = None

    def discard(self) -> None:
        """End the reading, and remove what was uploaded for it."""
        if self.job is not None:
            self.job.stop()
            self.job.stop()  # at once
        if self.uploaded and not self.again and isinstance(self.source, Path):
            self.source.unlink(missing_ok=True)

    @property
    def as_read(self) -> FileSource | TableSource:
        """The table with what was stated about its file, and with its password."""
        if isinstance(self.source, TableSource):
            return with_password(self.source, self.password)
        return as_stated(self.source, self.how)

    def without_secrets(self, words: str) -> str:
        """A message with the user's name of the file, not the stored one."""
        if isinstance(self.source, Path) and self.uploaded:
            words = words.replace(str(self.source), short(self.name)).replace(
                self.source.name, short(self.name)
            )
        if self.policy is not None:
            words += f"; it was opened with the policy {self.policy.name}"
        known = short(self.name)
        if words.startswith(known):
            return known + sentence(PolicyError(words[len(known) :]))
        return sentence(PolicyError(words)) if known in words else f"{known}: {sentence(PolicyError(words))}"


@dataclass
class Opening:
    """What this step remembers until a table is open.

    Parameters
    ----------
    pending
        What is on its way.
    failure
        Why the last one did not open.
    refused
        The file that did not open, for another attempt.
    policy
        A policy whose table is still to be named.
    folder
        The folder that is shown.
    """

    pending: Pending | None = None
    failure: str = ""
    refused: Pending | None = None
    policy: Continued | None = None
    folder: Path | None = None


@dataclass
class Shown:
    """What this step remembers of the table that is open: the first row of the page, and its policy."""

    start: int = 0
    policy: str = ""
