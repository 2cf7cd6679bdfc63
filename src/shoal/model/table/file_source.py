"""A file, together with what the user states about it."""

from __future__ import annotations

import os
from dataclasses import KW_ONLY, dataclass
from pathlib import Path
from typing import Any

from shoal.errors import PolicyError
from shoal.model.table.file_options import FILE_OPTIONS, FileOptions
from shoal.model.table.table_source import TableSource


@dataclass(frozen=True)
class FileSource:
    """A file and what you know about it, wherever a path is accepted as a table.

    What is `None` is found in the file.

    Parameters
    ----------
    path
        The file, or a pattern like `stays-*.csv` for several with the same columns.
    encoding
        Of a text file, as in "windows-1252".
    delimiter
        The sign between the cells of a text file.
    quote
        The sign around cells of a text file; "none" if no sign has this meaning.
    header
        Whether the first line has the names of the columns.
    skip
        Lines of a text file, or rows of a sheet, before the header or the first row.
    sheet
        The sheet of a workbook: its name, or its number from 1 on.
    """

    path: str | Path
    _: KW_ONLY
    encoding: str | None = None
    delimiter: str | None = None
    quote: str | None = None
    header: bool | None = None
    skip: int | None = None
    sheet: str | int | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "path", Path(self.path))
        for name, value in self.options.stated.items():  # checked, and in the one form of each sign
            object.__setattr__(self, name, value)

    @property
    def options(self) -> FileOptions:
        """What is stated."""
        return FileOptions(**{name: getattr(self, name) for name in FILE_OPTIONS})

    @classmethod
    def of(cls, source: str | os.PathLike[str]) -> FileSource:
        """The file that a path names, with nothing stated."""
        return source if isinstance(source, FileSource) else cls(Path(source))

    def __fspath__(self) -> str:
        return str(self.path)

    def __str__(self) -> str:
        return str(self.path)


def with_options(source: Any, options: FileOptions) -> Any:
    """A source with options; `PolicyError` if it is not a file.

    What a `FileSource` states itself comes first.
    """
    if not options or source is None:
        return source
    if not isinstance(source, str | os.PathLike):
        names = list(options.stated)
        what = "a table of a database" if isinstance(source, TableSource) else "a data frame"
        raise PolicyError(
            f"{', '.join(names)} {'say' if len(names) > 1 else 'says'} how to read a file, and the source is "
            f"{what}; leave {'them' if len(names) > 1 else 'it'} out"
        )
    file = FileSource.of(source)
    return FileSource(file.path, **file.options.over(options).stated)


def file_of(source: Any) -> Path | None:
    """The path of a source that is a file; `None` for any other."""
    return Path(source) if isinstance(source, str | os.PathLike) else None
