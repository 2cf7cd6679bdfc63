"""One of several tables, and how its rows are linked with those of the others."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path

from shoal.errors import PolicyError
from shoal.model.policy.attribute import Attribute, Role
from shoal.model.table.file_options import FileOptions
from shoal.model.table.file_source import FileSource

_NAME = re.compile(r"\w[\w -]{0,99}")


@dataclass(frozen=True, kw_only=True)
class LinkedTable:
    """A table of a release of several.

    A row belongs to the row of the `parent` that has its key; or directly to a person, whom the column
    `person` identifies; or it is a person itself, in the one table that has neither.

    Parameters
    ----------
    name
        What the policy calls it; also the name of its released file.
    attributes
        The columns that have a role, without those that link.
    source, file
        Its file, and what is stated about how that is written; no source if a data frame is handed over.
    key
        The column that identifies its rows; other tables refer to it.
    parent, parent_key
        The table that its rows belong to, and the column that has the parent's key; the name of the parent's
        key when absent.
    person
        The column that identifies persons, where there is no table of them.
    """

    name: str
    attributes: tuple[Attribute, ...]
    source: Path | FileSource | None = None
    file: FileOptions = field(default_factory=FileOptions)
    key: str | None = None
    parent: str | None = None
    parent_key: str | None = None
    person: str | None = None

    def __post_init__(self) -> None:
        if not _NAME.fullmatch(self.name):
            raise PolicyError(
                f"the table {self.name!r} would be a file of that name; use letters, digits, spaces and "
                "hyphens"
            )
        where = f"[tables.{self.name}]"
        if self.parent is not None and self.person is not None:
            raise PolicyError(
                f"{where}: its rows belong to rows of {self.parent!r}, which belong to persons already; keep "
                "one of parent and person"
            )
        if self.parent_key is not None and self.parent is None:
            raise PolicyError(
                f"{where}: parent_key has the key of a parent, and no parent is named; write "
                'parent = "..." too'
            )
        linking = [each for each in (self.key, self.parent_key, self.person) if each is not None]
        if len(set(linking)) < len(linking):
            raise PolicyError(
                f"{where}: one column cannot both identify its rows and link them; leave out `key` if no "
                "other table refers to it"
            )
        if not any(each.role is Role.QUASI_IDENTIFIER for each in self.attributes):
            raise PolicyError(
                f"{where}: name at least one quasi-identifier: a column that others may know of its rows. A "
                "table without one is released by itself, without its keys"
            )
