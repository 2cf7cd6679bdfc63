"""What a user states about a file, in place of what Shoal would find by itself."""

from __future__ import annotations

import codecs
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

from shoal.errors import PolicyError

NO_QUOTE = "none"
"""How a user says that no sign quotes cells."""

_DELIMITERS = {"tab": "\t", "\\t": "\t", "space": " ", "comma": ",", "semicolon": ";", "pipe": "|"}


@dataclass(frozen=True, kw_only=True)
class FileOptions:
    """How to read a file; what is `None` is found in the file.

    Parameters
    ----------
    encoding
        Of a text file, as Python names it.
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

    encoding: str | None = None
    delimiter: str | None = None
    quote: str | None = None
    header: bool | None = None
    skip: int | None = None
    sheet: str | int | None = None

    def __post_init__(self) -> None:
        for name in ("encoding", "delimiter", "quote"):
            value = getattr(self, name)
            if value is not None and not isinstance(value, str):
                raise PolicyError(f"{name} is text; it is of type {type(value).__name__}")
        if self.encoding is not None:
            _check_encoding(self.encoding)
        if self.delimiter is not None:
            object.__setattr__(self, "delimiter", _DELIMITERS.get(self.delimiter, self.delimiter))
            if len(self.delimiter) != 1 or self.delimiter in '"\r\n':
                raise PolicyError(
                    f'delimiter is one sign, or tab or space, as in delimiter = ";"; it is {self.delimiter!r}'
                )
        if self.quote is not None and (
            self.quote != NO_QUOTE and (len(self.quote) != 1 or self.quote in "\r\n")
        ):
            raise PolicyError(f'quote is one sign, or "none"; it is {self.quote!r}')
        if self.quote is not None and self.quote == self.delimiter:
            raise PolicyError(f"delimiter and quote are both {self.quote!r}; they must differ")
        if self.header is not None and not isinstance(self.header, bool):
            raise PolicyError(f"header is true or false; it is {self.header!r}")
        if self.skip is not None and (
            not isinstance(self.skip, int) or isinstance(self.skip, bool) or self.skip < 0
        ):
            raise PolicyError(f"skip is a whole number of lines from 0 on; it is {self.skip!r}")
        self._check_sheet()

    def _check_sheet(self) -> None:
        sheet = self.sheet
        if sheet is None:
            return
        if isinstance(sheet, bool) or not isinstance(sheet, str | int) or (sheet != "0" and sheet == 0):
            raise PolicyError(f"sheet is the name of a sheet, or its number from 1 on; it is {sheet!r}")

    @property
    def stated(self) -> dict[str, Any]:
        """What is stated, by key."""
        values = {field.name: getattr(self, field.name) for field in fields(self)}
        return {name: value for name, value in values.items() if value is not None}

    def over(self, others: FileOptions) -> FileOptions:
        """These options, with others where nothing is stated here."""
        return FileOptions(**{**others.stated, **self.stated})

    def __bool__(self) -> bool:
        return bool(self.stated)


FILE_OPTIONS: tuple[str, ...] = tuple(field.name for field in fields(FileOptions))
"""The names of the options, in order."""


def file_options(values: Mapping[str, Any]) -> FileOptions:
    """The options among arguments or keys."""
    return FileOptions(**{name: values[name] for name in FILE_OPTIONS if values.get(name) is not None})


def _check_encoding(name: str) -> None:
    try:
        text = codecs.lookup(name)._is_text_encoding
    except (LookupError, ValueError):
        text = False
    if not text:
        raise PolicyError(
            f"there is no encoding {name!r}; common ones are utf-8, utf-16, windows-1252, iso-8859-15 and "
            "mac-roman"
        )
